"""The ledger of claims: judged from measurements, remembered, and strict about what it is given."""

import json
from dataclasses import replace

import pytest
from helpers import as_compared, refusal

import lab_utils as lab
from lab_utils.calm import Calm
from lab_utils.course import claims, state
from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED, Claim, Verdict
from lab_utils.timing.ratio import ratio


@pytest.fixture
def trial(remembered, monkeypatch):
    """A claim A99, judged by whether loop_s is more than pipeline_s."""
    monkeypatch.delenv("LAB_CHAPTER", raising=False)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    claims.load_all()

    def judge(loop_s, pipeline_s):
        ratio = loop_s / pipeline_s
        return Verdict(HOLDS if ratio > 2 else DEPENDS if ratio > 1 else FAILS, f"~{ratio:.1f}x")

    monkeypatch.setitem(claims.CLAIMS, "A99", Claim("A99", "13", "a pipeline is faster", judge))
    return remembered / "state.json"


@pytest.mark.parametrize(
    "loop_s, word", [(3.0, "holds"), (1.5, "depends"), (0.5, "does not hold here")]
)
def test_the_verdict_follows_from_the_measurements(trial, loop_s, word):
    tried = lab.claim("A99", loop_s=loop_s, pipeline_s=1.0)
    assert tried.verdict == Verdict(word, f"~{loop_s:.1f}x")
    assert repr(tried) == f"A99  a pipeline is faster\n    verdict: {word}: ~{loop_s:.1f}x"


def test_what_is_written_can_be_read_and_is_passed_over():
    """A claim in a line; its verdict, which nbval passes over; what the lab adds."""
    written = {
        "A1": ("holds", "~3 ms: as “said”"),
        "C14": ("does not hold here", ""),
        "E3": ("untested", "other (~23%)"),
    }
    added = {"C14": ("more, by ~3%", "  [03_loops.ipynb]")}
    texts = [
        claims.in_words(name, "“so” it says", Verdict(*said, more), where)
        for name, said in written.items()
        for more, where in [added.get(name, ("", ""))]
    ]
    text = "\n".join(["before", *texts, "after: verdict"])
    assert claims.shown_in(text) == written
    assert as_compared(text).splitlines() == [
        "before",
        "A1  “so” it says",
        "verdict: ...",
        "C14  “so” it says  [03_loops.ipynb]",
        "verdict: ...",
        "    addition: more, by~T",
        "E3  “so” it says",
        "verdict: ...",
        "after: verdict",
    ]


@pytest.mark.parametrize("figure", ["~3 ms", "~3,333,333.3 ms"])
def test_a_long_reason_is_broken_to_fit_the_page_and_read_as_one(figure):
    told = "one by one, and as long again in a pipeline that nobody asked for, "
    because = f"{figure} {told * 3}or so"
    text = claims.in_words("A1", "a claim", Verdict(HOLDS, because, f"by {because}"))
    assert len(text.splitlines()) == 7 and max(map(len, text.splitlines())) <= claims.PAGE
    assert claims.shown_in(text) == {"A1": (HOLDS, because)}
    shown = as_compared(text).splitlines()
    assert (
        shown[:2] == ["A1  a claim", "verdict: ..."]
        and len(shown) == 3
        and "by~T one by one" in shown[2]
    )


def test_the_ledger_remembers_the_latest_verdict(trial):
    lab.claim("A99", loop_s=3.0, pipeline_s=1.0)
    lab.claim("A99", loop_s=0.5, pipeline_s=1.0)
    entry = state.load("claims")["A99"]
    assert entry == json.loads(trial.read_text(encoding="utf-8"))["claims"]["A99"]
    verdict = {
        "word": FAILS,
        "because": "~0.5x",
        "addition": "",
        "measured": {"loop_s": 0.5, "pipeline_s": 1.0},
        "taken_share": 0.0,
    }
    assert entry == {
        "text": "a pipeline is faster",
        "article": claims.ARTICLES["A"],
        **verdict,
        "chapters": {"": verdict},
    }


def test_what_the_lab_adds_stands_below_the_word_and_is_remembered(trial, busy, monkeypatch):
    def judge(loop_s):
        return Verdict(
            HOLDS if loop_s > 1 else FAILS, f"~{loop_s:g} s", "it turns with the distance"
        )

    monkeypatch.setitem(
        claims.CLAIMS, "A98", Claim("A98", "13", "a loop is slow", judge, "the distance")
    )
    tried = lab.claim("A98", loop_s=1.1)
    assert repr(tried) == (
        "A98  a loop is slow\n    verdict: holds: ~1.1 s\n    addition: it turns with the distance"
    )
    entry = state.load("claims")["A98"]
    assert entry["addition"] == entry["chapters"][""]["addition"] == "it turns with the distance"
    busy(0.5)
    assert lab.claim("A98", loop_s=1.1).verdict.word == UNTESTED
    assert repr(lab.claim("A98", loop_s=1.1)).endswith("\n    addition: it turns with the distance")


def test_each_chapter_keeps_its_own_verdict(trial, monkeypatch):
    """Several chapters try the same claim."""
    monkeypatch.setenv("JPY_SESSION_NAME", "work/01_round_trips.ipynb")
    lab.claim("A99", loop_s=3.0, pipeline_s=1.0)
    monkeypatch.setenv("LAB_CHAPTER", "03_loops")
    lab.claim("A99", loop_s=0.5, pipeline_s=1.0)
    entry = state.load("claims")["A99"]
    assert entry["word"] == FAILS
    words = {chapter: verdict["word"] for chapter, verdict in entry["chapters"].items()}
    assert words == {"01_round_trips": HOLDS, "03_loops": FAILS}


@pytest.mark.parametrize(
    "measured, taken",
    [
        ({}, False),
        ({"loop_s": 1.0}, False),
        ({"loop_s": "1", "pipeline_s": 1.0}, True),
        ({"loop_s": 1.0, "pipeline_s": 0.0}, True),
        ({"loop_s": 1.0, "pipeline_s": 1.0, "mset_s": 1.0}, False),
    ],
    ids=str,
)
def test_measurements_that_the_judge_does_not_take_or_makes_no_sense_of(trial, measured, taken):
    assert "A99" in refusal(lab.claim, "Z1", **measured)
    text = refusal(lab.claim, "A99", **measured)
    assert ("cannot be judged" in text) is taken
    assert ("judged from loop_s, pipeline_s" in text and "Pass just these" in text) is not taken
    assert state.load("claims") == {}


@pytest.fixture
def busy(monkeypatch):
    """Says that other programs took `share` of the time of what was measured."""

    def say(share):
        monkeypatch.setattr(claims.calm, "since_claim", lambda: Calm(3, 40, share))

    return say


@pytest.mark.parametrize(
    "loop_s, share, word",
    [
        (3.0, 0.2, HOLDS),
        (2.2, 0.2, UNTESTED),
        (1.5, 0.2, DEPENDS),
        (0.9, 0.2, UNTESTED),
        (3.0, 0.6, UNTESTED),
        (2.2, 0.0, HOLDS),
    ],
)
def test_a_word_that_the_disturbance_could_turn_is_untested_and_says_why(
    trial, busy, loop_s, share, word
):
    busy(share)
    verdict = lab.claim("A99", loop_s=loop_s, pipeline_s=1.0).verdict
    assert verdict.word == word and state.load("claims")["A99"]["taken_share"] == share
    if (loop_s, share) == (2.2, 0.2):
        assert verdict.because == (
            "the machine was busy: other programs took ~20% of the time, ~3 of ~40 rounds were "
            "quiet. What was measured says “holds”; with a figure off by ~20% it would be "
            "“depends”: ~2.2x"
        )


@pytest.mark.parametrize("share, word", [(0.2, UNTESTED), (0.0, HOLDS)])
def test_what_was_measured_without_the_labs_hand_is_untested_on_a_busy_machine(
    trial, busy, monkeypatch, share, word
):
    monkeypatch.setitem(claims.CLAIMS, "A99", replace(claims.CLAIMS["A99"], watched=False))
    busy(share)
    verdict = lab.claim("A99", loop_s=30.0, pipeline_s=1.0).verdict
    told = "in part without the lab's hand" in verdict.because
    assert (verdict.word, told) == (word, word == UNTESTED)


SURE, FEW = ratio([1.0] * 9, [3.0] * 9), ratio([1.0, 9.0, 1.0], [3.0, 1.0, 3.0])
SAME = ratio([1.0] * 9, [1.0, 5.0, 5.0] * 3)


@pytest.mark.parametrize(
    "gain, word, judged",
    [
        (SURE, HOLDS, 3.0),
        (FEW, UNTESTED, 3.0),
        (SAME, FAILS, 1.0),
        ({1: SURE, 2: FEW}, HOLDS, {1: 3.0, 2: 3.0}),
        ({1: FEW, 2: FEW}, UNTESTED, {1: 3.0, 2: 3.0}),
    ],
    ids=["sure", "few", "same", "enough others", "all few"],
)
def test_a_claim_is_as_sure_as_its_ratios(trial, monkeypatch, gain, word, judged):
    """ "No different" is judged as 1; where the rounds are too few, so is the claim."""

    def judge(gain):
        best = max(gain.values()) if isinstance(gain, dict) else gain
        return Verdict(HOLDS if best > 2 else FAILS, f"~{best:.1f}x")

    monkeypatch.setitem(claims.CLAIMS, "A98", Claim("A98", "13", "a pipeline gains", judge))
    tried = lab.claim("A98", gain=gain)
    assert tried.verdict.word == word and tried.measured == {"gain": judged}
    assert tried.verdict.because.startswith("too few rounds to tell.") is (word == UNTESTED)


def test_each_measured_figure_is_changed_in_turn_and_nothing_else():
    measured = {
        "loop_s": 2.0,
        "far_rtt_ms": 1.0,
        "turns": 3,
        "prefix_us": 500,
        "packed_bytes": 90,
        "pooled_s": {10: 4.0},
        "cut": True,
    }
    changed = list(claims.nearby(measured, 2))
    assert changed == [
        {**measured, "loop_s": 4.0},
        {**measured, "loop_s": 1.0},
        {**measured, "prefix_us": 1_000},
        {**measured, "prefix_us": 250},
        {**measured, "pooled_s": {10: 8.0}},
        {**measured, "pooled_s": {10: 2.0}},
    ]


def test_without_a_clone_it_is_said_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(claims, "FOLDER", tmp_path)
    monkeypatch.setattr(claims, "CLAIMS", {})
    claims.load_all.cache_clear()
    assert "from a clone of the lab" in refusal(lab.claim, "A1", loop_s=1.0)


def test_every_claim_is_known_by_its_article():
    claims.load_all()
    for name, claim in claims.CLAIMS.items():
        assert claim.article and claim.text and name[1:].isdigit(), name
        assert len(claim.text) <= 110, f"{name}: in short"
