"""Names beside what they name, moved out of each other's way."""

from . import style
from .canvas import USUAL

APART_PX = 16  # two names one above the other


def name_ends(axes, series, looks, words=None):
    """Each series' name, or its `words`, right of its last point, {name: {x: y}}; those that would touch are moved apart."""
    axes.figure.draw_without_rendering()  # the places of the points in px are those after the layout
    farthest = max(max(points) for points in series.values())
    ends = {name: (max(points), points[max(points)]) for name, points in series.items()}
    right = [name for name in ends if ends[name][0] == farthest]
    heights = {name: axes.transData.transform(ends[name])[1] for name in ends}
    low, high = axes.bbox.y0 + APART_PX / 2, axes.bbox.y1 - APART_PX / 2
    moved = dict(zip(*spread({name: heights[name] for name in right}, APART_PX, low, high), strict=True))
    for name, end in ends.items():
        aside = name in moved
        offset = (10, (moved[name] - heights[name]) * 72 / axes.figure.dpi) if aside else (0, 8)
        axes.annotate(words[name] if words else name, end, offset, textcoords="offset points", fontsize=USUAL,
                      color=style.readable(looks[name].color), va="center" if aside else "bottom",
                      ha="left" if aside else "center", annotation_clip=False)


def spread(heights, gap, low, high):
    """(names, places): from the lowest, at least `gap` apart, as near to their {name: height} as can be, between the bounds.

    Neighbours that are too close form a pile around the middle of where they would be.
    """
    names = sorted(heights, key=heights.get)
    piles = []
    for name in names:
        piles.append([[name], heights[name]])
        while len(piles) > 1 and piles[-1][1] - piles[-2][1] < gap * (len(piles[-1][0]) + len(piles[-2][0])) / 2:
            (lower, one), (upper, other) = piles[-2:]
            piles[-2:] = [[lower + upper, (one * len(lower) + other * len(upper)) / (len(lower) + len(upper))]]
    places = [middle + gap * (place - (len(pile) - 1) / 2) for pile, middle in piles for place in range(len(pile))]
    for place in range(len(places)):
        places[place] = max(places[place], low + gap * place)
    for place in range(len(places) - 1, -1, -1):
        places[place] = min(places[place], high - gap * (len(places) - 1 - place))
    return names, places
