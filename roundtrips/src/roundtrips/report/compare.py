"""Two traces side by side: what became of each call site's turns."""

from dataclasses import dataclass

from ..words import counted, duration

DISTANCE_MS = 1


@dataclass(frozen=True)
class Row:
    """One call site's turns, `before` and `after`; it is known by its file, its function and what it sends, not by its line."""

    file: str
    function: str
    label: str
    before: int
    after: int

    @property
    def saved(self):
        return self.before - self.after


class Comparison:
    """What `before.compare(after)` returns: `saved` round trips, `waits_saved`, and `rows` by call site, the most saved first."""

    def __init__(self, before, after):
        self.before, self.after = before, after
        self.saved = before.round_trips - after.round_trips
        self.waits_saved = before.waits - after.waits
        one, other = turns_by_site(before), turns_by_site(after)
        self.rows = sorted((Row(*key, one.get(key, 0), other.get(key, 0)) for key in one | other),
                           key=lambda row: (-row.saved, row.label))

    def __repr__(self):
        before, after = self.before, self.after
        lines = [f"{counted(before.round_trips, 'round trip')} before, {after.round_trips:,} after: {changed(self.saved)}",
                 f"{counted(before.waits, 'wait')} before, {after.waits:,} after: {changed(self.waits_saved)}",
                 f"at {DISTANCE_MS:g} ms it would take {duration(before.seconds_at(DISTANCE_MS))} before, "
                 f"{duration(after.seconds_at(DISTANCE_MS))} after"]
        width = max((len(row.label) for row in self.rows), default=0)
        lines += [f"  {row.label:<{width}}  {row.before:>6,} → {row.after:<6,}  {row.function.rsplit('.', 1)[-1]}"
                  for row in self.rows if row.saved]
        same = sum(not row.saved for row in self.rows)
        return "\n".join([*lines, f"  {counted(same, 'call site')} as before"] if same else lines)


def changed(saved):
    return f"{saved:,} saved" if saved > 0 else f"{-saved:,} more" if saved < 0 else "no change"


def turns_by_site(trace):
    """{(file, function, label): turns} of the work."""
    found = {}
    for each in trace.call_sites:
        if not each.setup:
            key = each.site.file, each.site.function, each.label
            found[key] = found.get(key, 0) + each.round_trips
    return found
