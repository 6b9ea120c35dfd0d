"""Draw the map "Where is my time?": how much is waiting, by distance and by commands a turn.

A turn is one round trip, with one or many commands.
"""

import functools
import statistics

import lab_utils as lab
from lab_utils.arguments import check_client, check_number
from lab_utils.explorables import where
from lab_utils.figures import style
from lab_utils.figures.canvas import SMALL, WIDTH, environment, plt, say, styled, wrapped
from lab_utils.figures.labels import plain_ticks, write
from lab_utils.testbed import ownership
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
BORDERS: dict[float, dict] = {0.1: DASHED, 0.5: {"color": style.INK, "linewidth": 1.8}, 0.9: DASHED}
MEASURED_MS, MEASURED_COMMANDS = (0.25, 1, 5, 20), (1, 10, 100, 1_000)
PINGS = 15


def plot_map(client, commands: int = 1):
    """Draw which share of the time is waiting, by RTT in ms and by commands a turn, on log axes.

    A turn is one round trip. The colours are the fitted model's: RTT / (RTT + a + commands × c),
    see `lab.fit_model`. The dots are measured here and filled with the colour of their own share: a
    dot that can't be told from its surroundings agrees with the model. A line is where half of the
    time is waiting. A diamond, "You", is at the RTT of `client`, a redis.Redis, with `commands`
    commands a turn. That RTT is the one set by the lab, else computed from the client's PING.
    Prints one line in words, and returns a figure, an Explorable, that readers can drag. Raises
    LabError for anything but a client, or for `commands` that are no whole number from 1 to 10,000.
    """
    check_client(client, "plot_map", cluster=True)
    ownership.check(client)
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
def measured() -> dict[tuple[float, int], float]:
    """Measure which share of a round trip's time is its RTT, at several RTTs and command counts.

    Returns {(RTT in ms, commands in the round trip): share, 0 to 1}. A second call in the process
    returns the first call's dict.
    """
    variants = {str(count): turn("SET", count) for count in MEASURED_COMMANDS}
    times = lab.compare(variants, rtt_ms=MEASURED_MS, same=False)
    return {
        (rtt, count): min(1.0, rtt / 1000 / times.seconds(str(count), rtt))
        for rtt in MEASURED_MS
        for count in MEASURED_COMMANDS
    }


def distance_to(client, model) -> float:
    """Return a client's RTT in ms: as the lab set it, else the median of its PINGs less their work.

    `client` is a redis.Redis. The work is the time that `model`, what `lab.fit_model` returned,
    gives for one command without distance.
    """
    return distance_of(client) or max(
        NEAREST_MS, 1000 * (statistics.median(ping_times(client, PINGS)) - model.seconds(1, 1))
    )


def share_waiting(model, rtt_ms: float, commands: int) -> float:
    """Return which share of a round trip's time is its RTT, 0 to 1, at `rtt_ms` ms.

    The round trip has `commands` commands; `model` is what `lab.fit_model` returned.
    """
    return rtt_ms / 1000 / model.seconds(1, commands, rtt_ms)


def commands_at(model, share: float, rtt_ms: float) -> float:
    """Return with how many commands in a round trip waiting takes `share`, 0 to 1, of the time.

    `rtt_ms` is the RTT in ms, `model` what `lab.fit_model` returned. The number is a float, and
    below 1 if waiting takes less than the share even with a single command.
    """
    return (rtt_ms / 1000 * (1 / share - 1) - model.turn_s) / model.command_s


def in_words(model, rtt_ms: float, commands: int) -> str:
    """Return a line such as 'You, 5 ms away, 1 command a turn: 99% is waiting; half and half at …'.

    `rtt_ms` is the RTT in ms, `commands` the number of commands in a round trip; `model` is what
    `lab.fit_model` returned.
    """
    even = commands_at(model, 0.5, rtt_ms)
    half = (
        f"half and half at {float(f'{even:.2g}'):,.0f} commands"
        if even >= 1
        else "at most half with any number"
    )
    share = share_waiting(model, rtt_ms, commands)
    return (
        f"You, {milliseconds(float(f'{rtt_ms:.2g}'))} away, {counted(commands, 'command')} "
        f"a turn: {share:.0%} is waiting; {half}"
    )


@styled
def draw_map(model, dots: dict[tuple, float], rtt_ms: float, commands: int):
    """Draw the map of `plot_map`, return the matplotlib figure, and print the line of `in_words`.

    `model` is what `lab.fit_model` returned; `dots` is {(RTT in ms, commands in a round trip):
    share, 0 to 1}. A diamond is at `rtt_ms` ms and `commands` commands, and the title says which
    share is waiting there.
    """
    from matplotlib.colors import LinearSegmentedColormap

    words = in_words(model, rtt_ms, commands)
    say(words)
    colors = LinearSegmentedColormap.from_list("share of waiting", style.SHARE_OF_WAITING)
    figure, axes = plt.subplots(figsize=(WIDTH, 5.2))
    axes.set(xscale="log", xlim=(NEAREST_MS, FARTHEST_MS), xlabel="RTT in ms, log scale")
    axes.set(yscale="log", ylim=(FEWEST_SHOWN, MOST_COMMANDS), ylabel="commands a turn, log scale")
    axes.grid(False)
    draw_ground(axes, model, colors)
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
    axes.set_title("\n".join(wrapped(f"◆ {words.partition(';')[0]}", MAP_BESIDE_PX)), pad=26)
    environment(axes, note="a connection in use")
    return figure


def draw_ground(axes, model, colors):
    """Colour the map by the share of waiting that `model` says; beside it, what the colours mean.

    `colors` is the colormap of shares, from 0 to 1.
    """
    xs, ys = (
        [low * (high / low) ** (step / STEPS) for step in range(STEPS + 1)]
        for low, high in ((NEAREST_MS, FARTHEST_MS), (FEWEST_SHOWN, MOST_COMMANDS))
    )
    shares = [[share_waiting(model, x, y) for x in xs] for y in ys]
    ground = axes.pcolormesh(
        xs, ys, shares, cmap=colors, vmin=0, vmax=1, shading="gouraud", rasterized=True
    )
    bar = axes.figure.colorbar(ground, ax=axes, ticks=[0, *BORDERS, 1], pad=0.02, fraction=0.04)
    words_beside = ["all work", "10% waiting", "half and half", "90% waiting", "all waiting"]
    bar.ax.set_yticklabels(words_beside, fontsize=SMALL)
    for share, line in BORDERS.items():
        bar.ax.axhline(share, **line)
    bar.outline.set_visible(False)


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
    """Draw a line into `axes` where 50% of the time is waiting, and dashed ones at 10% and 90%.

    On either side of the 50%, write what helps there: less work, or fewer round trips. `model` is
    what `lab.fit_model` returned.
    """
    xs = [NEAREST_MS * 10 ** (step / 50) for step in range(201)]
    for share, line in BORDERS.items():
        shown = [(x, y) for x in xs if (y := commands_at(model, share, x)) >= FEWEST_SHOWN]
        axes.plot([x for x, _ in shown], [y for _, y in shown], zorder=2, **line)
    bold = {"fontsize": 12, "fontweight": "bold", "ha": "center", "va": "center", "zorder": 3}
    axes.text(0.03, 2_500, "less work\nhelps here", color=style.INK, **bold)
    axes.text(40, 33, "fewer turns\nhelp here", color="white", **bold)
