"""The interval of a ratio: against the binomial law, by simulation, and in words."""

import math
import random

import pytest

from lab_utils.ratio import CONFIDENCE, FEWEST_FOR_INTERVAL, Ratio, interval_ranks, ratio


def coverage(n, low):
    """Probability that the order statistics `low` and n - 1 - low (from 0) enclose the median of n values."""
    return 1 - 2 * sum(math.comb(n, k) for k in range(low + 1)) / 2**n


@pytest.mark.parametrize("n", [*range(FEWEST_FOR_INTERVAL, 60), 101, 301])
def test_ranks_hold_the_median_and_no_narrower_pair_does(n):
    low, high = interval_ranks(n)
    assert low + high == n - 1
    assert coverage(n, low) >= CONFIDENCE
    if low + 1 < n / 2:
        assert coverage(n, low + 1) < CONFIDENCE


@pytest.mark.parametrize("n", range(1, FEWEST_FOR_INTERVAL))
def test_with_too_few_rounds_the_ranks_are_the_outermost(n):
    assert interval_ranks(n) == (0, n - 1)
    assert coverage(n, 0) < CONFIDENCE


@pytest.mark.parametrize("rounds", [8, 25, 101])
def test_coverage_by_simulation(rounds):
    """The interval holds the true ratio in at least 99 of 100 comparisons, with noise that is anything but normal."""
    chance = random.Random(20261120)
    trials = 2_000
    held = 0
    for _ in range(trials):
        fast = [chance.lognormvariate(0, 0.3) for _ in range(rounds)]
        slow = [2 * a * chance.lognormvariate(0, 0.2) for a in fast]
        found = ratio(fast, slow)
        held += found.low <= 2 <= found.high
    assert held / trials >= 0.985


@pytest.mark.parametrize("rounds", [3, 5, 9, 25])
def test_two_of_a_kind_are_hardly_ever_told_apart(rounds):
    chance = random.Random(1)
    told_apart = 0
    for _ in range(1_000):
        one, other = ([chance.lognormvariate(0, 0.1) for _ in range(rounds)] for _ in range(2))
        told_apart += ratio(one, other).differs
    allowed = 0.02 if rounds >= FEWEST_FOR_INTERVAL else 0.13  # of three rounds each, one in ten is apart by chance
    assert told_apart / 1_000 <= allowed


def test_a_real_difference_is_found():
    chance = random.Random(2)
    fast = [1 + chance.random() / 10 for _ in range(25)]
    slow = [1.5 + chance.random() / 10 for _ in range(25)]
    found = ratio(fast, slow)
    assert found.differs and 1.3 < found.low < found.value < found.high < 1.7
    assert ratio(slow, fast).differs and ratio(slow, fast).value < 1


def test_identical_samples_do_not_differ():
    same = [1.0, 2.0, 3.0] * 5
    assert not ratio(same, same).differs
    assert ratio(same, same).value == 1


def test_rounds_are_paired():
    """A drift that both variants share cancels."""
    drift = [2.0**i for i in range(9)]
    found = ratio(drift, [3 * seconds for seconds in drift])
    assert (found.low, found.value, found.high) == (3, 3, 3)


def test_with_few_rounds_every_round_must_be_apart():
    assert ratio([1, 1, 1], [2, 2, 2]).differs
    assert not ratio([1, 1, 3], [2, 2, 4]).differs  # each pair says so, but the slowest fast one is slower than a slow one
    assert not ratio([1, 1], [2, 2]).differs  # two rounds are never enough


def test_the_sentence():
    assert Ratio(5.23, 4.88, 5.61, 25, True).sentence("pipeline", "loop") == "pipeline is 5.2x faster than loop (4.9 to 5.6)"
    assert Ratio(0.5, 0.4, 0.625, 25, True).sentence("loop", "mset") == "loop is 2.0x slower than mset (1.60 to 2.5)"
    assert Ratio(1.01, 0.97, 1.04, 25, False).sentence("a", "b") == "a and b: no difference beyond noise (0.97 to 1.04)"
    assert Ratio(1.081, 1.02, 1.12, 25, False).sentence("a", "b") == "a is 1.08x faster than b (1.02 to 1.12)"
    assert Ratio(1234.5, 900, 2000, 25, True).sentence("a", "b") == "a is 1,234x faster than b (900 to 2,000)"


def test_the_sentence_agrees_with_differs():
    few = Ratio(2, 1.5, 3, 3, False)
    assert not few.differs and "no difference" in few.sentence("a", "b")


def test_shown_behind_a_tilde():
    assert repr(Ratio(5.23, 4.88, 5.61, 25, True)) == "~5.2x (~4.9 to ~5.6)"


def test_unequal_numbers_of_rounds_are_an_error():
    with pytest.raises(ValueError):
        ratio([1, 2], [1, 2, 3])
