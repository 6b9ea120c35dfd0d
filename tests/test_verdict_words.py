"""The words of the verdicts, apart from the facts: those of this run against the committed ones.

The notebooks' own tests compare facts and pass over the words; a failure here is a word that
changed. Where no chapter was run before, the claims are tried again, in about a minute.
"""

import re

import pytest
from helpers import chapters_run
from test_chapters import CHAPTERS, code
from verdict_words import MOST_UNTESTED, changes, shown_in

import lab_utils as lab
from lab_utils.course import claims, state
from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED

claims.load_all()
PATHS = {path.stem: path for path in CHAPTERS}
SCOREBOARD = "14_scoreboard"


def test_the_words_are_the_committed_ones(monkeypatch, record_property):
    ran = chapters_run() & set(PATHS)
    if not ran:
        monkeypatch.setenv("LAB_CHAPTER", SCOREBOARD)
        lab.retrial()
        ran = {SCOREBOARD}
    committed = {chapter: shown_in(PATHS[chapter]) for chapter in sorted(ran)}
    ledger = state.load("claims")
    untested = {
        name
        for shown in committed.values()
        for name, (word, _) in shown.items()
        if word == UNTESTED
    }
    for name, entry in sorted(ledger.items()):
        if entry["word"] == UNTESTED and entry.get("taken_share", 0) > 0 and name not in untested:
            record_property("untested", name)  # `make soak` counts them
    found = changes(committed, ledger)
    told = "Words of verdicts changed; facts are compared elsewhere."
    assert not found, "\n".join([told, *found])


def ledger(word, names=("C1",), chapter="01", **more):
    """The ledger after a chapter in which these claims got this word."""
    verdict = {"word": word, "because": f"because {word}", **more}
    return {name: {"chapters": {chapter: verdict}} for name in names}


COMMITTED = {"01": {"C1": (HOLDS, "~3 ms")}}


def test_another_word_is_told_with_both_reasons_and_so_is_a_claim_that_was_not_judged():
    assert changes(COMMITTED, ledger(HOLDS)) == [], "whatever the reason"
    [sentence] = changes(COMMITTED, ledger(DEPENDS))
    assert "01: C1 turned from “holds” to “depends”" in sentence
    assert "committed: ~3 ms" in sentence and "now:       because depends" in sentence
    for unjudged in {}, ledger(HOLDS, chapter="02"):
        assert changes(COMMITTED, unjudged) == ["01: C1 was not judged. It said: holds"]


def test_untested_passes_with_evidence_only():
    assert changes(COMMITTED, ledger(UNTESTED, taken_share=0.4)) == []
    assert len(changes(COMMITTED, ledger(UNTESTED))) == 1
    assert len(changes(COMMITTED, ledger(UNTESTED, taken_share=0))) == 1
    for number, allowed in (MOST_UNTESTED, True), (MOST_UNTESTED + 1, False):
        names = [f"C{each}" for each in range(1, number + 1)]
        found = changes(
            {"01": dict.fromkeys(names, (FAILS, ""))}, ledger(UNTESTED, names, taken_share=0.4)
        )
        assert (found == []) is allowed


@pytest.mark.parametrize("chapter", PATHS)
def test_every_committed_word_can_be_read(chapter):
    source = "\n".join(cell.source for cell in code(PATHS[chapter]))
    called = set(re.findall(r'lab\.claim\(\s*"([A-E]\d+)"', source))
    expected = set(claims.CLAIMS) if chapter == SCOREBOARD else called
    assert set(shown_in(PATHS[chapter])) == expected
