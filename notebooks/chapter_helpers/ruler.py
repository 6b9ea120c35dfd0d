"""The ruler of distances: how far places are apart, and what each leaves of a second."""

from lab_utils.figures import style
from lab_utils.figures.canvas import caption, number, paper, plt, sized, styled
from lab_utils.figures.labels import write
from lab_utils.figures.rows import ABOVE, NARROW_ROW, name_rows
from lab_utils.figures.scales import plain_ticks

ROW, REST = 0.36, 2.0  # inches


@styled
def plot_ruler(places, title):
    """Draw {place: (RTT from, to)} in ms as ranges on a log axis, requests a second on top.

    A third number, the RTT that light alone would take, is a mark of its own. Prints the ranges as
    facts: they are published, not measured.
    """
    figure, axes = plt.subplots(figsize=(paper.width, REST + sized(ROW, NARROW_ROW) * len(places)))
    for row, (low, high, *light) in enumerate(places.values()):
        shade = style.DISTANCES[row * len(style.DISTANCES) // len(places)]
        axes.plot(
            [low, high],
            [row, row],
            color=shade,
            linewidth=9,
            solid_capstyle="butt",
            marker="o",
            markersize=9,
            markeredgewidth=0,
        )
        write(axes, span(low, high), (high, row), (11, 0))
        for value in light:
            axes.plot([value, low], [row, row], color=shade, linewidth=1.2)
            axes.plot([value], [row], color=shade, marker="|", markersize=11, markeredgewidth=2)
            write(axes, f"by light {number(value)}", (value, row), (-6, 0), color=style.QUIET)
    least, most = (end(value for spans in places.values() for value in spans) for end in (min, max))
    axes.set(
        xscale="log",
        xlim=(least / 1.6, most * 5),
        ylim=(len(places) - 0.4, -0.6),
        xlabel="RTT in milliseconds, log scale",
    )
    above = axes.secondary_xaxis("top", functions=(inverse, inverse))
    above.set_xlabel(
        f"requests a second at most,{sized(' ', chr(10))}on one connection that waits", labelpad=8
    )
    plain_ticks(axes.xaxis)
    plain_ticks(above.xaxis)
    above.set_ticks([10.0**power for power in range(9) if least < 1000 / 10.0**power < most])
    names = [
        (row - sized(0, ABOVE), place, style.INK, "normal") for row, place in enumerate(places)
    ]
    name_rows(axes, names, inside=sized(False, True))
    told = "; ".join(f"{place} {span(low, high)}" for place, (low, high, *_) in places.items())
    return caption(figure, title, told, note="published, not measured here", measured=False)


def inverse(values):
    """Return requests a second at an RTT in ms, or the other way round; Matplotlib asks of 0."""
    import numpy as np

    with np.errstate(divide="ignore"):
        return 1000 / np.asarray(values, float)


def span(low, high):
    return f"{number(low)} ms" if low == high else f"{number(low)} to {number(high)} ms"
