"""The icicle: as wide as the samples say, callers above what they call, and nothing drawn twice."""

import pytest
from legible import check_legible, words_of
from matplotlib.colors import to_rgba

from chapter_helpers.icicle import grown, plot_icicle
from lab_utils.figures import style

# From the innermost outwards, as a profiler sees them: 10 in execute itself, 10 in work itself.
STACKS = [["pack", "execute", "work", "cell"]] * 60 + [["send", "execute", "work", "cell"]] * 20
STACKS += [["execute", "work", "cell"]] * 10 + [["work", "cell"]] * 10 + [["elsewhere", "cell"]] * 7


def boxes(figure):
    """{(level, color): [(left, width)]}"""
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


def test_a_function_called_from_two_places_is_added_up_from_the_innermost_root():
    tree = grown(
        [["pack", "set", "work"], ["pack", "execute", "work"], ["pack", "pack", "work"]], "work"
    )
    assert sorted(tree.called) == ["execute", "pack", "set"]
    tree = grown([["pack", "work", "work", "cell"]], "work")
    assert tree.samples == 1 and list(tree.called) == ["pack"]


def test_it_can_be_read_and_deep_calls_belong_to_the_last_level():
    figure = plot_icicle([[f"f{i}" for i in range(60)] + ["work"]] * 5, "work", 1, "µs")
    assert figure.axes[0].get_ylim() == (9, 0)
    check_legible(figure)
    stacks = [
        [f"Function.with_a_long_name_{i % 7}", f"Caller.number_{i % 29}", "work"]
        for i in range(2_000)
    ] + STACKS
    figure = plot_icicle(stacks, "work", 6.2, "µs a SET", waiting=("send",))
    check_legible(figure)
    assert "the client's CPU" in {text.get_text() for text in words_of(figure)}
