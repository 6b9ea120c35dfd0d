"""One variable swept: time against size, a line a distance, and the client's memory beneath."""

from ..words import milliseconds, plain_duration
from . import style
from .canvas import caption, paper, plt, styled
from .charts import BESIDE_PX, draw_series
from .labels import name_ends
from .rows import ROUNDS, ROUNDS_NOTE
from .scales import plain_ticks, ticks_at

DECADE = 10  # times: values that are closer together are drawn from zero


@styled
def plot_sweep(sweep, title=None):
    """Draw time against the size swept, a line a distance, its knee ringed; beneath, memory.

    Memory, if measured, has a log axis as the sizes have: what grows with them is a straight line.
    """
    memory = sweep.memory
    figure, panels = plt.subplots(
        2 if memory else 1,
        1,
        sharex=True,
        squeeze=False,
        figsize=(paper.width, 5.2 if memory else 4.4),
    )
    axes, last = panels[0][0], panels[-1][0]
    named = {f"RTT {milliseconds(rtt)}": rtt for rtt in sweep.rtts}
    series = {
        name: {size: sweep.seconds(size, rtt) * 1000 for size in sweep.sizes}
        for name, rtt in named.items()
    }
    looks = style.looks(list(named))
    axes.set_xscale("log")
    draw_series(axes, series, looks)
    set_heights(axes, series)
    words = {}
    for name, rtt in named.items():
        rounds = [
            (size, 1000 * each)
            for size in sweep.sizes
            for each in sweep.comparison.rounds(str(size), rtt)
        ]
        axes.plot(*zip(*rounds, strict=True), **ROUNDS | {"color": looks[name].color})
        knee = sweep.knee(rtt)
        words[name] = name if knee is None else f"{name}, knee {knee:,}"
        if knee is not None:
            axes.plot(
                knee,
                series[name][knee],
                marker="o",
                markersize=16,
                markerfacecolor="none",
                color=looks[name].color,
            )
    if memory:
        draw_series(
            last,
            {"": {size: memory[size] / 1e6 for size in sweep.sizes}},
            {"": style.Look(style.NO_ROLE, "s")},
        )
        last.set(yscale="log", ylabel="client's peak memory,\nMB, log scale")
        last.margins(y=0.15)
        plain_ticks(last.yaxis)
    last.set_xlabel(f"{sweep.what}, log scale")
    told = (
        f"RTT {milliseconds(rtt)}: {knee_in_words(sweep, rtt)}, "
        f"{plain_duration(sweep.seconds(sweep.sizes[0], rtt))} at {sweep.sizes[0]:,}"
        for rtt in sweep.rtts
    )
    title = title or sweep.finding(sweep.rtts[-1])
    caption(figure, title, "; ".join(told), sweep.rtts, sweep.comparison.calm, ROUNDS_NOTE)
    ticks_at(last.xaxis, sweep.sizes, 100 * paper.width - BESIDE_PX)
    name_ends(axes, series, looks, words)
    return figure


def set_heights(axes, series):
    """Begin at zero where the times are of one size; else set a log scale."""
    values = [value for points in series.values() for value in points.values()]
    if max(values) < DECADE * min(values):
        axes.set(ylim=(0, max(values) * 1.15), ylabel="milliseconds")
    else:
        axes.set(yscale="log", ylabel="milliseconds, log scale")
        axes.margins(y=0.15)  # room for the words above the first points
    plain_ticks(axes.yaxis)


def knee_in_words(sweep, rtt):
    knee, largest = sweep.knee(rtt), sweep.sizes[-1]
    at_last = f"{plain_duration(sweep.seconds(largest, rtt))} at {largest:,}"
    if sweep.still_falls(rtt):
        return f"the largest tried is the fastest, {at_last}"
    if knee is None:
        return f"no knee shown, {at_last}"
    return f"knee at {knee:,}, {plain_duration(sweep.seconds(knee, rtt))}"
