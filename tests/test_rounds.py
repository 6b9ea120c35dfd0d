"""Rounds on a busy machine, by evidence that is made up, so that it is the same every time."""

import itertools
import statistics
from types import SimpleNamespace

import pytest

from lab_utils.disturbance import Disturbance
from lab_utils.timing import rounds
from lab_utils.timing.rounds import Sample, measure

QUIET_S = 0.010


class MadeUp:
    """A Runner whose samples take 10 ms plus what other programs took: `disturbances`, in seconds.

    The disturbances are used in turn, again and again. `asked` is for how many seconds at least one
    round trip of a sample is under way.
    """

    def __init__(self, *disturbances, asked=0.0):
        self.disturbances, self.asked, self.samples = disturbances, asked, 0

    def sample(self, calls, watch):
        others = self.disturbances[self.samples % len(self.disturbances)]
        self.samples += 1
        return sample(QUIET_S + others, others, self.asked)


def sample(clock, taken=0.0, asked=0.0):
    return Sample(clock, 0.002, 0.001, waited=taken, taken=taken, asked=asked)


def test_no_result_is_shorter_than_its_round_trips_and_one_that_would_be_says_so():
    runner = MadeUp(0.004, asked=0.011)  # the evidence says 10 ms, and 11 round trips 1 ms away
    samples, calm = measure({"eleven": runner}, None, 10, None)
    assert [one.seconds for one in samples["eleven"]] == [0.011] * 10
    assert calm.busy
    # As long as the clock says: the link held too little.
    samples, calm = measure({"quiet": MadeUp(0.0, asked=0.011)}, None, 10, None)
    assert [one.seconds for one in samples["quiet"]] == [0.011] * 10
    # Requests that overlap were held for longer where a disturbance drew them apart.
    asked = itertools.cycle((0.009, 0.004, 0.014))
    threads = SimpleNamespace(sync_client=None, sample=lambda *_: sample(0.020, 0.012, next(asked)))
    samples, calm = measure({"threads": threads}, None, 6, None)
    assert [one.seconds for one in samples["threads"]] == [pytest.approx(0.008)] * 6
    assert calm.busy


def test_a_disturbed_sample_is_taken_again_or_made_up_for_and_the_quiet_one_counts():
    runners = {"often": MadeUp(0.005, 0.0), "never": MadeUp(0.0)}
    samples, calm = measure(runners, None, 12, None)
    assert [one.seconds for one in samples["often"]] == [QUIET_S] * 12
    assert calm == Disturbance(12, 12) and not calm.busy
    assert runners["never"].samples == 12 + rounds.WARM_CALLS
    # A round that stayed disturbed is made up for by one more.
    runner = MadeUp(*[0.005] * (rounds.WARM_CALLS + rounds.TRIES), *[0.0] * 1_000)
    samples, calm = measure({"at first": runner}, None, 12, None)
    assert (
        calm == Disturbance(12, 13)
        and [one.seconds for one in samples["at first"]] == [QUIET_S] * 12
    )


def test_where_nothing_is_quiet_what_was_taken_is_taken_off_and_said():
    samples, calm = measure({"always": MadeUp(0.004, 0.006, 0.011)}, None, 10, None)
    assert calm.busy and calm.quiet_rounds == 0
    assert statistics.median(one.seconds for one in samples["always"]) == pytest.approx(QUIET_S)
    assert 0.2 < calm.taken_share < 0.6
    assert "the machine was busy: other programs took ~" in calm.sentence()
    assert calm.doubt < 0.01, "every round says the same once it is mended"


@pytest.mark.parametrize(
    "scale, call_s, number",
    [("ci", 0.02, 20), ("ci", 10, 3), ("workshop", 0.1, 20), ("workshop", 10, 8)],
)
def test_the_scale_sets_the_rounds(monkeypatch, scale, call_s, number):
    monkeypatch.setenv("LAB_SCALE", scale)
    runner = SimpleNamespace(sync_client=None, sample=lambda *_: sample(call_s))
    samples, _ = measure({"a": runner}, None, None, None)
    assert len(samples["a"]) == number
