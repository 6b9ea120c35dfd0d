"""Fair timing: interleaved, warmed, set up outside the clock, the same work; budgets add up."""

import gc
import random
import re
import time
from types import SimpleNamespace

import pytest
from helpers import refusal

import lab_utils as lab
from lab_utils.scale import SCALES, scale
from lab_utils.testbed.evidence import Spent, Watch
from lab_utils.timing.comparison import Budget, Comparison, budget_of
from lab_utils.timing.rounds import SHORTEST_SAMPLE_S, Sample, progress


def made(samples, ops=1):
    """A Comparison of given times, as if measured."""
    return Comparison({name: None for name, _ in samples}, ops, samples)


def loop(r):
    for i in range(10):
        r.set(f"key{i}", f"value{i}")


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    loop(pipe)
    pipe.execute()


@pytest.fixture
def undisturbed(monkeypatch):
    """Nothing says that anything was disturbed, so no sample is taken twice."""
    monkeypatch.setattr(Watch, "spent", lambda *_: Spent(0.0, 0.0, 0.0))


def test_every_round_runs_every_variant_in_an_order_of_its_own(r, undisturbed):
    random.seed(3)
    ran = []
    lab.compare(
        {name: lambda r, name=name: ran.append(name) for name in "abc"},
        same=False,
        setup=lambda r: None,
        rounds=20,
    )  # after a setup each is called once
    timed = ran[-60:]
    orders = [tuple(timed[start : start + 3]) for start in range(0, 60, 3)]
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
    assert len(set(orders)) > 2


@pytest.fixture
def now(monkeypatch, undisturbed):
    """The clock of a comparison: a list, as many tenths of a millisecond as it is long."""
    made = []
    monkeypatch.setattr(
        "lab_utils.timing.rounds.time",
        SimpleNamespace(perf_counter=lambda: len(made) / 10_000, sleep=lambda _: None),
    )
    return made


def test_short_calls_are_repeated_within_a_round(r, now):
    times = lab.compare({"short": lambda r: now.append(1)}, rounds=3)
    assert len(now) >= 3 * SHORTEST_SAMPLE_S * 10_000
    assert len(times.rounds("short")) == 3
    assert times.seconds("short") == pytest.approx(0.0001), "of one call"


def test_setup_runs_before_each_call_and_outside_the_clock(r, now):
    variants = {"a": lambda r: now.append("a"), "b": lambda r: now.append("b")}
    times = lab.compare(variants, setup=lambda r: now.append("setup"), same=False, rounds=4)
    assert now[::2] == ["setup"] * (len(now) // 2) and "setup" not in now[1::2]
    assert times.seconds("a") == pytest.approx(0.0001)


def test_different_work_is_refused_before_anything_is_timed(r):
    calls = []
    variants = {
        "one": lambda r: calls.append("one") or r.set("key", 1),
        "other": lambda r: r.set("key", 2) and calls.append("other"),
    }
    text = refusal(lab.compare, variants, rounds=3)
    assert "one returned True" in text and "other returned None" in text
    assert calls == ["one", "other"]


def test_an_async_variant_gets_the_asyncio_client_its_setup_a_plain_one_and_is_timed(r):
    found = set()

    async def taken(r):
        members = await r.spop("set", 3)
        found.add((type(r).__module__, len(members)))
        return members

    times = lab.compare(
        {"asyncio": taken, "plain": lambda r: r.spop("set", 3)},
        setup=lambda r: r.sadd("set", "a", "b", "c"),
        rtt_ms=(0, 50),
        rounds=3,
    )
    assert found == {("redis.asyncio.client", 3)}  # what each call's setup had put there
    assert times.seconds("asyncio", 50) >= 0.045
    assert times.seconds("asyncio", 0) < times.seconds("asyncio", 50)


def test_options_go_to_the_clients(r):
    r.set("key1", "value1")
    seen = set()
    lab.compare(
        {"get": lambda r: seen.add(r.get("key1"))}, rtt_ms=(0, 1), rounds=3, decode_responses=True
    )
    assert seen == {"value1"}


def test_further_distances_take_longer(r):
    times = lab.compare({"loop": loop, "pipeline": pipeline}, ops=10, rtt_ms=(0, 1, 5), rounds=12)
    assert times.rtts == [0, 1, 5] and times.names == ["loop", "pipeline"]
    assert times.seconds("loop", 0) < times.seconds("loop", 1) < times.seconds("loop", 5)
    assert times.seconds("loop", 5) >= 0.9 * 10 * 0.005
    assert times.per_op("loop", 5) == times.seconds("loop", 5) / 10
    found = times.speedup("pipeline", "loop", 5)
    assert found.differs and found.value > 3
    assert re.search("pipeline is .* faster than loop", times.verdict("pipeline", "loop", 5))


def test_garbage_collection_is_off_while_timing_and_as_before_afterwards(r):
    states = []
    gc.enable()
    lab.compare({"one": lambda r: states.append(gc.isenabled())}, setup=lambda r: None, rounds=3)
    assert states[-3:] == [False] * 3 and gc.isenabled()
    gc.disable()
    try:
        lab.compare({"one": loop}, rounds=3)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_distance_must_be_said_if_there_are_several():
    times = made({("loop", 0): [1.0], ("loop", 5): [2.0]})
    assert "rtt_ms=0" in refusal(times.seconds, "loop")
    assert "distance" in refusal(lab.compare, {"loop": loop}, rtt_ms=())
    assert times.seconds("loop", 5) == 2.0
    assert "loop at 0 ms, 5 ms" in refusal(times.seconds, "pipeline", 5)
    assert "0 ms, 5 ms" in refusal(times.seconds, "loop", 7)
    times = made({("loop", 5): [0.103, 0.001, 0.002]}, ops=2)
    assert (times.seconds("loop"), times.per_op("loop")) == (0.002, 0.001)


def test_the_table_and_a_budget_in_words():
    times = made(
        {
            ("loop", 0): [0.0123],
            ("pipeline", 0): [0.00123],
            ("loop", 0.25): [0.1],
            ("pipeline", 0.25): [0.0025],
        },
        ops=10,
    )
    assert repr(times).splitlines() == [
        "loop      RTT    0 ms   ~12.3 ms   ~1.23 ms an operation",
        "pipeline  RTT    0 ms   ~1.23 ms    ~123 µs an operation",
        "loop      RTT 0.25 ms    ~100 ms     ~10 ms an operation",
        "pipeline  RTT 0.25 ms    ~2.5 ms    ~250 µs an operation",
    ]
    assert repr(Budget(0.01, 0.008, 0.0015, 0.0005)) == (
        "total ~10 ms: network ~8 ms, client ~1.5 ms, server ~500 µs"
    )


def test_looking_at_what_a_call_returned_is_nobodys_time(r, monkeypatch):
    def looks_long(reply, helper):
        ends = time.thread_time() + 0.05
        while time.thread_time() < ends:
            pass

    monkeypatch.setattr("lab_utils.timing.rounds.check_ran", looks_long)
    budget = lab.compare({"it": loop}, rounds=3).budget("it")
    assert budget.client < 0.025 and budget.total < 0.025


def test_the_three_parts_of_one_round_add_up_exactly():
    budget = budget_of([Sample(clock=0.010, taken=0.0, client=0.003, server=0.001)])
    assert (budget.total, budget.client, budget.server) == (0.010, 0.003, 0.001)
    assert budget.network == pytest.approx(0.006)


def test_computing_is_the_clients_or_the_servers_time_and_waiting_the_networks(r):
    def compute(r):
        deadline = time.process_time() + 0.05
        while time.process_time() < deadline:
            pass

    script = "for i = 1, 500000 do local x = i * i end"
    works = {
        "compute": compute,
        "script": lambda r: r.eval(script, 0),
        "wait": lambda r: r.blpop("nothing", timeout=0.05),
    }
    times = lab.compare(works, same=False, rounds=3)
    computing, scripted, waiting = map(times.budget, works)
    assert computing.client >= 0.045 and computing.server < 0.01
    assert scripted.server > 2 * scripted.client and waiting.network > 0.7 * waiting.total


@pytest.mark.parametrize(
    "name, round_s, rounds",
    [
        ("ci", 0.02, 20),
        ("ci", 10, 3),
        ("ci", 0.001, 25),
        ("workshop", 0.1, 20),
        ("workshop", 10, 8),
        ("workshop", 0.001, 101),
    ],
)
def test_the_scale_sets_the_rounds(r, monkeypatch, undisturbed, name, round_s, rounds):
    monkeypatch.setenv("LAB_SCALE", name)
    monkeypatch.setattr(
        "lab_utils.timing.rounds.warm_up", lambda runners, *_: (dict.fromkeys(runners, 1), round_s)
    )
    assert len(lab.compare({"pause": lambda r: time.sleep(0.002)}).rounds("pause")) == rounds


def test_workshop_is_the_default_and_nonsense_is_refused(monkeypatch):
    monkeypatch.delenv("LAB_SCALE")
    assert scale() is SCALES["workshop"]
    monkeypatch.setenv("LAB_SCALE", "quick")
    assert "workshop" in refusal(scale)


def test_a_progress_bar_only_where_one_waits(monkeypatch):
    rounds = range(3)
    for name, expected_s, bar in (
        ("ci", 60, False),
        ("workshop", 1, False),
        ("workshop", 3, True),
        ("full", 3, True),
    ):
        monkeypatch.delenv("TQDM_DISABLE", raising=False)
        shown = progress(rounds, expected_s, SCALES[name])
        assert (shown is not rounds) == bar and list(shown) == [0, 1, 2]
        monkeypatch.setenv("TQDM_DISABLE", "1")
        assert progress(rounds, expected_s, SCALES[name]) is rounds
