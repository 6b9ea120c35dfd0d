"""Draw lanes: a row for each connection, a box for each request, all on one axis of time."""

import itertools
import statistics
import textwrap
from collections import Counter

import numpy as np
from matplotlib.transforms import offset_copy

from ..runs import HANDSHAKE, REDIRECTED, REQUEST, UNANSWERED, Run, kind_of, on_the_way
from ..words import counted, milliseconds, plain_duration, two_figures
from . import style
from .canvas import WIDTH, caption, plt, styled
from .labels import explain, unit_for, write

DPI = 100
BESIDE_PX = 70  # about what the axis of time leaves
HEADING_PX, GAP_PX, NODE_PX = 26, 14, 14
FEW, SOME = 1, 4  # connections, more is a bundle; these two limits decide a block's height
FEW_PX, SOME_PX, BUNDLE_PX = 26, 62, 132
MOST_LANES = 24  # more connections than that are drawn as how many wait at each moment
NARROWEST_PX, MOST_BOXES = 3, 300  # narrower boxes, or more, are drawn as the share of time waiting
LONGEST_NAME = 60
BOLD = {"fontsize": 11, "fontweight": "bold"}
FEWEST_DENSE = 20  # so few boxes are boxes, however narrow
BIN_PX = 3
ALIKE = 1.1  # times: two runs that are closer together took the same
EDGE: dict = {"edgecolor": style.WAITING_EDGE}
OPENING = {"facecolor": style.HANDSHAKE, "hatch": style.HANDSHAKE_HATCH, **EDGE}
FAILED = {"facecolor": style.FAILED, "hatch": style.FAILED_HATCH, **EDGE}
OUTCOMES: dict[
    str, tuple[str, dict]
] = {  # kind of round trip: (what it means, how its box is filled)
    REQUEST: ("waiting: a request is on its way", {"facecolor": style.WAITING, **EDGE}),
    HANDSHAKE: ("opening a connection", OPENING),
    UNANSWERED: ("no answer", FAILED),
    REDIRECTED: ("sent to another node", FAILED),
}
WORKING = "the client works: nothing is on its way"
BINNED = "waiting: a request is on its way (height: how much waits)"


@styled
def draw_lanes(runs: dict[str, Run], title: str | None = None) -> plt.Figure:
    """Draw the requests of several Runs, {name: Run}, one Run below the other; return the figure.

    A Run is a recorded call of a function. It has a row of boxes for each of its connections, and a
    box for each request. The x axis is in seconds, the y axis in pixels. `title` replaces the usual
    title.
    """
    heights = {name: block_height(run) for name, run in runs.items()}
    body = sum(heights.values()) + (HEADING_PX + GAP_PX) * len(runs)
    figure, axes = plt.subplots(figsize=(WIDTH, (body + 150) / DPI))
    longest = max(run.seconds for run in runs.values())
    top = 0.0
    seen = set()
    for name, run in runs.items():
        top += HEADING_PX
        pixels = (WIDTH * DPI - BESIDE_PX) / longest
        seen |= draw_block(axes, run, top, heights[name], pixels)
        label(axes, name, run, top, heights[name])
        top += heights[name] + GAP_PX
    unit, scale = unit_for(longest)
    axes.set(xlim=(0, longest * 1.1), ylim=(top, 0), yticks=[], xlabel=unit)
    axes.xaxis.set_major_formatter(lambda seconds, _: f"{seconds * scale:,.10g}")
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    legend(axes, seen)
    told = "; ".join(f"{name}: {in_words(run)}" for name, run in runs.items())
    return caption(figure, title or lanes_title(runs), told, distances(runs))


def distances(runs: dict[str, Run]) -> list[float]:
    return sorted({run.rtt_ms for run in runs.values() if run.rtt_ms is not None})


# One way of doing it


def block_height(run: Run) -> float:
    """Return the height in pixels of the rows that show a Run's connections together.

    There are only three heights, so that a figure does not change if threads happen to use one
    connection more.
    """
    lanes = len(run.connections)
    height = FEW_PX if lanes <= FEW else SOME_PX if lanes <= SOME else BUNDLE_PX
    return max(height, NODE_PX * len(set(run.nodes.values())))


def label(axes: plt.Axes, name: str, run: Run, top: float, height: float) -> None:
    """Write the name and round trips of a Run above its rows of boxes, and its time at their end.

    The rows begin at `top`, and all together are `height` high, both in pixels.
    """
    color, marker = style.way(name)
    mark = offset_copy(axes.transData, axes.get_figure(root=True), 5, 10, units="points")
    axes.plot([0], [top], marker=marker, color=color, markersize=7, transform=mark, clip_on=False)
    shown = textwrap.shorten(name, LONGEST_NAME, placeholder=" …")
    bold = write(axes, shown, (0, top), (14, 5), **BOLD)
    axes.annotate(
        f"   {requests_in_words(run)}",
        (1, 0),
        xycoords=bold,
        fontsize=9,
        color=style.QUIET,
        va="bottom",
    )
    end = run.seconds
    axes.vlines(end, top - 3, top + height + 3, color=style.RULE, linewidth=1.4, clip_on=False)
    write(axes, plain_duration(end), (end, top + height / 2), (5, 0), **BOLD)


def requests_in_words(run: Run) -> str:
    connections = counted(len(run.connections), "connection")
    return f"{counted(len(run.requests), 'round trip')} on {connections}"


def draw_block(axes: plt.Axes, run: Run, top: float, height: float, pixels: float) -> set[str]:
    """Draw a row of boxes for each connection of a Run, a box for each request.

    If there are too many rows, or too many or too narrow boxes, `draw_share` draws shares instead.
    The rows are orange while no request is under way. They begin at `top` and together are `height`
    high, both in pixels. `pixels` is how many pixels of the x axis make a second. Returns the texts
    for which the legend needs a box, such as "opening a connection".
    """
    lanes = [
        [
            (trip.sent, trip.replied, kind_of(trip))
            for trip in run.trips
            if trip.connection == number
        ]
        for number in run.connections
    ]
    if len(lanes) > MOST_LANES:
        return draw_share(axes, list(itertools.chain(*lanes)), len(lanes), run, top, height, pixels)
    each = height / len(lanes)
    dense = any(is_dense(spans, pixels) for spans in lanes)
    if not dense:
        axes.broken_barh(
            [(start, end - start) for start, end in idle(run)],
            (top, height),
            color=style.CLIENT,
            linewidth=0,
        )
    seen = set()
    for place, spans in enumerate(lanes):
        pad = min(2.0, each * 0.14) if len(lanes) > 1 else 0
        low, tall = top + place * each + pad, each - 2 * pad
        seen |= (
            draw_share(axes, spans, 1, run, low, tall, pixels)
            if dense
            else draw_boxes(axes, spans, low, tall)
        )
    name_nodes(axes, run, top, each)
    return seen


def is_dense(spans: list[tuple], pixels: float) -> bool:
    """Return whether boxes would be too many or too narrow to be distinguished.

    `spans` are the boxes, (start, end, kind) in seconds; `pixels` is how many pixels make a second.
    """
    narrow = statistics.median([end - start for start, end, _ in spans]) * pixels < NARROWEST_PX
    return len(spans) > MOST_BOXES or (narrow and len(spans) > FEWEST_DENSE)


def idle(run: Run) -> list[tuple[float, float]]:
    """Return the spans [(start, end)] of a Run in which no request is under way, in seconds."""
    busy = [(0.0, 0.0), *on_the_way(run.trips), (run.seconds, run.seconds)]
    return [(start, end) for (_, start), (end, _) in itertools.pairwise(busy) if end > start]


def draw_boxes(axes: plt.Axes, spans: list[tuple], low: float, tall: float) -> set[str]:
    for kind in {kind for _, _, kind in spans}:
        boxes = [(start, end - start) for start, end, other in spans if other == kind]
        axes.broken_barh(boxes, (low, tall), linewidth=0.7, **OUTCOMES[kind][1])
    return {WORKING, *(OUTCOMES[kind][0] for _, _, kind in spans)}


def draw_share(
    axes: plt.Axes, spans: list[tuple], lanes: int, run: Run, low: float, tall: float, pixels: float
) -> set[str]:
    """Draw over time which share of the connections waits, and for which share the client works.

    The share that waits is pale and grows from below; the client's work is orange, from above.
    `spans` are the requests of the Run, (start, end, kind) in seconds, on `lanes` connections. The
    drawing begins at `low` on the y axis and is `tall` high, both in pixels. `pixels` is how many
    pixels of the x axis make a second. Returns the texts for which the legend needs a box.
    """
    bins = max(1, round(run.seconds * pixels / BIN_PX))
    edges = [run.seconds * place / bins for place in range(bins + 1)]
    foot = low + tall
    waiting = waiting_share(spans, edges) / lanes
    working = waiting_share(idle(run), edges)
    axes.stairs(foot - tall * waiting, edges, baseline=foot, fill=True, color=style.WAITING)
    axes.stairs(low + tall * working, edges, baseline=low, fill=True, color=style.CLIENT)
    axes.plot([0, run.seconds], [foot, foot], color=style.WAITING_EDGE, linewidth=0.7)
    return {WORKING, BINNED}


def waiting_share(spans: list, edges: list[float]) -> np.ndarray:
    """Return an array: for each bin of time, how many of the spans cover it, on average.

    `spans` are (start, end, …). `edges` are the limits of the bins, one more than there are bins.
    All are in seconds.
    """
    left, right = np.array(edges[:-1]), np.array(edges[1:])
    covered = np.zeros(len(left))
    for start, end, *_ in spans:
        covered += np.clip(end, left, right) - np.clip(start, left, right)
    return covered / (right - left)


def name_nodes(axes: plt.Axes, run: Run, top: float, each: float) -> None:
    """Write 'node 1' left of the rows that show the connections to that node of a cluster.

    The rows of the Run begin at `top`, and one row is `each` high, both in pixels.
    """
    nodes = [run.nodes.get(number) for number in run.connections]
    for node in sorted({node for node in nodes if node is not None}):
        places = [place for place, other in enumerate(nodes) if other == node]
        middle = top + each * (places[0] + places[-1] + 1) / 2
        write(axes, f"node {node}", (0, middle), (-6, 0), fontsize=8.5, color=style.QUIET)


# In words


def legend(axes: plt.Axes, seen: set[str]) -> None:
    """Add a legend below the axis, with a box for each of the texts `seen`.

    `draw_block` returned these texts.
    """
    known = dict(OUTCOMES.values())
    if BINNED in seen:  # as pale as a single request: one swatch says it
        known[BINNED] = known.pop(OUTCOMES[REQUEST][0])
    known[WORKING] = {"facecolor": style.CLIENT}
    shown = {meaning: fill for meaning, fill in known.items() if meaning in seen}
    # Under the axis' own label.
    below = offset_copy(axes.transAxes, axes.get_figure(root=True), 0, -40, units="points")
    explain(
        axes,
        shown,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=below,
        ncols=3,
        fontsize=9,
        borderpad=0,
        borderaxespad=0,
        columnspacing=1.2,
        handletextpad=0.5,
    )


def lanes_title(runs: dict[str, Run]) -> str:
    """Return a title such as '50 GETs, 1 ms away: pipeline takes 1/38 of one by one's time'.

    `runs` is {name: Run}. First comes what all Runs have in common. If none is much faster, the
    title gives the time of each.
    """
    parts, (first, *others) = [], [run.commands for run in runs.values()]
    if all(commands == first for commands in others):
        parts.append(counted(first.total(), next(iter(first)) if len(first) == 1 else "command"))
    far = distances(runs)
    if len(far) == 1 and far[0]:
        parts.append(f"{milliseconds(far[0])} away")
    slow, fast = (end(runs, key=lambda name: runs[name].seconds) for end in (max, min))
    factor = runs[slow].seconds / runs[fast].seconds
    if factor > ALIKE:
        owner = slow + ("'" if slow.endswith("s") else "'s")
        times = f"{fast} takes 1/{two_figures(factor)} of {owner} time"
    else:
        times = style.times_in_words({name: run.seconds for name, run in runs.items()})
    return f"{', '.join(parts)}: {times}" if parts else times


def in_words(run: Run) -> str:
    """Return a Run in words: '50 round trips on 1 connection, 51.8 ms, 98% of it waiting'."""
    seen = Counter(map(kind_of, run.trips))
    parts = [
        requests_in_words(run),
        plain_duration(run.seconds),
        f"{run.waiting / run.seconds:.0%} of it waiting",
    ]
    told = {
        HANDSHAKE: f"{counted(seen[HANDSHAKE], 'turn')} to open connections",
        UNANSWERED: f"{seen[UNANSWERED]} without an answer",
        REDIRECTED: f"{seen[REDIRECTED]} sent to another node",
    }
    return ", ".join([*parts, *(words for kind, words in told.items() if seen[kind])])
