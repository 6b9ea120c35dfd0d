"""Draw an icicle of a program's time: a box for each function, below the box of its caller.

A box is as wide as the time in the function.
"""

from collections import Counter
from dataclasses import dataclass, field

from lab_utils.errors import LabError
from lab_utils.figures import style
from lab_utils.figures.canvas import SMALL, WIDTH, caption, number, plt, styled, text_px
from lab_utils.figures.labels import explain

LEVEL, REST = 0.34, 1.5  # inches
SUM = 1.5  # levels: room for both sums below the boxes
DEEPEST = 9  # levels; what is called further down belongs to the last one drawn
NARROWEST = 0.012  # of the whole; smaller boxes are left blank, as time that many share
FEWEST_LETTERS = 6  # of a name that is cut
BESIDE_PX = 60


@dataclass
class Box:
    """A function at one place of the call tree.

    `samples` is the number of stack samples in the function and in those that it called from here;
    `called` is {name: Box} of the functions that it called.
    """

    name: str
    samples: int = 0
    called: dict = field(default_factory=dict)


def plot_icicle(
    stacks: list[list], root: str, whole: float, unit: str, waiting, title: str | None = None
):
    """Draw stack samples of a program as an icicle, from the function `root` downwards.

    `stacks` are the samples: lists of function names, the innermost first. The samples that contain
    `root` together stand for `whole`, a number in `unit`, such as milliseconds. `waiting` are the
    names of the functions drawn as waiting; all others are drawn as the client's CPU. `title`
    replaces the usual title. Prints the five functions with the most time of their own, and returns
    the matplotlib figure. Raises LabError if `root` is in no sample.
    """
    tree = tree_of(stacks, root)
    if not tree.samples:
        raise LabError(
            f"No sample holds {root!r}, so there is nothing to draw. Pass a function "
            "that the samples hold, spelt as there."
        )
    own = Counter(str(stack[0]) for stack in stacks if root in map(str, stack))
    return draw_icicle(tree, whole, unit, waiting, own, title)


def tree_of(stacks: list[list], root: str) -> Box:
    """Return the tree of calls below the function `root`, as the Box of `root`.

    `stacks` are the samples: lists of function names, the innermost first. Only those that contain
    `root` count.
    """
    tree = Box(root)
    for stack in stacks:
        names = [str(name) for name in stack]
        if root not in names:
            continue
        tree.samples += 1
        box = tree
        for name in reversed(names[: names.index(root)][-DEEPEST + 1 :]):
            box = box.called.setdefault(name, Box(name))
            box.samples += 1
    return tree


@styled
def draw_icicle(tree, whole, unit, waiting, own, title):
    share = sum(own[name] for name in waiting) / tree.samples
    scale = whole / tree.samples
    levels = depth(tree, tree.samples)
    rows = levels + SUM
    figure, axes = plt.subplots(figsize=(WIDTH, REST + LEVEL * rows))
    draw_box(axes, tree, 0.0, 0, scale, whole, waiting)
    axes.set(xlim=(0, whole), ylim=(rows, 0), yticks=[], xlabel=unit)
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    draw_sum(axes, share, whole, levels)
    known = {
        "the client's CPU": {"facecolor": style.CLIENT},
        "sending, waiting and receiving": {"facecolor": style.WAITING},
    }
    explain(
        axes,
        known,
        loc="lower right",
        bbox_to_anchor=(1, 1.0),
        ncols=2,
        fontsize=SMALL,
        borderpad=0,
        borderaxespad=0.3,
    )
    most = "; ".join(f"{name} {number(samples * scale)}" for name, samples in own.most_common(5))
    title = title or (
        f"{short(tree.name)} takes {number(whole)} {unit}: "
        f"{share:.0%} of it sending, waiting and receiving"
    )
    return caption(figure, title, f"most in itself: {most} ({unit})")


def draw_sum(axes, share: float, whole: float, levels: int) -> None:
    """Draw a bar below the boxes that adds up the client's CPU and the waiting, with their shares.

    `share` is the share of waiting, 0 to 1, of `whole`, in the unit of the x axis. `levels` is how
    many rows of boxes there are. Boxes that are too narrow to be drawn count too.
    """
    busy = whole * (1 - share)
    fill(axes, 0, busy, levels + 0.5, style.CLIENT)
    fill(axes, busy, whole * share, levels + 0.5, style.WAITING)
    small = {"va": "center", "fontsize": SMALL, "color": style.INK}
    axes.text(0, levels + 1, f" added up: the client's CPU {1 - share:.0%}", **small)
    axes.text(whole, levels + 1, f"{share:.0%} ", ha="right", **small)


def fill(axes, left: float, width: float, level: float, color: str) -> None:
    """Draw one box of the icicle into `axes`, in row `level`, 0 being the top row.

    `left` and `width` are in the unit of the x axis.
    """
    axes.broken_barh(
        [(left, width)], (level + 0.04, 0.92), facecolor=color, edgecolor=style.PAPER, linewidth=1
    )


def depth(box: Box, all_samples: int) -> int:
    """Return how many rows of boxes are drawn for `box` and what it called, its own row included.

    `all_samples` is the number of samples in the whole icicle: boxes with too few of them are not
    drawn.
    """
    return 1 + max((depth(inner, all_samples) for inner in wide_boxes(box, all_samples)), default=0)


def wide_boxes(box: Box, all_samples: float) -> list[Box]:
    """Return the Boxes called by `box` that are wide enough to be drawn, the widest first.

    `all_samples` is the number of samples in the whole icicle.
    """
    inner = sorted(box.called.values(), key=lambda called: -called.samples)
    return [called for called in inner if called.samples >= NARROWEST * all_samples]


def draw_box(axes, box, left, level, scale, whole, waiting):
    width = box.samples * scale
    fill(axes, left, width, level, style.WAITING if box.name in waiting else style.CLIENT)
    write(axes, box.name, left, width, level, whole)
    for inner in wide_boxes(box, whole / scale):
        draw_box(axes, inner, left, level + 1, scale, whole, waiting)
        left += inner.samples * scale


def write(axes, name: str, left: float, width: float, level: int, whole: float) -> None:
    """Write a function's name into its box at `left`, shortened until it fits, or not at all.

    `width` and `whole`, the whole icicle's width, are in the unit of the x axis; `level` is the
    row.
    """
    room = width / whole * (100 * WIDTH - BESIDE_PX) - 8
    last = short(name)
    begun = [f"{last[:letters]}…" for letters in range(len(last) - 1, FEWEST_LETTERS - 1, -1)]
    for text in (name, last, *begun):
        if text_px(text, SMALL) <= room:
            axes.text(left, level + 0.5, f" {text}", va="center", fontsize=SMALL, color=style.INK)
            return


def short(name: str) -> str:
    """Return the last part of a function's name: 'execute' for "Pipeline.execute"."""
    return name.rsplit(".", 1)[-1]
