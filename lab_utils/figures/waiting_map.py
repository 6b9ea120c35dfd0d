"""Where is my time? A map by distance and by commands a turn: where waiting is most of it, and where work is."""

from ..words import counted, milliseconds
from . import style
from .canvas import environment, paper, plt, say, styled, wrapped
from .scales import plain_ticks

NEAREST_MS, FARTHEST_MS, MOST_COMMANDS = 0.01, 100, 10_000
DISTANCES = {"same host": 0.05, "same zone": 0.3, "next zone": 1, "next region": 15, "an ocean": 75}  # ms; chapter 01 says whose
MAP_BESIDE_PX = 130  # of the title's room: the axes begin right of its left end
STEPS = 160  # of the colours, along each axis
FEWEST_SHOWN = 0.7  # commands a turn, so that the dots at 1 are whole
BORDERS = {0.1: {"color": style.INK, "linestyle": "--", "linewidth": 1}, 0.5: {"color": style.INK, "linewidth": 1.8},
           0.9: {"color": style.INK, "linestyle": "--", "linewidth": 1}}


def share_waiting(model, rtt_ms, commands):
    """The share of a turn's time that is distance, by the model."""
    return rtt_ms / 1000 / model.seconds(1, commands, rtt_ms)


def commands_at(model, share, rtt_ms):
    """With how many commands a turn this share is waiting; below 1 where not even one command leaves so much."""
    return (rtt_ms / 1000 * (1 / share - 1) - model.turn_s) / model.command_s


def in_words(model, rtt_ms, commands):
    """'You, 5 ms away, 1 command a turn: 99% of the time is waiting; half and half at 1,100 commands'."""
    even = commands_at(model, 0.5, rtt_ms)
    half = f"half and half at {float(f'{even:.2g}'):,.0f} commands" if even >= 1 else "at most half with any number"
    return (f"You, {milliseconds(float(f'{rtt_ms:.2g}'))} away, {counted(commands, 'command')} a turn: "
            f"{share_waiting(model, rtt_ms, commands):.0%} of the time is waiting; {half}")


@styled
def draw_map(model, dots, rtt_ms, commands):
    """The map with `dots` measured; a diamond is where you are, and its title says what it is like there."""
    from matplotlib.colors import LinearSegmentedColormap

    words = in_words(model, rtt_ms, commands)
    say(words)
    colors = LinearSegmentedColormap.from_list("share of waiting", style.SHARE_OF_WAITING)
    figure, axes = plt.subplots(figsize=(paper.width, 5.2))
    axes.set(xscale="log", yscale="log", xlim=(NEAREST_MS, FARTHEST_MS), ylim=(FEWEST_SHOWN, MOST_COMMANDS))
    axes.grid(False)
    xs = [NEAREST_MS * (FARTHEST_MS / NEAREST_MS) ** (step / STEPS) for step in range(STEPS + 1)]
    ys = [FEWEST_SHOWN * (MOST_COMMANDS / FEWEST_SHOWN) ** (step / STEPS) for step in range(STEPS + 1)]
    ground = axes.pcolormesh(xs, ys, [[share_waiting(model, x, y) for x in xs] for y in ys], cmap=colors, vmin=0, vmax=1,
                             shading="gouraud", rasterized=True)
    bar = figure.colorbar(ground, ax=axes, ticks=[0, *BORDERS, 1], pad=0.02, fraction=0.04)
    bar.ax.set_yticklabels(["all work", "10% waiting", "half and half", "90% waiting", "all waiting"], fontsize=9)
    for share, line in BORDERS.items():
        bar.ax.axhline(share, **line)
    bar.outline.set_visible(False)
    name_distances(axes)
    draw_borders(axes, model)
    for at, share in dots.items():
        axes.plot(*at, marker="o", markersize=11, color=colors(share), markeredgecolor=style.INK, markeredgewidth=1.2, zorder=4)
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)
    axes.set_xlabel("RTT in ms, log scale")
    axes.set_ylabel("commands a turn, log scale")
    axes.plot([min(FARTHEST_MS, max(NEAREST_MS, rtt_ms))], [commands], marker="D", markersize=12, color=style.INK,
              markeredgecolor="white", markeredgewidth=2, linestyle="none", zorder=5, clip_on=False)
    axes.set_title("\n".join(wrapped(f"◆ {words}", MAP_BESIDE_PX)), pad=26)
    environment(axes)
    return figure


def name_distances(axes):
    for name, rtt in DISTANCES.items():
        axes.axvline(rtt, color="white", linewidth=0.8, alpha=0.8, zorder=1.5)
        axes.annotate(name, (rtt, 1), (0, 3), xycoords=axes.get_xaxis_transform(), textcoords="offset points", ha="center",
                      va="bottom", fontsize=9, color=style.QUIET, annotation_clip=False)


def draw_borders(axes, model):
    """Half and half as a line, nine tenths either way dashed, and what helps on each side."""
    xs = [NEAREST_MS * 10 ** (step / 50) for step in range(201)]
    for share, line in BORDERS.items():
        shown = [(x, y) for x, y in ((x, commands_at(model, share, x)) for x in xs) if y >= FEWEST_SHOWN]
        axes.plot([x for x, _ in shown], [y for _, y in shown], zorder=2, **line)
    bold = {"fontsize": 12, "fontweight": "bold", "ha": "center", "va": "center", "zorder": 3}
    axes.text(0.03, 2_500, "less work\nhelps here", color=style.INK, **bold)
    axes.text(40, 33, "fewer turns\nhelp here", color="white", **bold)
