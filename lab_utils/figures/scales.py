"""Axes: plain numbers for ticks, whole ones for counts, a line to compare with."""

import math

from . import style
from .canvas import SMALL
from .labels import write

# Where a log scale's ends are less than this factor apart, minor ticks that begin so have numbers.
BETWEEN = ((4, "123456789"), (30, "235"), (150, "3"))
FEW_TICKS, TICK_PX = 8, 58
NARROWEST = math.log(3)  # of a log axis between its outermost dots
MOST_BESIDE = 0.67  # of a log axis that words beside its dots may take


def plain_ticks(axis):
    """Write 0.1, 1, 10, 1,000 instead of powers of ten; more between them on a short scale."""

    def between(value, _):
        low, high = axis.get_view_interval()
        digits = next((digits for factor, digits in BETWEEN if 0 < low < high < factor * low), "")
        return f"{value:,.10g}" if f"{value:e}"[0] in digits else ""

    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axis.set_minor_formatter(between)


def whole_ticks(axis, values):
    """Have ticks at whole numbers only, where all values are counts."""
    if all(isinstance(value, int) for value in values):
        axis.get_major_locator().set_params(integer=True)


def ticks_at(axis, values, length_px):
    """Have a tick at each of a handful of places, if `length_px` has room; plain ticks of more."""
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


def unit_for(seconds):
    """Return the unit that suits the longest time, and how many of it make a second."""
    if seconds >= 2:
        return "seconds", 1
    return ("milliseconds", 1e3) if seconds >= 5e-4 else ("microseconds", 1e6)


def is_ratio(unit):
    """Tell whether a unit is 1 where nothing changes: "times faster", "loop ÷ pipeline, times"."""
    return "times" in unit.split() or unit.startswith("times")


def mark(axes, value, words, across=False, end=0):
    """Draw a thin line at a value to compare with, "1x" or what was asked, its words at its end.

    `across` is for the y axis; there the words stand left, or with `end` 1 right.
    """
    if across:
        draw, ends = axes.axhline, axes.get_yaxis_transform()
        place, shift = (end, value), (-4 if end else 4, 3)
    else:
        draw, ends, place, shift = axes.axvline, axes.get_xaxis_transform(), (value, 1), (0, 3)
    draw(value, color=style.RULE, linewidth=1, linestyle=(0, (4, 3)), zorder=1.5)
    write(axes, words, place, shift, xycoords=ends, fontsize=SMALL, color=style.QUIET)


def log_axis(axes, rows, width):
    """Set a log axis of `width` px for rows (lowest, highest, px of words left of it, px right).

    At least a third of the width stays for the dots, however long the words.
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


def words_px(text, points):
    """Return about how wide a text is at most, in px at the lab's 100 dpi."""
    return len(text) * points * 0.6 * 100 / 72
