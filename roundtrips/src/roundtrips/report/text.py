"""A trace in words: a text for a terminal, and the same for a notebook."""

from __future__ import annotations

import html
import textwrap
from typing import TYPE_CHECKING

from ..estimate import leaves_out
from ..words import counted, duration, size
from . import DISTANCES_MS, fenced

if TYPE_CHECKING:
    from ..traces import Trace

WIDTH = 100
MOST_SITES, MOST_RUNS = 12, 20
LONGEST_PERIOD = 6  # round trips that are repeated together, such as GET, SET, GET, SET


def report(trace: Trace) -> str:
    """Return the text; no line of it is longer than 100 characters."""
    sections = [
        fenced("Numbers", lambda: head(trace)),
        fenced("Where from", lambda: table("Where from", sites(trace))),
        fenced("In order", lambda: table("In order", runs(trace))),
        fenced("What to change", lambda: findings(trace)),
    ]
    return "\n\n".join("\n".join(line[:WIDTH] for line in lines) for lines in sections if lines)


def head(trace: Trace) -> list[str]:
    """Return the numbers, and how long the block would take elsewhere."""
    work = [
        counted(trace.round_trips, "round trip"),
        counted(trace.waits, "wait"),
        counted(sum(trace.commands.values()), "command"),
        f"{size(trace.bytes_sent)} sent",
        f"{size(trace.bytes_received)} received",
    ]
    lines = ["   ".join(work)]
    if trace.connections or trace.setup_trips:
        connections = counted(trace.connections, "connection")
        lines.append(f"set up besides: {connections}, {counted(trace.setup_trips, 'round trip')}")
    for number, what in (
        (trace.lost, "without an answer"),
        (trace.errors, "answered by an error"),
        (trace.elsewhere, "sent on to another node"),
    ):
        if number:
            lines.append(f"{counted(number, 'round trip')} {what}")
    if trace.record.refused:
        lines.append(f"no connection: {counted(trace.record.refused, 'attempt')} failed")
    for each in trace.uncounted:
        lines += textwrap.wrap(each, WIDTH, subsequent_indent="  ")
    spent = f"{duration(trace.seconds)}, of which {duration(trace.waiting)} waiting for Redis"
    lines.append(f"measured: {spent}")
    if trace.round_trips:
        far = [f"{duration(trace.seconds_at(rtt))} at {rtt:g} ms" for rtt in DISTANCES_MS]
        lines.append(f"it would take about {', '.join(far)}{leaves_out(trace.record)}")
    return lines


def table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    width = min(60, max(len(what) for what, _ in rows))
    return [title, *[f"  {what[:width]:<{width}}  {where}".rstrip() for what, where in rows]]


def sites(trace: Trace, setup: bool = False) -> list[tuple[str, str]]:
    """Return [(what, where)] of the call sites of the work, or of all; the most first."""
    found = [each for each in trace.call_sites if setup or not each.setup]
    rows = [(times_of(each.round_trips, each.label), str(each.site)) for each in found]
    if len(found) > MOST_SITES:
        more = counted(len(found) - MOST_SITES, "call site")
        return [*rows[:MOST_SITES], (f"{more} more", "")]
    return rows


def times_of(number: int, label: str) -> str:
    return label if number == 1 else f"{label} × {number:,}"


def runs(trace: Trace) -> list[tuple[str, str]]:
    """Return [(what, '')] of the round trips in order, with what is repeated said once."""
    labels = {(each.site, frozenset(each.names)): each.label for each in trace.call_sites}
    work = [each for each in trace.log if not each.setup]
    order = folded([labels[each.site, frozenset(each.names)] for each in work])
    rows = [(run_of(block, times), "") for block, times in order]
    later = sum(fold.round_trips for fold in trace.folds if not fold.setup)
    shown = rows[:MOST_RUNS]
    if len(rows) > MOST_RUNS:
        shown.append((f"and {counted(len(rows) - MOST_RUNS, 'line')} more", ""))
    return shown + ([(f"then {counted(later, 'round trip')} more", "")] if later else [])


def run_of(block: list[str], times: int) -> str:
    what = " · ".join(block)
    return times_of(times, f"({what})" if times > 1 and len(block) > 1 else what)


def folded(labels: list[str]) -> list[tuple[list[str], int]]:
    """Return [([labels], times)]: blocks that come several times in a row are said once."""
    found, at = [], 0
    while at < len(labels):
        tried = [(period, repeats(labels, at, period)) for period in range(1, LONGEST_PERIOD + 1)]
        period, times = max(tried, key=lambda one: (one[0] * one[1] if one[1] > 1 else 1, -one[0]))
        if times == 1:
            period = 1
        found.append((labels[at : at + period], times))
        at += period * times
    return found


def repeats(labels: list[str], at: int, period: int) -> int:
    """Return how often the block of `period` labels that begins at `at` comes in a row."""
    block, times = labels[at : at + period], 1
    while len(block) == period and block == labels[at + times * period : at + (times + 1) * period]:
        times += 1
    return times


def findings(trace: Trace) -> list[str]:
    found = trace.findings
    return repr(found).splitlines() if found else []


def as_html(trace: Trace) -> str:
    """Return the report as a notebook shows it."""
    numbers = [html.escape(line.replace("   ", " · ")) for line in head(trace)]
    rows = [f"<tr>{cell(what)}{cell(where)}</tr>" for what, where in sites(trace)]
    order = [html.escape(what) for what, _ in runs(trace)]
    change = f"<pre>{html.escape(repr(trace.findings))}</pre>" if trace.findings else ""
    return (
        f"<p>{'<br>'.join(numbers)}</p><table>{''.join(rows)}</table>"
        f"<p>In order:<br>{'<br>'.join(order)}</p>{change}"
    )


def cell(text: str) -> str:
    return f"<td style='text-align:left'>{html.escape(text)}</td>"
