"""Fair timing: interleaved, warmed, set up outside the clock, the same work; budgets add up."""

import random
import re
import time

import pytest
from helpers import refusal

import lab_utils as lab
from lab_utils.scale import SCALES, scale
from lab_utils.timing.comparison import Budget, Comparison


def made(samples, ops=1):
    """Return a made-up Comparison of ways of `ops` operations each.

    `samples` is {(name of a way, RTT in ms): [seconds of each round]}.
    """
    return Comparison({name: None for name, _ in samples}, ops, samples)


def loop(r):
    for i in range(10):
        r.set(f"key{i}", f"value{i}")


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    loop(pipe)
    pipe.execute()


def test_every_round_runs_every_variant_in_an_order_of_its_own_after_its_setup(r):
    random.seed(3)
    ran = []
    variants = {name: lambda r, name=name: ran.append(name) for name in "abc"}
    times = lab.compare(variants, same=False, setup=lambda r: ran.append("setup"), rounds=20)
    assert ran[::2] == ["setup"] * (len(ran) // 2) and set(ran[1::2]) == set("abc")
    timed = ran[1::2][-60:]  # unless one was disturbed and taken again, each round is of three
    orders = {tuple(timed[start : start + 3]) for start in range(0, 60, 3)}
    assert len(orders) > 2
    assert all(len(times.rounds(name)) == 20 for name in "abc")


@pytest.mark.alone
def test_short_calls_are_repeated_within_a_round(r):
    calls = []
    times = lab.compare({"short": lambda r: calls.append(time.sleep(0.0001))}, rounds=3)
    assert len(calls) > 3 * 3 and len(times.rounds("short")) == 3
    assert 0.0001 <= times.seconds("short") < 0.02, "of one call"


def test_different_work_is_refused_before_anything_is_timed(r):
    calls = []
    variants = {
        "one": lambda r: calls.append("one") or r.set("key", 1),
        "other": lambda r: r.set("key", 2) and calls.append("other"),
    }
    text = refusal(lab.compare, variants, rounds=3)
    assert "one returned True" in text and "other returned None" in text
    assert calls == ["one", "other"]


@pytest.mark.alone
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
    assert times.seconds("asyncio", 50) >= 0.05
    assert times.seconds("asyncio", 0) < times.seconds("asyncio", 50)


def test_options_go_to_the_clients(r):
    r.set("key1", "value1")
    seen = set()
    ways = {"get": lambda r: seen.add(r.get("key1"))}
    lab.compare(ways, rtt_ms=(0, 1), rounds=3, decode_responses=True)
    assert seen == {"value1"}


@pytest.mark.alone
def test_further_distances_take_longer_and_nothing_less_than_its_round_trips(r):
    times = lab.compare({"loop": loop, "pipeline": pipeline}, ops=10, rtt_ms=(0, 1, 5), rounds=12)
    assert times.rtts == [0, 1, 5] and times.names == ["loop", "pipeline"]
    assert times.seconds("loop", 0) < times.seconds("loop", 1) < times.seconds("loop", 5)
    for rtt in (1, 5):
        assert min(times.rounds("loop", rtt)) >= 10 * rtt / 1000
        assert min(times.rounds("pipeline", rtt)) >= rtt / 1000
    assert times.per_op("loop", 5) == times.seconds("loop", 5) / 10
    found = times.speedup("pipeline", "loop", 5)
    assert found.differs and found.value > 3
    assert re.search("pipeline is .* faster than loop", times.verdict("pipeline", "loop", 5))


def test_a_distance_must_be_said_if_there_are_several():
    times = made({("loop", 0): [1.0], ("loop", 5): [2.0]})
    assert "rtt_ms=0" in refusal(times.seconds, "loop")
    assert times.seconds("loop", 5) == 2.0
    assert "loop at 0 ms, 5 ms" in refusal(times.seconds, "pipeline", 5)
    assert "0 ms, 5 ms" in refusal(times.seconds, "loop", 7)
    times = made({("loop", 5): [0.103, 0.001, 0.002]}, ops=2)
    assert (times.seconds("loop"), times.per_op("loop")) == (0.002, 0.001)


def test_the_table_and_a_budget_in_words():
    samples = {
        ("loop", 0): [0.0123],
        ("pipeline", 0): [0.00123],
        ("loop", 0.25): [0.1],
        ("pipeline", 0.25): [0.0025],
    }
    assert repr(made(samples, ops=10)).splitlines() == [
        "loop      RTT    0 ms   ~12.3 ms   ~1.23 ms an operation",
        "pipeline  RTT    0 ms   ~1.23 ms    ~123 µs an operation",
        "loop      RTT 0.25 ms    ~100 ms     ~10 ms an operation",
        "pipeline  RTT 0.25 ms    ~2.5 ms    ~250 µs an operation",
    ]
    assert repr(Budget(0.01, 0.008, 0.0015, 0.0005)) == (
        "total ~10 ms: network ~8 ms, client ~1.5 ms, server ~500 µs"
    )


@pytest.mark.alone
def test_computing_is_the_clients_or_the_servers_time_and_waiting_the_networks(r):
    def compute(r):
        deadline = time.process_time() + 0.05
        while time.process_time() < deadline:
            pass

    script = "for i = 1, 5000000 do local x = i * i end"  # longer than a client takes to wake up
    works = {
        "compute": compute,
        "script": lambda r: r.eval(script, 0),
        "wait": lambda r: r.blpop("nothing", timeout=0.05),
    }
    times = lab.compare(works, same=False, rounds=3)
    computing, scripted, waiting = map(times.budget, works)
    assert computing.client >= 0.045 and computing.server < 0.01
    assert scripted.server > 2 * scripted.client and waiting.network > 0.7 * waiting.total


def test_workshop_is_the_default_and_nonsense_is_refused(monkeypatch):
    monkeypatch.delenv("LAB_SCALE")
    assert scale() is SCALES["workshop"]
    monkeypatch.setenv("LAB_SCALE", "quick")
    assert "workshop" in refusal(scale)
