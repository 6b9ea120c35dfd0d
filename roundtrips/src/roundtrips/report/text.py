"""A trace in words: a text for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from ..estimate import leaves_out
from ..words import counted, duration, size
from . import DISTANCES_MS, fenced

if TYPE_CHECKING:
    from ..traces import Trace

WIDTH = 100
MOST_SITES = 12


def report(trace: Trace) -> str:
    """Return the text; no line of it is longer than 100 characters."""
    sections = [
        fenced("Numbers", lambda: head(trace)),
        fenced("Where from", lambda: table("Where from", sites(trace))),
        fenced("What to change", lambda: changes(trace).splitlines()),
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
        told = f"it would take about {', '.join(far)}{leaves_out(trace.record)}"
        lines += textwrap.wrap(told, WIDTH, subsequent_indent="  ")
    return lines


def table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    width = min(60, max(len(what) for what, _ in rows))
    return [title, *[f"  {what[:width]:<{width}}  {where}".rstrip() for what, where in rows]]


def sites(trace: Trace, setup: bool = False) -> list[tuple[str, str]]:
    """Return [(what, where)] of the call sites of the work, or of all; the most first."""
    found = [each for each in trace.call_sites if setup or not each.setup]
    rows = [
        (each.label + (f" × {each.round_trips:,}" if each.round_trips > 1 else ""), str(each.site))
        for each in found
    ]
    if len(found) > MOST_SITES:
        more = counted(len(found) - MOST_SITES, "call site")
        return [*rows[:MOST_SITES], (f"{more} more", "")]
    return rows


def changes(trace: Trace) -> str:
    """Return what to change, or '' where there is nothing."""
    found = trace.findings
    return repr(found) if found else ""
