"""Define what all figures share: style, the finding as title, small type below, alt text.

A drawing function returns its figure, so that a notebook shows it when the call is a cell's last
line. The alt text is the finding and a sentence with the figure's numbers. The sentence is printed
if no picture is shown.
"""

import functools
import re
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from .. import disturbance, notebook
from ..words import milliseconds, three_figures
from . import style

# Of packages that figures do not import: a Comparison, Budget, Sweep, Capture, Bystander or Ratio.
Result = Any
STYLE = Path(__file__).with_name("lab.mplstyle")
WIDTH = 9  # inches of 100 px: what a notebook and the book have room for
TITLE_LETTERS, LETTERS = 84, 160  # on a line at most, of a title and of small type
EDGE_PX = 25
SMALL, USUAL = 9, 10  # points; nothing in a figure is smaller than 8
UNIT = re.compile(r"(?<=\d) (?=(?:ms|s|µs|ns|MB|KB)\b)")

_told = []  # the sentence of the figure that is being drawn
_lookers = []


def styled(draw: Callable) -> Callable:
    """Decorate a function that draws and returns a figure: apply the lab's style, and set alt text.

    The alt text is the figure's title and what the function passed to `say`. The figure is also
    closed, else Jupyter would show it twice.
    """

    @functools.wraps(draw)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _told.clear()
        with plt.style.context(STYLE):
            figure = draw(*args, **kwargs)
            if figure:
                plt.close(figure)
                set_alt_text(figure, " ".join(_told))
                for look_at in _lookers:
                    look_at(figure)
            return figure

    return wrapper


def when_finished(look_at: Callable[[plt.Figure], object]) -> None:
    """Register a function to be called with every figure of the lab once it is drawn."""
    _lookers.append(look_at)


def set_alt_text(figure: Any, words: str) -> None:
    """Set a figure's alt text: its title, then `words`, a sentence."""
    title = title_of(figure)
    stop = "" if title.endswith(("?", "!")) else "."
    alt = f"{title}{stop} {words}" if title and words else title or words
    figure._repr_mimebundle_ = lambda include=None, exclude=None: ({}, {"image/png": {"alt": alt}})


def set_title(axes: plt.Axes | plt.Figure, text: str) -> None:
    """Write `text` as the title of the whole figure, broken into lines that fit.

    `axes` may be the figure or any axes in it.
    """
    whole = UNIT.sub("\u00a0", text)  # a number and its unit stay on one line
    lines = "\n".join(line for part in whole.split("\n") for line in wrapped(part))
    axes.figure.suptitle(lines.replace("\u00a0", " "), x=0.012, ha="left")


def wrapped(
    text: str,
    less: float = 0,
    points: float = 13,
    weight: str = "bold",
    letters: int = TITLE_LETTERS,
) -> list[str]:
    """Return `text` as a list of lines that fit the width of a figure, minus `less` px.

    `points` and `weight` are those of the font. A line has at most `letters` letters, except for a
    longer word.
    """
    room = 100 * WIDTH - EDGE_PX - less
    for width in range(letters, 20, -4):
        lines = textwrap.wrap(text, width, break_long_words=False)
        if all(text_px(line, points, weight) <= room for line in lines):
            break
    return lines


def text_px(text: str, points: float, weight: str = "normal") -> float:
    """Return the width of a text in px, at 100 dpi; `points` and `weight` are those of the font."""
    font = FontProperties(weight=weight, size=points)
    width, *_ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return width * 100 / 72


def title_of(figure: plt.Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def environment(
    axes: plt.Axes | plt.Figure,
    rtts: Iterable[float] = (),
    found: disturbance.Disturbance | None = None,
    note: str = "",
    source: str | None = None,
) -> None:
    """Write in small type where the numbers come from, and whether other programs disturbed them.

    `axes` may be the figure or any axes in it. `rtts` are the drawn distances in ms. `found` is the
    Disturbance of the drawn numbers, by default the worst one in this process. `note` is a further
    sentence. `source` names who measured, if that was another machine: then nothing is written
    about disturbances.
    """
    distances = f"RTT {', '.join(map(milliseconds, rtts))}" if rtts else ""
    distances += " (simulated)" if any(rtts) else ""
    text = " · ".join(part for part in (source or notebook.line(), distances, note) if part)
    parts = UNIT.sub("\u00a0", text), "" if source else busy_note(found)
    lines = [line for part in parts for line in wrapped(part, 0, 8, "normal", LETTERS)]
    axes.figure.supxlabel("\n".join(lines), fontsize=8, color=style.QUIET, x=0.99, ha="right")


def say(line: str, found: disturbance.Disturbance | None = None, measured: bool = True) -> None:
    """Add the sentence `line` to the alt text of the figure being drawn, and print it if need be.

    It is printed if no picture is shown, or if `measured` is False, which is for facts. A measured
    sentence ends with how much other programs disturbed the measurement, if they did: `found` is
    its Disturbance, by default the worst in this process.
    """
    note = busy_note(found) if measured else ""
    _told.append(line + (f" ({note})" if note else ""))
    if not measured:
        print(line)
    elif not notebook.shows_pictures():
        print(f"measured: {_told[-1]}")


def caption(
    figure: plt.Figure,
    title: str,
    words: str,
    rtts: Iterable[float] = (),
    found: disturbance.Disturbance | None = None,
    note: str = "",
    source: str | None = None,
    measured: bool = True,
    ratios: Iterable = (),
) -> plt.Figure:
    """Write a figure's title and small type, and set its alt text; return the figure.

    The alt text is the title and then `words`, a sentence. The small type has `rtts`, the drawn
    distances in ms; a remark if `found`, the Disturbance of the numbers, was large; `note`, a
    further remark; and `source`, who measured, if not this machine. `measured` is False where the
    figure shows facts, which CI compares. Tests compare the title with the drawn Ratios, `ratios`.
    """
    figure.ratios = list(ratios)  # type: ignore[attr-defined]
    set_title(figure, title)
    environment(figure, rtts, found, note, source)
    say(words, found, measured)
    return figure


def busy_note(found: disturbance.Disturbance | None = None) -> str:
    """Return a sentence that says by how much other programs disturbed a measurement, or "".

    `found` is the measurement's Disturbance, by default the worst one in this process.
    """
    where = "" if found else "in this kernel, at worst: "
    found = found or disturbance.so_far()
    return f"{where}{found.sentence()}".replace("~", "") if found.busy else ""


def number(value: float) -> str:
    """Return a number as text: '1,234' for the int 1234, '12.3' for the float 12.345."""
    return f"{value:,}" if isinstance(value, int) else three_figures(value)
