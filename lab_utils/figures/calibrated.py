"""All of the learner's guesses against what was measured: how far off, and which way. Each is a hollow diamond."""

import math

from ..words import factor_off, times
from . import style
from .canvas import environment, plt, set_title, styled

SAID = {"marker": "D", "markersize": 8, "markerfacecolor": style.PAPER, "markeredgecolor": style.GUESS, "markeredgewidth": 1.8,
        "linestyle": "none"}
FARTHEST = 1_000  # by how much a guess may be off before it stands at the end of the scale
MOST_NAMED = 6
# Where a label may stand beside its diamond, in points, and which of its sides is there; the first free place is taken.
PLACES = [(side * far, up, "left" if side > 0 else "right") for far in (10, 20, 34) for up in (0, 14, -14, 28, -28)
          for side in (1, -1)]


@styled
def draw_calibration(pairs, close, words):
    """Each (name, guess, measured): guess against measured with the diagonal, and by chapter how far off; a band of `close` x."""
    figure, (square, rows) = plt.subplots(1, 2, figsize=(9, 4.9))
    near = [(name, within_reach(said, measured), measured) for name, said, measured in pairs]
    draw_square(square, near, close)
    draw_chapters(rows, near, close)
    set_title(square, f"{words[0].upper()}{words[1:]}".replace("; ", ";\n"))
    environment(square)
    figure.draw_without_rendering()  # so that it is known where everything stands
    name_diamonds(square, farthest_off(pairs, close), near)
    return figure


def within_reach(said, measured):
    """The guess, or the end of the scale where it is farther off than a figure can show beside the others."""
    return max(measured / FARTHEST, min(measured * FARTHEST, said))


def farthest_off(pairs, close):
    """[(label, guess, measured)] of the few guesses that were farthest off, of those that were not close."""
    off = sorted(((factor_off(said, measured), name, said, measured) for name, said, measured in pairs), reverse=True)
    return [(words_for(name, factor), within_reach(said, measured), measured)
            for factor, name, said, measured in off[:MOST_NAMED] if factor > close]


def words_for(name, factor):
    """'01 cart'; with its factor where the diamond stands at the end of the scale, '01 cart, 4,200x'."""
    words = name.replace(".", " ").replace("_", " ")
    return f"{words}, {times(factor)}" if factor > FARTHEST else words


def draw_square(axes, pairs, close):
    values = [value for _, *both in pairs for value in both]
    low, high = min(values) / 4, max(values) * 4
    axes.fill_between([low, high], [low / close, high / close], [low * close, high * close], color=style.GOOD_GUESS, linewidth=0)
    axes.plot([low, high], [low, high], color=style.RULE, linewidth=1)
    axes.plot([measured for *_, measured in pairs], [said for _, said, _ in pairs], **SAID)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(powers_of_ten(low, high))
        axis.set_minor_locator(plt.NullLocator())
        axis.set_major_formatter(lambda value, _: short(value))
    axes.set_xlabel("measured, each in its unit, log scale")
    axes.set_ylabel("you said, log scale")


def powers_of_ten(low, high):
    """At most seven marks, however far the values span."""
    step = max(1, math.ceil((math.log10(high) - math.log10(low)) / 7))
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1, step)
    return plt.FixedLocator([10.0**power for power in powers])


def short(value):
    """'0.1', '10', '10k', '1M': a tick."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:,g}{letter}"
    return f"{value:g}"


def draw_chapters(axes, pairs, close):
    """A row a chapter, downwards; a diamond to the left of the line is a guess that was too low."""
    chapters = sorted({name[:2] for name, *_ in pairs})
    axes.axvspan(1 / close, close, color=style.GOOD_GUESS, linewidth=0)
    axes.axvline(1, color=style.RULE, linewidth=1)
    factors = [said / measured for _, said, measured in pairs]
    axes.plot(factors, [chapters.index(name[:2]) for name, *_ in pairs], **SAID)
    reach = max(10, *factors, *(1 / factor for factor in factors)) * 2
    axes.set(xscale="log", xlim=(1 / reach, reach), ylim=(len(chapters) - 0.5, -0.5))
    marks = [mark for mark in (10, 100, FARTHEST) if mark < reach]
    axes.set_xticks([*(1 / mark for mark in reversed(marks)), 1, *marks],
                    [*(f"{mark:,}x" for mark in reversed(marks)), "right", *(f"{mark:,}x" for mark in marks)], fontsize=10)
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(chapters)), [f"chapter {chapter}" for chapter in chapters], fontsize=9)
    axes.grid(False, axis="y")
    axes.set_xlabel("how far off")
    for place, side, words in ((0.01, "left", "← too low"), (0.99, "right", "too high →")):
        axes.text(place, 1.02, words, transform=axes.transAxes, ha=side, va="bottom", fontsize=9, color=style.QUIET)


def name_diamonds(axes, named, pairs):
    """The labels of the given guesses, each where it covers no diamond and no other label; left out where there is no room."""
    taken = [diamond_box(axes, said, measured) for _, said, measured in pairs]
    inside = axes.get_window_extent()
    line = {"arrowstyle": "-", "color": style.QUIET, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 6}
    for name, said, measured in named:
        for x, y, side in PLACES:
            label = axes.annotate(name, (measured, said), (x, y), textcoords="offset points", ha=side, va="center", fontsize=9,
                                  color=style.INK)
            label.set_in_layout(False)  # or everything would move to make room
            box = label.get_window_extent()
            free = inside.x0 < box.x0 and box.x1 < inside.x1 and inside.y0 < box.y0 and box.y1 < inside.y1
            if free and not any(box.overlaps(other) for other in taken):
                axes.annotate("", (measured, said), (x, y), textcoords="offset points", arrowprops=line)
                taken.append(box)
                break
            label.remove()


def diamond_box(axes, said, measured):
    from matplotlib.transforms import Bbox

    x, y = axes.transData.transform((measured, said))
    return Bbox([[x - 7, y - 7], [x + 7, y + 7]])
