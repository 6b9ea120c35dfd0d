"""Write a trace as text for a terminal."""

import textwrap

from ..counts import Counts
from ..words import counted, duration, size

WIDTH = 100
MOST_SITES = 12


def report(trace: Counts) -> str:
    """Return the report of a Trace as text, in lines of at most 100 characters."""
    findings = trace.findings
    hints = repr(findings).splitlines() if findings else []
    sections = [head(trace), table("Where from", sites(trace)), hints]
    return "\n\n".join("\n".join(line[:WIDTH] for line in lines) for lines in sections if lines)


def head(trace: Counts) -> list[str]:
    """Return the first lines of a report: counts, times, and an estimate for Redis 1 ms away."""
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
    for each in trace.uncounted:
        lines += textwrap.wrap(each, WIDTH, subsequent_indent="  ")
    spent = f"{duration(trace.seconds)}, of which {duration(trace.waiting)} waiting for Redis"
    far = f"; {duration(trace.seconds_at(1))} if Redis were 1 ms away"
    lines.append(f"measured: {spent}{far if trace.round_trips else ''}")
    if trace.unlisted:
        listed = f"what follows is of the first {len(trace.log):,}"
        lines.append(
            f"{counted(trace.unlisted, 'round trip')} more are in the totals alone; {listed}"
        )
    return lines


def table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    width = min(60, max(len(what) for what, _ in rows))
    return [title, *[f"  {what[:width]:<{width}}  {where}".rstrip() for what, where in rows]]


def sites(trace: Counts, setup: bool = False) -> list[tuple[str, str]]:
    """Return [(what was sent, call site)], two texts for each call site, most round trips first.

    Call sites of setting connections up are included only with `setup`. Beyond twelve, one row says
    how many more there are.
    """
    shown = [each for each in trace.call_sites if setup or not each.setup]
    rows = [
        (each.label + (f" × {each.round_trips:,}" if each.round_trips > 1 else ""), str(each.site))
        for each in shown
    ]
    if len(shown) > MOST_SITES:
        more = counted(len(shown) - MOST_SITES, "call site")
        return [*rows[:MOST_SITES], (f"{more} more", "")]
    return rows
