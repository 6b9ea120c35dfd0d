"""The staircase: bars as long as the values, what each step saves behind them, and no step where there is none."""

import itertools

import pytest
from legible import check_legible, words_of

import lab_utils as lab
from lab_utils.figures import style

STAIRS = {"pipeline() as it comes": 7.3, "loop": 26.1, "pipeline": 5.9, "pipeline, execute_command": 4.4, "MSET": 1.02,
          "packed by hiredis, one socket": 1.01, "MSET, packed beforehand": 0.26}


def bars(figure, color):
    [axes] = figure.axes
    return [(bar.get_x(), bar.get_width()) for bar in axes.patches if color(bar.get_facecolor())]


def is_saved(color):
    from matplotlib.colors import to_rgba

    return color == to_rgba(style.SAVED)


def test_it_goes_down_from_the_slowest():
    figure = lab.plot_staircase(STAIRS, "µs a value")
    assert bars(figure, lambda color: not is_saved(color)) == [(0, value) for value in sorted(STAIRS.values(), reverse=True)]
    assert figure.axes[0].get_xscale() == "linear" and figure.axes[0].get_xlim()[0] == 0


def test_what_a_step_saves_stands_behind_its_bar():
    values = sorted(STAIRS.values(), reverse=True)
    figure = lab.plot_staircase(STAIRS, "µs a value")
    expected = [(low, high - low) for high, low in itertools.pairwise(values) if high > 1.05 * low]
    assert bars(figure, is_saved) == [pytest.approx(pair) for pair in expected]
    assert len(expected) == len(values) - 2, "1.02 and 1.01 are no step"


def test_it_is_told_in_words(capsys):
    figure = lab.plot_staircase({"pipeline": 5.0, "loop": 25.0, "nearly": 4.9}, "µs a value")
    assert capsys.readouterr().out == "measured: loop 25; pipeline 5, saves 20; nearly 4.9 (µs a value)\n"
    assert figure.get_suptitle() == "From loop to nearly: 25 to 4.9 µs a value, 5.1x as fast"


@pytest.mark.parametrize("values", [STAIRS, {"a": 2.0, "b": 1.9999}, {f"way number {i} of them all": 1.6**i for i in range(16)},
                                    {"a name that is longer than anybody would think of": 3.0, "b": 123456.0}])
def test_it_can_be_read(values):
    figure = lab.plot_staircase(values, "µs a value")
    check_legible(figure)
    assert {text.get_text() for text in words_of(figure)} >= {"µs a value"}
