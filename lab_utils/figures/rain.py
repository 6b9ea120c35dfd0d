"""Draw lab.plot_rain: each PING of a bystander as a drop, at its due time and its wait."""

import math
import textwrap

from ..arguments import check_dict, shown
from ..errors import LabError
from ..words import plain_duration
from . import style
from .canvas import SMALL, USUAL, WIDTH, Result, caption, plt, styled
from .labels import plain_ticks, words_px, write

ABREAST = 4  # panels in a row
PANEL_IN, REST_IN = 3.1, 1.3  # inches of height
BESIDE_PX = 140  # what the axes leave
MOST_TICKS = 4  # along the time of a panel
ROOM = 1.25  # times the slowest PING, for the words above it


@styled
def plot_rain(watched: dict, title: str | None = None) -> plt.Figure:
    """Draw how long the PINGs of bystanders waited: each PING is a drop.

    `watched` is {name of the work: Bystander}, with what `lab.bystander` returned. Each one has a
    panel, with the time of the work shaded. Of a Bystander's runs, the panel shows the one whose
    slowest PING is the median one. The x axis is in ms since the work began, the y axis the ms that
    a PING waited. The `title` is by default the slowest PING of the worst and of the best work.
    Returns a Figure, and prints one line in words. Raises LabError for anything but Bystanders by
    name.
    """
    example = '{"MULTI": lab.bystander(multi, r)}'
    for name, felt in check_dict(watched, "lab.plot_rain", example).items():
        if not hasattr(felt, "idle_worst"):
            raise LabError(
                "lab.plot_rain needs what lab.bystander returned for each way, "
                f"such as {example}, and got {shown(felt)} for {name}. "
                "Keep the whole answer, not only its .worst."
            )
    runs = {
        name: sorted(felt.runs, key=lambda run: run.worst)[len(felt.runs) // 2]
        for name, felt in watched.items()
    }  # of an even number the slower of the two
    rows = math.ceil(len(runs) / ABREAST)
    columns = math.ceil(len(runs) / rows)
    figure, grid = plt.subplots(
        rows,
        columns,
        sharex=True,
        sharey=True,
        squeeze=False,
        figsize=(WIDTH, REST_IN + PANEL_IN * rows),
    )
    panels = list(grid.flat)
    dues, waits = zip(*(ping for run in runs.values() for ping in run.pings), strict=True)
    across = 1000 * min(dues), 1000 * max(dues)
    panels[0].set(xlim=across, ylim=(0, 1000 * max(waits) * ROOM))  # all panels share these limits
    for axes, (name, run) in zip(panels, runs.items(), strict=False):
        draw_panel(axes, run, across, style.way(name)[0])
        head(axes, name, run, watched[name].runs, (100 * WIDTH - BESIDE_PX) / columns)
    for axes in panels[len(runs) :]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("ms until the PING's reply")
    for axes in panels[len(runs) - columns : len(runs)]:
        axes.set_xlabel("ms since the work began", fontsize=SMALL)
        axes.tick_params(labelbottom=True)
    idle = max(felt.idle_worst for felt in watched.values())
    told = "; ".join(
        f"{name}: slowest PING {plain_duration(felt.worst)} ({spread(felt.runs)}), "
        f"beside {plain_duration(felt.took)} of work"
        for name, felt in watched.items()
    )
    return caption(
        figure,
        title or finding(watched),
        told,
        note=f"with no work beside it a PING took up to {plain_duration(idle)}",
    )


def draw_panel(axes: plt.Axes, run: Result, across: tuple[float, float], color: str) -> None:
    axes.locator_params(axis="x", nbins=MOST_TICKS)
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


def mark_worst(
    axes: plt.Axes, ping: tuple[float, float], across: tuple[float, float], color: str
) -> None:
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


def head(axes: plt.Axes, name: str, run: Result, runs: list, width: float) -> None:
    """Write a panel's heading: its name, how long the work took, the range of the slowest PINGs.

    `run` is the Run that the panel shows, `runs` are all Runs of the same Bystander: the range is
    that of their slowest PINGs. `width` is the width of the panel in px.
    """
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


def spread(runs: list) -> str:
    """Return the range of a Bystander's slowest PINGs as text: '3 runs: worst 34.7–39.7 ms'.

    `runs` are the Runs of the Bystander; for a single one the text is '1 run'.
    """
    if len(runs) == 1:
        return "1 run"
    low, high = (plain_duration(end(run.worst for run in runs)) for end in (min, max))
    low = low.removesuffix(f" {high.split()[1]}")
    return f"{len(runs)} runs: worst {low}–{high}"


def finding(watched: dict) -> str:
    """Return a title such as 'Slowest PING: 38 ms beside MULTI, 3.1 ms beside pipeline'.

    `watched` is {name of the work: Bystander}.
    """
    ranked = sorted(watched, key=lambda name: -watched[name].worst)
    ends = ranked[0], ranked[-1]
    told = [f"{plain_duration(watched[name].worst)} beside {name}" for name in dict.fromkeys(ends)]
    slowest, quickest = ([run.worst for run in watched[name].runs] for name in ends)
    if len(told) == 2 and min(slowest) <= max(quickest):  # the runs do not tell the two apart
        return (
            f"Slowest PING: {plain_duration(watched[ends[0]].worst)}; {' and '.join(ends)} overlap"
        )
    return f"Slowest PING: {', '.join(told)}"
