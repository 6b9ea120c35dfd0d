"""Rain: every PING of a bystander a drop, when it was due and how long it waited, beside work."""

import math
import textwrap

from ..words import plain_duration
from . import style
from .canvas import SMALL, USUAL, caption, paper, plt, sized, styled
from .labels import write
from .scales import plain_ticks, words_px

ABREAST = 4  # panels in a row
PANEL_IN, LOW_PANEL_IN, REST_IN, BESIDE_PX = 3.1, 2.3, 1.3, 140  # low ones stand above each other
MOST_TICKS = 4  # along the time of a panel
ROOM = 1.25  # times the slowest PING, for the words above it


@styled
def draw_rain(watched, title=None):
    """Draw {name: Bystander} in a panel each on the same axes: the run with the middle worst."""
    runs = {
        name: sorted(felt.runs, key=lambda run: run.worst)[len(felt.runs) // 2]
        for name, felt in watched.items()
    }  # of an even number the slower of the two
    rows = math.ceil(len(runs) / sized(ABREAST, 1))
    columns = math.ceil(len(runs) / rows)
    size = paper.width, REST_IN + (PANEL_IN if columns > 1 or rows == 1 else LOW_PANEL_IN) * rows
    figure, grid = plt.subplots(
        rows, columns, sharex=True, sharey=True, squeeze=False, figsize=size
    )
    places = list(grid.flat)
    dues, waits = zip(*(ping for run in runs.values() for ping in run.pings), strict=True)
    across = 1000 * min(dues), 1000 * max(dues)
    places[0].set(xlim=across, ylim=(0, 1000 * max(waits) * ROOM))  # the others share its axes
    for axes, (name, run) in zip(places, runs.items(), strict=False):
        draw_panel(axes, run, across, style.way(name)[0])
        head(axes, name, run, watched[name].runs, (100 * paper.width - BESIDE_PX) / columns)
    for axes in places[len(runs) :]:
        axes.set_visible(False)
    for axes in (row[0] for row in grid):
        axes.set_ylabel("ms until the PING's reply")
    figure.align_ylabels()
    for axes in places[len(runs) - columns : len(runs)]:
        axes.set_xlabel("ms since the work began", fontsize=SMALL)
        axes.tick_params(labelbottom=True)
    idle = max(felt.idle_worst for felt in watched.values())
    told = "; ".join(
        f"{name}: slowest PING {plain_duration(felt.worst)}, median "
        f"{plain_duration(felt.median)}, beside {plain_duration(felt.took)} of work"
        for name, felt in watched.items()
    )
    return caption(
        figure,
        title or finding(watched),
        told,
        note=f"with no work beside it a PING took up to {plain_duration(idle)}",
    )


def draw_panel(axes, run, across, color):
    axes.xaxis.get_major_locator().set_params(nbins=MOST_TICKS)
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)
    axes.axvspan(0, 1000 * run.took, color=style.GRID, zorder=0)
    axes.grid(False)
    felt = set(run.samples)
    for ours, shade in ((False, style.PUBLISHED), (True, color)):
        drops = [ping for ping in run.pings if (ping in felt) == ours]
        axes.plot(
            [1000 * due for due, _ in drops],
            [1000 * latency for _, latency in drops],
            linestyle="none",
            marker="o",
            markersize=2.6,
            color=shade,
            markeredgewidth=0,
        )
    mark_worst(axes, max(run.samples, key=lambda ping: ping[1]), across, color)


def mark_worst(axes, ping, across, color):
    due, latency = 1000 * ping[0], 1000 * ping[1]
    where = (due - across[0]) / (across[1] - across[0])
    side, shift = ("left", -4) if where < 0.3 else ("right", 4) if where > 0.7 else ("center", 0)
    axes.plot(
        [due],
        [latency],
        marker="o",
        color=color,
        markersize=7,
        markerfacecolor="none",
        markeredgewidth=1.4,
    )
    write(
        axes,
        plain_duration(ping[1]),
        (due, latency),
        (shift, 7),
        ha=side,
        color=style.readable(color),
        fontweight="bold",
    )


def head(axes, name, run, runs, width):
    """Write the way's name, how long the run that is drawn took, and how far all are apart."""
    small = f"shaded: the work, {plain_duration(run.took)}\n{spread(runs)}"
    lines = textwrap.wrap(name, int(width / words_px("x", USUAL)))[:2]
    axes.set_title("\n".join(lines), fontsize=USUAL, pad=32, color=style.INK)
    write(
        axes,
        small,
        (0, 1),
        (0, 4),
        xycoords="axes fraction",
        ha="left",
        fontsize=SMALL,
        color=style.QUIET,
        linespacing=1.25,
    )


def spread(runs):
    """Return '3 runs: worst 34.7–39.7 ms': how far the slowest PINGs of the runs are apart."""
    if len(runs) == 1:
        return "1 run"
    low, high = (plain_duration(end(run.worst for run in runs)) for end in (min, max))
    low = low.removesuffix(f" {high.split()[1]}")
    return f"{len(runs)} runs: worst {low}–{high}"


def finding(watched):
    """Return 'A bystander's slowest PING: 38 ms beside MULTI, 3.1 ms beside pipeline'."""
    ranked = sorted(watched, key=lambda name: -watched[name].worst)
    ends = ranked[0], ranked[-1]
    told = [f"{plain_duration(watched[name].worst)} beside {name}" for name in dict.fromkeys(ends)]
    slowest, quickest = ([run.worst for run in watched[name].runs] for name in ends)
    same = len(told) == 2 and min(slowest) <= max(quickest)  # the runs do not tell the two apart
    overlap = "; their runs overlap" if same else ""
    return f"A bystander's slowest PING: {', '.join(told)}{overlap}"
