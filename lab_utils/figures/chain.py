"""The chain of questions: what must be known before something can be asked, and so how often one waits."""

from ..arguments import shown
from ..errors import LabError
from . import style
from .canvas import SMALL, USUAL, environment, paper, plt, set_title, styled, tell

ROW, REST = 0.38, 2.5  # inches; a question, and all but them
STRIPS = 2.6  # rows below the questions
STEM = 0.8  # of a column: how far a line runs below the words


def plot_chain(questions, title=None):
    """Draw {question: (how many, [the questions whose answers it needs])} in columns, a round trip each.

    A question stands in the column after those that it needs. Beneath: a stroke for each round trip,
    asked one by one and asked column by column. Prints the columns. Raises LabError for a
    question that needs one not named before it.
    """
    columns = {}
    for name, asked in questions.items():
        if strangers := [need for need in asked[1] if need not in columns]:
            raise LabError(f"{name} needs {shown(strangers[0])}, which is no question before it. Write it first.")
        columns[name] = max((columns[need] + 1 for need in asked[1]), default=0)
    return draw_chain(questions, columns, title)


@styled
def draw_chain(questions, columns, title):
    last, every = max(columns.values()), sum(count for count, _ in questions.values())
    lots = [[name for name in questions if columns[name] == column] for column in range(last + 1)]
    rows = max(map(len, lots))
    at = {name: (columns[name], (rows - len(lot)) / 2 + row) for lot in lots for row, name in enumerate(lot)}
    figure, (axes, strips) = plt.subplots(2, 1, figsize=(paper.width, REST + ROW * rows), height_ratios=(rows, STRIPS))
    for name, (count, needs) in questions.items():
        for need in needs:
            (left, low), (right, high) = at[need], at[name]
            axes.plot([left, left + STEM, right], [low, low, high], color=style.WAITING_EDGE, linewidth=1.4, zorder=1)
        axes.plot(*at[name], marker="o", markersize=9, color=style.NO_ROLE)
        words = f"{count} × {name}" if count > 1 else name
        axes.annotate(words, at[name], (8, 2), textcoords="offset points", va="bottom", fontsize=USUAL)
    axes.set(xlim=(-0.15, last + 0.85), ylim=(rows - 0.4, -0.6), yticks=[])
    axes.set_xticks(range(last + 1), [f"round trip {column + 1}" for column in range(last + 1)], fontsize=SMALL)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(False)
    draw_strips(strips, {"one by one": every, "column by column": last + 1})
    for each in (axes, strips):
        for spine in each.spines.values():
            spine.set_visible(False)
    set_title(axes, title or f"{every} questions, and the longest chain of them is {last + 1}")
    environment(axes)
    tell(False, "; ".join(f"round trip {column + 1}: {', '.join(lot)}" for column, lot in enumerate(lots)))
    return figure


def draw_strips(axes, trips):
    """A stroke for each round trip, all as far apart."""
    for row, count in enumerate(trips.values()):
        color, _ = style.way("pipeline" if row else "one by one")
        axes.vlines(range(count), row - 0.3, row + 0.3, color=color, linewidth=1.1)
        axes.annotate(f"{count} round trips", (count - 1, row), (8, 0), textcoords="offset points", va="center", fontsize=USUAL)
    axes.set(xlim=(-2, 1.2 * max(trips.values())), ylim=(len(trips) - 0.4, -0.6), xticks=[])
    axes.set_yticks(range(len(trips)), trips, fontsize=USUAL)
    axes.tick_params(length=0)
    axes.grid(False)
