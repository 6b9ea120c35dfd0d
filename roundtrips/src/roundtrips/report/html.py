"""A trace as one HTML file: its numbers, its lanes as SVG, its call sites, what to change.

It needs no other file, and is light or dark as the reader's browser is.
"""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from ..roundtrip import ANSWERED, FAILED, RoundTrip
from ..words import counted, plain_duration
from . import fenced
from .text import changes, head, sites

if TYPE_CHECKING:
    from ..traces import Trace

LEFT, WIDTH, LANE, GAP, AXIS = 96, 900, 20, 4, 26  # of the drawing, in its own units
MOST_LANES = 24
NARROWEST = 0.3  # of a box


def page_of(trace: Trace, program: str, notes: Sequence[str] = ()) -> str:
    """Return the whole file as a text. `notes` are lines about its processes."""
    parts = {
        "numbers": [
            f"<p>{html.escape(line)}</p>"
            for line in (*fenced("Numbers", lambda: head(trace)), *notes)
        ],
        "lanes": fenced("In time", lambda: list(lanes(trace))),
        "sites": fenced("Where from", lambda: rows_of(trace)),
        "findings": fenced("What to change", lambda: [html.escape(repr(trace.findings))]),
    }
    page = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    return Template(page).substitute(
        title=html.escape(f"{program}: {counted(trace.round_trips, 'round trip')}"),
        program=html.escape(program),
        **{name: "\n".join(lines) for name, lines in parts.items()},
    )


def lanes(trace: Trace) -> Iterator[str]:
    """Yield the drawing: orange where nothing is on its way; below, a lane for each connection."""
    by_connection: defaultdict[int, list[RoundTrip]] = defaultdict(list)
    for each in trace.log:
        by_connection[each.connection].append(each)
    shown = dict(list(by_connection.items())[:MOST_LANES])
    if not shown:
        yield "<p>Nothing was sent through redis-py.</p>"
        return
    last = max(each.replied for each in trace.log)
    # What came after those that were kept is not drawn, and is no idleness.
    seconds = last if trace.folds else max(last, trace.seconds)
    scale, foot = WIDTH / seconds, (len(shown) + 1) * (LANE + GAP)
    connections = counted(len(by_connection), "connection")
    words = f"{connections}, {counted(len(trace.log), 'round trip')} in {plain_duration(seconds)}"
    view = f"0 0 {LEFT + WIDTH + 4} {foot + AXIS}"
    yield f'<svg viewBox="{view}" role="img" aria-label="{html.escape(words)}">'
    yield text(LEFT, foot + 18, "0", "start")
    yield text(LEFT + WIDTH, foot + 18, plain_duration(seconds), "end")
    yield text(LEFT - 8, 17, "the program", "end")
    until = 0.0
    for each in sorted(trace.log, key=lambda each: each.sent):
        if (each.sent - until) * scale > 0.02:  # what one can see
            yield box("client", GAP / 2, until * scale, (each.sent - until) * scale)
        until = max(until, each.replied)
    yield box("client", GAP / 2, until * scale, (seconds - until) * scale)
    for row, (number, several) in enumerate(shown.items(), 1):
        top = row * (LANE + GAP)
        yield text(LEFT - 8, top + 17, f"connection {number + 1}", "end")
        for each in several:
            answered = each.outcome in (ANSWERED, FAILED)
            kind = "setup" if each.setup else "waiting" if answered else "failed"
            title = f"{each.label}, {plain_duration(each.seconds)}, {each.site}"
            width = max(NARROWEST, each.seconds * scale)
            yield box(kind, top + GAP / 2, each.sent * scale, width, title)
    yield "</svg>"
    if len(by_connection) > MOST_LANES:
        yield f"<p>Not drawn: {counted(len(by_connection) - MOST_LANES, 'connection')} more.</p>"
    later = counted(sum(fold.round_trips for fold in trace.folds), "round trip")
    if trace.folds:
        yield f"<p>Not drawn: {later} after the first {len(trace.log):,}.</p>"


def text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{words}</text>'


def box(kind: str, top: float, start: float, width: float, title: str = "") -> str:
    said = f"<title>{html.escape(title)}</title>" if title else ""
    place = f'x="{LEFT + start:.2f}" y="{top:.1f}" width="{width:.2f}" height="{LANE}"'
    return f'<rect class="{kind}" {place}>{said}</rect>'


def as_html(trace: Trace) -> str:
    """Return the report as a notebook shows it."""
    numbers = [html.escape(line.replace("   ", " · ")) for line in head(trace)]
    change = changes(trace)
    change = f"<pre>{html.escape(change)}</pre>" if change else ""
    rows = rows_of(trace, " style='text-align:left'")
    return f"<p>{'<br>'.join(numbers)}</p><table>{''.join(rows)}</table>{change}"


def rows_of(trace: Trace, style: str = "") -> list[str]:
    """Return the call sites as rows of a table in HTML."""
    cells = [[f"<td{style}>{html.escape(text)}</td>" for text in row] for row in sites(trace)]
    return [f"<tr>{''.join(row)}</tr>" for row in cells]
