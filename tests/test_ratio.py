"""The interval of a ratio: against the binomial law, by simulation, and in words."""

import math
import random

import pytest

from lab_utils.timing.ratio import FASTER, SAME, SLOWER, TOO_FEW, Ratio, interval_ranks, ratio


def test_the_interval_holds_the_median_in_99_of_100_cases_and_no_narrower_one_does():
    for n in (*range(8, 60), 101, 301):
        low, high = interval_ranks(n)
        assert low + high == n - 1
        assert coverage(n, low) >= 0.99 > coverage(n, low + 1)
    for n in range(1, 8):
        assert interval_ranks(n) == (0, n - 1) and coverage(n, 0) < 0.99


def coverage(n: int, low: int) -> float:
    """Return the probability, 0 to 1, that two of `n` sorted random values enclose the true median.

    The two are those of ranks `low` and n - 1 - low, counted from 0.
    """
    return 1 - 2 * sum(math.comb(n, k) for k in range(low + 1)) / 2**n


@pytest.mark.parametrize(
    "noise",
    [
        lambda chance: chance.lognormvariate(0, 0.1),
        lambda chance: 1 + chance.expovariate(10),
        lambda chance: 1 + 0.05 * chance.paretovariate(1.2),
    ],
    ids=["normal", "exponential", "Pareto"],
)
def test_two_of_a_kind_are_hardly_ever_told_apart(noise):
    for rounds in 1, 2, 3, 4, 5, 7, 8, 9, 25:
        chance = random.Random(rounds)
        told_apart = 0
        for _ in range(2_000):
            one, other = ([noise(chance) for _ in range(rounds)] for _ in range(2))
            told_apart += ratio(one, other).differs
        assert told_apart / 2_000 <= 0.02, rounds


def test_rounds_are_paired_and_the_value_is_what_two_bars_show():
    """A drift that both variants share cancels out, since the rounds are compared in pairs."""
    drift = [2.0**i for i in range(9)]
    found = ratio(drift, [3 * seconds for seconds in drift])
    assert (found.low, found.value, found.high) == (3, 3, 3)
    # The median of the paired ratios may be another, so the interval is widened to hold both.
    fast, slow = [1] * 6 + [5] + [9] * 6, [2] * 6 + [5] + [18] * 6
    for found in (ratio(fast, slow), ratio(slow, fast)):
        assert found.value == 1
        assert found.low <= 1 <= found.high


def test_few_rounds_must_all_be_apart_and_from_eight_on_the_interval_decides():
    assert ratio([1, 1, 1], [2, 2, 2]).judgement == FASTER
    assert ratio([1, 1, 3], [2, 2, 4]).judgement == TOO_FEW  # 3 is slower than 2
    assert ratio([1, 1], [2, 2]).judgement == TOO_FEW  # two rounds are never enough
    assert ratio([1], [33]).judgement == TOO_FEW
    fast = [1, 1, 1, 1, 1, 1, 1, 3]
    assert ratio(fast, [2 * seconds for seconds in fast]).judgement == FASTER
    assert ratio(fast, fast[::-1]).judgement == SAME
    assert ratio([1] * 24 + [9], [2] * 25).judgement == FASTER, "one strange round of 25"


@pytest.mark.parametrize(
    "rounds, judgement", [(3, TOO_FEW), (4, TOO_FEW), (5, FASTER), (7, FASTER)]
)
def test_three_or_four_rounds_must_be_apart_by_more_than_they_spread(rounds, judgement):
    one, other = ([least + 0.1 * i / rounds for i in range(rounds)] for least in (1, 1.11))
    assert ratio(one, other).judgement == judgement
    assert ratio(one, [3 * seconds for seconds in other]).judgement == FASTER
    assert ratio([3 * seconds for seconds in other], one).judgement == SLOWER


@pytest.mark.parametrize(
    "found, label, seen",
    [
        (Ratio(5.23, 4.88, 5.61, 25, True), "5.2x faster", "4.9 to 5.6"),
        (Ratio(0.5, 0.4, 0.625, 25, True), "2.0x slower", "1.60 to 2.5"),
        (Ratio(1.081, 1.02, 1.12, 25, False), "1.08x faster", "1.02 to 1.12"),
        (Ratio(1234.5, 900, 2000, 25, True), "1,234x faster", "900 to 2,000"),
        (Ratio(1.003, 1.001, 1.0042, 25, False), "less than 1% faster", "1.0010 to 1.0042"),
        (Ratio(1.01, 0.97, 1.04, 25, False), "no different", "0.97 to 1.04"),
        (Ratio(2, 1.13, 4.37, 3, False), "too few rounds to tell", "1.13 to 4.4 in 3 rounds"),
        (Ratio(33, 33, 33, 1, False), "too few rounds to tell", "33x in 1 round"),
    ],
    ids=str,
)
def test_the_label_and_the_sentence_say_the_same(found, label, seen):
    sentences = {
        "no different": "a and b: no difference beyond noise",
        "too few rounds to tell": "a and b: too few rounds to tell",
    }
    assert found.sentence("a", "b") == f"{sentences.get(label, f'a is {label} than b')} ({seen})"
    assert str(found) == label and found.differs == (label not in sentences)
    assert repr(Ratio(5.23, 4.88, 5.61, 25, True)) == "~5.2x (~4.9 to ~5.6)"
