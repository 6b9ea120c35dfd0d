"""Put words into figures: beside marks, at the ends of lines, in legends; set ticks of axes."""

import math
from statistics import fmean
from typing import Any

from . import style
from .canvas import SMALL, USUAL, plt

APART_PX = 16  # two names one above the other
# Where a log scale's ends are less than this factor apart, minor ticks that begin so have numbers.
BETWEEN = ((4, "123456789"), (30, "235"), (150, "3"))
FEW_TICKS, TICK_PX = 8, 58
NARROWEST = math.log(3)  # of a log axis between its outermost dots
MOST_BESIDE = 0.67  # of a log axis that words beside its dots may take


def write(
    axes: plt.Axes, words: str, place: tuple[float, float], shift: tuple[float, float], **look: Any
) -> plt.Annotation:
    """Write `words` at `place`, moved by `shift`, (points right, points up); return the annotation.

    `place` is (x, y) in data. The text is aligned so that it grows in the direction of `shift`.
    `look` are Matplotlib's options of a text.
    """
    right, up = shift
    sides = {
        "ha": "left" if right > 0 else "right" if right < 0 else "center",
        "va": "bottom" if up > 0 else "top" if up < 0 else "center",
    }
    look = {"fontsize": USUAL, "color": style.INK, "annotation_clip": False, **sides, **look}
    return axes.annotate(words, place, shift, textcoords="offset points", **look)


def explain(axes: plt.Axes, fills: dict[str, dict], **where: Any) -> None:
    """Add a legend of boxes: `fills` is {words: Matplotlib's options of a Rectangle}.

    `where` are Matplotlib's options of a legend.
    """
    boxes = [plt.Rectangle((0, 0), 1, 1, **fill) for fill in fills.values()]
    axes.legend(boxes, fills, **where)


def name_ends(
    axes: plt.Axes, series: dict[str, dict[float, float]], looks: dict[str, style.Look]
) -> None:
    """Write each line's name right of its last point; move apart names that would overlap.

    `series` is {name: {x: y}}, `looks` is {name: Look}.
    """
    # The points' places in px are those after the layout.
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]
    farthest = max(max(points) for points in series.values())
    ends = {name: (max(points), points[max(points)]) for name, points in series.items()}
    heights = {name: axes.transData.transform(end)[1] for name, end in ends.items()}
    low, high = axes.bbox.y0 + APART_PX / 2, axes.bbox.y1 - APART_PX / 2
    aside = {name: heights[name] for name, (last, _) in ends.items() if last == farthest}
    moved = spread(aside, APART_PX, low, high)
    for name, end in ends.items():
        color = style.readable(looks[name].color)
        shift = (0, 8)
        if name in moved:
            shift = 10, (moved[name] - heights[name]) * 72 / axes.figure.dpi
        write(
            axes,
            name,
            end,
            shift,
            color=color,
            va="center" if name in moved else "bottom",
        )


def spread(heights: dict[str, float], gap: float, low: float, high: float) -> dict[str, float]:
    """Return `heights`, {name: height}, moved so that they are at least `gap` apart.

    All are in px. Each is as near to its given height as possible, and between `low` and `high`.
    Names that are too close are placed around the middle of their given heights.
    """
    names = sorted(heights, key=lambda name: heights[name])
    piles = []
    for name in names:
        piles.append([heights[name]])
        while len(piles) > 1 and (
            fmean(piles[-1]) - fmean(piles[-2]) < gap * len(piles[-2] + piles[-1]) / 2
        ):
            piles[-2:] = [piles[-2] + piles[-1]]
    places = [
        fmean(pile) + gap * (nth - (len(pile) - 1) / 2)
        for pile in piles
        for nth in range(len(pile))
    ]
    places = [max(place, low + gap * nth) for nth, place in enumerate(places)]
    places = [min(place, high - gap * (len(places) - 1 - nth)) for nth, place in enumerate(places)]
    return dict(zip(names, places, strict=True))


# Axes


def plain_ticks(axis: Any) -> None:
    """Write the ticks of an axis as 0.1, 1, 10, 1,000, not as powers of ten.

    A log axis of less than two or so decades gets numbers at some ticks in between.
    """

    def between(value: float, _: object) -> str:
        low, high = axis.get_view_interval()
        digits = next((digits for factor, digits in BETWEEN if 0 < low < high < factor * low), "")
        return f"{value:,.10g}" if f"{value:e}"[0] in digits else ""

    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axis.set_minor_formatter(between)


def whole_ticks(axis: Any, values: list[float]) -> None:
    """Let an axis have ticks at whole numbers only, if all `values` are ints."""
    if all(isinstance(value, int) for value in values):
        axis.get_major_locator().set_params(integer=True)


def ticks_at(axis: Any, values: list[float], length_px: float) -> None:
    """Put the ticks of an axis at the numbers `values`, if these are at most 8.

    `length_px` is the length of the axis in px; a tick that would be too close to the next one is
    left out. With more than 8 values the ticks stay where they are.
    """
    plain_ticks(axis)
    places = sorted(set(values))
    if len(places) > FEW_TICKS:
        return
    low, high = axis.get_view_interval()
    at = axis.get_transform().transform
    per_px = (at(high) - at(low)) / length_px
    kept = places[-1:]
    for place in reversed(places[:-1]):
        if at(kept[-1]) - at(place) >= TICK_PX * per_px:
            kept.append(place)
    axis.set_ticks(kept)
    axis.set_ticks([], minor=True)


def unit_for(seconds: float) -> tuple[str, float]:
    """Return (unit, factor) for an axis on which `seconds` is the longest time.

    They are ("seconds", 1), ("milliseconds", 1e3) or ("microseconds", 1e6); the factor is how many
    of that unit make a second.
    """
    if seconds >= 2:
        return "seconds", 1
    return ("milliseconds", 1e3) if seconds >= 5e-4 else ("microseconds", 1e6)


def is_ratio(unit: str) -> bool:
    return "times" in unit.split() or unit.startswith("times")


def mark(axes: plt.Axes, value: float, words: str, across: bool = False, end: int = 0) -> None:
    """Draw a thin vertical line at `value`, such as 1x, with `words` at its top.

    With `across` it is a horizontal line at a value of the y axis; its words then are at the left
    end, or with `end` 1 at the right end.
    """
    line: dict[str, Any] = {
        "color": style.RULE,
        "linewidth": 1,
        "linestyle": (0, (4, 3)),
        "zorder": 1.5,
    }
    small = {"fontsize": SMALL, "color": style.QUIET}
    if across:
        axes.axhline(value, **line)
        write(
            axes,
            words,
            (end, value),
            (-4 if end else 4, 3),
            xycoords=axes.get_yaxis_transform(),
            **small,
        )
    else:
        axes.axvline(value, **line)
        write(axes, words, (value, 1), (0, 3), xycoords=axes.get_xaxis_transform(), **small)


def log_axis(axes: plt.Axes, rows: list[tuple[float, float, float, float]], width: float) -> None:
    """Set a log x axis, `width` px wide, so that the marks and words of all rows have room.

    `rows` is [(lowest value, highest value, px of words left, px of words right)]. However long the
    words, at least a third of the width is left for the marks.
    """
    most = max(left for *_, left, _ in rows) + max(right for *_, right in rows)
    shrunk = min(1.0, MOST_BESIDE * width / most) if most else 1.0
    lows = [(math.log(low), shrunk * left) for low, _, left, _ in rows]
    highs = [(math.log(high), shrunk * right) for _, high, _, right in rows]
    # How much of the logarithm a px is: the two words that are farthest apart have room.
    unit = max(
        NARROWEST / width,
        *((high - low) / (width - left - right) for low, left in lows for high, right in highs),
    )
    start = min(low - left * unit for low, left in lows)
    end = max(high + right * unit for high, right in highs)
    spare = max(0.0, NARROWEST - (end - start)) / 2
    axes.set_xscale("log")
    axes.set_xlim(math.exp(start - spare), math.exp(end + spare))
    lowest, highest = min(low for low, *_ in rows), max(high for _, high, *_ in rows)
    axes.set_xticks([tick for tick in axes.get_xticks() if lowest / 10 < tick < highest * 10])


def words_px(text: str, points: float) -> float:
    """Return an upper bound of the width of a text, in px at 100 dpi, from its number of letters.

    `points` is the size of the font.
    """
    return len(text) * points * 0.6 * 100 / 72
