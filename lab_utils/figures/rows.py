"""Rows with a name each: bars from zero, or dots on a log axis with the factor between them.

A bar's length tells the truth on a linear axis only. Where values span decades a dot shows the
place, and the line from the dot it is compared with the factor: equal lines are equal factors.
"""

import math
from dataclasses import dataclass

from . import style
from .canvas import SMALL, USUAL, paper, plt, sized
from .labels import write
from .scales import log_axis, plain_ticks, words_px

ROW, HEADING, GAP, REST = 0.3, 0.3, 0.14, 1.5  # inches
NARROW_ROW, NARROW_HEADING, NARROW_REST = 0.55, 0.5, 2.2  # on a phone
ABOVE = 0.36  # rows: so far above its row a name stands there
NAME_POINTS = 10.5
MARGIN_PX, NARROW_TICKS = 16, 5
ROUNDS = {
    "linestyle": "none",
    "marker": "o",
    "markersize": 2.5,
    "color": style.NO_ROLE,
    "markeredgewidth": 0,
    "alpha": 0.7,
}
ROUNDS_NOTE = "small dots: the rounds"


@dataclass(frozen=True)
class Row:
    """`name` stands left, `text` (the value in words) at the end.

    `note`, the factor, stands between the dot and `since`, which with a `since_look` is a dot too.
    `rounds` are single measurements, drawn as small dots; `interval` is that of a Ratio.
    """

    name: str
    value: float
    text: str
    look: style.Look
    note: str = ""
    since: float | None = None
    since_look: style.Look | None = None
    interval: tuple = ()
    rounds: tuple = ()
    said: bool = False

    @property
    def start(self):
        return min((self.value, *self.interval, *self.rounds))

    @property
    def end(self):
        """Where the bar ends, its interval, or its rounds."""
        return max((self.value, *self.interval, *self.rounds))


def lay_out(blocks, height, heading):
    """Return [(place, heading)], [(place, row)] and the end of {heading: [row]}, in rows.

    A row is `height` inches high, and a heading `heading`; an empty one takes no room.
    """
    heads, rows, place = [], [], 0.0
    for words, block in blocks.items():
        if words:
            heads.append((place, words, style.INK, "bold"))
            place += heading / height
        rows += [(place + nth, row) for nth, row in enumerate(block)]
        place += len(block) + GAP / height
    return heads, rows, place - GAP / height


def draw_rows(blocks, label, log=False):
    """Draw {heading: [Row]} as dots on a log axis, or bars from zero; return (figure, axes)."""
    height = sized(ROW, NARROW_ROW)
    names, placed, end = lay_out(blocks, height, sized(HEADING, NARROW_HEADING))
    figure, axes = plt.subplots(figsize=(paper.width, sized(REST, NARROW_REST) + height * end))
    rows = [row for _, row in placed]
    longest = max(words_px(text, NAME_POINTS) for text in [*(row.name for row in rows), *blocks])
    width = paper.width * 100 - 40 - sized(longest, 0)
    between = set_scale(axes, rows, width, log)
    for place, row in placed:
        color = style.GUESS if row.said else style.INK
        names.append((place - sized(0, ABOVE), row.name, color, "normal"))
        draw_row(axes, place, row, log, row in between)
    axes.set_ylim(end - 0.4, -0.6)
    name_rows(axes, names, inside=sized(False, True))
    plain_ticks(axes.xaxis)
    if sized(False, not log):
        axes.xaxis.get_major_locator().set_params(nbins=NARROW_TICKS)
    axes.set_xlabel(f"{label}, log scale" if log else label)
    return figure, axes


def name_rows(axes, names, inside=False):
    """Write (place, name, colour, weight) each left of the axes, or inside, at their left end."""
    axes.set_yticks([place for place, *_ in names], [text for _, text, *_ in names])
    for tick, (_, _, color, weight) in zip(axes.get_yticklabels(), names, strict=True):
        tick.set(
            color=color, fontweight=weight, fontsize=NAME_POINTS, ha="left" if inside else "right"
        )
    axes.tick_params(axis="y", length=0, **({"pad": 0} if inside else {}))
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)


def set_scale(axes, rows, width, log):
    """Set the axis so that all words have room; return the rows whose factor fits on their line."""
    if not log:
        beside = [words_px(ending(row), USUAL) + MARGIN_PX for row in rows]
        ends = [row.end / max(0.25, 1 - px / width) for row, px in zip(rows, beside, strict=True)]
        values = [0, *(row.value * 1.06 for row in rows)]
        axes.set_xlim(min(values), max(values + ends) or 1)
        axes.axvline(0, color=style.RULE, linewidth=1)
        return []
    rows = [row for row in rows if row.value > 0]
    ends = [
        (min(row.start, row.since or row.start), max(row.end, row.since or row.end)) for row in rows
    ]
    between = [row for row in rows if row.since and sized(True, False)]
    while True:
        beside = [
            [words_px(words, USUAL) + MARGIN_PX for words in words_of(row, row in between)]
            for row in rows
        ]
        log_axis(axes, [(*each, *px) for each, px in zip(ends, beside, strict=True)], width)
        low, high = axes.get_xlim()
        px = width / math.log(high / low)
        kept = [
            row
            for row in between
            if words_px(row.note, SMALL) + MARGIN_PX < px * abs(math.log(row.value / row.since))
        ]
        if kept == between:
            return between
        between = kept  # what stands beside the dots took the room of a note between them


def ending(row, between=False):
    """Return the words at the end of a bar: the value, and the factor."""
    return row.text + (f"   {row.note}" if row.note and not between else "")


def words_of(row, between):
    """Return (left, right) of the dot and its line: the value, the factor if it is not on it."""
    if row.since and row.value < row.since:  # the line comes from the right
        return row.text, "" if between else row.note
    return "", ending(row, between)


def draw_row(axes, place, row, log, between):
    thin = ROW / sized(ROW, NARROW_ROW)
    left, right, end, gap = "", ending(row), row.end, 6
    if log or row.said:
        draw_dot(axes, place, row)
        (left, right), end, gap = words_of(row, between), max(end, row.since or 0), 9
    else:
        axes.barh(place, row.value, 0.56 * thin, color=row.look.color, edgecolor=style.PAPER)
    on_paper = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.5}  # hides lines
    for words, at, shift in ((left, row.start, -gap), (right, end, gap)):
        if words:
            write(
                axes,
                words,
                (at, place),
                (shift, 0),
                bbox=on_paper,
                color=style.GUESS if row.said else style.INK,
            )
    below = [place + 0.4 * thin] * len(row.rounds)
    axes.plot(row.rounds, below, **ROUNDS | {"color": row.look.color})
    if between:
        middle = math.sqrt(row.value * row.since), place
        write(axes, row.note, middle, (0, 2), fontsize=SMALL, color=style.QUIET)


def draw_dot(axes, place, row):
    """Draw the dot, a line from what it is compared with, and the interval of a Ratio."""
    look, other = row.look, row.since_look or style.Look(row.look.color, "|")
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
        markeredgecolor=look.color,
        markeredgewidth=1.8,
        zorder=3,
    )
