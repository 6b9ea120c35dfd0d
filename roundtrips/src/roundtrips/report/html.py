"""A trace as one HTML file: its numbers, its lanes as SVG, its call sites, what to change.

It needs no other file, and is light or dark as the reader's browser is.
"""

from __future__ import annotations

import html
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from string import Template
from typing import TYPE_CHECKING

from ..estimate import leaves_out
from ..roundtrip import ANSWERED, FAILED, RoundTrip
from ..words import counted, plain_duration, size
from . import DISTANCES_MS, fenced

if TYPE_CHECKING:
    from ..traces import Trace

LEFT, WIDTH, LANE, GAP, AXIS = 96, 900, 20, 4, 26  # of the drawing, in its own units
MOST_LANES = 24
NARROWEST = 0.3  # of a box
MOST_TICKS = 6
LEGEND = (
    ("waiting", "waiting: a round trip is on its way"),
    ("client", "the program: nothing is on its way"),
    ("setup", "opening a connection"),
    ("failed", "no answer, or sent to another node"),
)
PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>$title</title><style>
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --quiet: #666; --grid: #e6e6e6;
        --waiting: #d6e2ef; --client: #e69f00; --setup: #b9b9b9; --failed: #f2c6b6; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17191c; --ink: #e6e6e6; --quiet: #a0a0a0; --grid: #33373c;
          --waiting: #39516d; --client: #c98b00; --setup: #6b6b6b; --failed: #8f4a36; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
       max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.quiet { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--grid);
       overflow-wrap: anywhere; }
td.number, th.number { text-align: right; white-space: nowrap; width: 1%; }
pre { overflow-x: auto; margin: .3rem 0 1rem; padding: .6rem; border: 1px solid var(--grid); }
.lanes { overflow-x: auto; } svg { width: 100%; min-width: 560px; height: auto; }
svg text { fill: var(--quiet); font-size: 12px; }
.waiting { fill: var(--waiting); stroke: #7c9cbf; stroke-width: .6; }
.client { fill: var(--client); } .setup { fill: var(--setup); }
.failed { fill: var(--failed); } .grid { stroke: var(--grid); }
.legend span { margin-right: 1.2rem; white-space: nowrap; }
.legend i { display: inline-block; width: 1em; height: .8em; margin-right: .4em; }
</style></head><body>
$body
</body></html>
""")


def page_of(trace: Trace, program: str, notes: Sequence[str] = ()) -> str:
    """Return the whole file as a text. `notes` are lines about its processes."""
    parts = [
        f"<h1>{html.escape(program)}</h1>",
        *fenced("Numbers", lambda: [paragraph(line) for line in numbers(trace)]),
        *map(paragraph, notes),
        "<h2>In time</h2>",
        *fenced("In time", lambda: [lanes(trace)]),
        "<h2>Where from</h2>",
        *fenced("Where from", lambda: [sites(trace)]),
        "<h2>What to change</h2>",
        *fenced("What to change", lambda: [findings(trace)]),
    ]
    title = html.escape(f"{program}: {counted(trace.round_trips, 'round trip')}")
    return PAGE.substitute(title=title, body="\n".join(parts))


def paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def numbers(trace: Trace) -> Iterator[str]:
    yield (
        f"{counted(trace.round_trips, 'round trip')}, {counted(trace.waits, 'wait')}, "
        f"{counted(sum(trace.commands.values()), 'command')}; {size(trace.bytes_sent)} sent, "
        f"{size(trace.bytes_received)} received. Besides, "
        f"{counted(trace.connections, 'connection')} set up, at "
        f"{counted(trace.setup_trips, 'round trip')}."
    )
    waiting = f"{plain_duration(trace.waiting)} waiting for Redis"
    yield f"It took {plain_duration(trace.seconds)}, of which {waiting}."
    if trace.round_trips:
        far = [
            f"{plain_duration(trace.seconds_at(rtt))} with Redis {rtt:g} ms away"
            for rtt in DISTANCES_MS
        ]
        yield f"It would take about {', '.join(far)}{leaves_out(trace.record)}."
    yield from trace.uncounted


def sites(trace: Trace) -> str:
    rows = [
        f"<tr><td class=number>{each.round_trips:,}</td><td>{html.escape(each.label)}</td>"
        f"<td>{html.escape(str(each.site))}</td>"
        f"<td class=number>{plain_duration(each.seconds)}</td></tr>"
        for each in trace.call_sites
        if not each.setup
    ]
    if not rows:
        return paragraph("Nothing was sent through redis-py.")
    head = (
        "<tr><th class=number>round trips</th><th>what</th><th>where</th>"
        "<th class=number>together</th></tr>"
    )
    return f"<table>{head}{''.join(rows)}</table>"


def findings(trace: Trace) -> str:
    shown = []
    for each in trace.findings:
        saves = f" ({each.saving})" if each.saves else ""
        look = "" if each.sure else "Worth a look: "
        shown.append(
            f"<p>{html.escape(look + each.what + saves)}<br><span class=quiet>"
            f"{html.escape(each.shows)}<br>{html.escape(str(each.site))}</span></p>"
            f"<pre>{html.escape(each.instead)}</pre>"
        )
    return "\n".join(shown) or paragraph("Nothing found to change.")


# The lanes


def lanes(trace: Trace) -> str:
    """Return the drawing: orange where nothing is on its way; below, a lane for each connection."""
    by_connection: defaultdict[int, list[RoundTrip]] = defaultdict(list)
    for each in trace.log:
        by_connection[each.connection].append(each)
    shown = dict(list(by_connection.items())[:MOST_LANES])
    if not shown:
        return paragraph("Nothing was sent through redis-py.")
    last = max(each.replied for each in trace.log)
    # What came after those that were kept is not drawn, and is no idleness.
    seconds = last if trace.folds else max(last, trace.seconds)
    scale, foot = WIDTH / seconds, (len(shown) + 1) * (LANE + GAP)
    drawn = [mark for place in ticks(seconds) for mark in tick(place, scale, foot)]
    drawn.append(name_of(0, "the program"))
    names = {site: str(site) for site in {each.site for each in trace.log}}
    for start, end in idle(trace.log, seconds):
        drawn.append(
            f'<rect class="client" x="{LEFT + start:.2f}" y="{GAP / 2}" '
            f'width="{end - start:.2f}" height="{LANE}"/>'
        )
    for row, (number, several) in enumerate(shown.items(), 1):
        drawn.append(name_of(row, f"connection {number + 1}"))
        top = row * (LANE + GAP) + GAP / 2
        drawn += [box(each, names[each.site], top, scale) for each in several]
    connections = counted(len(by_connection), "connection")
    words = f"{connections}, {counted(len(trace.log), 'round trip')} in {plain_duration(seconds)}"
    view = f"0 0 {LEFT + WIDTH + 4} {foot + AXIS}"
    svg = (
        f'<svg viewBox="{view}" role="img" aria-label="{html.escape(words)}">{"".join(drawn)}</svg>'
    )
    left = "".join(map(paragraph, left_out(trace, len(by_connection))))
    return f'<div class="lanes">{svg}</div>{legend()}{left}'


def name_of(row: int, name: str) -> str:
    y = row * (LANE + GAP) + 17
    return f'<text x="{LEFT - 8}" y="{y}" text-anchor="end">{name}</text>'


def left_out(trace: Trace, connections: int) -> Iterator[str]:
    if connections > MOST_LANES:
        yield f"Not drawn: {counted(connections - MOST_LANES, 'connection')} more."
    later = sum(fold.round_trips for fold in trace.folds)
    if later:
        yield f"Not drawn: {counted(later, 'round trip')} after the first {len(trace.log):,}."


def ticks(seconds: float) -> list[float]:
    """Return the round numbers of an axis up to so many seconds."""
    step = 10.0 ** math.floor(math.log10(seconds))
    steps = (step / 5, step / 2, step, 2 * step)
    step = next(each for each in steps if seconds / each <= MOST_TICKS)
    return [place * step for place in range(int(seconds / step) + 1)]


def tick(seconds: float, scale: float, foot: float) -> Iterator[str]:
    x = LEFT + seconds * scale
    yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{foot + 5}"/>'
    label = plain_duration(seconds) if seconds else "0"
    anchor = "end" if x > LEFT + WIDTH - 20 else "middle"
    yield f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="{anchor}">{label}</text>'


def idle(log: Iterable[RoundTrip], seconds: float) -> Iterator[tuple[float, float]]:
    """Yield (start, end), in units of the drawing, where one can see that nothing is on its way."""
    until = 0.0
    for each in sorted(log, key=lambda each: each.sent):
        if (each.sent - until) * WIDTH / seconds > 0.02:
            yield until * WIDTH / seconds, each.sent * WIDTH / seconds
        until = max(until, each.replied)
    yield until * WIDTH / seconds, max(WIDTH, until * WIDTH / seconds)


def box(each: RoundTrip, site: str, top: float, scale: float) -> str:
    answered = each.outcome in (ANSWERED, FAILED)
    kind = "setup" if each.setup else "waiting" if answered else "failed"
    title = f"{each.label}, {plain_duration(each.seconds)}, {site}"
    x, width = LEFT + each.sent * scale, max(NARROWEST, each.seconds * scale)
    place = f'x="{x:.2f}" y="{top:.1f}" width="{width:.2f}" height="{LANE}"'
    return f'<rect class="{kind}" {place}><title>{html.escape(title)}</title></rect>'


def legend() -> str:
    marks = [
        f'<span><i style="background: var(--{name})"></i>{what}</span>' for name, what in LEGEND
    ]
    return f'<p class="legend quiet">{"".join(marks)}</p>'
