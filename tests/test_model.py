"""The model: its arithmetic, its fit here, and the distance that two figures hide."""

import pytest

import lab_utils as lab
from chapter_helpers.published import hidden_distance
from lab_utils.model import Model
from lab_utils.timing.fitting import describe, solve


def test_the_formula_also_in_words():
    model = Model(turn_s=50e-6, command_s=2e-6)
    assert model.seconds(turns=3, commands=100, rtt_ms=5) == pytest.approx(
        3 * (0.005 + 50e-6) + 100 * 2e-6
    )
    assert lab.predict(1, 1_000, 0.25, model=model) == pytest.approx(0.00025 + 50e-6 + 0.002)
    assert describe(100, 1_000, 0.25, model=model) == (
        "100 turns × (0.25 ms + ~50 µs) + 1,000 commands × ~2 µs = ~32 ms"
    )
    assert repr(model) == "turns × (RTT + ~50 µs) + commands × ~2 µs"


def test_solving_measurements_gives_back_what_made_them_and_what_is_off_the_line():
    model = Model(turn_s=70e-6, command_s=4e-6)
    solved = solve({size: model.seconds(1, size) for size in (1, 100, 1_000)})
    assert (solved.turn_s, solved.command_s) == (pytest.approx(70e-6), pytest.approx(4e-6))
    assert solved.residual == pytest.approx(0, abs=1e-9)
    measured = {
        size: model.seconds(1, size) * (1.2 if size == 100 else 1) for size in (1, 100, 1_000)
    }
    solved = solve(measured)
    worst = max(abs(solved.seconds(1, size) / seconds - 1) for size, seconds in measured.items())
    assert solved.residual == pytest.approx(worst)
    assert 0.05 < solved.residual < 0.2
    assert repr(solved).endswith(f", ~{100 * worst:.0f}% off at most where it was fitted")


@pytest.mark.alone
@pytest.mark.parametrize("command", ["SET", "GET"])
def test_the_fit_on_this_machine_has_a_plausible_order(r, command):
    model = lab.fit_model(command)
    assert 0 < model.command_s < model.turn_s < 0.01
    assert lab.fit_model(command) is model  # fitted once


def test_a_hidden_distance_is_found_again():
    model = Model(turn_s=60e-6, command_s=4e-6)
    constant = 0.2
    figures = [(turns, constant + turns * (0.00034 + model.turn_s)) for turns in (10_000, 100)]
    found = hidden_distance(*figures, model=model)
    assert found.rtt_ms == pytest.approx(0.34)
    assert found.constant_s == pytest.approx(constant)
    assert found.turn_s == pytest.approx(0.00034 + 60e-6)
    # One figure alone holds a command a turn.
    alone = 10_000, model.seconds(10_000, 10_000, 0.34)
    assert hidden_distance(alone, model=model).rtt_ms == pytest.approx(0.34)
    # Two figures for the same commands are solved by what the model makes of them.
    many, few = ((turns, model.seconds(turns, 500, 5)) for turns in (500, 1))
    assert hidden_distance(many, few, model=model).rtt_ms == pytest.approx(5)
    # A distance is never negative.
    assert hidden_distance((1_000, 0.02), (10, 0.01), model=Model(1e-3, 1e-6)).rtt_ms == 0
