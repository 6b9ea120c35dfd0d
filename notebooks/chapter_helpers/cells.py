"""Draw every byte, or every write, as a small square, so that no sum hides what there is."""

import re

from lab_utils.figures import style
from lab_utils.figures.canvas import SMALL, WIDTH, caption, plt, styled
from lab_utils.figures.labels import explain

LETTERED = 48  # cells at most on a line with a letter in each
A_LINE = 96  # cells, or so many about it that no line is left half empty
BESIDE, HEADING, REST = 0.4, 0.32, 1.1  # inches
LETTERS = {"\r": r"\r", "\n": r"\n", " ": ""}


def crossing(capture, envelope: int) -> list[tuple]:
    """Split the bytes that a function sent and received by their kind, such as "replies".

    `capture` is what `lab.capture` returned, of SET commands. `envelope` is the number of header
    bytes around each request and each reply. Returns a list for `plot_cells`, in the order on the
    wire: ("envelopes", that number) for headers, and (kind, text) for all else.
    """
    parts: list[tuple] = []
    for asked, said in zip(capture.requests, capture.replies, strict=True):
        parts += [("envelopes", envelope)]
        for part in re.split("(SET|key.|value.)", asked.data.decode()):
            parts.append(("your words" if part[:1].isalpha() else "lengths and line ends", part))
        parts += [("envelopes", envelope), ("replies", said.data.decode())]
    return parts


@styled
def plot_cells(blocks: dict[str, list], unit: str, title: str):
    """Draw a square for each byte or each write, in a panel for each heading of `blocks`.

    `blocks` is {heading: [(kind, number of squares, or a text with a letter for each square)]}. The
    kinds are the keys of `style.CELLS`, which has their colours. `unit`, such as "bytes", is what a
    square stands for. Prints how many squares of each kind a heading has. Returns the matplotlib
    figure.
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
        HEADING + (WIDTH - BESIDE) / across[name] * -(-len(each) // across[name])
        for name, each in cells.items()
    ]
    figure, panels = plt.subplots(
        len(blocks),
        1,
        squeeze=False,
        figsize=(WIDTH, REST + sum(heights)),
        height_ratios=heights,
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
        ncols=4,
        fontsize=SMALL,
        borderpad=0.3,
    )
    return caption(figure, title, "; ".join(told), measured=False)


def line_for(count: int) -> int:
    """Return how many squares to draw on a line, for `count` squares in all.

    Up to 48 stand on one line; lines of more have 80 to 100.
    """
    if count <= LETTERED:
        return count
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
