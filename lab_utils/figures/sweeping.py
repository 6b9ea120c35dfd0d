"""One variable swept: time against size, a line a distance, and the client's memory beneath."""

from ..words import milliseconds, plain_duration
from . import style
from .canvas import WIDTH, environment, plt, say, set_title, styled
from .labels import name_ends
from .scales import plain_ticks, ticks_at

AXIS_PX = 760
DECADE = 10  # times: values that are closer together are drawn from zero


@styled
def plot_sweep(sweep, title=None):
    """Time against the size swept, points by distance, each with its knee; beneath, the client's memory if it was measured."""
    memory = sweep.memory
    figure, panels = plt.subplots(2 if memory else 1, 1, sharex=True, squeeze=False, figsize=(WIDTH, 6.4 if memory else 4.4))
    axes = panels[0][0]
    named = {f"RTT {milliseconds(rtt)}": rtt for rtt in sweep.rtts}
    series = {name: {size: sweep.seconds(size, rtt) * 1000 for size in sweep.sizes} for name, rtt in named.items()}
    looks = style.looks(named)
    axes.set_xscale("log")
    for name, points in series.items():
        draw_points(axes, points, looks[name])
    set_heights(axes, series)
    for name, rtt in named.items():
        mark_knee(axes, sweep, rtt, looks[name].color)
    if memory:
        draw_memory(panels[1][0], {size: memory[size] / 1e6 for size in sweep.sizes})
    panels[-1][0].set_xlabel(f"{sweep.what}, log scale")
    set_title(axes, title or sweep.finding(sweep.rtts[-1]))
    environment(axes, sweep.rtts, sweep.comparison.calm)
    ticks_at(panels[-1][0].xaxis, sweep.sizes, AXIS_PX)
    name_ends(axes, series, looks, {name: f"{name}{knee_of(sweep, rtt)}" for name, rtt in named.items()})
    say("; ".join(f"RTT {milliseconds(rtt)}: {knee_in_words(sweep, rtt)}, "
                  f"{plain_duration(sweep.seconds(sweep.sizes[0], rtt))} at {sweep.sizes[0]:,}" for rtt in sweep.rtts),
        sweep.comparison.calm)
    return figure


def draw_points(axes, points, look):
    axes.plot(list(points), list(points.values()), color=look.color, linewidth=1.2, alpha=0.6)
    axes.plot(list(points), list(points.values()), linestyle="none", marker=look.marker, markersize=8, color=look.color)


def set_heights(axes, series):
    """From zero where the times are of one size, else a log scale."""
    values = [value for points in series.values() for value in points.values()]
    if max(values) < DECADE * min(values):
        axes.set_ylim(0, max(values) * 1.15)
        axes.set_ylabel("milliseconds")
    else:
        axes.set_yscale("log")
        axes.margins(y=0.15)  # room for the words above the first points
        axes.set_ylabel("milliseconds, log scale")
    plain_ticks(axes.yaxis)


def draw_memory(axes, megabytes):
    draw_points(axes, megabytes, style.Look(style.NO_ROLE, "s"))
    axes.set_ylabel("client's peak memory,\nMB, log scale")
    axes.set_yscale("log")  # as the sizes are: what grows with the size is a straight line
    axes.margins(y=0.15)
    plain_ticks(axes.yaxis)


def mark_knee(axes, sweep, rtt, color):
    """A ring around the knee of one distance, where the rounds show it."""
    if (knee := sweep.knee(rtt)) is not None:
        axes.plot(knee, sweep.seconds(knee, rtt) * 1000, marker="o", markersize=16, markerfacecolor="none", markeredgecolor=color)


def knee_of(sweep, rtt):
    return "" if sweep.knee(rtt) is None else f", knee {sweep.knee(rtt):,}"


def knee_in_words(sweep, rtt):
    knee = sweep.knee(rtt)
    if sweep.still_falls(rtt):
        return f"the largest tried is the fastest, {plain_duration(sweep.seconds(sweep.sizes[-1], rtt))} at {sweep.sizes[-1]:,}"
    if knee is None:
        return f"no knee shown, {plain_duration(sweep.seconds(sweep.sizes[-1], rtt))} at {sweep.sizes[-1]:,}"
    return f"knee at {knee:,}, {plain_duration(sweep.seconds(knee, rtt))}"
