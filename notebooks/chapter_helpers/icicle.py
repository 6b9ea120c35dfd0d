"""An icicle: where the time of code goes. A box's width is its time; its caller stands above."""

from collections import Counter
from dataclasses import dataclass, field

from lab_utils.errors import LabError
from lab_utils.figures import style
from lab_utils.figures.canvas import SMALL, caption, number, paper, plt, sized, styled, text_px
from lab_utils.figures.labels import explain

LEVEL, REST = 0.34, 1.5  # inches
SUM = 1.5  # levels: room for both sums below the boxes
DEEPEST = 9  # levels; what is called further down belongs to the last one drawn
NARROWEST = 0.012  # of the whole; smaller boxes are left blank, as time that many share
FEWEST_LETTERS = 6  # of a name that is cut
BESIDE_PX = 60


@dataclass
class Box:
    """A function called from some place: how many `samples` fell into it or deeper, its calls."""

    name: str
    samples: int = 0
    called: dict = field(default_factory=dict)


def plot_icicle(stacks, root, whole, unit, waiting=(), title=None):
    """Draw samples of a program, from the function `root` on down.

    Each sample is a list of functions from the innermost outwards. Together they stand for `whole`,
    in `unit`: a box is as wide as its share of them. Functions named in `waiting` talk to the
    system; they are drawn as waiting, all others as the client's CPU. Prints the functions that
    took most themselves. Raises LabError where no sample holds `root`.
    """
    tree = grown(stacks, root)
    if not tree.samples:
        raise LabError(
            f"No sample holds {root!r}, so there is nothing to draw. Pass a function "
            "that the samples hold, spelt as there."
        )
    own = Counter(str(stack[0]) for stack in stacks if root in map(str, stack))
    return draw_icicle(tree, whole, unit, waiting, own, title)


def grown(stacks, root):
    """Return the tree of boxes below `root`, of the samples that hold it."""
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
    rows = levels + SUM * bool(waiting)
    figure, axes = plt.subplots(figsize=(paper.width, REST + LEVEL * rows))
    draw_box(axes, tree, 0.0, 0, scale, whole, waiting)
    axes.set(xlim=(0, whole), ylim=(rows, 0), yticks=[], xlabel=unit)
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    known = {"the client's CPU": {"facecolor": style.CLIENT}}
    if waiting:
        draw_sum(axes, share, whole, levels)
        known["sending, waiting and receiving"] = {"facecolor": style.WAITING}
    explain(
        axes,
        known,
        loc="lower right",
        bbox_to_anchor=(1, 1.0),
        ncols=sized(2, 1),
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


def draw_sum(axes, share, whole, levels):
    """Draw both colours added up below the boxes, with those too narrow to be drawn."""
    busy = whole * (1 - share)
    fill(axes, 0, busy, levels + 0.5, style.CLIENT)
    fill(axes, busy, whole * share, levels + 0.5, style.WAITING)
    small = {"va": "center", "fontsize": SMALL, "color": style.INK}
    axes.text(0, levels + 1, f" added up: the client's CPU {1 - share:.0%}", **small)
    axes.text(whole, levels + 1, f"{share:.0%} ", ha="right", **small)


def fill(axes, left, width, level, color):
    """Draw a box, a little lower than its level."""
    axes.broken_barh(
        [(left, width)], (level + 0.04, 0.92), facecolor=color, edgecolor=style.PAPER, linewidth=1
    )


def depth(box, all_samples):
    """Return how many levels have a box that is wide enough to be drawn."""
    return 1 + max((depth(inner, all_samples) for inner in drawn(box, all_samples)), default=0)


def drawn(box, all_samples):
    """Return what a box called, widest first, as far as it can be seen."""
    inner = sorted(box.called.values(), key=lambda called: -called.samples)
    return [called for called in inner if called.samples >= NARROWEST * all_samples]


def draw_box(axes, box, left, level, scale, whole, waiting):
    width = box.samples * scale
    fill(axes, left, width, level, style.WAITING if box.name in waiting else style.CLIENT)
    write(axes, box.name, left, width, level, whole)
    for inner in drawn(box, whole / scale):
        draw_box(axes, inner, left, level + 1, scale, whole, waiting)
        left += inner.samples * scale


def write(axes, name, left, width, level, whole):
    """Write the function's name, as much of it as the box has room for."""
    room = width / whole * (100 * paper.width - BESIDE_PX) - 8
    last = short(name)
    begun = [f"{last[:letters]}…" for letters in range(len(last) - 1, FEWEST_LETTERS - 1, -1)]
    for text in (name, last, *begun):
        if text_px(text, SMALL) <= room:
            axes.text(left, level + 0.5, f" {text}", va="center", fontsize=SMALL, color=style.INK)
            return


def short(name):
    """Return 'execute' of "Pipeline.execute"."""
    return name.rsplit(".", 1)[-1]
