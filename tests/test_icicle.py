"""The icicle: as wide as the samples say, callers above what they call, and nothing drawn twice."""

import pytest
from matplotlib.colors import to_rgba

from chapter_helpers.icicle import plot_icicle
from lab_utils.figures import style

# From the innermost outwards, as a profiler sees them: 10 in execute itself, 10 in work itself.
STACKS = [["pack", "execute", "work", "cell"]] * 60 + [["send", "execute", "work", "cell"]] * 20
STACKS += [["execute", "work", "cell"]] * 10 + [["work", "cell"]] * 10 + [["elsewhere", "cell"]] * 7


def boxes(figure):
    """Return the boxes drawn in an icicle's figure: {(level, color): [(left, width)]}.

    Left and width are in the unit of the x axis, level 0 is at the top.
    """
    found = {}
    for boxes in figure.axes[0].collections:
        for path, color in zip(boxes.get_paths(), boxes.get_facecolors(), strict=True):
            (left, top), (right, _) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            found.setdefault((int(top), tuple(color)), []).append((left, right - left))
    return found


def test_a_box_is_as_wide_as_its_share_and_what_took_most_is_told(capsys):
    figure = plot_icicle(STACKS, "work", 50, "µs", waiting=["send"])
    client, waiting = to_rgba(style.CLIENT), to_rgba(style.WAITING)
    assert boxes(figure) == {
        (0, client): [(0, 50)],
        (1, client): [(0, 45)],
        (2, client): [(0, 30)],
        (2, waiting): [pytest.approx((30, 10))],
        (3, client): [(0, 40)],
        (3, waiting): [(40, 10)],
    }  # added up
    assert capsys.readouterr().out == (
        "measured: most in itself: pack 30; send 10; execute 5; work 5 (µs)\n"
    )
    assert figure.get_suptitle() == "work takes 50 µs: 20% of it sending, waiting and receiving"
