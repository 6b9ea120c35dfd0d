"""A guess: what is remembered of it, what figures see of it, and how well they were made."""

import ast
import random
import re

import pytest
from helpers import as_compared, refusal
from legible import check_legible
from test_chapters import CHAPTERS, code, outputs, tags

import lab_utils as lab
from lab_utils import calm
from lab_utils.course import guesses, state
from lab_utils.course.guesses import COUNTED, UNITS
from lab_utils.figures import style
from lab_utils.figures.calibrated import draw_calibration
from lab_utils.timing.comparison import Comparison

MOST_A_CHAPTER = 5
BAD = {
    "0": 0,
    "negative": -3,
    "text": "20",
    "NaN": float("nan"),
    "infinity": float("inf"),
    "True": True,
    "a list": [20],
    "too large for a float": 10**400,
    "too long to print": 10**5_000,
    "tiny": 1e-9,
    "a function": len,
}


@pytest.fixture(autouse=True)
def new_kernel(remembered, monkeypatch):
    """A memory of the test's own, and a kernel that asked nothing yet; call it for another."""

    def start():
        monkeypatch.setattr(guesses, "_units", {})
        monkeypatch.setattr(guesses, "_answered", set())

    start()
    return start


def kept():
    return {
        name: (entry["guess"], entry["measured"]) for name, entry in state.load("guesses").items()
    }


def told(capsys):
    """What was printed, but for the guesses that were noted."""
    return "".join(
        line
        for line in capsys.readouterr().out.splitlines(keepends=True)
        if not line.startswith("noted: ")
    )


def made(*values):
    """Guesses at 01.a, 01.b … in x, each (said, measured)."""
    for place, (said, measured) in enumerate(values):
        lab.guess(f"01.{chr(97 + place)}", said, "x").against(measured)


def test_a_guess_is_a_number_to_the_code_around_it():
    guess = lab.guess("01.cart", 20, "ms")
    assert guess and guess.made and guess == 20 == max(guess, 3)
    assert guess / 1000 == 0.02 and guess < 21
    assert (f"{guess}", f"{guess:.1f}", repr(guess), guess.unit) == ("20 ms", "20.0", "20 ms", "ms")


def test_three_dots_are_none_and_everything_goes_on(capsys):
    for dots in (..., None):
        guess = lab.guess("01.cart", dots, "ms")
        assert not guess and not guess.made and not guess > 0 and not guess < 0
        assert (str(guess), str(guess / 1000)) == ("no guess yet", "nan")
        guess.against(202)
    assert told(capsys) == "measured: 202 ms\n" * 2
    assert kept() == {}


def test_a_guess_is_answered_at_once(capsys):
    for value in (..., 20, 60, "80"):
        lab.guess("01.cart", value, "ms")
    first, second, refused = capsys.readouterr().out.splitlines()
    assert (first, second) == ("noted: 20 ms", "noted: 60 ms")
    assert refused.startswith("'80' was not noted. ") and "without quotes" in refused


def test_on_a_busy_machine_what_was_measured_says_so_and_a_count_does_not(capsys):
    calm.note(calm.Calm(0, 40, 0.5))
    busy = (
        "(in this kernel, at worst: the machine was busy: other programs took 50% "
        "of the time, 0 of 40 rounds were quiet)"
    )
    for said in (..., 200):
        lab.guess("01.cart", said, "ms").against(340)
    assert told(capsys) == (
        f"measured: 340 ms {busy}\nmeasured: you said 200 ms, measured 340 ms, 1.70x off {busy}\n"
    )
    lab.guess("01.strict", 3, "bytes").against(3)
    lab.guess("01.rule", 3, "s").against(3, computed=True)
    assert "busy" not in told(capsys)


@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
def test_what_cannot_be_a_guess_is_said_and_the_lesson_goes_on(capsys, value):
    guess = lab.guess("01.cart", value, "ms")
    said = told(capsys)
    assert "Write one number above 0" in said and "ms" in said
    assert said.count("\n") == 1 and len(said) < 300
    guess.against(202)
    assert (bool(guess), told(capsys), kept()) == (False, "measured: 202 ms\n", {})


def test_a_comma_in_a_number_is_said(capsys):
    assert not lab.guess("01.requests", 5, 000, "ms")
    assert "(5, 0)" in told(capsys) and kept() == {}


def test_it_is_told_with_its_unit():
    told = [
        lab.guess(f"01.{unit[0]}", value, unit)
        for value, unit in (
            (1, "round trips"),
            (12, "round trips"),
            (9_000, "commands"),
            (4, "x"),
            (0.5, "ms"),
            (1234.5, "bytes"),
        )
    ]
    assert [*map(repr, told)] == [
        "1 round trip",
        "12 round trips",
        "9,000 commands",
        "4x",
        "0.5 ms",
        "1,234 bytes",
    ]


def test_what_cannot_be_a_question_or_its_answer_is_refused():
    for name in "cart", "1.cart", "01.", "01.Cart", "01.1", None, 5, "01.two words":
        assert "01.cart" in refusal(lab.guess, name, ..., "ms")
    for unit in "hours", "", None, 5:
        assert "round trips" in refusal(lab.guess, "01.cart", ..., unit)
    lab.guess("01.cart", ..., "ms")
    assert "another name" in refusal(lab.guess, "01.cart", ..., "s")
    for wrong in ("202", None, float("nan"), -1):
        refusal(lab.guess("01.cart", 20, "ms").against, wrong)


def test_the_last_guess_before_its_answer_counts_and_one_after_it_does_not(capsys, new_kernel):
    lab.guess("01.cart", 2, "ms")  # a slip
    lab.guess("01.cart", 20, "ms").against(202)
    lab.guess("01.cart", 200, "ms").against(202)
    assert told(capsys).endswith(
        "\nmeasured: you said 200 ms, measured 202 ms, "
        "within 5% (remembered is your earlier guess, 20 ms)\n"
    )
    new_kernel()
    lab.guess("01.cart", 202, "ms").against(210)
    assert kept() == {"01.cart": (20, 202)}


def test_a_guess_after_its_answer_is_shown_and_not_remembered(capsys):
    lab.guess("01.cart", ..., "ms").against(202)
    late = lab.guess("01.cart", 202, "ms")
    late.against(202)
    assert told(capsys) == (
        "measured: 202 ms\nmeasured: you said 202 ms, measured 202 ms, the same\n"
    )
    assert kept() == {}


def test_what_follows_from_a_rule_is_not_called_measured_and_zero_is_not_drawn(remembered, capsys):
    lab.guess("06.saved", 30, "%").against(0.0)
    assert told(capsys) == "measured: you said 30%, measured 0%\n"
    assert kept() == {"06.saved": (30, None)}
    lab.guess("10.seconds", ..., "s").against(55, computed=True)
    lab.guess("10.rule", 5, "s").against(55, computed=True)
    assert told(capsys) == "computed: 55 s\ncomputed: you said 5 s, computed 55 s, 11.0x off\n"
    lab.calibration()


def test_a_question_that_got_another_unit_is_another_question(new_kernel):
    made((20, 202))
    lab.guess("01.b", 5, "ms")
    new_kernel()
    lab.guess("01.a", 7, "ms")
    assert state.load("guesses") == {
        "01.b": {"guess": 5, "unit": "ms", "measured": None},
        "01.a": {"guess": 7, "unit": "ms", "measured": None},
    }


def test_runs_that_nobody_looks_at_remember_nothing(monkeypatch):
    monkeypatch.setenv("LAB_FIGURES", "off")
    made((20, 202))
    assert kept() == {}


def times(seconds=(0.05, 0.01)):
    samples = {
        (name, 1): [each * (1 + noise / 1000) for noise in range(9)]
        for name, each in zip(("loop", "pipeline"), seconds, strict=True)
    }
    return Comparison(dict.fromkeys(("loop", "pipeline")), 50, samples)


def words_in(figure):
    return " ".join(
        text.get_text() for axes in figure.axes for text in (*axes.texts, *axes.get_yticklabels())
    )


def test_a_comparison_shows_it_as_a_hollow_diamond_and_tells_it_what_was_measured(r):
    guess = lab.guess("03.pipeline", 3, "x")
    figure = times().plot(said=guess)
    [diamond] = [line for line in figure.axes[0].lines if line.get_marker() == "D"]
    assert diamond.get_xdata()[0] == pytest.approx(50 / 3, rel=0.01)
    assert "you said" in words_in(figure) and "pipeline 3x faster" in words_in(figure)
    assert (diamond.get_markerfacecolor(), diamond.get_markeredgecolor()) == (
        style.PAPER,
        style.GUESS,
    )
    assert len(figure.axes[0].containers) == 2, "it is no bar"
    check_legible(figure)
    assert kept()["03.pipeline"] == (3, pytest.approx(5))


@pytest.mark.parametrize("said", [None, ...])
def test_without_a_guess_figures_have_no_diamond(r, capsys, said):
    figure = times().plot(said=said if said is None else lab.guess("03.pipeline", said, "x"))
    assert "you said" not in words_in(figure) + told(capsys)
    assert not [line for axes in figure.axes for line in axes.lines if line.get_marker() == "D"]
    assert kept() == {}


def test_a_figure_in_another_unit_refuses_it(r):
    assert "03.pipeline" in refusal(times().plot, said=lab.guess("03.pipeline", 3, "ms"))


def test_without_a_guess_calibration_says_what_to_do_and_with_some_what_was_within_2x(capsys, r):
    assert lab.calibration() is None
    assert told(capsys).startswith(
        "measured: none of your guesses has been measured yet. Replace the three dots"
    )
    made((10, 20), (10, 20.1), (10, 5), (10, 500))
    capsys.readouterr()
    figure = lab.calibration()
    assert told(capsys) == "measured: 2 of your 4 guesses were within 2x\n"
    assert figure.get_suptitle() == "2 of your 4 guesses were within 2x"
    assert [guesses.how_close([factor]) for factor in (3, 1)] == [
        "your one guess was not within 2x",
        "your one guess was within 2x",
    ]


def test_what_nbval_compares_is_the_same_with_guesses_and_without(capsys):
    said, unsaid = (lab.guess("01.again", value, "ms") for value in (1, ...))
    for guess in (said, unsaid):
        guess.against(3)
    with_guess, without = told(capsys).splitlines()
    assert (
        "you said 1 ms" in with_guess and as_compared(with_guess) == as_compared(without) != without
    )


@pytest.mark.parametrize("count, spread", [(1, 4), (60, 0.05), (60, 4)])
def test_the_figure_can_be_read_whatever_was_guessed(r, count, spread):
    chance = random.Random(count)
    pairs = []
    for place in range(count):
        measured = 10 ** chance.uniform(-1, 5)
        said = min(guesses.LARGEST, max(guesses.SMALLEST, measured * 10 ** chance.gauss(0, spread)))
        pairs.append((f"{place * 13 // count:02d}.a_long_{chr(97 + place % 26)}", said, measured))
    check_legible(draw_calibration(pairs, 2, "2 of 4"))


def test_the_farthest_off_are_named(r):
    pairs = [("01.cart", 20, 202), ("03.even", 100, 2), ("03.mset", 20, 22)]
    figure = draw_calibration(pairs, 2, "2 of 4")
    assert {text.get_text() for text in figure.axes[0].texts} == {"cart, 10.1x", "even, 50x"}


def asked(path):
    """(cell, variable, name, value, unit) of every guess of a chapter."""
    for cell in code(path):
        if "lab.guess(" in cell.source:
            [statement] = ast.parse(cell.source).body  # a guess stands in a cell of its own
            name, value, unit = (node.value for node in statement.value.args)
            yield cell, statement.targets[0].id, name, value, unit


ASKED = [(path, *guess) for path in CHAPTERS for guess in asked(path)]


def test_names_are_the_chapter_s_and_its_own_word_and_units_from_the_list():
    names = [name for _, _, _, name, _, _ in ASKED]
    assert len(set(names)) == len(names) > 30
    assert {name[:2] for name in names} == {path.name[:2] for path in CHAPTERS}
    for path, _, variable, name, value, unit in ASKED:
        assert (name, value) == (f"{path.name[:2]}.{variable.removeprefix('guess_')}", ...)
        assert unit in UNITS
    assert set(COUNTED) <= {unit for *_, unit in ASKED}, "all that are no units of time are used"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_each_is_asked_once_and_answered_once_and_no_output_says_what_nobody_said(path):
    cells, found = code(path), list(asked(path))
    assert len(found) <= MOST_A_CHAPTER
    for cell, variable, *_ in found:
        [answer] = [
            other
            for other in cells
            if re.search(rf"\b{variable}\b", other.source) and other.source != cell.source
        ]
        assert answer.execution_count > cell.execution_count
        assert ("trial" in tags(cell)) == ("trial" in tags(answer))
    assert [text for _, _, text in outputs(path) if "you said" in text] == []
