"""A walk over claims/: each judge says the one and the other, and its word hangs on no hair."""

import json
import random
import re

import pytest
from helpers import ROOT, as_compared
from test_chapters import CHAPTERS, code
from verdict_words import numbered, shown_in, turning

from lab_utils.course import claims, ledger
from lab_utils.course.claims import DEPENDS, HOLDS

claims.load_all()
CASES = {
    f"{name} {word}": (name, word, measured)
    for name, claim in claims.CLAIMS.items()
    for word, measured in claim.cases
}
MEASURED = json.loads((ROOT / "tests/measured/claims.json").read_text(encoding="utf-8"))
TURNS_WITH = (
    "",
    "the client",
    "a default of the client",
    "the distance",
    "the size",
    "the command",
    "the data",
    "the system",
)


def judged(name, measured):
    return claims.CLAIMS[name].judge(**measured)


def on_another_morning(measured, chance):
    """Return the measurements `measured` as if taken again: each up to 3% larger or smaller.

    Counts stay as they are. `chance` is a random.Random.
    """
    whole_numbers = (*claims.WHOLE_NUMBERS, "_bytes")
    for path, value in claims.figures(measured, whole_numbers=whole_numbers):
        measured = claims.replaced(measured, path, type(value)(value * chance.uniform(0.97, 1.03)))
    return measured


@pytest.mark.parametrize("name, word, measured", CASES.values(), ids=CASES)
def test_a_case(name, word, measured):
    """The judge says the case's word, and says the same of slightly other measurements.

    Its sentences may then differ only in the values that nbval blanks.
    """
    said = judged(name, measured)
    assert (said.word, said.because.startswith("on ")) == (word, word == DEPENDS)
    assert len(said.because) > 10
    assert not said.addition.endswith("."), "a sentence may follow"
    chance = random.Random(f"{name}{word}")
    for _ in range(10):
        later = judged(name, on_another_morning(measured, chance))
        assert (later.word, as_compared(later.because)) == (word, as_compared(said.because))
        assert as_compared(later.addition) == as_compared(said.addition)
    for other in claims.nearby(measured, 10):
        assert as_compared(judged(name, other).addition) == as_compared(said.addition)


def test_the_claims_stand_in_their_order_with_short_words():
    names = list(claims.CLAIMS)
    assert names == sorted(names, key=lambda name: (name[0], int(name[1:])))
    assert {name[0] for name in names} == set(claims.ARTICLES)
    assert [name for name in names if not 0 < len(claims.CLAIMS[name].text) <= 110] == []


@pytest.mark.parametrize("name", claims.CLAIMS)
def test_a_judge_can_hold_and_can_say_otherwise(name):
    known = claims.CLAIMS[name]
    words = {word for word, _ in known.cases}
    assert HOLDS in words and len(words) > 1
    assert known.turns_with in TURNS_WITH


def test_each_claim_is_tried_once_by_its_own_chapter():
    tried = [
        (path.name[:2], name)
        for path in CHAPTERS
        for cell in code(path)
        for name in ledger.TRIES.findall(cell.source)
    ]
    assert sorted(tried) == sorted((claim.chapter, name) for name, claim in claims.CLAIMS.items())


def test_each_claim_stands_in_a_form_of_chapter_14_in_the_words_of_its_judge():
    """Learners read the claim in that form, beside the `...` that they replace."""
    source = "\n".join(cell.source for cell in code(CHAPTERS[14]))
    forms = re.findall(r'"([A-E]\d+)": \.\.\.,  # (.*(?:\n +# .*)*)', source)
    asked = {name: " ".join(line.strip(" #") for line in text.split("\n")) for name, text in forms}
    assert asked == {name: claim.text for name, claim in claims.CLAIMS.items()}


COMMITTED = {
    f"{name} in {chapter}": (chapter, name, measured)
    for chapter, found in MEASURED.items()
    for name, measured in found.items()
}


@pytest.mark.parametrize("chapter, name, measured", COMMITTED.values(), ids=COMMITTED)
def test_the_committed_word_follows_from_the_committed_measurements_and_hangs_on_none(
    chapter, name, measured
):
    """The word stays the same if a single measurement is off by the claim's margin."""
    word = judged(name, numbered(measured)).word
    assert word == shown_in(ROOT / "notebooks" / f"{chapter}.ipynb")[name][0]
    assert turning(name, measured) == [], f"{word} for {measured}"


def test_every_claim_of_every_chapter_has_its_measurements_committed():
    assert {name for _, name, _ in COMMITTED.values()} == set(claims.CLAIMS)
