"""Can a figure be read, and is it honest? Asked of every figure that a test or a chapter draws.

A chapter's figures are drawn in its kernel: `LAB_FIGURE_CHECK`, set by the tests' conftest, names
this file, and the lab hands `look_at` each finished figure. What breaks a rule is written to the
file that `LAB_FIGURE_LOG` names, a line a figure, which `test_figures_of_chapters.py` reads.
"""

import functools
import itertools
import json
import os
import re
import traceback

from colorspacious import cspace_convert
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgba
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from numpy import clip
from numpy.linalg import norm

SMALLEST_POINTS = 8
TITLE_POINTS = 13
TOUCH_PX = 1.5  # boxes of two texts may touch by so much: a text's box is higher than its letters
TOLD_APART = 10  # CIELAB: what a difference in colour alone has to be
ASSERTED = re.compile(r"(?:([\d.,]+x|less than 1%) )?\b(faster|slower)\b")
NOTHING_TOLD = re.compile(r"\b1\.0+x (?:as|the|faster|slower|more|less)|within 1\.0+x")


def check_legible(figure):
    """Fails with the texts that a reader could not read."""
    assert list(unreadable(figure)) == []


def look_at(figure):
    """Notes what a figure of a chapter breaks; a rule that cannot be asked is broken too."""
    chapter, log = os.environ.get("LAB_CHAPTER"), os.environ.get("LAB_FIGURE_LOG")
    if not chapter or not log:
        return
    title = title_of(figure)
    try:
        broken = broken_rules(figure)
    except Exception:
        broken = [traceback.format_exc()]
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps({"chapter": chapter, "title": title, "broken": broken}) + "\n")


def broken_rules(figure):
    """A sentence for each rule that the figure breaks."""
    rules = (
        unreadable,
        small_type,
        dishonest_bars,
        backwards,
        strange_colors,
        confused_colors,
        bold_titles,
    )
    return [sentence for rule in rules for sentence in rule(figure)]


# Words


def title_of(figure):
    bold = [text.get_text() for text in figure.findobj(Text) if text.get_fontsize() >= TITLE_POINTS]
    return " ".join(next((text for text in bold if text.strip()), "").split())


def unreadable(figure):
    """Texts that are too small, cut off, or one on top of the other: one layout, the slow part."""
    figure.draw_without_rendering()
    width, height = figure.canvas.get_width_height()
    boxes = [
        (text.get_text(), text.get_fontsize(), text.get_window_extent())
        for text in words_of(figure)
    ]
    for text, size, box in boxes:
        if size < SMALLEST_POINTS:
            yield f"too small: {text!r}, {size:g} points"
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            yield f"cut off: {text!r} at {box.extents.round().tolist()} of {width} x {height}"
    for (one, _, box), (other, _, second) in itertools.combinations(boxes, 2):
        if overlap(box, second):
            yield f"one on top of the other: {one!r} and {other!r}"


def small_type(figure):
    """Anything but one line that says where the figure comes from."""
    lines = [text for text in words_of(figure) if "· redis-py" in text.get_text()]
    if len(lines) != 1 or lines[0].get_fontsize() != SMALLEST_POINTS:
        yield f"{len(lines)} lines of small type about server and client"


def overlap(one, other):
    return (
        min(one.x1, other.x1) - max(one.x0, other.x0) > TOUCH_PX
        and min(one.y1, other.y1) - max(one.y0, other.y0) > TOUCH_PX
    )


def words_of(figure):
    """Every text that is drawn and says something; ticks beyond the axes' limits are not drawn."""
    undrawn = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not axis.axes.axison or not low <= tick.get_loc() <= high:
                undrawn |= {tick.label1, tick.label2}
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in undrawn
    ]


# Lengths, colours, titles


def dishonest_bars(figure):
    """Bars on a log axis, and axes that cut off where bars begin."""
    for axes in figure.axes:
        for bars in (each for each in axes.containers if isinstance(each, BarContainer)):
            axis = axes.xaxis if bars.orientation == "horizontal" else axes.yaxis
            low, high = sorted(axis.get_view_interval())
            if axis.get_scale() != "linear":
                yield "bars on a log axis"
            elif not low <= 0 <= high:
                yield f"bars on an axis that begins at {low:g}"


def backwards(figure):
    """Axes on which more stands further left."""
    for axes in figure.axes:
        if axes.xaxis_inverted():
            yield (
                f"an axis that runs backwards, from {axes.get_xlim()[0]:g} "
                f"to {axes.get_xlim()[1]:g}"
            )


def strange_colors(figure):
    """Colours that stand in no palette, as hex."""
    from lab_utils.figures import style

    shares = LinearSegmentedColormap.from_list("shares", style.SHARE_OF_WAITING)
    known = {color.lower() for color in palette()}
    known |= {to_hex(shares(step)) for step in range(256)}
    if strange := sorted(colors_in(figure) - known):
        yield f"colours without a role: {', '.join(strange)}"


def confused_colors(figure):
    """Two colours with a meaning each that a common colour blindness takes for one."""
    drawn = set(map(str.upper, colors_in(figure)))
    for one, other in itertools.combinations(sorted(drawn & meanings()), 2):
        if (apart := distance(one, other)) < TOLD_APART:
            yield f"{one} and {other} are too much alike: {apart:.1f}"


def meanings():
    """The colours that say what something is: not words, lines, edges, grounds."""
    from lab_utils.figures import style

    roles = (
        style.WAYS,
        style.CLIENT,
        style.SERVER,
        style.WAITING,
        style.HANDSHAKE,
        style.FAILED,
        style.RISK,
        style.MESSAGE,
        style.PUBLISHED,
        style.GUESS,
        style.NO_ROLE,
        style.DISTANCES,
        style.FRAMING,
    )
    return hexes_in(roles)


def palette():
    """Every colour that has a role, as "#RRGGBB"."""
    from lab_utils.figures import style

    return hexes_in([value for name, value in vars(style).items() if name.isupper()])


def hexes_in(roles):
    """The colours that tuples, lists and dicts hold, however deep."""
    return set(re.findall("#[0-9A-F]{6}", repr(roles).upper()))


@functools.cache
def distance(one, other):
    """How far apart in CIELAB (CIE76), for the kind of sight that tells them apart least."""
    pair = [[int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)] for color in (one, other)]
    seen = [pair]
    for kind in ("protanomaly", "deuteranomaly", "tritanomaly"):
        without_cones = {"name": "sRGB1+CVD", "cvd_type": kind, "severity": 100}
        seen.append(clip(cspace_convert(pair, without_cones, "sRGB1"), 0, 1))
    return min(
        float(norm(a - b)) for a, b in (cspace_convert(each, "sRGB1", "CIELab") for each in seen)
    )


def colors_in(figure):
    """The colours that a figure is drawn with, as hex; what is transparent is not seen."""
    return {
        to_hex(color)
        for artist in figure.findobj(Artist)
        if artist.get_visible()
        for color in colors_of(artist)
        if to_rgba(color)[3]
    }


def colors_of(artist):
    """The colours that an artist is drawn with, in Matplotlib's words."""
    if isinstance(artist, Line2D):
        marked = artist.get_marker() not in (None, "", "None", " ")
        found = [artist.get_color()] if artist.get_linestyle() not in ("None", "", " ") else []
        found += [artist.get_markerfacecolor(), artist.get_markeredgecolor()] if marked else []
    elif isinstance(artist, Text):
        found = [artist.get_color()] if artist.get_text().strip() else []
        arrow = getattr(artist, "arrow_patch", None)
        found += [arrow.get_edgecolor()] if arrow else []
    elif isinstance(artist, Patch):
        found = [artist.get_facecolor()] if artist.get_fill() else []
        found += [artist.get_edgecolor()] if artist.get_linewidth() else []
    elif isinstance(artist, Collection) and artist.get_array() is None:
        found = [*artist.get_facecolor(), *artist.get_edgecolor()]
    else:
        found = []
    return found


def bold_titles(figure):
    """A title without words, with a guess in it, or that says what the rounds do not."""
    title = title_of(figure)
    if len(title) < 4:
        yield "no title"
    if "you said" in title:
        yield f"a guess in the title: {title}"
    if NOTHING_TOLD.search(title):
        yield f"a title that tells no difference as one: {title}"
    drawn = {str(ratio) for ratio in getattr(figure, "ratios", [])}
    for factor, word in ASSERTED.findall(title):
        said = f"{factor} {word}".strip()
        if not (said in drawn if factor else any(word in each for each in drawn)):
            yield f"the title says “{said}”, which none of the figure's intervals shows: {title}"
