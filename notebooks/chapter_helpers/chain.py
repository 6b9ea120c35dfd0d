"""Draw which questions need the answers of others, and so how many round trips a page needs."""

from lab_utils.arguments import shown
from lab_utils.errors import LabError
from lab_utils.figures import style
from lab_utils.figures.canvas import SMALL, USUAL, WIDTH, caption, plt, styled
from lab_utils.figures.labels import write

ROW, REST = 0.38, 2.5  # inches; a question, and all but them
STRIPS = 2.6  # rows below the questions
STEM = 0.8  # of a column: how far a line runs below the words


def plot_chain(questions: dict[str, tuple]):
    """Draw questions in columns, one for each round trip that they need at least.

    `questions` is {question: (how often it is asked, [questions whose answers it needs])}. A
    question is in the column after those that it needs. Below, a stroke for each round trip
    compares asking one by one with asking column by column. Prints the questions of each column,
    and returns the matplotlib figure. Raises LabError if a question needs one that does not stand
    before it.
    """
    columns = {}
    for name, asked in questions.items():
        if strangers := [need for need in asked[1] if need not in columns]:
            raise LabError(
                f"{name} needs {shown(strangers[0])}, which is no question before it. "
                "Write it first."
            )
        columns[name] = max((columns[need] + 1 for need in asked[1]), default=0)
    return draw_chain(questions, columns)


@styled
def draw_chain(questions, columns):
    last, every = max(columns.values()), sum(count for count, _ in questions.values())
    lots = [[name for name in questions if columns[name] == column] for column in range(last + 1)]
    rows = max(map(len, lots))
    at = {
        name: (columns[name], (rows - len(lot)) / 2 + row)
        for lot in lots
        for row, name in enumerate(lot)
    }
    figure, (axes, strips) = plt.subplots(
        2, 1, figsize=(WIDTH, REST + ROW * rows), height_ratios=(rows, STRIPS)
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
    axes.set(xlim=(-0.15, last + 0.85), ylim=(rows - 0.4, -0.6), yticks=[])
    heads = [f"round trip {number}" for number in range(1, last + 2)]
    axes.set_xticks(range(last + 1), heads, fontsize=SMALL)
    axes.xaxis.tick_top()
    draw_strips(strips, {"one by one": every, "column by column": last + 1})
    for each in (axes, strips):
        each.tick_params(length=0)
        each.grid(False)
        each.spines[:].set_visible(False)
    told = "; ".join(f"round trip {place}: {', '.join(lot)}" for place, lot in enumerate(lots, 1))
    title = f"{every} questions, and the longest chain of them is {last + 1}"
    return caption(figure, title, told, measured=False)


def draw_strips(axes, trips: dict[str, int]) -> None:
    """Draw a row of strokes for each entry of `trips`, {name: number of round trips}, into `axes`.

    The first row has the colour of the way "one by one", the others that of "pipeline".
    """
    for row, count in enumerate(trips.values()):
        color, _ = style.way("pipeline" if row else "one by one")
        axes.vlines(range(count), row - 0.3, row + 0.3, color=color, linewidth=1.1)
        write(axes, f"{count} round trips", (count - 1, row), (8, 0))
    axes.set(xlim=(-2, 1.2 * max(trips.values())), ylim=(len(trips) - 0.4, -0.6), xticks=[])
    axes.set_yticks(range(len(trips)), list(trips), fontsize=USUAL)
