"""What somebody published beside what came out here: two dots on a log axis, the factor between them."""

import math

from ..words import factor_off, plain_duration, times, two_figures, within
from . import style
from .canvas import SMALL, USUAL, WIDTH, environment, plt, say, set_title, styled
from .rows import MARGIN_PX, NAME_POINTS, name_rows
from .scales import log_axis, plain_ticks, words_px

ALIKE = 1.05  # a figure reproduced within this factor came out the same
NEARLY = 1.1  # up to this factor it came out; beyond it, the title says how far off it is
ROW = 0.42  # inches
LONGEST = "1.2x slower   here 1.23 ms"  # beside a dot


@styled
def plot_table(what, published, reproduced, rtt_ms, title=None, fitted=()):
    """Published seconds and those reproduced here, {name: seconds} each; `fitted` names those that the distance came from."""
    figure, axes = plt.subplots(figsize=(WIDTH, 1.6 + ROW * len(published)))
    draw_published(axes, published, reproduced, fitted)
    axes.set_xlabel("milliseconds, log scale")
    set_title(axes, title or f"{what}, at the fitted RTT of {two_figures(rtt_ms)} ms: {evidence(published, reproduced, fitted)}")
    environment(axes, (round(rtt_ms, 2),))
    say(published_words(published, reproduced, fitted))
    return figure


def names_px(published, fitted):
    """About how much room the names left of the rows take."""
    return max(words_px(f"{name} (fitted)" if name in fitted else name, NAME_POINTS) for name in published)


def draw_published(axes, published, reproduced, fitted, beside_px=None):
    """A row for each figure: the published one grey, the one from here dark, and how many times apart they are.

    `beside_px` is the room that the names take, where other axes below have longer ones.
    """
    names = {name: f"{name} (fitted)" if name in fitted else name for name in published}
    width = max(WIDTH * 50, WIDTH * 100 - 60 - (beside_px or names_px(published, fitted)))
    low = min([*published.values(), *reproduced.values()]) * 1000
    high = max([*published.values(), *reproduced.values()]) * 1000
    beside = words_px(LONGEST, USUAL) + MARGIN_PX
    unit = log_axis(axes, low, high, beside, beside, width)
    for place, name in enumerate(published):
        draw_pair(axes, place, published[name] * 1000, reproduced[name] * 1000, unit)
    axes.set_ylim(len(published) - 0.4, -0.7)
    name_rows(axes, [(place, text, style.INK, "normal") for place, text in enumerate(names.values())])
    plain_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}" if low / 3 <= value <= high * 3 else "")


def draw_pair(axes, place, then, now, unit):
    """Two dots in milliseconds with their words outside, and between them the factor, where it is one and has room."""
    factor = factor_off(then, now)
    note = f"{factor:.1f}x {'faster' if now < then else 'slower'}" if factor >= ALIKE else ""
    fits = abs(math.log(now / then)) / unit > words_px(note, SMALL) + MARGIN_PX
    axes.plot([then, now], [place] * 2, color=style.PUBLISHED, linewidth=1.6, zorder=2)
    for value, other, word, color in ((then, now, "published", style.PUBLISHED), (now, then, "here", style.INK)):
        right = value > other or (value == other and word == "here")
        text = f"{word} {plain_duration(value / 1000)}"
        if note and not fits and word == "here":
            text = f"{text}   {note}" if right else f"{note}   {text}"
        axes.plot([value], [place], marker="o", markersize=9, color=color, zorder=3)
        axes.annotate(text, (value, place), (9 if right else -9, 0), textcoords="offset points", va="center",
                      ha="left" if right else "right", fontsize=USUAL, color=style.INK if word == "here" else style.QUIET)
    if note and fits:
        axes.annotate(note, (math.sqrt(then * now), place), (0, 3), textcoords="offset points", ha="center", va="bottom",
                      fontsize=SMALL, color=style.QUIET)


def evidence(published, reproduced, fitted):
    """What a table proves: only a figure that the distance was not solved from can come out or fail to."""
    free = [name for name in published if name not in fitted]
    worst = max(factor_off(published[name], reproduced[name]) for name in free)
    how = within(worst) if worst < NEARLY else f"{'up to ' if len(free) > 1 else ''}{times(worst)} off"
    if not fitted:
        return f"its figures come out {how}"
    subject = "what did not go into the fit" if len(free) > 1 else f"“{free[0]}”, which did not go into the fit,"
    return f"{subject} comes out {how}"


def published_words(published, reproduced, fitted):
    return "; ".join(f"{name}: published {plain_duration(published[name])}{' (fitted)' if name in fitted else ''}, "
                     f"here {plain_duration(reproduced[name])}" for name in published)
