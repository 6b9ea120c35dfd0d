"""Draw lab.calibration's figure: the factor by which each guess was too low or too high."""

from ..words import factor_off, times
from . import style
from .canvas import USUAL, WIDTH, environment, plt, set_title, styled
from .labels import write

FARTHEST = 1_000  # by how much a guess may be off before it stands at the end of the scale
ROW, REST = 0.34, 1.7  # inches


@styled
def draw_calibration(pairs: list[tuple[str, float, float]], close: float, words: str) -> plt.Figure:
    """Draw how far off each guess of a learner was, as a diamond in the row of its chapter.

    `pairs` is [(question, guess, measured value)]. Guesses that were too low are on the left, too
    high ones on the right, those within a factor of `close` on a grey band. Each row names the
    guess that is farthest off on either side of the band. `words` is the title. Returns the figure.
    """
    chapters = sorted({name[:2] for name, *_ in pairs})
    figure, axes = plt.subplots(figsize=(WIDTH, REST + ROW * len(chapters)))
    axes.axvspan(1 / close, close, color=style.GOOD_GUESS, linewidth=0)
    axes.axvline(1, color=style.RULE, linewidth=1)
    factors = [within_reach(said / measured) for _, said, measured in pairs]
    axes.plot(
        factors,
        [chapters.index(name[:2]) for name, *_ in pairs],
        linestyle="none",
        marker="D",
        markersize=8,
        markerfacecolor=style.PAPER,
        markeredgecolor=style.GUESS,
        markeredgewidth=1.8,
    )
    for row, chapter in enumerate(chapters):
        own = sorted(
            (said / measured, name, factor_off(said, measured))
            for name, said, measured in pairs
            if name[:2] == chapter
        )
        for (factor, name, off), side in ((own[0], -1), (own[-1], 1)):
            if off > close and (factor > 1) == (side > 0):
                write(axes, label(name, off), (within_reach(factor), row), (8 * side, 0))
    reach = max(10, *factors, *(1 / factor for factor in factors)) * 40  # room for the names
    marks = [mark for mark in (10, 100, FARTHEST) if mark < reach / 10]
    axes.set(
        xscale="log",
        xlim=(1 / reach, reach),
        ylim=(len(chapters) - 0.5, -0.5),
        xlabel="← too low          how far off          too high →",
    )
    named = [f"{mark:,}x" for mark in marks]
    axes.set_xticks(
        [*(1 / mark for mark in reversed(marks)), 1, *marks], [*reversed(named), "right", *named]
    )
    axes.set_xticks([], minor=True)
    axes.set_yticks(
        range(len(chapters)), [f"chapter {chapter}" for chapter in chapters], fontsize=USUAL
    )
    axes.grid(False, axis="y")
    set_title(axes, f"{words[0].upper()}{words[1:]}".replace("; ", ";\n"))
    environment(axes)
    return figure


def within_reach(factor: float) -> float:
    return max(1 / FARTHEST, min(FARTHEST, factor))


def label(name: str, off: float) -> str:
    """Return 'cart, 12x' for the question "01.cart" and a guess that is off by a factor of 12.

    `name` is the question, `off` the factor, 1 or more.
    """
    return f"{name[3:].replace('_', ' ')}, {times(off) if off <= FARTHEST else f'>{FARTHEST:,}x'}"
