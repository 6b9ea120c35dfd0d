"""Chapter 14's page: the verdicts of this machine, and the lab's own where none is there yet."""

from urllib.parse import unquote

import pytest
from helpers import ROOT, as_compared
from test_chapters import CHAPTERS
from test_links import anchors
from verdict_words import shown_in

import lab_utils as lab
from chapter_helpers.scoreboard import Scoreboard
from lab_utils.course import claims, ledger, state
from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED, Claim, Verdict
from lab_utils.course.ledger import Judged

claims.load_all()
SCOREBOARD = ROOT / "notebooks" / "14_scoreboard.ipynb"
FIRST = "01_round_trips.ipynb"
NOT_HERE = "(the lab's own run: 01_round_trips.ipynb was not run here)"


def try_c2(pipeline_trips):
    lab.claim("C2", commands=40, loop_trips=40, pipeline_trips=pipeline_trips)


# Where a verdict is from


def test_nothing_was_run_and_every_verdict_is_the_one_that_its_chapter_shows(remembered):
    found = ledger.verdicts()
    assert list(found) == list(claims.CLAIMS)
    shown = {name: told for path in CHAPTERS[:14] for name, told in shown_in(path).items()}
    for name, judged in found.items():
        assert (judged.verdict.word, judged.verdict.because) == shown[name]
        assert judged.chapter.startswith(judged.claim.chapter) and not judged.here
        assert unquote(judged.section[1:]) in anchors(ROOT / "notebooks" / judged.chapter)


def test_what_a_chapter_wrote_on_this_machine_stands_in_its_place(remembered):
    try_c2(40)
    board = Scoreboard()
    judged = board.judged["C2"]
    assert (judged.verdict.word, judged.here, judged.chapter) == (FAILS, True, FIRST)
    assert sum(each.here for each in board.judged.values()) == 1
    assert NOT_HERE not in repr(board.against({"C2": ...}))
    assert NOT_HERE in " ".join(repr(board.against({"C1": ...})).split())
    try_c2(1)
    assert Scoreboard().judged["C2"].verdict.word == HOLDS


def test_for_nbval_it_is_the_same_whatever_was_run_here(remembered):
    def pages():
        board = Scoreboard()
        shown = [board, board.against(dict.fromkeys(board.judged, ...)), board.elsewhere()]
        return [*map(repr, shown), *(page._repr_html_() for page in shown)]

    before = pages()
    additions = {name: each.verdict.addition for name, each in ledger.verdicts().items()}
    with state.changing("claims") as known:
        for name, addition in additions.items():
            known[name] = {"word": UNTESTED, "because": "<i>", "addition": addition}
    after = pages()
    changed = [one != other for one, other in zip(before, after, strict=True)]
    assert changed == [True, True, False] * 2, "what other servers said is the same"
    assert [*map(as_compared, before)] == [*map(as_compared, after)]
    assert "C1  At an RTT of 250 ms" in as_compared(before[1])
    assert "At an RTT of 250 ms" in as_compared(before[3])


def test_the_committed_page_says_of_every_claim_what_the_chapters_say():
    shown = {name: word for name, (word, _) in shown_in(SCOREBOARD).items()}
    assert list(shown) == list(claims.CLAIMS)
    said = {(name, word) for path in CHAPTERS for name, (word, _) in shown_in(path).items()}
    assert said == set(shown.items())


# What is shown


WORDS = {"A1": HOLDS, "B2": DEPENDS, "C10": FAILS, "C2": UNTESTED}


@pytest.fixture
def board():
    judged = {}
    for name, word in WORDS.items():
        claim = Claim(name, "01", f"{name} says <this>", print, "the distance")
        verdict = Verdict(word, "on this: ~3 ms", "<more> in ~4 ms")
        judged[name] = Judged(claim, verdict, name != "C10", FIRST, "#a-b")
    return Scoreboard(judged)


def in_order(page, parts):
    places = [page.index(part) for part in parts]
    return places == sorted(places)


def test_the_board_is_a_page_of_words_with_links_to_the_sections_that_tried_them(board):
    page = board._repr_html_()
    assert in_order(page, [f"<b>{word}</b>" for word in WORDS.values()])
    assert page.count("(the lab's own run)") == 1
    assert '<a href="01_round_trips.ipynb#a-b">B2</a> B2 says &lt;this&gt;' in page
    assert "<b>A: Redis Pipeline" in page and "<b>E: " not in page
    assert "<script" not in page and "color:" not in page, "it is read on dark and on light"
    assert board.words() == dict.fromkeys(claims.WORDS, 1)
    assert repr(board).splitlines() == [
        "verdicts: of 4 claims 1 holds, 1 depends, 1 does not hold here, 1 untested",
        "verdicts: holds: A1",
        "verdicts: depends: B2",
        "verdicts: does not hold here: C10",
        "verdicts: untested: C2",
        "verdicts: of the lab's own run: C10",
    ]


def test_first_come_the_claims_that_came_out_otherwise(board):
    table = board.against({"A1": "Holds", "B2": "no", "C10": " depends", "C2": "holds"})
    page, text = table._repr_html_(), repr(table)
    # untested came out neither way
    assert "\nverdicts: of the 3 that you judged, 1 came out as you said\nB2" in text
    assert "    verdict: and you said “does not hold here”\nC10" in text
    assert in_order(page, [f"<b>{name}</b>" for name in ("B2", "C10", "A1", "C2")])
    assert page.count("you said</th>") == 1 and page.count("<td") == 4 * 4
