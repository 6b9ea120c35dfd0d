"""The words of the verdicts, apart from the facts: those of this run against the committed ones.

The notebooks' own tests compare facts and pass over the words; a failure here is a word that
changed. Where no chapter was run before, the claims are tried again, in about a minute.
"""

import re

import nbformat
import pytest
from helpers import ROOT, chapters_run
from verdict_words import MOST_UNTESTED, changes, shown_in

import lab_utils as lab
from lab_utils.course import claims, state
from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED

claims.load_all()
CHAPTERS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))}
SCOREBOARD = "14_scoreboard"


def test_the_words_are_the_committed_ones(monkeypatch, record_property):
    ran = chapters_run() & set(CHAPTERS)
    if not ran:
        monkeypatch.setenv("LAB_CHAPTER", SCOREBOARD)
        lab.retrial()
        ran = {SCOREBOARD}
    committed = {chapter: shown_in(CHAPTERS[chapter]) for chapter in sorted(ran)}
    ledger = state.load("claims")
    untested = {name for shown in committed.values() for name, (word, _) in shown.items()
                if word == UNTESTED}
    for name, entry in sorted(ledger.items()):
        if entry["word"] == UNTESTED and entry.get("taken_share", 0) > 0 and name not in untested:
            record_property("untested", name)  # `make soak` counts them
    found = changes(committed, ledger)
    assert not found, "\n".join(["Words of verdicts changed; not facts.", *found])


def entry(word, **more):
    return {"word": word, "because": f"because {word}", **more}


def ledger(**words):
    """The ledger of a chapter 01 with these entries."""
    return {name: {"chapters": {"01": verdict}} for name, verdict in words.items()}


COMMITTED = {"01": {"C1": (HOLDS, "~3 ms")}}


def test_another_word_is_told_with_both_reasons_and_so_is_a_claim_that_was_not_judged():
    assert changes(COMMITTED, ledger(C1=entry(HOLDS))) == [], "whatever the reason"
    [sentence] = changes(COMMITTED, ledger(C1=entry(DEPENDS)))
    assert "01: C1 turned from “holds” to “depends”" in sentence
    assert "committed: ~3 ms" in sentence and "now:       because depends" in sentence
    assert changes(COMMITTED, {}) == ["01: C1 was not judged. It said: holds"]
    assert changes(COMMITTED, {"C1": {"chapters": {"02": entry(HOLDS)}}}) == [
        "01: C1 was not judged. It said: holds"]


def test_untested_passes_with_evidence_only():
    assert changes(COMMITTED, ledger(C1=entry(UNTESTED, taken_share=0.4))) == []
    assert len(changes(COMMITTED, ledger(C1=entry(UNTESTED)))) == 1
    assert len(changes(COMMITTED, ledger(C1=entry(UNTESTED, taken_share=0)))) == 1
    # a busy machine may leave some
    for number, allowed in (MOST_UNTESTED, True), (MOST_UNTESTED + 1, False):
        names = [f"C{each}" for each in range(1, number + 1)]
        found = changes({"01": {name: (FAILS, "") for name in names}},
                        ledger(**{name: entry(UNTESTED, taken_share=0.4) for name in names}))
        assert (found == []) is allowed


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_committed_word_can_be_read(chapter):
    source = "\n".join(cell.source for cell in nbformat.read(CHAPTERS[chapter], as_version=4).cells
                       if cell.cell_type == "code")
    called = set(re.findall(r'lab\.claim\(\s*"([A-E]\d+)"', source))
    expected = set(claims.CLAIMS) if chapter == SCOREBOARD else called
    assert set(shown_in(CHAPTERS[chapter])) == expected
