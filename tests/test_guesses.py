"""A guess: what is remembered of it, what figures see of it, and how well they were made."""

import ast
import re

import pytest
from helpers import refusal
from legible import broken_rules
from test_chapters import CHAPTERS, code, outputs

import lab_utils as lab
from lab_utils import disturbance
from lab_utils.course import guesses, state
from lab_utils.course.guesses import DISTURBED
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
BUSY = disturbance.Disturbance(0, 40, 0.5)


@pytest.fixture(autouse=True)
def new_kernel(remembered):
    """Make this process forget which answers were shown, as if the kernel were new.

    Returns a function that does so again. The test has a folder of its own for what the lab stores.
    """
    guesses.answered.clear()
    state.said.clear()
    return guesses.answered.clear


def kept():
    return {
        name: (entry["guess"], entry["measured"]) for name, entry in state.load("guesses").items()
    }


def told(capsys):
    """Return what was printed, without the lines that say that a guess was noted."""
    return "".join(
        line
        for line in capsys.readouterr().out.splitlines(keepends=True)
        if not line.startswith("noted: ")
    )


def test_a_guess_is_noted_and_is_a_number_to_the_code_around_it(capsys):
    guess = lab.guess("01.cart", 20, "ms")
    assert capsys.readouterr().out == "noted: 20 ms\n"
    assert guess and guess == 20 == max(guess, 3)
    assert guess / 1000 == 0.02 and guess < 21
    assert (f"{guess}", f"{guess:.1f}", repr(guess), guess.unit) == ("20 ms", "20.0", "20 ms", "ms")


@pytest.mark.parametrize("dots", [..., None])
def test_three_dots_are_none_and_everything_goes_on(capsys, dots):
    guess = lab.guess("01.cart", dots, "ms")
    assert not guess and not guess > 0 and not guess < 0
    assert (str(guess), str(guess / 1000)) == ("no guess yet", "nan")
    guess.against(202)
    assert told(capsys) == "measured: 202 ms\n"
    assert kept() == {}


def test_what_other_programs_disturbed_is_said_and_not_scored(capsys):
    for name, said in ("01.a", ...), ("01.b", 200):
        guess = lab.guess(name, said, "ms")
        disturbance.note(BUSY)
        guess.against(500)
    assert told(capsys).replace("\n" + " " * 12, " ") == (
        "measured: 500 ms (other programs ran beside the lab, such as a browser or an IDE, so "
        "times may be too long; counts are exact)\n"
        "measured: you said 200 ms, measured 500 ms, 2.5x off (not scored: other programs ran "
        "beside the lab)\n"
    )
    lab.guess("01.strict", 3, "bytes").against(3)
    lab.guess("01.rule", 3, "s").against(3, computed=True)
    assert "other programs" not in told(capsys), "a count, and what follows from a rule"
    assert lab.calibration() is not None
    assert told(capsys) == (
        "measured: 2 of your 2 guesses within 2x; 1 not scored, since other programs ran beside "
        "the lab\n"
    )


@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
def test_what_cannot_be_a_guess_is_said_and_the_lesson_goes_on(capsys, value):
    guess = lab.guess("01.cart", value, "ms")
    said = told(capsys)
    assert re.search(r" was not noted. Write one number above 0.* without quotes .* ms\.\n$", said)
    assert said.count("\n") == 1 and len(said) < 300
    guess.against(202)
    assert (bool(guess), told(capsys), kept()) == (False, "measured: 202 ms\n", {})


@pytest.mark.parametrize(
    "value, unit, said",
    [
        (1, "round trips", "1 round trip"),
        (12, "round trips", "12 round trips"),
        (9_000, "commands", "9,000 commands"),
        (4, "x", "4x"),
        (0.5, "ms", "0.5 ms"),
        (1234.5, "bytes", "1,234 bytes"),
    ],
)
def test_it_is_told_with_its_unit(value, unit, said):
    assert repr(lab.guess("01.cart", value, unit)) == said


def test_the_last_guess_before_its_answer_counts_and_one_after_it_does_not(capsys, new_kernel):
    lab.guess("01.cart", 2, "ms")  # a slip
    lab.guess("01.cart", 20, "ms").against(202)
    lab.guess("01.cart", 200, "ms").against(202)
    assert told(capsys).endswith(
        "\nmeasured: you said 200 ms, measured 202 ms, "
        "1.01x off (remembered is your earlier guess, 20 ms)\n"
    )
    new_kernel()
    lab.guess("01.cart", 202, "ms").against(210)
    assert kept() == {"01.cart": (20, 202)}


def test_what_follows_from_a_rule_is_not_called_measured_and_zero_is_not_drawn(remembered, capsys):
    lab.guess("06.saved", 30, "%").against(0.0)
    assert told(capsys) == "measured: you said 30%, measured 0%\n"
    assert kept() == {"06.saved": (30, None)}
    lab.guess("10.seconds", ..., "s").against(55, computed=True)
    lab.guess("10.rule", 5, "s").against(55, computed=True)
    assert told(capsys) == "computed: 55 s\ncomputed: you said 5 s, computed 55 s, 11x off\n"
    lab.calibration()


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
    assert broken_rules(figure) == []
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
    for name, measured in {"a": 20, "b": 20.1, "c": 5, "d": 500}.items():
        lab.guess(f"01.{name}", 10, "x").against(measured)
    capsys.readouterr()
    figure = lab.calibration()
    assert told(capsys) == "measured: 2 of your 4 guesses within 2x\n"
    assert figure.get_suptitle() == "2 of your 4 guesses within 2x"


def test_the_farthest_off_are_named(r):
    pairs = [("01.cart", 20, 202), ("03.even", 100, 2), ("03.mset", 20, 22)]
    figure = draw_calibration(pairs, 2, "2 of 4")
    assert {text.get_text() for text in figure.axes[0].texts} == {"cart, 10x", "even, 50x"}


def asked(path):
    """Yield (cell, variable, name, value, unit) for every call of `lab.guess` in a chapter.

    `path` is the chapter's. The cell is one of nbformat, `variable` the name that gets the call's
    result. The last three are the call's arguments; a value that is left open is `...`.
    """
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
        assert unit in (*DISTURBED, "MB") or unit.endswith("s")


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
    assert [text for _, _, text in outputs(path) if "you said" in text] == []
