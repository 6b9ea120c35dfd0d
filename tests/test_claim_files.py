"""A walk over claims/: each judge says the one and the other, and its word hangs on no hair."""

import json
import random

import pytest
from helpers import ROOT, as_compared
from test_chapters import CHAPTERS
from verdict_words import shown_in

from lab_utils.course import claims
from lab_utils.course.claims import DEPENDS, HOLDS

claims.load_all()
CASES = {
    f"{name} {word}": (name, word, measured)
    for name, claim in claims.CLAIMS.items()
    for word, measured in claim.cases
}
MEASURED = json.loads((ROOT / "tests/measured/claims.json").read_text(encoding="utf-8"))


def judged(name, measured):
    return claims.CLAIMS[name].judge(**measured)


def on_another_morning(measured, chance):
    """The same measurements, each up to 3% more or less; a count is the same on every morning."""
    for path, value in claims.figures(measured):
        measured = claims.replaced(measured, path, type(value)(value * chance.uniform(0.97, 1.03)))
    return measured


@pytest.mark.parametrize("name, word, measured", CASES.values(), ids=CASES)
def test_a_case(name, word, measured, monkeypatch):
    """The word; a little later the same, but for what nbval blanks; the addition never changes."""
    monkeypatch.setattr(claims, "WHOLE_NUMBERS", (*claims.WHOLE_NUMBERS, "_bytes"))
    said = judged(name, measured)
    assert (said.word, said.because.startswith("on ")) == (word, word == DEPENDS) and len(
        said.because
    ) > 10
    assert not said.addition.endswith("."), "a sentence may follow"
    chance = random.Random(f"{name}{word}")
    for _ in range(10):
        later = judged(name, on_another_morning(measured, chance))
        assert (later.word, as_compared(later.because)) == (word, as_compared(said.because))
        assert as_compared(later.addition) == as_compared(said.addition)
    for other in claims.nearby(measured, 10):
        assert as_compared(judged(name, other).addition) == as_compared(said.addition)


@pytest.mark.parametrize("name", sorted(claims.CLAIMS, key=claims.order))
def test_a_judge_can_hold_and_can_say_otherwise(name):
    known = claims.CLAIMS[name]
    words = {word for word, _ in known.cases}
    assert HOLDS in words and len(words) > 1
    assert known.turns_with in ("", *claims.TURNS_WITH)
    assert list((ROOT / "notebooks").glob(f"{known.chapter}_*.ipynb"))


def test_a_gain_too_small_to_count_is_not_said_to_be_none():
    because = judged(
        "B4", {"prefix_s": 2.0, "suffix_s": 2.0, "plain_prefix_s": 1.0, "plain_suffix_s": 0.92}
    ).because
    assert "not clearly faster" in because and "not faster" not in because


COMMITTED = {
    f"{name} in {chapter}": (chapter, name, measured)
    for chapter, found in MEASURED.items()
    for name, measured in found.items()
}


@pytest.mark.parametrize("chapter, name, measured", COMMITTED.values(), ids=COMMITTED)
def test_the_committed_word_follows_from_the_committed_measurements_and_hangs_on_none(
    chapter, name, measured
):
    """No measurement turns it that is off by the claim's margin."""
    word = judged(name, claims.numbered(measured)).word
    assert word == shown_in(ROOT / "notebooks" / f"{chapter}.ipynb")[name][0]
    assert claims.turning(name, measured) == [], f"{word} for {measured}"


def test_every_claim_of_every_chapter_has_its_measurements_committed():
    shown = {f"{name} in {path.stem}" for path in CHAPTERS for name in shown_in(path)}
    assert set(COMMITTED) == {each for each in shown if " in 14_" not in each}
