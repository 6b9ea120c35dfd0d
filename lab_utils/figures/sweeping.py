"""Draw lab.sweep's figure: time against size, and the client's memory below."""

from ..words import milliseconds, plain_duration
from . import style
from .canvas import WIDTH, Result, caption, plt, styled
from .charts import BESIDE_PX, draw_series
from .labels import name_ends, plain_ticks, ticks_at, write
from .rows import ROUNDS, ROUNDS_NOTE

DECADE = 10  # times: values that are closer together are drawn from zero


@styled
def plot_sweep(
    sweep: Result, title: str | None = None, shaded_from: float | None = None
) -> plt.Figure:
    """Draw the time of each size of a Sweep, with a ring at its knee, and memory below.

    The Sweep is what `lab.sweep` returned. `title` replaces the usual title. If `shaded_from` is
    given, there is no ring: the sizes from that one on are shaded, since they gain little. Memory
    is drawn if it was measured. Its axis and that of the sizes are log, so memory that grows with
    the size is a straight line. Returns the figure.
    """
    memory = sweep.memory
    figure, panels = plt.subplots(
        2 if memory else 1,
        1,
        sharex=True,
        squeeze=False,
        figsize=(WIDTH, 5.2 if memory else 4.4),
    )
    axes, last = panels[0][0], panels[-1][0]
    name = f"RTT {milliseconds(sweep.rtt_ms)}"
    points = {size: sweep.seconds(size) * 1000 for size in sweep.sizes}
    series = {name: points}
    looks = style.looks([name])
    color = looks[name].color
    axes.set_xscale("log")
    draw_series(axes, series, looks)
    set_heights(axes, list(points.values()))
    if shaded_from:
        for each in panels[:, 0]:
            each.axvspan(shaded_from, sweep.sizes[-1], color=style.GRID, zorder=0, linewidth=0)
        write(
            axes,
            "less than a tenth to gain",
            (shaded_from, 1),
            (5, -4),
            xycoords=axes.get_xaxis_transform(),
        )
    else:  # the rounds decide where the knee is
        rounds = [(size, 1000 * each) for size, taken in sweep.rounds().items() for each in taken]
        axes.plot(*zip(*rounds, strict=True), **ROUNDS | {"color": color})
        if (knee := sweep.knee()) is not None:
            ring = {"marker": "o", "markersize": 16, "markerfacecolor": "none", "color": color}
            axes.plot(knee, points[knee], **ring)
            write(axes, f"knee {knee:,}", (knee, points[knee]), (6, 10))
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
    smallest = sweep.sizes[0]
    told = f"{name}: {knee_in_words(sweep, shaded_from)}, "
    told += f"{plain_duration(sweep.seconds(smallest))} at {smallest:,}"
    caption(
        figure,
        title or sweep.finding(),
        told,
        [sweep.rtt_ms],
        sweep.comparison.disturbance,
        # Its rounds follow each other, so TCP's window is open: a silent connection takes longer.
        "a connection in use" if shaded_from else f"a connection in use · {ROUNDS_NOTE}",
    )
    ticks_at(last.xaxis, sweep.sizes, 100 * WIDTH - BESIDE_PX)
    name_ends(axes, series, looks)
    return figure


def set_heights(axes: plt.Axes, values: list[float]) -> None:
    """Set the y axis for `values`, in ms: it begins at zero, or is log if they span a decade."""
    if max(values) < DECADE * min(values):
        axes.set(ylim=(0, max(values) * 1.15), ylabel="milliseconds")
    else:
        axes.set(yscale="log", ylabel="milliseconds, log scale")
        axes.margins(y=0.15)  # room for the words above the first points
    plain_ticks(axes.yaxis)


def knee_in_words(sweep: Result, shaded_from: float | None) -> str:
    # A figure that is shaded looks for another place than the knee.
    knee = None if shaded_from else sweep.knee()
    largest = sweep.sizes[-1]
    at_last = f"{plain_duration(sweep.seconds(largest))} at {largest:,}"
    if sweep.still_falls():
        return f"the largest tried is the fastest, {at_last}"
    if knee is None:
        return at_last if shaded_from else f"no knee shown, {at_last}"
    return f"knee at {knee:,}, {plain_duration(sweep.seconds(knee))}"
