"""Two traces side by side: what became of each call site's round trips."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ..words import counted, duration

if TYPE_CHECKING:
    from ..traces import Trace

DISTANCE_MS = 1


class Row(NamedTuple):
    """One call site's round trips, `before` and `after`, and how many are saved.

    It is known by its file, its function and what it sends, not by its line.
    """

    file: str
    function: str
    label: str
    before: int
    after: int
    saved: int


class Comparison:
    """What `before.compare(after)` returns.

    `saved` and `waits_saved` are differences, `rows` the call sites, the most saved first.
    """

    def __init__(self, before: Trace, after: Trace) -> None:
        self.before, self.after = before, after
        self.saved = before.round_trips - after.round_trips
        self.waits_saved = before.waits - after.waits
        one, other = by_place(before), by_place(after)
        rows = [Row(*each, one[each], other[each], one[each] - other[each]) for each in one | other]
        self.rows = sorted(rows, key=lambda row: (-row.saved, row.label))

    def __repr__(self) -> str:
        before, after = self.before, self.after
        took = [duration(each.seconds_at(DISTANCE_MS)) for each in (before, after)]
        trips, waits = counted(before.round_trips, "round trip"), counted(before.waits, "wait")
        lines = [
            f"{trips} before, {after.round_trips:,} after: {changed(self.saved)}",
            f"{waits} before, {after.waits:,} after: {changed(self.waits_saved)}",
            f"at {DISTANCE_MS:g} ms it would take about {took[0]} before, {took[1]} after",
        ]
        width = max((len(row.label) for row in self.rows), default=0)
        lines += [
            f"  {row.label:<{width}}  {row.before:>6,} → {row.after:<6,}  "
            f"{row.function.rsplit('.', 1)[-1]}"
            for row in self.rows
            if row.saved
        ]
        same = sum(not row.saved for row in self.rows)
        return "\n".join([*lines, f"  {counted(same, 'call site')} as before"] if same else lines)


def changed(saved: int) -> str:
    return f"{saved:,} saved" if saved > 0 else f"{-saved:,} more" if saved < 0 else "no change"


def by_place(trace: Trace) -> Counter[tuple[str, str, str]]:
    """Return {(file, function, label): round trips} of the work."""
    found: Counter[tuple[str, str, str]] = Counter()
    for each in trace.call_sites:
        if not each.setup:
            found[each.site.file, each.site.function, each.label] += each.round_trips
    return found
