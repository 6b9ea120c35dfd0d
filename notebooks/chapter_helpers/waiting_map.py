"""Where is my time? A map by distance and commands a turn: where it is waiting, where work."""

import functools
import statistics

import lab_utils as lab
from lab_utils import setting
from lab_utils.arguments import check_client, check_number
from lab_utils.explorables import where
from lab_utils.figures import style
from lab_utils.figures.canvas import SMALL, environment, paper, plt, say, styled, wrapped
from lab_utils.figures.labels import write
from lab_utils.figures.scales import plain_ticks
from lab_utils.testbed import guard
from lab_utils.testbed.chosen_server import distance_of
from lab_utils.testbed.link import ping_times
from lab_utils.timing.fitting import turn
from lab_utils.words import counted, milliseconds

NEAREST_MS, FARTHEST_MS, MOST_COMMANDS = 0.01, 100, 10_000
# In ms; chapter 01 says whose.
DISTANCES = {"same host": 0.05, "same zone": 0.3, "next zone": 1, "next region": 15, "an ocean": 75}
MAP_BESIDE_PX = 130  # of the title's room: the axes begin right of its left end
STEPS = 160  # of the colours, along each axis
FEWEST_SHOWN = 0.7  # commands a turn, so that the dots at 1 are whole
DASHED = {"color": style.INK, "linestyle": "--", "linewidth": 1}
BORDERS = {0.1: DASHED, 0.5: {"color": style.INK, "linewidth": 1.8}, 0.9: DASHED}
MEASURED_MS, MEASURED_COMMANDS = (0.25, 1, 5, 20), (1, 10, 100, 1_000)
PINGS = 15


def plot_map(client, commands: int = 1):
    """Draw which share of the time is waiting, by distance (ms, log) and commands a turn (log).

    The colours are the fitted model's: RTT / (RTT + a + commands × c), see `lab.fit_model`. The
    dots were measured here, each filled with its own share: where one melts into the ground, the
    model is right. The line is half and half. "You" are at the client's distance (the one set by
    the lab; else that of its PING), with `commands` commands a turn. Returns a figure that can be
    dragged. Prints one line in words. Raises LabError for anything but a client, or commands that
    are no whole number from 1 to 10,000.
    """
    if not setting.is_drawn():
        return None
    check_client(client, "plot_map", cluster=True)
    guard.check(client)
    check_number(commands, "commands", 1, MOST_COMMANDS, whole=True)
    model = lab.fit_model()
    dots, rtt = measured(), distance_to(client, model)
    points = [{"rtt": ms, "commands": count, "share": share} for (ms, count), share in dots.items()]
    return where.shown(
        draw_map(model, dots, rtt, commands),
        model,
        points,
        {"rtt": float(f"{rtt:.2g}"), "commands": commands},
    )


@functools.cache
def measured():
    """Measure {(RTT in ms, commands a turn): share of the time that was distance}, once."""
    variants = {str(count): turn("SET", count) for count in MEASURED_COMMANDS}
    times = lab.compare(variants, rtt_ms=MEASURED_MS, same=False)
    return {
        (rtt, count): min(1.0, rtt / 1000 / times.seconds(str(count), rtt))
        for rtt in MEASURED_MS
        for count in MEASURED_COMMANDS
    }


def distance_to(client, model):
    """Return a client's RTT in ms: as the lab set it, or what its PING takes beside the work."""
    return distance_of(client) or max(
        NEAREST_MS, 1000 * (statistics.median(ping_times(client, PINGS)) - model.seconds(1, 1))
    )


def share_waiting(model, rtt_ms, commands):
    """Return the share of a turn's time that is distance, by the model."""
    return rtt_ms / 1000 / model.seconds(1, commands, rtt_ms)


def commands_at(model, share, rtt_ms):
    """Return how many commands a turn leave this share to waiting; below 1 where none do."""
    return (rtt_ms / 1000 * (1 / share - 1) - model.turn_s) / model.command_s


def in_words(model, rtt_ms, commands):
    """Return 'You, 5 ms away, 1 command a turn: 99% of the time is waiting; …'."""
    even = commands_at(model, 0.5, rtt_ms)
    half = (
        f"half and half at {float(f'{even:.2g}'):,.0f} commands"
        if even >= 1
        else "at most half with any number"
    )
    share = share_waiting(model, rtt_ms, commands)
    return (
        f"You, {milliseconds(float(f'{rtt_ms:.2g}'))} away, {counted(commands, 'command')} "
        f"a turn: {share:.0%} of the time is waiting; {half}"
    )


@styled
def draw_map(model, dots, rtt_ms, commands):
    """Draw the map with `dots` measured; a diamond is where you are, its title how it is there."""
    from matplotlib.colors import LinearSegmentedColormap

    words = in_words(model, rtt_ms, commands)
    say(words)
    colors = LinearSegmentedColormap.from_list("share of waiting", style.SHARE_OF_WAITING)
    figure, axes = plt.subplots(figsize=(paper.width, 5.2))
    axes.set(xscale="log", xlim=(NEAREST_MS, FARTHEST_MS), xlabel="RTT in ms, log scale")
    axes.set(yscale="log", ylim=(FEWEST_SHOWN, MOST_COMMANDS), ylabel="commands a turn, log scale")
    axes.grid(False)
    xs, ys = (
        [low * (high / low) ** (step / STEPS) for step in range(STEPS + 1)]
        for low, high in ((NEAREST_MS, FARTHEST_MS), (FEWEST_SHOWN, MOST_COMMANDS))
    )
    shares = [[share_waiting(model, x, y) for x in xs] for y in ys]
    ground = axes.pcolormesh(
        xs, ys, shares, cmap=colors, vmin=0, vmax=1, shading="gouraud", rasterized=True
    )
    bar = figure.colorbar(ground, ax=axes, ticks=[0, *BORDERS, 1], pad=0.02, fraction=0.04)
    words_beside = ["all work", "10% waiting", "half and half", "90% waiting", "all waiting"]
    bar.ax.set_yticklabels(words_beside, fontsize=SMALL)
    for share, line in BORDERS.items():
        bar.ax.axhline(share, **line)
    bar.outline.set_visible(False)
    name_distances(axes)
    draw_borders(axes, model)
    for at, share in dots.items():
        axes.plot(
            *at,
            marker="o",
            markersize=11,
            color=colors(share),
            markeredgecolor=style.INK,
            markeredgewidth=1.2,
            zorder=4,
        )
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)
    axes.plot(
        [min(FARTHEST_MS, max(NEAREST_MS, rtt_ms))],
        [commands],
        linestyle="none",
        marker="D",
        markersize=12,
        color=style.INK,
        markeredgecolor="white",
        markeredgewidth=2,
        zorder=5,
        clip_on=False,
    )
    axes.set_title("\n".join(wrapped(f"◆ {words}", MAP_BESIDE_PX)), pad=26)
    environment(axes)
    return figure


def name_distances(axes):
    for name, rtt in DISTANCES.items():
        axes.axvline(rtt, color="white", linewidth=0.8, alpha=0.8, zorder=1.5)
        write(
            axes,
            name,
            (rtt, 1),
            (0, 3),
            xycoords=axes.get_xaxis_transform(),
            fontsize=SMALL,
            color=style.QUIET,
        )


def draw_borders(axes, model):
    """Draw half and half as a line, nine tenths dashed; write what helps on each side."""
    xs = [NEAREST_MS * 10 ** (step / 50) for step in range(201)]
    for share, line in BORDERS.items():
        shown = [(x, y) for x in xs if (y := commands_at(model, share, x)) >= FEWEST_SHOWN]
        axes.plot([x for x, _ in shown], [y for _, y in shown], zorder=2, **line)
    bold = {"fontsize": 12, "fontweight": "bold", "ha": "center", "va": "center", "zorder": 3}
    axes.text(0.03, 2_500, "less work\nhelps here", color=style.INK, **bold)
    axes.text(40, 33, "fewer turns\nhelp here", color="white", **bold)
