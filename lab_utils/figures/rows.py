"""Draw rows with a name each: bars from zero, or dots on a log axis with factors between them.

The length of a bar is honest only on a linear axis. If values span decades, each is a dot, and a
line to the dot it is compared with shows the factor: equal lines are equal factors.
"""

from dataclasses import dataclass

from . import style
from .canvas import USUAL, WIDTH, plt
from .labels import log_axis, plain_ticks, words_px, write

ROW, HEADING, GAP, REST = 0.3, 0.3, 0.14, 1.5  # inches
NAME_POINTS = 10.5
MARGIN_PX = 16
BAR_GAP, DOT_GAP = 6, 8  # points between a mark and its words
ROUNDS: dict = {
    "linestyle": "none",
    "marker": "o",
    "markersize": 2.5,
    "color": style.NO_ROLE,
    "markeredgewidth": 0,
    "alpha": 0.7,
}
ON_PAPER = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.5}  # hides lines below words
ROUNDS_NOTE = "small dots: the rounds"


@dataclass(frozen=True)
class Row:
    """One row of a figure: `name` on its left, a mark at `value`, and `text`, the value in words.

    `look` is how the mark is drawn. `since` is the number that `value` is compared with, and `note`
    the factor between the two in words. If `since_look` is given, `since` is drawn as a dot too.
    `rounds` are single measurements, drawn as small dots; `interval` is (low, high) of a Ratio.
    `said` is True for a learner's guess.
    """

    name: str
    value: float
    text: str
    look: style.Look
    note: str = ""
    since: float | None = None
    since_look: style.Look | None = None
    interval: tuple[float, ...] = ()
    rounds: tuple[float, ...] = ()
    said: bool = False

    @property
    def marks(self) -> tuple[float, ...]:
        """The tuple of the values at which the row has marks that its words must not cover."""
        return (self.value, *self.interval, *([self.since] if self.since else []))


def lay_out(blocks: dict[str, list]) -> tuple[list[tuple], list[tuple], float]:
    """Place rows below headings: return (headings, rows, end) for `blocks`, {heading: [row]}.

    A place is a number of rows from the top. The returned headings are [(place, words, colour,
    weight)], the rows [(place, row)], with a row of any type, and `end` is the place below the last
    row. The heading "" takes no room.
    """
    heads = []
    rows = []
    place = 0.0
    for words, block in blocks.items():
        if words:
            heads.append((place, words, style.INK, "bold"))
            place += HEADING / ROW
        rows += [(place + nth, row) for nth, row in enumerate(block)]
        place += len(block) + GAP / ROW
    return heads, rows, place - GAP / ROW


def draw_rows(
    blocks: dict[str, list[Row]], label: str, log: bool = False
) -> tuple[plt.Figure, plt.Axes]:
    """Draw Rows as bars from zero, or with `log` as dots on a log axis; return (figure, axes).

    `blocks` is {heading: [Row]}, `label` the label of the x axis.
    """
    names, placed, end = lay_out(blocks)
    figure, axes = plt.subplots(figsize=(WIDTH, REST + ROW * end))
    rows = [row for _, row in placed]
    longest = max(words_px(text, NAME_POINTS) for text in [*(row.name for row in rows), *blocks])
    width = 100 * WIDTH - 40 - longest
    set_scale(axes, rows, width, log)
    for place, row in placed:
        color = style.GUESS if row.said else style.INK
        names.append((place, row.name, color, "normal"))
        draw_row(axes, place, row, log)
    axes.set_ylim(end - 0.4, -0.6)
    name_rows(axes, names)
    plain_ticks(axes.xaxis)
    axes.set_xlabel(f"{label}, log scale" if log else label)
    return figure, axes


def name_rows(axes: plt.Axes, names: list[tuple]) -> None:
    """Write names left of the axes: `names` is [(place on the y axis, name, colour, weight)]."""
    axes.set_yticks([place for place, *_ in names], [text for _, text, *_ in names])
    for tick, (_, _, color, weight) in zip(axes.get_yticklabels(), names, strict=True):
        tick.set(color=color, fontweight=weight, fontsize=NAME_POINTS)
    axes.tick_params(axis="y", length=0, pad=7)  # away from what stands first in a row
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)


def set_scale(axes: plt.Axes, rows: list[Row], width: float, log: bool) -> None:
    """Set the limits of the x axis, `width` px wide, so that the words of the Rows have room.

    With `log` it becomes a log axis.
    """
    if not log:
        beside = [words_px(words_after(row), USUAL) + MARGIN_PX for row in rows]
        ends = [row.value / max(0.25, 1 - px / width) for row, px in zip(rows, beside, strict=True)]
        values = [0, *(1.06 * value for row in rows for value in (row.value, *row.rounds))]
        axes.set_xlim(min(values), max(values + ends) or 1)
        axes.axvline(0, color=style.RULE, linewidth=1)
        return
    rounds = [(min(row.rounds), max(row.rounds), 0.0, 0.0) for row in rows if row.rounds]
    worded = []
    for row in rows:
        left, right = (words_px(words, USUAL) + MARGIN_PX for words in words_beside(row))
        worded.append((min(row.marks), max(row.marks), left, right))
    log_axis(axes, worded + rounds, width)


def words_after(row: Row) -> str:
    return row.text + (f"   {row.note}" if row.note else "")


def words_beside(row: Row) -> tuple[str, str]:
    """Return the words (left, right) beside a Row's dot: its value in words and its factor.

    If the row is compared with a larger number, the value is on the left and the factor on the
    right. Else both are on the right, and the left is "".
    """
    if row.since and row.value < row.since:  # the line comes from the right
        return row.text, row.note
    return "", words_after(row)


def draw_row(axes: plt.Axes, place: float, row: Row, log: bool) -> None:
    if log or row.said:
        draw_dot(axes, place, row)
        left, right = words_beside(row)
        words = [(left, min(row.marks), -DOT_GAP), (right, max(row.marks), DOT_GAP)]
    else:
        axes.barh(place, row.value, 0.56, color=row.look.color, edgecolor=row.look.edge)
        words = [(words_after(row), row.value, BAR_GAP)]
    look: dict = {"color": style.GUESS if row.said else style.INK, "bbox": ON_PAPER}
    for text, end, gap in words:
        if text:
            write(axes, text, (end, place), (gap, 0), **look)
    axes.plot(row.rounds, [place + 0.4] * len(row.rounds), **ROUNDS | {"color": row.look.color})


def draw_dot(axes: plt.Axes, place: float, row: Row) -> None:
    """Draw a Row as a dot at height `place`, with its interval and a line from `row.since`."""
    look = row.look
    other = row.since_look or style.Look(look.color, "|")
    if row.since:
        axes.plot(
            [row.since, row.value],
            [place] * 2,
            color=look.color,
            linewidth=1.6,
            alpha=0.6,
            zorder=2,
        )
    if row.since and not row.interval:
        axes.plot(
            [row.since],
            [place],
            marker=other.marker,
            markersize=9,
            color=other.color,
            alpha=1 if row.since_look else 0.6,
            zorder=2,
        )
    if row.interval:
        axes.plot(
            row.interval,
            [place] * 2,
            color=style.INK,
            linewidth=1.4,
            marker="|",
            markersize=8,
            zorder=2,
        )
    axes.plot(
        [row.value],
        [place],
        linestyle="none",
        marker=look.marker,
        markersize=9,
        markerfacecolor=look.face,
        markeredgecolor=look.edge,
        markeredgewidth=1.8,
        zorder=3,
    )
