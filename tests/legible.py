"""Can a figure be read? Asked of Matplotlib: no words cut off, none on top of others, none too small."""

import io
import itertools

from matplotlib.text import Text

SMALLEST_POINTS = 8
TOUCH_PX = 1.5  # boxes of two texts may touch by so much: a text's box is higher than its letters


def check_legible(figure):
    """Draws the figure as it is saved and fails with the texts that a reader could not read."""
    figure.savefig(io.BytesIO())
    boxes = [(text.get_text(), text.get_fontsize(), text.get_window_extent()) for text in words_of(figure)]
    width, height = figure.canvas.get_width_height()
    assert [text for text, size, _ in boxes if size < SMALLEST_POINTS] == [], "too small"
    cut = [text for text, _, box in boxes if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1]
    assert cut == [], f"cut off at {width} x {height}"
    over = [(one, other) for (one, _, box), (other, _, second) in itertools.combinations(boxes, 2) if overlap(box, second)]
    assert over == [], "one on top of the other"


def overlap(one, other):
    return (min(one.x1, other.x1) - max(one.x0, other.x0) > TOUCH_PX
            and min(one.y1, other.y1) - max(one.y0, other.y0) > TOUCH_PX)


def words_of(figure):
    """Every text that is drawn and says something; ticks beyond the axes' limits are kept by Matplotlib and not drawn."""
    undrawn = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in undrawn_labels(axes, axis)}
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip() and text not in undrawn]


def undrawn_labels(axes, axis):
    low, high = sorted(axis.get_view_interval())
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if not axes.axison or not low <= tick.get_loc() <= high:
            yield from (tick.label1, tick.label2)
