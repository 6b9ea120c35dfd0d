"""A trace as one HTML file: its numbers, its lanes as SVG, its call sites, what to change.

It needs no other file, and is light or dark as the reader's browser is.
"""

import html
import math
from collections import defaultdict

from ..words import counted, plain_duration, size
from ..roundtrip import ANSWERED, FAILED

LEFT, WIDTH, LANE, GAP, AXIS = 96, 900, 20, 4, 26  # of the drawing, in its own units
MOST_LANES = 24
NARROWEST = 1.5  # a turn that is narrower is drawn together with its neighbours
MOST_TICKS = 6
DISTANCES_MS = (0.25, 1, 5)
LIGHT = {"paper": "PAPER", "ink": "INK", "quiet": "QUIET", "grid": "GRID", "waiting": "WAITING", "edge": "WAITING_EDGE",
         "client": "CLIENT", "setup": "HANDSHAKE", "failed": "FAILED"}  # names in figures/style.py
DARK = {"paper": "#17191c", "ink": "#e6e6e6", "quiet": "#a0a0a0", "grid": "#33373c", "waiting": "#39516d", "edge": "#7c9cbf",
        "client": "#c98b00", "setup": "#6b6b6b", "failed": "#8f4a36"}
LEGEND = (("waiting", "waiting: a request is on its way"), ("client", "the program: nothing is on its way"),
          ("setup", "opening a connection"), ("failed", "no answer, or sent to another node"))
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>
:root {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 1000px; margin: 2rem auto;
       padding: 0 1rem; }}
h1 {{ font-size: 1.3rem; }} h2 {{ font-size: 1.05rem; margin-top: 2rem; }} .quiet {{ color: var(--quiet); }}
table {{ border-collapse: collapse; width: 100%; }} td, th {{ text-align: left; padding: .2rem .8rem .2rem 0;
       border-bottom: 1px solid var(--grid); overflow-wrap: anywhere; }}
td.number, th.number {{ text-align: right; white-space: nowrap; width: 1%; }}
pre {{ overflow-x: auto; margin: .3rem 0 1rem; padding: .6rem; border: 1px solid var(--grid); }}
svg {{ width: 100%; height: auto; }} svg text {{ fill: var(--quiet); font-size: 12px; }}
.waiting {{ fill: var(--waiting); stroke: var(--edge); stroke-width: .6; }} .client {{ fill: var(--client); }}
.setup {{ fill: var(--setup); }} .failed {{ fill: var(--failed); }} .grid {{ stroke: var(--grid); }}
.legend span {{ margin-right: 1.2rem; white-space: nowrap; }} .legend i {{ display: inline-block; width: 1em; height: .8em;
       margin-right: .4em; }}
</style></head><body>
{body}
</body></html>
"""


def page_of(trace, program, notes=()):
    """The whole file as a text. `notes` are lines about what was not counted."""
    from ..figures import style

    colors = {name: getattr(style, role) for name, role in LIGHT.items()}
    parts = [f"<h1>{html.escape(program)}</h1>", *map(paragraph, numbers(trace)), *map(paragraph, notes), "<h2>In time</h2>",
             lanes(trace), "<h2>Where from</h2>", sites(trace), "<h2>What to change</h2>", findings(trace)]
    return PAGE.format(title=html.escape(f"{program}: {counted(trace.round_trips, 'round trip')}"), light=variables(colors),
                       dark=variables(DARK), body="\n".join(parts))


def variables(colors):
    return " ".join(f"--{name}: {color};" for name, color in colors.items())


def paragraph(text):
    return f"<p>{html.escape(text)}</p>"


def numbers(trace):
    yield (f"{counted(trace.round_trips, 'round trip')}, {counted(trace.waits, 'wait')}, "
           f"{counted(sum(trace.commands.values()), 'command')}; {size(trace.bytes_sent)} sent, {size(trace.bytes_received)} "
           f"received. Besides, {counted(trace.connections, 'connection')} set up, at "
           f"{counted(trace.setup_trips, 'round trip')}.")
    yield f"It took {plain_duration(trace.seconds)}, of which {plain_duration(trace.waiting)} waiting for Redis."
    if trace.round_trips:
        far = [f"{plain_duration(trace.seconds_at(rtt_ms))} with Redis {rtt_ms:g} ms away" for rtt_ms in DISTANCES_MS]
        yield f"It would take {', '.join(far)}."
    if trace.unattributed:
        yield f"Not counted: {counted(trace.unattributed, 'write')} by threads that were there before."
    if trace.record.unseen:
        yield f"Not counted: what goes through {', '.join(trace.record.unseen)}; only redis-py is."


def sites(trace):
    rows = [f"<tr><td class=number>{site.round_trips:,}</td><td>{html.escape(site.label)}</td><td>{html.escape(str(site.site))}</td>"
            f"<td class=number>{plain_duration(site.seconds)}</td></tr>"
            for site in trace.call_sites if not site.setup]
    head = "<tr><th class=number>round trips</th><th>what</th><th>where</th><th class=number>together</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>" if rows else paragraph("Nothing was sent through redis-py.")


def findings(trace):
    shown = []
    for each in trace.findings:
        saves = f" ({each.saving})" if each.saves else ""
        look = "" if each.sure else "Worth a look: "
        shown.append(f"<p>{html.escape(look + each.what + saves)}<br><span class=quiet>{html.escape(each.shows)}<br>"
                     f"{html.escape(str(each.site))}</span></p><pre>{html.escape(each.instead)}</pre>")
    return "\n".join(shown) or paragraph("Nothing found to change.")


# The lanes


def lanes(trace):
    """Orange where nothing is on its way; below, a lane for each connection, a box for each turn on its way."""
    by_connection = defaultdict(list)
    for turn in trace.log:
        by_connection[turn.connection].append(turn)
    shown = dict(list(by_connection.items())[:MOST_LANES])
    if not shown:
        return paragraph("Nothing was sent through redis-py.")
    last = max(turn.replied for turn in trace.log)
    seconds = last if trace.folds else max(last, trace.seconds)  # what came after is not drawn, and is no idleness
    scale, foot = WIDTH / seconds, (len(shown) + 1) * (LANE + GAP)
    drawn = [mark for place in ticks(seconds) for mark in tick(place, scale, foot)]
    drawn.append(name_of(0, "the program"))
    drawn += [f'<rect class="client" x="{LEFT + start:.2f}" y="{GAP / 2}" width="{end - start:.2f}" height="{LANE}"/>'
              for start, end in idle(trace.log, seconds)]
    for row, (number, turns) in enumerate(shown.items(), 1):
        drawn.append(name_of(row, f"connection {number + 1}"))
        drawn += boxes(turns, row * (LANE + GAP) + GAP / 2, scale, number)
    words = f"{counted(len(by_connection), 'connection')}, {counted(len(trace.log), 'round trip')} in {plain_duration(seconds)}"
    size_of = f"0 0 {LEFT + WIDTH + 4} {foot + AXIS}"
    svg = f'<svg viewBox="{size_of}" role="img" aria-label="{html.escape(words)}">{"".join(drawn)}</svg>'
    return svg + legend() + "".join(map(paragraph, left_out(trace, len(by_connection))))


def name_of(row, name):
    return f'<text x="{LEFT - 8}" y="{row * (LANE + GAP) + 17}" text-anchor="end">{name}</text>'


def left_out(trace, connections):
    if connections > MOST_LANES:
        yield f"Not drawn: {counted(connections - MOST_LANES, 'connection')} more."
    later = sum(fold.round_trips for fold in trace.folds)
    if later:
        yield f"Not drawn: {counted(later, 'round trip')} after the first {len(trace.log):,}."


def ticks(seconds):
    """The round numbers of an axis up to so many seconds."""
    step = 10.0 ** math.floor(math.log10(seconds))
    step = next(each for each in (step / 5, step / 2, step, 2 * step) if seconds / each <= MOST_TICKS)
    return [place * step for place in range(int(seconds / step) + 1)]


def tick(seconds, scale, foot):
    x = LEFT + seconds * scale
    yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{foot + 5}"/>'
    label = plain_duration(seconds) if seconds else "0"
    yield f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="{"end" if x > LEFT + WIDTH - 20 else "middle"}">{label}</text>'


def idle(turns, seconds):
    """(start, end) in units of the drawing where nothing is on its way, as far as it can be seen."""
    until = 0.0
    for turn in sorted(turns, key=lambda turn: turn.sent):
        if (turn.sent - until) * WIDTH / seconds > 0.02:
            yield until * WIDTH / seconds, turn.sent * WIDTH / seconds
        until = max(until, turn.replied)
    yield until * WIDTH / seconds, max(WIDTH, until * WIDTH / seconds)


def boxes(turns, top, scale, number):
    """The boxes of a lane. Turns too narrow to be told apart are one box, whose height says how much of it waits."""
    for several in groups(sorted(turns, key=lambda turn: turn.sent), scale):
        start, end = several[0].sent, max(turn.replied for turn in several)
        share = min(1.0, sum(turn.seconds for turn in several) / (end - start)) if len(several) > 1 and end > start else 1.0
        yield box(several, top + LANE * (1 - share), LANE * share, LEFT + start * scale, max(0.3, (end - start) * scale), number)


def box(several, top, height, x, width, number):
    first = several[0]
    kind = "setup" if first.setup else "waiting" if first.outcome in (ANSWERED, FAILED) else "failed"
    what = first.label if len(several) == 1 else f"{counted(len(several), 'round trip')}, the first {first.label}"
    title = html.escape(f"{what}, {plain_duration(sum(turn.seconds for turn in several))}, {first.site}, connection {number + 1}")
    place = f'x="{x:.2f}" y="{top:.1f}" width="{width:.2f}" height="{height:.1f}"'
    return f'<rect class="{kind}" {place}><title>{title}</title></rect>'


def groups(turns, scale):
    """Lists of turns that are drawn as one box: alike, narrow, and without a gap between them that one could see."""
    several = []
    for turn in turns:
        if several and not together(several, turn, scale):
            yield several
            several = []
        several.append(turn)
    if several:
        yield several


def together(several, turn, scale):
    last, first = several[-1], several[0]
    alike = (last.setup, last.outcome) == (turn.setup, turn.outcome)
    narrow = max(last.seconds, turn.seconds, turn.sent - last.replied) * scale < NARROWEST
    return alike and narrow and (turn.replied - first.sent) * scale < 4 * NARROWEST


def legend():
    marks = "".join(f'<span><i style="background: var(--{name})"></i>{words}</span>' for name, words in LEGEND)
    return f'<p class="legend quiet">{marks}<span>a lower box: round trips too short to be drawn one by one</span></p>'
