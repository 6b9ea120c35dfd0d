"""The staircase: ways of doing the same work from the slowest to the fastest, and what each step saves."""

import textwrap

from ..arguments import check_dict, check_positive, check_text, check_title
from ..errors import LabError
from ..words import times
from . import style
from .canvas import SMALL, USUAL, WIDTH, environment, number, plt, say, set_title, styled
from .rows import NAME_POINTS, REST, ROW, name_rows
from .scales import words_px

TREAD = ROW * 1.12  # inches
LONGEST_NAME = 34  # letters
LONGEST_WORDS, LONGEST_FACTOR = "26.1   saves 17.6", "100x as fast"
ALIKE = 1.05  # a step that saves less is none
EXAMPLE = '{"loop": 26.1, "pipeline": 6.2}'


def plot_staircase(values, unit, title=None):
    """Steps down from the slowest to the fastest of {name: value}, times such as "µs a value", on a linear axis from zero.

    A bar is what a way takes; the pale piece behind it is what it saves against the way above, with the factor. The last
    column is how many times as fast as the first way it is. Prints one line in words. Raises LabError for anything but
    numbers above 0 by name, two of them at least, and texts.
    """
    check_dict(values, "lab.plot_staircase", EXAMPLE)
    for name, value in values.items():
        check_positive(value, name)
    if len(values) < 2:
        raise LabError(f"lab.plot_staircase needs two ways at least, and got one. Write {EXAMPLE}.")
    check_text(unit, "unit")
    check_title(title, "lab.plot_staircase")
    return draw_staircase(dict(sorted(values.items(), key=lambda way: -way[1])), unit, title)


@styled
def draw_staircase(values, unit, title):
    looks = style.looks(list(values))
    figure, axes = plt.subplots(figsize=(WIDTH, REST + TREAD * len(values)))
    slowest, *_ = values.values()
    above = slowest
    names = []
    for place, (name, value) in enumerate(values.items()):
        draw_step(axes, place, value, above, slowest, looks[name])
        names.append((place, textwrap.shorten(name, LONGEST_NAME, placeholder=" …"), style.INK, "normal"))
        above = value
    width = WIDTH * 100 - 40 - max(words_px(name, NAME_POINTS) for _, name, *_ in names)
    axes.set_xlim(0, slowest / (1 - (words_px(LONGEST_WORDS, USUAL) + words_px(LONGEST_FACTOR, SMALL)) / width))
    axes.set_ylim(len(values) - 0.4, -0.6)
    name_rows(axes, names)
    axes.set_xlabel(unit)
    set_title(axes, title or found(values, unit))
    environment(axes)
    say("; ".join(in_words(values)) + f" ({unit})")
    return figure


def draw_step(axes, place, value, above, slowest, look):
    """One tread, what it saves behind it, and a riser down from the tread above."""
    axes.barh(place, value, 0.62, color=look.color, edgecolor=style.PAPER)
    end = above if saves(value, above) else value
    if end > value:
        axes.barh(place, end - value, 0.62, left=value, color=style.SAVED, edgecolor=style.PAPER)
        axes.plot([end, end], [place - 0.69, place + 0.31], color=style.RULE, linewidth=1)
    whole = f"   {times(slowest / value)}" if slowest > ALIKE * value else ""
    step = f"   saves {number(above - value)}" if end > value else ""
    axes.annotate(f"{number(value)}{step}", (end, place), (6, 0), textcoords="offset points", va="center", fontsize=USUAL,
                  color=style.INK, bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.5}, zorder=3)
    if whole:
        axes.annotate(f"{whole.strip()} as fast", (1, place), (-2, 0), xycoords=axes.get_yaxis_transform(),
                      textcoords="offset points", ha="right", va="center", fontsize=SMALL, color=style.QUIET,
                      bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.5})


def saves(value, above):
    """Whether a step is one: less than 5% is not told apart."""
    return above > ALIKE * value


def found(values, unit):
    """'From loop to MSET, packed beforehand: 26.1 to 0.31 µs a value, 84x'."""
    (first, slowest), *_, (last, fastest) = values.items()
    factor = f", {times(slowest / fastest)} as fast" if saves(fastest, slowest) else ", hardly a step"
    return f"From {first} to {last}: {number(slowest)} to {number(fastest)} {unit}{factor}"


def in_words(values):
    above = None
    for name, value in values.items():
        yield f"{name} {number(value)}" + (f", saves {number(above - value)}" if above and saves(value, above) else "")
        above = value
