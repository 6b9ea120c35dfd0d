"""Every judge says the one thing and the other; its word does not hang on a hair; what it measured stands behind a `~`."""

import random
import runpy
from collections import defaultdict

import pytest
from helpers import ROOT, as_compared

from lab_utils import claims

claims.load_all()
FILES = sorted((ROOT / "tests" / "verdict_cases").glob("ch*.py"))
CASES = [(path.stem, *case) for path in FILES for case in runpy.run_path(str(path))["CASES"]]
SETTINGS = ("rtt_ms", "near_ms", "far_ms", "default_bytes", "limit_bytes")  # how the names of what was set end
MEASURED_INTEGERS = ("_us", "_ns", "_bytes")  # how the names of measurements end that the server tells in whole numbers

every_case = pytest.mark.parametrize("name, measured, word", [case[1:] for case in CASES],
                                     ids=[f"{name} {word}" for _, name, _, word in CASES])


def judged(name, measured):
    return claims.CLAIMS[name].judge(**measured)


def on_another_morning(value, chance, name=""):
    """The same measurement, up to 3% more or less; a count is the same on every morning."""
    if isinstance(value, dict):
        return {key: on_another_morning(each, chance, f"{key}") for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(on_another_morning(each, chance, name) for each in value)
    if name.endswith(SETTINGS):
        return value
    if isinstance(value, float):
        return value * chance.uniform(0.97, 1.03)
    if isinstance(value, int) and not isinstance(value, bool) and name.endswith(MEASURED_INTEGERS):
        return round(value * chance.uniform(0.97, 1.03))
    return value


@every_case
def test_the_word(name, measured, word):
    verdict = judged(name, measured)
    assert verdict.word == word
    assert word in claims.WORDS
    assert len(verdict.because) > 10


@every_case
def test_what_is_measured_stands_behind_a_tilde_and_the_word_stays(name, measured, word):
    """Measured again a little differently, the verdict is the same but for what nbval blanks."""
    chance = random.Random(f"{name}{word}")
    expected = as_compared(judged(name, measured).because)
    for _ in range(10):
        verdict = judged(name, on_another_morning(measured, chance))
        assert (verdict.word, as_compared(verdict.because)) == (word, expected)


def test_every_judge_can_say_one_thing_and_another():
    words = defaultdict(set)
    for _, name, _, word in CASES:
        words[name].add(word)
    assert {name for name in claims.CLAIMS if len(words[name]) < 2} == set(), "these need cases with two different words"


def test_every_case_belongs_to_a_judge_of_its_chapter():
    for chapter, name, *_ in CASES:
        assert claims.CLAIMS[name].judge.__module__ == f"lab_utils.verdicts.{chapter}"
