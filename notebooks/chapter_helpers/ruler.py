"""Draw how far places are apart, as RTTs, and how many requests a second each RTT allows."""

from lab_utils.figures import style
from lab_utils.figures.canvas import WIDTH, caption, number, plt, styled
from lab_utils.figures.labels import plain_ticks, write
from lab_utils.figures.rows import name_rows

ROW, REST = 0.36, 2.0  # inches


@styled
def plot_ruler(places: dict[str, tuple], title: str):
    """Draw the RTT of each place as a range on a log axis; on top, an axis of requests a second.

    `places` is {place: (lowest RTT, highest RTT)} in ms; a third number is the RTT in ms that light
    would need, drawn as a mark. Prints the ranges as facts, since they are published and not
    measured. Returns the matplotlib figure.
    """
    figure, axes = plt.subplots(figsize=(WIDTH, REST + ROW * len(places)))
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
        write(axes, span(low, high), (high, row), (8, 0))
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
    above.set_xlabel("requests a second at most, on one connection that waits", labelpad=8)
    plain_ticks(axes.xaxis)
    plain_ticks(above.xaxis)
    above.set_ticks([10.0**power for power in range(9) if least < 1000 / 10.0**power < most])
    names = [(row, place, style.INK, "normal") for row, place in enumerate(places)]
    name_rows(axes, names)
    told = "; ".join(f"{place} {span(low, high)}" for place, (low, high, *_) in places.items())
    return caption(figure, title, told, source="published, not measured here", measured=False)


def inverse(values):
    """Return 1000 / values: requests a second for RTTs in ms, or RTTs for requests a second.

    `values` is a number or an array; the result is an array, infinite for 0.
    """
    import numpy as np

    with np.errstate(divide="ignore"):
        return 1000 / np.asarray(values, float)


def span(low: float, high: float) -> str:
    return f"{number(low)} ms" if low == high else f"{number(low)} to {number(high)} ms"
