"""What every figure is drawn on: the style, its finding as title, small type, a sentence in words.

A figure is returned, so that a notebook shows it when it is a cell's last line. One sentence says
the same in words: it is the picture's text for those who cannot see it, and is printed where no
picture is shown.
"""

import contextlib
import functools
import io
import os
import re
import runpy
import textwrap
from pathlib import Path
from types import SimpleNamespace

from .. import calm, setting
from ..words import milliseconds, three_figures
from . import style

STYLE = Path(__file__).with_name("lab.mplstyle")
TITLE_LETTERS, LETTERS = 84, 160  # on a line at most, of a title and of small type
EDGE_PX = 25
SMALL, USUAL = 9, 10  # points; nothing in a figure is smaller than 8
UNIT = re.compile(r"(?<=\d) (?=(?:ms|s|µs|ns|MB|KB)\b)")

_told = []  # the sentence of the figure that is being drawn
run_once = functools.cache(runpy.run_path)

WIDE, NARROW = 9, 4  # inches of 100 px: about what a notebook has room for, and a phone
paper = SimpleNamespace(width=WIDE)  # what is drawn on


def sized(wide, narrow):
    """Return what suits the paper: the first on a notebook's page, the other on a phone."""
    return narrow if paper.width == NARROW else wide


def abreast(count, rest, each, **options):
    """Return a figure and its axes: so many panels side by side, on a phone one above the other.

    It is `rest` inches high, and `each` more for a row of panels, which share their y axis.
    """
    rows = sized(1, count)
    figure, grid = plt.subplots(
        rows,
        count // rows,
        sharey=True,
        squeeze=False,
        figsize=(paper.width, rest + each * rows),
        **options,
    )
    return figure, list(grid.flat)


class Pyplot:
    """Matplotlib's pyplot, imported for the first figure: it costs `import lab_utils` 0.3 s."""

    def __getattr__(self, name):
        import matplotlib.pyplot

        return getattr(matplotlib.pyplot, name)


plt = Pyplot()


def styled(draw):
    """Run a drawing function in the lab's style, and keep Jupyter from showing the figure twice.

    With LAB_FIGURES=off nothing is drawn or printed: for runs that nobody looks at, as a retrial's.
    """

    @functools.wraps(draw)
    def wrapper(*args, **kwargs):
        if not setting.is_drawn():
            return None
        _told.clear()
        with on_paper(WIDE):
            figure = draw(*args, **kwargs)
            figure.narrow = functools.partial(narrow, draw, *args, **kwargs)
            return finished(figure, " ".join(_told))

    return wrapper


@contextlib.contextmanager
def on_paper(width):
    """Draw in the lab's style; close what is drawn, and what could not be drawn to its end."""
    open_before = set(plt.get_fignums())
    paper.width = width
    try:
        with plt.style.context(STYLE):
            yield
    finally:
        paper.width = WIDE
        for number in set(plt.get_fignums()) - open_before:
            plt.close(number)


def narrow(draw, *args, **kwargs):
    """Return the same figure for a phone; what it says in words was told before."""
    with on_paper(NARROW), contextlib.redirect_stdout(io.StringIO()):
        return draw(*args, **kwargs)


def finished(figure, words=""):
    """Return the figure with its alt text, shown to the program that LAB_FIGURE_CHECK names."""
    alt = words or title_of(figure)
    figure._repr_mimebundle_ = lambda include=None, exclude=None: ({}, {"image/png": {"alt": alt}})
    if path := os.environ.get("LAB_FIGURE_CHECK"):
        run_once(path)["look_at"](figure)
    return figure


def set_title(axes, text):
    """Write the finding above the whole figure, which may be given by its axes."""
    whole = UNIT.sub("\u00a0", text)  # a number and its unit stay on one line
    lines = "\n".join(line for part in whole.split("\n") for line in wrapped(part))
    axes.figure.suptitle(lines.replace("\u00a0", " "), x=0.012, ha="left")


def wrapped(text, less=0, points=13, weight="bold", letters=TITLE_LETTERS):
    """Return the lines of a title, `less` px narrower than the paper, by its letters' width."""
    room = paper.width * 100 - EDGE_PX - less
    for width in range(letters, 20, -4):
        lines = textwrap.wrap(text, width, break_long_words=False)
        if all(text_px(line, points, weight) <= room for line in lines):
            break
    return lines


def text_px(text, points, weight="normal"):
    """Return the room that a text takes on its line, in px at the lab's 100 dpi."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(weight=weight, size=points)
    width, *_ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return width * 100 / 72


def title_of(figure):
    """Return the figure's title on one line."""
    return " ".join(figure.get_suptitle().split())


def environment(axes, rtts=(), found=None, note="", source=None):
    """Write in small type where the figures come from, and that the machine was busy, if it was.

    `found` is the Calm of what is drawn; without one, that of the whole chapter counts. `note` is
    what else belongs there, `source` who measured, where it was another machine: how busy this one
    was is no matter then.
    """
    distances = f"RTT {', '.join(map(milliseconds, rtts))}" if rtts else ""
    distances += " (simulated)" if any(rtts) else ""
    text = " · ".join(part for part in (source or setting.line(), distances, note) if part)
    parts = UNIT.sub("\u00a0", text), "" if source else busy_note(found)
    lines = [line for part in parts for line in wrapped(part, 0, 8, "normal", LETTERS)]
    axes.figure.supxlabel("\n".join(lines), fontsize=8, color=style.QUIET, x=0.99, ha="right")


def say(line, found=None, measured=True):
    """Tell the figure's sentence; a measured one with who disturbed it, if anybody did."""
    note = busy_note(found) if measured else ""
    _told.append(line + (f" ({note})" if note else ""))
    if not measured:
        print(line)
    elif not setting.shows_pictures():
        print(f"measured: {_told[-1]}")


def caption(figure, title, words, rtts=(), found=None, note="", source=None, measured=True):
    """Write what belongs to every figure: its finding, the small type, and the sentence; return it.

    Words that are not `measured` are facts, and printed bare. For the others see `environment`.
    """
    set_title(figure, title)
    environment(figure, rtts, found, note, source)
    say(words, found, measured)
    return figure


def busy_note(found=None):
    """Return who disturbed `found`, or the whole chapter, and how much; "" if nobody did."""
    where = "" if found else "in this kernel, at worst: "
    found = found or calm.so_far()
    return f"{where}{found.sentence()}".replace("~", "") if found.busy else ""


def number(value):
    """1234 -> '1,234', 12.345 -> '12.3'."""
    return f"{value:,}" if isinstance(value, int) else three_figures(value)
