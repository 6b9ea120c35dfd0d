"""The ledger of claims: judged from measurements, remembered, and strict about what it is given."""

import json

import pytest
from helpers import as_compared, refusal

import lab_utils as lab
from lab_utils import disturbance
from lab_utils.course import claims, state
from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED, Verdict
from lab_utils.disturbance import Disturbance
from lab_utils.timing.ratio import ratio


def faster(loop_s, pipeline_s):
    """Seconds of a loop and of a pipeline."""
    gain = loop_s / pipeline_s
    adds = "it turns with the distance"
    return Verdict(HOLDS if gain > 2 else DEPENDS if gain > 1 else FAILS, f"~{gain:.1f}x", adds)


def gains(gain):
    best = max(gain.values()) if isinstance(gain, dict) else gain
    return Verdict(HOLDS if best > 2 else FAILS, f"~{best:.1f}x")


@pytest.fixture(autouse=True)
def file(remembered):
    """Register three claims of the tests' own; return the Path of the file of their verdicts."""
    claims.load_all()
    claims.judge("A97", "13", "a pipeline is faster", watched=False)(faster)
    claims.judge("A98", "13", "a pipeline gains")(gains)
    claims.judge("A99", "13", "a pipeline is faster", after="somebody")(faster)
    yield remembered / "state.json"
    for name in ("A97", "A98", "A99"):
        del claims.CLAIMS[name]


@pytest.mark.parametrize("loop_s, word", [(3.0, HOLDS), (1.5, DEPENDS), (0.5, FAILS)])
def test_the_verdict_follows_from_the_measurements_and_is_remembered(file, loop_s, word):
    lab.claim("A99", loop_s=9.0, pipeline_s=1.0)
    tried = lab.claim("A99", loop_s=loop_s, pipeline_s=1.0)
    because, adds = f"~{loop_s:.1f}x", "it turns with the distance"
    assert tried.verdict == Verdict(word, because, adds)
    assert repr(tried) == (
        "A99  a pipeline is faster After somebody.\n"
        f"    verdict: {word}: {because}\n    addition: {adds}"
    )
    assert json.loads(file.read_text(encoding="utf-8"))["claims"] == {
        "A99": {
            "word": word,
            "because": because,
            "addition": adds,
            "measured": {"loop_s": loop_s, "pipeline_s": 1.0},
            "taken_share": 0.0,
        }
    }


def test_what_is_written_can_be_read_and_nbval_compares_all_but_the_verdict():
    written = {
        "A1": Verdict(HOLDS, "~3 ms: as “said”"),
        "C14": Verdict(FAILS, "", "more, by ~3%"),
        "E3": Verdict(UNTESTED, "other (~23%)"),
    }
    texts = [claims.in_words(name, "“so” it says", said) for name, said in written.items()]
    text = "\n".join(["before", *texts, "after: verdict"])
    assert claims.shown_in(text) == written
    assert as_compared(text).splitlines() == [
        "before",
        "A1  “so” it says",
        "verdict: ...",
        "C14  “so” it says",
        "verdict: ...",
        "    addition: more, by~T",
        "E3  “so” it says",
        "verdict: ...",
        "after: verdict",
    ]


@pytest.mark.parametrize(
    "measured, why",
    [
        ({}, "missing"),
        ({"loop_s": 1.0}, "missing"),
        ({"loop_s": 1.0, "pipeline_s": 1.0, "mset_s": 1.0}, "unexpected"),
        ({"loop_s": "1", "pipeline_s": 1.0}, "unsupported"),
        ({"loop_s": 1.0, "pipeline_s": 0.0}, "division by zero"),
        ({"loop_s": float("nan"), "pipeline_s": 1.0}, "Out of range float"),
    ],
    ids=str,
)
def test_measurements_that_it_cannot_be_judged_from(measured, why):
    text = refusal(lab.claim, "A99", **measured)
    assert "A99 cannot be judged" in text and why in text
    assert text.endswith("Pass loop_s, pipeline_s: Seconds of a loop and of a pipeline.")
    assert state.load("claims") == {}


@pytest.mark.parametrize(
    "name, loop_s, share, word",
    [
        ("A99", 3.0, 0.2, HOLDS),
        ("A99", 2.2, 0.2, UNTESTED),
        ("A99", 1.5, 0.2, DEPENDS),
        ("A99", 0.9, 0.2, UNTESTED),
        ("A99", 3.0, 0.6, UNTESTED),
        ("A99", 2.2, 0.0, HOLDS),
        ("A97", 30.0, 0.2, UNTESTED),
        ("A97", 30.0, 0.0, HOLDS),
    ],
)
def test_a_word_that_a_busy_machine_could_turn_is_untested(name, loop_s, share, word):
    """The lab does not watch all measurements for A97: any disturbance may have turned its word."""
    disturbance.note(Disturbance(3, 40, share))
    verdict = lab.claim(name, loop_s=loop_s, pipeline_s=1.0).verdict
    assert (verdict.word, verdict.addition) == (word, "it turns with the distance")
    assert ("in part without the lab's hand" in verdict.because) is (name == "A97" and share > 0)
    assert state.load("claims")[name]["taken_share"] == share


SURE, FEW = ratio([1.0] * 9, [3.0] * 9), ratio([1.0, 9.0, 1.0], [3.0, 1.0, 3.0])
SAME = ratio([1.0] * 9, [1.0, 5.0, 5.0] * 3)


@pytest.mark.parametrize(
    "gain, word, judged",
    [
        (SURE, HOLDS, 3.0),
        (FEW, UNTESTED, 3.0),
        (SAME, FAILS, 1.0),
        ({1: SURE, 2: FEW}, HOLDS, {"1": 3.0, "2": 3.0}),
        ({1: FEW, 2: FEW}, UNTESTED, {"1": 3.0, "2": 3.0}),
    ],
    ids=["sure", "few", "same", "enough others", "all few"],
)
def test_a_claim_is_as_sure_as_its_ratios(gain, word, judged):
    """A ratio that shows no difference is judged as 1; too few rounds leave the claim untested."""
    verdict = lab.claim("A98", gain=gain).verdict
    assert verdict.word == word and state.load("claims")["A98"]["measured"] == {"gain": judged}
    assert verdict.because.startswith("too few rounds to tell.") is (word == UNTESTED)
