"""The chain of questions: what must be known before what, and so how often one waits."""

from lab_utils.arguments import shown
from lab_utils.errors import LabError
from lab_utils.figures import style
from lab_utils.figures.canvas import SMALL, USUAL, caption, paper, plt, sized, styled
from lab_utils.figures.labels import write

ROW, REST = 0.38, 2.5  # inches; a question, and all but them
STRIPS = 2.6  # rows below the questions
STEM = 0.8  # of a column: how far a line runs below the words


def plot_chain(questions, title=None):
    """Draw {question: (how many, [the questions that it needs])} in columns, a round trip each.

    A question stands in the column after those that it needs. Beneath: a stroke for each round
    trip, asked one by one and asked column by column. Prints the columns. Raises LabError for a
    question that needs one not named before it.
    """
    columns = {}
    for name, asked in questions.items():
        if strangers := [need for need in asked[1] if need not in columns]:
            raise LabError(
                f"{name} needs {shown(strangers[0])}, which is no question before it. "
                "Write it first."
            )
        columns[name] = max((columns[need] + 1 for need in asked[1]), default=0)
    return draw_chain(questions, columns, title)


@styled
def draw_chain(questions, columns, title):
    last, every = max(columns.values()), sum(count for count, _ in questions.values())
    lots = [[name for name in questions if columns[name] == column] for column in range(last + 1)]
    rows = sized(max(map(len, lots)), len(questions))
    at = {
        name: (columns[name], (rows - len(lot)) / 2 + row)
        for lot in lots
        for row, name in enumerate(lot)
    }
    if sized(False, True):  # a row for each, below what it needs
        at = {name: (columns[name], row) for row, name in enumerate(below(questions, None))}
    figure, (axes, strips) = plt.subplots(
        2, 1, figsize=(paper.width, REST + ROW * rows), height_ratios=(rows, STRIPS)
    )
    for name, (count, needs) in questions.items():
        for need in needs:
            (left, low), (right, high) = at[need], at[name]
            axes.plot(
                [left, left + STEM, right],
                [low, low, high],
                color=style.WAITING_EDGE,
                linewidth=1.4,
                zorder=1,
            )
        axes.plot(*at[name], marker="o", markersize=9, color=style.NO_ROLE)
        write(axes, f"{count} × {name}" if count > 1 else name, at[name], (8, 2))
    axes.set(xlim=(-0.15, sized(last + 0.85, 1.6 * last + 0.3)), ylim=(rows - 0.4, -0.6), yticks=[])
    numbers = range(1, last + 2)
    axes.set_xticks(
        range(last + 1),
        [sized(f"round trip {number}", number) for number in numbers],
        fontsize=SMALL,
    )
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(sized("", "round trip"), fontsize=SMALL)
    draw_strips(strips, {"one by one": every, "column by column": last + 1})
    for each in (axes, strips):
        each.tick_params(length=0)
        each.grid(False)
        each.spines[:].set_visible(False)
    told = "; ".join(f"round trip {place}: {', '.join(lot)}" for place, lot in enumerate(lots, 1))
    title = title or f"{every} questions, and the longest chain of them is {last + 1}"
    return caption(figure, title, told, measured=False)


def below(questions, need):
    """List the questions whose last need is this one, each followed by those below it."""
    for name, (_, needs) in questions.items():
        if (needs or [None])[-1] == need:
            yield name
            yield from below(questions, name)


def draw_strips(axes, trips):
    """Draw a stroke for each round trip, all as far apart."""
    for row, (how, count) in enumerate(trips.items()):
        color, _ = style.way("pipeline" if row else "one by one")
        axes.vlines(range(count), row - 0.3, row + 0.3, color=color, linewidth=1.1)
        words = sized("", f"{how}: ") + f"{count} round trips"
        write(axes, words, *sized(((count - 1, row), (8, 0)), ((0, row - 0.3), (0, 2))), ha="left")
    axes.set(xlim=(-2, 1.2 * max(trips.values())), ylim=(len(trips) - 0.4, -0.6), xticks=[])
    axes.set_yticks(range(len(trips)), sized(list(trips), [""] * len(trips)), fontsize=USUAL)
