"""Draw in which hash slots keys are, and which node of a cluster serves which slots."""

from lab_utils.figures import style
from lab_utils.figures.canvas import WIDTH, caption, plt, styled
from lab_utils.figures.labels import write
from lab_utils.figures.rows import name_rows

ROW, REST = 0.34, 1.5  # inches
SLOTS = 16_384


@styled
def plot_slots(slots: dict[str, int], ranges: list[tuple[int, int]], title: str):
    """Draw a dot for each key on a line of all 16,384 slots, shaded by the node that serves them.

    `slots` is {key: number of its slot}. `ranges` is [(first slot, last slot)] of each node, in
    order of the slots. Prints slot and node of each key as facts. Returns the matplotlib figure.
    """
    figure, axes = plt.subplots(figsize=(WIDTH, REST + ROW * len(slots)))
    told = []
    for node, (first, last) in enumerate(ranges):
        axes.axvspan(first, last + 1, color=style.ROAD if node % 2 else style.PAPER, zorder=0)
        write(
            axes,
            f"node {node}",
            ((first + last) / 2, 1),
            (0, 4),
            color=style.QUIET,
            xycoords=axes.get_xaxis_transform(),
        )
    for row, (key, slot) in enumerate(slots.items()):
        node = next(node for node, (first, last) in enumerate(ranges) if first <= slot <= last)
        axes.plot([slot], [row], marker="o", markersize=9, color=style.MESSAGE)
        write(axes, f"{slot:,}", (slot, row), (8 if slot < SLOTS / 2 else -8, 0))
        told.append(f"{key} slot {slot:,}, node {node}")
    axes.set(xlim=(0, SLOTS), ylim=(len(slots) - 0.4, -0.6), xlabel="slot")
    axes.set_xticks([0, *(first for first, _ in ranges[1:]), SLOTS - 1])
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(False, axis="x")
    name_rows(axes, [(row, key, style.INK, "normal") for row, key in enumerate(slots)])
    return caption(figure, title, "; ".join(told), measured=False)
