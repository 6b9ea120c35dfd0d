"""Every judge says the one thing and the other; its word does not hang on a hair; what it measured stands behind a `~`."""

import json
import random
import runpy
from collections import defaultdict

import pytest
from helpers import ROOT, as_compared
from verdict_words import shown_in

from lab_utils.course import claims

claims.load_all()
FILES = sorted((ROOT / "tests" / "verdict_cases").glob("ch*.py"))
CASES = [(path.stem, *case) for path in FILES for case in runpy.run_path(str(path))["CASES"]]
MEASURED = json.loads((ROOT / "tests" / "measured" / "claims.json").read_text(encoding="utf-8"))  # tools/notebooks.py writes it
MARGIN = 1.5

every_case = pytest.mark.parametrize("name, measured, word", [case[1:] for case in CASES],
                                     ids=[f"{name} {word}" for _, name, _, word in CASES])


def judged(name, measured):
    return claims.CLAIMS[name].judge(**measured)


def on_another_morning(measured, chance):
    """The same measurements, each up to 3% more or less; a count is the same on every morning."""
    for path, value in claims.figures(measured):
        measured = claims.replaced(measured, path, type(value)(value * chance.uniform(0.97, 1.03)))
    return measured


@every_case
def test_the_word(name, measured, word):
    verdict = judged(name, measured)
    assert verdict.word == word
    assert word in claims.WORDS
    assert len(verdict.because) > 10


@every_case
def test_what_is_measured_stands_behind_a_tilde_and_the_word_stays(name, measured, word, monkeypatch):
    """Measured again a little differently, bytes too, the verdict is the same but for what nbval blanks."""
    monkeypatch.setattr(claims, "WHOLE_NUMBERS", (*claims.WHOLE_NUMBERS, "_bytes"))
    chance = random.Random(f"{name}{word}")
    expected = as_compared(judged(name, measured).because)
    for _ in range(10):
        verdict = judged(name, on_another_morning(measured, chance))
        assert (verdict.word, as_compared(verdict.because)) == (word, expected)
        assert as_compared(verdict.addition) == as_compared(judged(name, measured).addition)


@every_case
def test_what_the_lab_adds_is_the_same_whatever_the_word(name, measured, word):
    """nbval compares it: measured ten times as large or as small, only its figures differ."""
    addition = judged(name, measured).addition
    for other in claims.nearby(measured, 10):
        assert as_compared(judged(name, other).addition) == as_compared(addition)
    assert not addition.endswith("."), "a sentence may follow"


@every_case
def test_what_a_claim_depends_on_is_said_first_and_only_where_it_depends(name, measured, word):
    assert judged(name, measured).because.startswith("on ") is (word == claims.DEPENDS)


def test_every_judge_can_say_one_thing_and_another():
    words = defaultdict(set)
    for _, name, _, word in CASES:
        words[name].add(word)
    assert {name for name in claims.CLAIMS if len(words[name]) < 2} == set(), "these need cases with two different words"


def test_every_case_belongs_to_a_judge_of_its_chapter():
    for chapter, name, *_ in CASES:
        assert claims.CLAIMS[name].judge.__module__ == f"lab_utils.course.verdicts.{chapter}"


@pytest.mark.parametrize("name, measured", [
    ("B4", {"prefix_s": 2.0, "suffix_s": 2.0, "plain_prefix_s": 1.0, "plain_suffix_s": 0.92}),
    ("A4", {"loop_far_s": 3.0, "pipeline_far_s": 0.07, "loop_near_s": 1.15, "pipeline_near_s": 1.0})], ids=["B4", "A4"])
def test_a_gain_too_small_to_count_is_not_said_to_be_none(name, measured):
    because = judged(name, measured).because
    assert "not clearly faster" in because and "not faster" not in because


def test_a4_does_not_call_a_larger_share_about_two_percent():
    small, larger = (judged("A4", {"loop_far_s": 3.5, "pipeline_far_s": taken, "loop_near_s": 1.2, "pipeline_near_s": 0.16})
                     for taken in (0.07, 0.12))
    assert small.word == larger.word == "holds"
    assert "more than about 2%" in larger.because and "more than about" not in small.because


# The margin


def numbered(measured):
    """JSON turned the numbers that name measurements into strings."""
    return {int(name) if name.isdigit() else name: numbered(value) if isinstance(value, dict) else value
            for name, value in measured.items()}


COMMITTED = [(chapter, name, numbered(measured)) for chapter, found in MEASURED.items() for name, measured in found.items()]


@pytest.mark.parametrize("chapter, name, measured", COMMITTED, ids=[f"{name} in {chapter}" for chapter, name, _ in COMMITTED])
def test_no_word_turns_if_one_measurement_is_off_by_half(chapter, name, measured):
    """Off either way, from what a quiet machine measured."""
    word = judged(name, measured).word
    turned = [(other, judged(name, other).word) for other in claims.nearby(measured, MARGIN) if judged(name, other).word != word]
    assert turned == [], f"{word} for {measured}"


def test_every_claim_of_every_chapter_has_its_measurements_committed():
    shown = {(path.stem, name) for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")) for name in shown_in(path)}
    assert {(chapter, name) for chapter, name, _ in COMMITTED} == {entry for entry in shown if not entry[0].startswith("14_")}


@pytest.mark.parametrize("chapter, name, measured", COMMITTED, ids=[f"{name} in {chapter}" for chapter, name, _ in COMMITTED])
def test_the_committed_word_follows_from_the_committed_measurements(chapter, name, measured):
    assert judged(name, measured).word == shown_in(ROOT / "notebooks" / f"{chapter}.ipynb")[name][0]
