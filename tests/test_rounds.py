"""Rounds on a busy machine, by evidence that is made up, so that it is the same every time."""

import random
import statistics
from types import SimpleNamespace

import pytest

from lab_utils.calm import Calm
from lab_utils.testbed.evidence import Spent
from lab_utils.timing import rounds
from lab_utils.timing.rounds import Sample, measure, those_that_count

QUIET_S = 0.010


class MadeUp:
    """A Runner whose samples take 10 ms, and longer by `disturbances` in turn, in seconds."""

    def __init__(self, *disturbances):
        self.disturbances, self.asked = disturbances, 0

    def sample(self, calls, watch):
        taken = self.disturbances[self.asked % len(self.disturbances)]
        self.asked += 1
        return Sample(QUIET_S + taken, taken, 0.002, 0.001)


@pytest.fixture(autouse=True)
def at_ci_scale(monkeypatch):
    """Nor does the budget of time run out."""
    monkeypatch.setenv("LAB_SCALE", "ci")
    monkeypatch.setattr(rounds, "time", SimpleNamespace(perf_counter=lambda: 0.0))


def test_threads_come_to_rest_before_a_sample(monkeypatch):
    """Else what the loop waited while counters were read would count in the next sample."""
    did = []
    watch = SimpleNamespace(
        read=lambda: did.append("read"),
        spent=lambda *_: did.append("spent") or Spent(0.0, 0.0, 0.0),
    )
    monkeypatch.setattr(
        rounds,
        "time",
        SimpleNamespace(perf_counter=lambda: 0.0, sleep=lambda _: did.append("rest")),
    )
    rounds.Runner(lambda client: did.append("call"), None).sample(1, watch)
    assert did == ["rest", "read", "call", "spent"]


def sample(clock, taken=0.0):
    return Sample(clock, taken, 0.0, 0.0)


def test_what_is_quiet():
    assert sample(0.010).quiet and sample(0.010, 0.0005).quiet and sample(0.0001, 0.000015).quiet
    assert not sample(0.010, 0.001).quiet
    assert sample(0.010, 0.0004).seconds == 0.010, "a quiet sample is what the clock says"
    assert sample(0.010, 0.004).seconds == pytest.approx(0.006)
    assert Sample(0.010, 0.009, 0.005, 0.0).seconds == 0.005, "never less than the client computed"


def test_a_disturbed_sample_is_taken_again_or_made_up_for_and_the_quiet_one_counts():
    runners = {"often": MadeUp(0.005, 0.0), "never": MadeUp(0.0)}
    samples, calm = measure(runners, None, 12, None)
    assert [one.seconds for one in samples["often"]] == [QUIET_S] * 12
    assert calm == Calm(12, 12) and not calm.busy
    assert runners["never"].asked == 12 + rounds.WARM_CALLS
    # A round that stayed disturbed is made up for by one more.
    runner = MadeUp(*[0.005] * (rounds.WARM_CALLS + rounds.TRIES), *[0.0] * 1_000)
    samples, calm = measure({"at first": runner}, None, 12, None)
    assert calm == Calm(12, 13) and [one.seconds for one in samples["at first"]] == [QUIET_S] * 12


def test_where_nothing_is_quiet_what_was_taken_is_taken_off_and_said():
    samples, calm = measure({"always": MadeUp(0.004, 0.006, 0.011)}, None, 10, None)
    assert calm.busy and calm.quiet_rounds == 0
    assert statistics.median(one.seconds for one in samples["always"]) == pytest.approx(QUIET_S)
    assert 0.2 < calm.taken_share < 0.6
    assert (
        "the machine was busy: other programs took ~" in calm.sentence()
        and f"0 of ~{calm.rounds}" in calm.sentence()
    )
    assert calm.doubt < 0.01, "every round says the same once it is mended"


def test_patience_ends_where_taking_again_does_not_help():
    runner = MadeUp(0.004)
    measure({"always": runner}, None, 20, None)
    assert runner.asked <= rounds.WARM_CALLS + 20 + rounds.PATIENCE + rounds.TRIES


def test_which_rounds_count_and_what_is_said_of_them():
    taken = [
        {key: sample(0.016, 0.006 if place == hit else 0.0) for place, key in enumerate("abc")}
        for hit in range(3)
    ]
    counted, calm = those_that_count(taken, 3)
    assert len(counted) == 3 and calm.busy and calm.taken_share == pytest.approx(0.375)
    # One quiet round too few is busy.
    taken = [{"a": sample(0.010)}] * 8 + [{"a": sample(0.010, 0.001)}] * 4
    _, calm = those_that_count(taken, 12)
    assert (
        (calm.quiet_rounds, calm.rounds) == (8, 12)
        and calm.taken_share == pytest.approx(0.1 / 3)
        and calm.busy
    )
    assert not those_that_count([{"a": sample(0.010)}, *taken], 12)[1].busy, "nine are enough"
    # Enough quiet rounds and only those count.
    taken = [{"a": sample(0.010)}, {"a": sample(0.020, 0.004)}] * 10
    counted, calm = those_that_count(taken, 20)
    assert not calm.busy and len(counted) == 10
    assert all(one["a"].clock == 0.010 for one in counted)
    # Rounds stay paired and in their order.
    random.seed(1)
    taken = [
        {"a": sample(0.010 + i / 1e4, 0.006), "b": sample(0.020 + i / 1e4, 0.006)} for i in range(9)
    ]
    counted, _ = those_that_count(taken, 9)
    assert counted == taken
    # A single round doubts all that was taken.
    _, calm = those_that_count([{"a": sample(0.010, 0.005)}], 1)
    assert calm.taken_share == calm.doubt == 0.5


def test_a_near_sample_lasts_for_its_share_of_the_longest_call():
    near, too, far = (
        SimpleNamespace(sync_client=None, sample=lambda *_, s=seconds: sample(s))
        for seconds in (0.0001, 0.010, 0.200)
    )
    calls, round_s = rounds.warm_up({"near": near, "far": far}, None, None)
    assert calls == {"near": 40, "far": 1} and round_s == pytest.approx(0.204)
    assert rounds.warm_up({"near": near, "too": too}, None, None)[0] == {"near": 20, "too": 1}
    calls, _ = rounds.warm_up({"near": near, "far": far}, lambda r: None, None)
    assert calls == {"near": 1, "far": 1}


def test_a_slow_first_call_does_not_lower_the_plan():
    runner = MadeUp(*[0.030, *[0.0] * 1_000])
    samples, _ = measure({"a": runner}, None, None, None)
    assert len(samples["a"]) == 25  # all that the scale allows: 0.4 s of 10 ms are more
