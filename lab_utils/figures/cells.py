"""Cells: every byte, or every write, one beside the other, so that nothing hides in a sum."""

from . import style
from .canvas import SMALL, caption, paper, plt, sized, styled
from .labels import explain

LETTERED, NARROW_LETTERED = 48, 18  # cells at most on a line with a letter in each
A_LINE = 96  # cells, or so many about it that no line is left half empty
BESIDE, HEADING, REST = 0.4, 0.32, 1.1  # inches
LETTERS = {"\r": r"\r", "\n": r"\n", " ": ""}


@styled
def plot_cells(blocks, unit, title):
    """Draw {heading: [(kind of `style.CELLS`, how many or which letters)]}, a cell each.

    Prints how many of each kind a block has, in `unit`, as facts: they are counted.
    """
    cells = {
        heading: [
            (kind, letter)
            for kind, what in parts
            for letter in (what if isinstance(what, str) else " " * what)
        ]
        for heading, parts in blocks.items()
    }
    across = {heading: line_for(len(each)) for heading, each in cells.items()}
    heights = [
        HEADING + (paper.width - BESIDE) / across[name] * -(-len(each) // across[name])
        for name, each in cells.items()
    ]
    size = paper.width, REST + sized(0, 1) + sum(heights)
    figure, panels = plt.subplots(
        len(blocks), 1, squeeze=False, figsize=size, height_ratios=heights
    )
    told = []
    for axes, (heading, each) in zip(panels[:, 0], cells.items(), strict=True):
        kinds = [kind for kind, _ in each]
        sums = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
        told.append(f"{heading}: {', '.join(sums)} ({unit})")
        draw_block(axes, each, across[heading])
        axes.set_title(heading, fontsize=SMALL, fontweight="normal", pad=3)
    fills = {
        kind: {"facecolor": style.CELLS[kind], "edgecolor": style.WAITING_EDGE}
        for each in cells.values()
        for kind, _ in each
    }
    explain(
        axes,
        fills,
        loc="upper left",
        bbox_to_anchor=(0, -0.02),
        ncols=sized(4, 1),
        fontsize=SMALL,
        borderpad=0.3,
    )
    return caption(figure, title, "; ".join(told), measured=False)


def line_for(count):
    """Return how many cells stand on a line."""
    if count <= LETTERED:
        return min(count, sized(LETTERED, NARROW_LETTERED))
    return next((n for n in range(100, 79, -1) if count % n == 0), A_LINE)


def draw_block(axes, cells, across):
    for place, (kind, letter) in enumerate(cells):
        row, column = divmod(place, across)
        axes.add_patch(
            plt.Rectangle(
                (column, row),
                1,
                1,
                facecolor=style.CELLS[kind],
                edgecolor=style.WAITING_EDGE,
                linewidth=0.5,
            )
        )
        if across <= LETTERED:
            color = style.PAPER if kind == "your words" else style.INK
            axes.text(
                column + 0.5,
                row + 0.5,
                LETTERS.get(letter, letter),
                ha="center",
                va="center",
                color=color,
            )
    axes.set(xlim=(0, across), ylim=(-(-len(cells) // across), 0))
    axes.axis("off")
