"""Words beside what they name, moved out of each other's way, and what colours mean."""

from statistics import fmean

from . import style
from .canvas import USUAL, plt

APART_PX = 16  # two names one above the other


def write(axes, words, place, shift, **look):
    """Write words so many points right of and above a place, on the side that `shift` points to."""
    right, up = shift
    sides = {
        "ha": "left" if right > 0 else "right" if right < 0 else "center",
        "va": "bottom" if up > 0 else "top" if up < 0 else "center",
    }
    look = {"fontsize": USUAL, "color": style.INK, "annotation_clip": False} | sides | look
    return axes.annotate(words, place, shift, textcoords="offset points", **look)


def explain(axes, fills, **where):
    """Explain in a legend what the boxes mean: {words: how they are filled}."""
    boxes = [plt.Rectangle((0, 0), 1, 1, **fill) for fill in fills.values()]
    axes.legend(boxes, fills, **where)


def name_ends(axes, series, looks, words=None):
    """Write each series' name, or its `words`, right of its last point, {name: {x: y}}.

    Names that would touch are moved apart.
    """
    axes.figure.draw_without_rendering()  # the points' places in px are those after the layout
    farthest = max(max(points) for points in series.values())
    ends = {name: (max(points), points[max(points)]) for name, points in series.items()}
    heights = {name: axes.transData.transform(end)[1] for name, end in ends.items()}
    low, high = axes.bbox.y0 + APART_PX / 2, axes.bbox.y1 - APART_PX / 2
    aside = {name: heights[name] for name, (last, _) in ends.items() if last == farthest}
    moved = spread(aside, APART_PX, low, high)
    for name, end in ends.items():
        color = style.readable(looks[name].color)
        shift = (0, 8)
        if name in moved:
            shift = 10, (moved[name] - heights[name]) * 72 / axes.figure.dpi
        write(
            axes,
            words[name] if words else name,
            end,
            shift,
            color=color,
            va="center" if name in moved else "bottom",
        )


def spread(heights, gap, low, high):
    """Return {name: place}, at least `gap` apart, as near to {name: height} as the bounds allow.

    Neighbours that are too close form a pile around the middle of where they would be.
    """
    names = sorted(heights, key=heights.get)
    piles = []
    for name in names:
        piles.append([heights[name]])
        while len(piles) > 1 and (
            fmean(piles[-1]) - fmean(piles[-2]) < gap * len(piles[-2] + piles[-1]) / 2
        ):
            piles[-2:] = [piles[-2] + piles[-1]]
    places = [
        fmean(pile) + gap * (nth - (len(pile) - 1) / 2)
        for pile in piles
        for nth in range(len(pile))
    ]
    places = [max(place, low + gap * nth) for nth, place in enumerate(places)]
    places = [min(place, high - gap * (len(places) - 1 - nth)) for nth, place in enumerate(places)]
    return dict(zip(names, places, strict=True))
