"""Check that a figure can be read and is honest: done for every figure of tests and chapters.

A rule is a function that yields a sentence for each place where a matplotlib figure breaks the
rule. A chapter's figures are drawn in its kernel, where `in_kernel.py` registers `note`: what
breaks a rule becomes a line of a file, which `test_figures_of_chapters.py` reads.
"""

import itertools
import json
import re
import traceback

import numpy as np
from cielab import distance, linear
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgba
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

SMALLEST_POINTS = 8
TITLE_POINTS = 13
TOUCH_PX = 1.5  # boxes of two texts may touch by so much: a text's box is higher than its letters
FARTHEST_PX = 12  # between words and the end of a bar, or the middle of a dot
SMALLEST_MARK = 4  # points; smaller dots are single rounds, and no words belong to them
LONGEST_TITLE = 12  # words; a number and its unit are one
FAINTEST = 3  # to 1, against the page: WCAG 1.4.11 for what is not text
TOLD_APART = 10  # CIELAB: what a difference in colour alone has to be
ASSERTED = re.compile(r"(?:([\d.,]+x|less than 1%) )?\b(faster|slower)\b")
TIMES_LESS = re.compile(r"\b[\d.,]+x (?:less|fewer|smaller|lower)")
NOTHING_TOLD = re.compile(r"\b1\.0+x (?:an?|as|the|faster|slower|more|less)\b|within 1\.0+x")


def note(figure, chapter: str, file) -> None:
    """Append to `file` a line of JSON that says which rules a chapter's figure breaks.

    The line is {"chapter", "title", "broken": [sentences]}. A rule that raises an error is broken
    too: its traceback is the sentence.
    """
    try:
        broken = [*broken_rules(figure), *long_title(title_of(figure))]
    except Exception:
        broken = [traceback.format_exc()]
    line = {"chapter": chapter, "title": title_of(figure), "broken": broken}
    with open(file, "a", encoding="utf-8") as lines:
        lines.write(json.dumps(line) + "\n")


def broken_rules(figure) -> list[str]:
    """Return a sentence for each place where the figure breaks a rule; [] if it breaks none."""
    rules = (
        unreadable,
        far_words,
        unspoken,
        small_type,
        unsaid_distance,
        dishonest_bars,
        strange_colors,
        confused_colors,
        bold_titles,
    )
    return [sentence for rule in rules for sentence in rule(figure)]


# Words


def title_of(figure) -> str:
    bold = [text.get_text() for text in figure.findobj(Text) if text.get_fontsize() >= TITLE_POINTS]
    return " ".join(next((text for text in bold if text.strip()), "").split())


def unreadable(figure):
    """Yield a sentence for each text that is too small, cut off, or on top of another text.

    The figure is laid out for that, which makes this the slowest rule.
    """
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
    """Yield a sentence unless exactly one small line says where the figure's values come from."""
    origin = re.compile("· redis-py|published, not measured here")
    lines = [text for text in words_of(figure) if origin.search(text.get_text())]
    if len(lines) != 1 or lines[0].get_fontsize() != SMALLEST_POINTS:
        yield f"{len(lines)} lines of small type about server and client"


def unsaid_distance(figure):
    """Yield a sentence if the title says "ms away" and no text in the figure names an RTT."""
    named = any("RTT" in text.get_text() for text in words_of(figure))
    if "ms away" in title_of(figure) and not named:
        yield f"no RTT in the small type, nor on an axis: {title_of(figure)}"


def far_words(figure):
    """Yield a sentence for each text in a row that is far from the bar or dot that it belongs to.

    Readers take a text in a row for the words of the mark next to it.
    """
    for axes in figure.axes:
        marks = list(marks_in(axes))
        ticks = axes.yaxis.get_major_ticks()
        named = [tick.get_loc() for tick in ticks if re.search("[A-Za-z]", tick.label1.get_text())]
        heights = [axes.transData.transform((0, row))[1] for row in named]
        for text in filter(Text.get_text, axes.texts if named else ()):
            box = text.get_window_extent()
            row = min(heights, key=lambda height: abs(height - (box.y0 + box.y1) / 2))
            if abs(row - (box.y0 + box.y1) / 2) < 3:
                beside = [x for x, y in marks if abs(y - row) < 3]
                away = min((abs(x - side) for x in beside for side in (box.x0, box.x1)), default=0)
                if away > FARTHEST_PX:
                    yield f"away from its mark: {text.get_text()!r}, {away:.0f} px"


def marks_in(axes):
    """Yield (x, y) in px of both ends of each bar, and of each point of lines and dots.

    The small dots, which stand for single rounds, are left out.
    """
    for bar in itertools.chain(*axes.containers):
        box = bar.get_window_extent()
        yield from ((x, (box.y0 + box.y1) / 2) for x in (box.x0, box.x1))
    for line in axes.lines:
        if line.get_marker() == "None" or line.get_markersize() >= SMALLEST_MARK:
            yield from line.get_transform().transform(line.get_xydata())


def unspoken(figure):
    """Yield a sentence if the figure's alt text does not begin with the title, its finding."""
    if bundle := getattr(figure, "_repr_mimebundle_", None):
        alt = bundle()[1]["image/png"]["alt"]
        if not alt.startswith(title_of(figure).removeprefix("◆ ")):
            yield f"its alt text does not begin with the title: {alt}"


def long_title(title: str):
    """Yield a sentence if a title has too many words to be read at a glance."""
    words = re.sub(r"(\d) (?=(?:ms|s|µs|MB|KB)\b)", r"\1", title.removeprefix("◆ ")).split()
    if len(words) > LONGEST_TITLE:
        yield f"{len(words)} words in a title: {title}"


def faint_marks():
    """Yield a sentence for each colour of marks that hardly differs from the figure's background.

    It is enough if a mark's edge differs. The colours are all that figures may use.
    """
    from lab_utils.figures import style

    for color in sorted(meanings()):
        edge = style.EDGES.get(color, color)
        stood_out = max(contrast(each, style.PAPER) for each in (color, edge))
        if stood_out < FAINTEST:
            yield f"{color} is faint: {stood_out:.1f} to 1"


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    """Return the relative luminance of a colour "#RRGGBB", 0 to 1, as WCAG 2 defines it."""
    return float(np.dot((0.2126, 0.7152, 0.0722), linear(color)))


def overlap(one, other):
    return (
        min(one.x1, other.x1) - max(one.x0, other.x0) > TOUCH_PX
        and min(one.y1, other.y1) - max(one.y0, other.y0) > TOUCH_PX
    )


def words_of(figure) -> list:
    """Return matplotlib's Text objects that are drawn in the figure and are not empty.

    Ticks beyond the axes' limits are not drawn.
    """
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
    """Yield a sentence for bars on a log axis, and for bars whose axis leaves out 0."""
    for axes in figure.axes:
        for bars in (each for each in axes.containers if isinstance(each, BarContainer)):
            axis = axes.xaxis if bars.orientation == "horizontal" else axes.yaxis
            low, high = sorted(axis.get_view_interval())
            if axis.get_scale() != "linear":
                yield "bars on a log axis"
            elif not low <= 0 <= high:
                yield f"bars on an axis that begins at {low:g}"


def strange_colors(figure):
    """Yield a sentence that lists the figure's colours, as hex, that have no role in `style`."""
    from lab_utils.figures import style

    shares = LinearSegmentedColormap.from_list("shares", style.SHARE_OF_WAITING)
    known = {color.lower() for color in palette()}
    known |= {to_hex(shares(step)) for step in range(256)}
    if strange := sorted(colors_in(figure) - known):
        yield f"colours without a role: {', '.join(strange)}"


def confused_colors(figure):
    """Yield a sentence for each two colours of marks that colour-blind readers may confuse."""
    drawn = set(map(str.upper, colors_in(figure)))
    for one, other in itertools.combinations(sorted(drawn & meanings()), 2):
        if (apart := distance(one, other)) < TOLD_APART:
            yield f"{one} and {other} are too much alike: {apart:.1f}"


def meanings() -> set[str]:
    """Return the colours of marks, "#RRGGBB": not those of words, lines, edges and backgrounds."""
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


def palette() -> set[str]:
    """Return all colours that have a role in lab_utils.figures.style, as "#RRGGBB"."""
    from lab_utils.figures import style

    return hexes_in([value for name, value in vars(style).items() if name.isupper()])


def hexes_in(roles) -> set[str]:
    """Return all colours, as "#RRGGBB", in `roles`: nested tuples, lists and dicts."""
    return set(re.findall("#[0-9A-F]{6}", repr(roles).upper()))


def colors_in(figure) -> set[str]:
    """Return the colours with which a figure is drawn, as hex; what is transparent is left out."""
    return {
        to_hex(color)
        for artist in figure.findobj(Artist)
        if artist.get_visible()
        for color in colors_of(artist)
        if to_rgba(color)[3]
    }


def colors_of(artist):
    """Return a list of the colours of a matplotlib artist, each as matplotlib stores it.

    That may be a name, a hex text or a tuple of numbers.
    """
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
    """Yield a sentence for each fault of a title: none, a guess in it, or a claim that is too bold.

    Too bold are "1.00x faster", "25x less", and a difference that none of the figure's intervals
    shows.
    """
    title = title_of(figure)
    if len(title) < 4:
        yield "no title"
    if "you said" in title:
        yield f"a guess in the title: {title}"
    if NOTHING_TOLD.search(title):
        yield f"a title that tells no difference as one: {title}"
    if less := TIMES_LESS.search(title):
        yield f"“{less[0]}” in a title, which nobody can compute; write 1/25 of it: {title}"
    drawn = {str(ratio) for ratio in getattr(figure, "ratios", [])}
    for factor, word in ASSERTED.findall(title):
        said = f"{factor} {word}".strip()
        if not (said in drawn if factor else any(word in each for each in drawn)):
            yield f"the title says “{said}”, which none of the figure's intervals shows: {title}"
