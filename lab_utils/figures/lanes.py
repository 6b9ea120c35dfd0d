"""Lanes: each connection a lane, each request on its way a box, all ways of doing the work on one axis of time."""

import itertools
import statistics
import textwrap
from dataclasses import dataclass

from ..flights import HANDSHAKE, REDIRECTED, REQUEST, UNANSWERED, joined
from ..words import counted, milliseconds, plain_duration
from . import style
from .canvas import environment, paper, plt, say, set_title, sized, styled
from .scales import unit_for

DPI = 100
BESIDE_PX = 70  # about what the axis of time leaves
HEADING_PX, GAP_PX, NODE_PX = 26, 14, 14
FEW, SOME = 1, 4  # connections; more than that is a bundle. A block's height only depends on which of these it is
FEW_PX, SOME_PX, BUNDLE_PX = 26, 62, 132
MOST_LANES = 24  # more connections than that are drawn as how many wait at each moment
NARROWEST_PX, MOST_BOXES = 4, 160  # boxes narrower than that, or more of them, are drawn as the share of time waiting
LONGEST_NAME = 60
FEWEST_DENSE = 20  # so few boxes are boxes, however narrow
BIN_PX = 3
OUTCOMES = {  # kind of flight: (what it means, colour, hatch)
    REQUEST: ("waiting: a request is on its way", style.WAITING, None),
    HANDSHAKE: ("opening a connection", style.HANDSHAKE, style.HANDSHAKE_HATCH),
    UNANSWERED: ("no answer", style.FAILED, style.FAILED_HATCH),
    REDIRECTED: ("sent to another node", style.FAILED, style.FAILED_HATCH),
}
WORKING = "the client works: nothing is on its way"
BINNED = "waiting: a request is on its way (height: how much waits)"


@dataclass(frozen=True)
class Lane:
    """A row of boxes: `spans` are (start, end, kind) in seconds; `node` of a cluster or None."""

    spans: list
    node: int | None = None


@styled
def draw_lanes(runs, title=None):
    """The figure of {name: Run}."""
    heights = {name: block_height(run) for name, run in runs.items()}
    body = sum(heights.values()) + (HEADING_PX + GAP_PX) * len(runs)
    figure, axes = plt.subplots(figsize=(paper.width, (body + 150 + sized(0, 70)) / DPI))
    longest = max(run.seconds for run in runs.values())
    unit, scale = unit_for(longest)
    top, seen = 0, set()
    for name, run in runs.items():
        top += HEADING_PX
        seen |= draw_block(axes, run, top, heights[name], scale, longest)
        head(axes, name, run, top)
        end_label(axes, run, top, heights[name], scale)
        top += heights[name] + GAP_PX
    axes.set_xlim(0, longest * scale * 1.1)
    axes.set_ylim(top, 0)
    axes.set_yticks([])
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(unit)
    set_title(axes, title or lanes_title(runs))
    legend(axes, seen)
    environment(axes, distances(runs))
    say("; ".join(f"{name}: {in_words(run)}" for name, run in runs.items()))
    return figure


def distances(runs):
    return sorted({run.rtt_ms for run in runs.values() if run.rtt_ms is not None})


# One way of doing it


def block_height(run):
    """Pixels. By the size of the bundle, not the number of lanes: threads do not use the same number on every run."""
    lanes = len(run.connections)
    height = FEW_PX if lanes <= FEW else SOME_PX if lanes <= SOME else BUNDLE_PX
    return max(height, NODE_PX * len(set(run.nodes.values())))


def head(axes, name, run, top):
    """The way's name, and beside it in small type what it did."""
    from matplotlib.transforms import offset_copy

    color, marker = style.way(name)
    mark = offset_copy(axes.transData, axes.figure, 5, 10, units="points")
    axes.plot([0], [top], marker=marker, color=color, markersize=7, transform=mark, clip_on=False)
    shown = textwrap.shorten(name, LONGEST_NAME, placeholder=" …")
    bold = axes.annotate(shown, (0, top), (14, 5), textcoords="offset points", fontweight="bold", color=style.INK, va="bottom")
    beside = sized(requests_in_words(run), counted(len(run.requests), "round trip"))
    axes.annotate(f"   {beside}", (1, 0), xycoords=bold, fontsize=9, color=style.QUIET, va="bottom")


def requests_in_words(run):
    return f"{counted(len(run.requests), 'round trip')} on {counted(len(run.connections), 'connection')}"


def end_label(axes, run, top, height, scale):
    """A line where the way is done, and the time it took."""
    axes.plot([run.seconds * scale] * 2, [top - 3, top + height + 3], color=style.RULE, linewidth=1.4, clip_on=False)
    axes.annotate(plain_duration(run.seconds), (run.seconds * scale, top + height / 2), (5, 0), textcoords="offset points",
                  va="center", fontweight="bold", color=style.INK)


def draw_block(axes, run, top, height, scale, longest):
    """The lanes of a run, and orange where nothing was on its way. Returns the meanings drawn, for the legend."""
    lanes = lanes_of(run)
    pixels = (paper.width * DPI - BESIDE_PX) / longest
    if len(lanes) > MOST_LANES:
        used = [span for lane in lanes for span in lane.spans]
        draw_share(axes, used, len(run.connections), run, top, height, scale, pixels)
        return {WORKING, BINNED}
    each = height / len(lanes)
    dense = any(is_dense(lane, pixels) for lane in lanes)
    if not dense:
        axes.broken_barh([(start * scale, (end - start) * scale) for start, end in idle(run)], (top, height),
                         color=style.CLIENT, linewidth=0)
    seen = {WORKING}
    for place, lane in enumerate(lanes):
        pad = min(2.0, each * 0.14) if len(lanes) > 1 else 0
        low, tall = top + place * each + pad, each - 2 * pad
        if dense:
            draw_share(axes, lane.spans, 1, run, low, tall, scale, pixels)
            seen.add(BINNED)
        else:
            seen |= draw_boxes(axes, lane.spans, low, tall, scale)
    name_nodes(axes, lanes, top, each)
    return seen


def is_dense(lane, pixels):
    """True for boxes too narrow to be told apart; `pixels` of the axis make a second."""
    narrow = statistics.median([end - start for start, end, _ in lane.spans]) * pixels < NARROWEST_PX
    return len(lane.spans) > MOST_BOXES or (narrow and len(lane.spans) > FEWEST_DENSE)


def lanes_of(run):
    """The lanes of a run: its connections, by node."""
    return [Lane([(flight.start, flight.end, flight.kind) for flight in run.flights if flight.connection == number],
                 run.nodes.get(number)) for number in run.connections]


def idle(run):
    """The spans of a run in which nothing was on its way."""
    busy = [(0.0, 0.0), *joined((flight.start, flight.end) for flight in run.flights), (run.seconds, run.seconds)]
    return [(before[1], after[0]) for before, after in itertools.pairwise(busy) if after[0] > before[1]]


def draw_boxes(axes, spans, low, tall, scale):
    for kind in {kind for _, _, kind in spans}:
        boxes = [(start * scale, (end - start) * scale) for start, end, other in spans if other == kind]
        _, color, hatch = OUTCOMES[kind]
        axes.broken_barh(boxes, (low, tall), facecolor=color, hatch=hatch, edgecolor=style.WAITING_EDGE, linewidth=0.7)
    return {OUTCOMES[kind][0] for _, _, kind in spans}


def draw_share(axes, spans, lanes, run, low, tall, scale, pixels):
    """In bins of some pixels: from below, pale, the share of `lanes` lanes that wait; from above, orange, the client's share."""
    bins = max(1, round(run.seconds * pixels / BIN_PX))
    edges = [run.seconds * place / bins for place in range(bins + 1)]
    shown, foot = [edge * scale for edge in edges], low + tall
    waiting = [foot - tall * share / lanes for share in waiting_share(spans, edges)]
    working = [low + tall * share for share in waiting_share(idle(run), edges)]
    axes.stairs(waiting, shown, baseline=foot, fill=True, color=style.WAITING)
    axes.stairs(working, shown, baseline=low, fill=True, color=style.CLIENT)
    axes.plot([0, run.seconds * scale], [foot, foot], color=style.WAITING_EDGE, linewidth=0.7)


def waiting_share(spans, edges):
    """For each bin between two edges, which are evenly spaced from 0, how many of the spans cover it, on average."""
    width = edges[1] - edges[0]
    covered = [0.0] * (len(edges) - 1)
    for start, end, *_ in spans:
        first, last = (min(len(covered) - 1, max(0, int(moment / width))) for moment in (start, end))
        for place in range(first, last + 1):
            covered[place] += max(0.0, min(end, edges[place + 1]) - max(start, edges[place]))
    return [time / width for time in covered]


def name_nodes(axes, lanes, top, each):
    """'node 1' left of the lanes that lead there."""
    for node in sorted({lane.node for lane in lanes if lane.node is not None}):
        places = [place for place, lane in enumerate(lanes) if lane.node == node]
        middle = top + each * (places[0] + places[-1] + 1) / 2
        axes.annotate(f"node {node}", (0, middle), (-6, 0), textcoords="offset points", ha="right", va="center", fontsize=8.5,
                      color=style.QUIET, annotation_clip=False)


# In words


def legend(axes, seen):
    """What the colours mean, of those that were drawn, under the axis."""
    from matplotlib.patches import Patch
    from matplotlib.transforms import offset_copy

    known = {meaning: Patch(facecolor=color, hatch=hatch, edgecolor=style.WAITING_EDGE)
             for meaning, color, hatch in OUTCOMES.values()}
    known[BINNED] = Patch(facecolor=style.WAITING, edgecolor=style.WAITING_EDGE)
    known[WORKING] = Patch(facecolor=style.CLIENT)
    hidden = {OUTCOMES[REQUEST][0]} if BINNED in seen else set()  # both are pale: one swatch says it
    shown = {meaning: patch for meaning, patch in known.items() if meaning in seen - hidden}
    below = offset_copy(axes.transAxes, axes.figure, 0, -40, units="points")  # under the axis' own label
    words = [textwrap.fill(meaning, sized(80, 40)) for meaning in shown]
    axes.legend(shown.values(), words, loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below,
                ncols=sized(3, 1), fontsize=9, borderpad=0, borderaxespad=0, columnspacing=1.2, handletextpad=0.5)


def lanes_title(runs):
    """'50 GETs, 1 ms away: 51.8 ms one by one, 1.3 ms in a pipeline'; of more than three ways the slowest and the fastest."""
    names = sorted(runs, key=lambda name: runs[name].seconds, reverse=True)
    shown = list(runs) if len(runs) <= 3 else [names[0], names[-1]]
    times = style.told({name: runs[name].seconds for name in shown})
    about = what(runs)
    return f"{about}: {times}" if about else times


def what(runs):
    """'50 GETs, 1 ms away': what all runs have in common, as far as they do."""
    commands = {frozenset(run.commands.items()) for run in runs.values()}
    parts = []
    if len(commands) == 1:
        found = dict(commands.pop())
        parts = [counted(*next((number, name) for name, number in found.items()))] if len(found) == 1 else [
            counted(sum(found.values()), "command")]
    far = distances(runs)
    if len(far) == 1 and far[0]:
        parts.append(f"{milliseconds(far[0])} away")
    return ", ".join(parts)


def in_words(run):
    """'50 round trips on 1 connection, 51.8 ms, 98% of it waiting'."""
    opened = sum(flight.kind == HANDSHAKE for flight in run.flights)
    unanswered = sum(flight.kind == UNANSWERED for flight in run.flights)
    redirected = sum(flight.kind == REDIRECTED for flight in run.flights)
    parts = [requests_in_words(run), plain_duration(run.seconds), f"{run.waiting / run.seconds:.0%} of it waiting"]
    parts += [counted(opened, "turn") + " to open connections"] if opened else []
    parts += [f"{unanswered} without an answer"] if unanswered else []
    parts += [f"{redirected} sent to another node"] if redirected else []
    return ", ".join(parts)
