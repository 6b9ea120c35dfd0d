"""Turns of threads played at another distance, from made-up records with exact clocks."""

import dataclasses
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from lab_utils.tracing import overhead, replay
from lab_utils.tracing.gil import is_of_threads
from lab_utils.tracing.replay import seconds_at
from lab_utils.tracing.traces import Opener, Record, Trace, trace
from lab_utils.tracing.turns import Turn


@pytest.fixture
def nothing_besides(monkeypatch):
    monkeypatch.setattr(replay, "unmeasured_of_threads", lambda: overhead.NOTHING)
    monkeypatch.setattr(replay, "SLEEPING_S", 0.0)


def get(sent, replied, line, cpu_sent, cpu_replied):
    return Turn(sent, replied, line=line, connection=line, names={"GET": 1}, cpu_sent=cpu_sent, cpu_replied=cpu_replied)


def of_threads(turns, seconds, names=("a", "b"), cpu_over=0.0, own=0.0):
    """A Record of turns that threads made which the main one started, one straight after the other."""
    return Record(turns=turns, starters=[None] + [0] * len(names), lines=["main", *names], loops=[None] * (len(names) + 1),
                  cpu_started=[None] + [0.0] * len(names), joined=[[]] * (len(names) + 1),
                  opener=Opener(0, 0.0, cpu_over, own), seconds=seconds, waits=1)


def busy(threads, each, work):
    """So many threads of `each` GETs, in turn: half of `work` until one is sent, the rest until it is read."""
    turns = []
    for number in range(threads * each):
        line, at, used = 1 + number % threads, number * work, number // threads * work
        turns.append(get(at + work / 2, at + work, line, used + work / 2, used + work))
    return of_threads(turns, threads * each * work, [f"thread {number}" for number in range(threads)])


def test_what_threads_do_while_replies_travel_is_done_once(nothing_besides):
    """Four threads of ten GETs of 100 µs each: near, the work counts; far away, the distance, and each thread's own work."""
    record = busy(4, 10, 0.0001)
    assert is_of_threads(record)
    assert seconds_at(record, 0.1, here_ms=1e-9) == pytest.approx(0.004, abs=1e-4)
    assert seconds_at(record, 10, here_ms=1e-9) == pytest.approx(10 * 0.0101, abs=4e-4)
    noted = dataclasses.replace(record, turns=[dataclasses.replace(each, own=5e-5) for each in record.turns])
    assert seconds_at(noted, 0.1, here_ms=1e-9) == pytest.approx(0.002, abs=4e-4)  # the trace's own work is in each one's CPU


def test_going_to_sleep_costs_those_that_have_work(monkeypatch, nothing_besides):
    record, long = busy(4, 10, 0.0001), busy(1, 10, 0.0001)
    near, alone = seconds_at(record, 0.1, here_ms=0), seconds_at(long, 0.1, here_ms=0)
    monkeypatch.setattr(replay, "SLEEPING_S", 2e-5)
    assert seconds_at(record, 0.1, here_ms=0) == pytest.approx(near + 40 * 2e-5, rel=0.05)
    assert seconds_at(long, 0.1, here_ms=0) == pytest.approx(alone)  # done while the reply travels


def test_what_a_thread_waited_for_others_is_not_its_own(nothing_besides):
    """Its reply could be read only after 5 ms of another one's work: at a distance that is done meanwhile."""
    turns = [get(0.0001, 0.0052, 1, 0.0001, 0.00011), get(0.0051, 0.00515, 2, 0.005, 0.00501)]
    assert seconds_at(of_threads(turns, 0.0052), 10, here_ms=1e-9) == pytest.approx(0.0051 + 0.010, abs=1e-4)


def test_a_thread_that_slept_sleeps_again(nothing_besides):
    turns = [get(0.001, 0.0011, 1, 0.001, 0.00105), get(0.0061, 0.0062, 1, 0.00115, 0.0012)]
    assert seconds_at(of_threads(turns, 0.0062), 10, here_ms=1e-9) == pytest.approx(0.0062 + 2 * 0.010, abs=2e-4)
    other = [get(0.0012 + 0.001 * number, 0.002 + 0.001 * number, 2, 0.0001 * number, 0.0001 * number) for number in range(5)]
    both = sorted([*turns, *other], key=lambda each: each.sent)  # another one's replies travelled then: it need not have slept
    assert seconds_at(of_threads(both, 0.0062), 0.1, here_ms=1e-9) < 0.0062


def test_workers_of_a_pool_share_what_one_of_them_did(nothing_besides):
    turns = [get(0.001 * number, 0.001 * number + 0.0005, 1, 0.001 * number, 0.001 * number + 0.0005) for number in range(1, 11)]
    turns.append(get(0.0121, 0.0126, 2, 0.0001, 0.0006))
    record = of_threads(turns, 0.0126, ["Pool_0", "Pool_1"])
    assert 0.06 < seconds_at(record, 10, here_ms=1e-9) < 0.075


@pytest.mark.parametrize("joined, waits", [([], 1), ([1], 2)])
def test_a_thread_waits_for_what_was_joined_before_it_and_for_no_connection(nothing_besides, joined, waits):
    turns = [dataclasses.replace(turn, connection=0) for turn in
             (get(0.001, 0.002, 1, 0.0001, 0.0002), get(0.003, 0.004, 2, 0.0001, 0.0002))]
    record = dataclasses.replace(of_threads(turns, 0.004), joined=[[], [], joined])
    assert 0.01 * waits < seconds_at(record, 10, here_ms=1e-9) < 0.01 * waits + 0.006


def test_what_a_worker_did_before_the_block_is_no_work_of_it(r):
    def busy():
        started = time.thread_time()
        while time.thread_time() - started < 0.3:
            pass
        r.ping()

    with ThreadPoolExecutor(1) as pool, trace():
        pool.submit(busy).result()
        with trace() as t:
            for _ in range(5):
                pool.submit(r.ping).result()
    assert t.round_trips == 5
    assert t.seconds_at(1) < 0.3 + t.seconds


def test_what_was_joined_is_known(r):
    def one(number):
        r.get(f"user:{number}")

    with trace() as t:
        for number in range(3):
            thread = threading.Thread(target=one, args=(number,))
            thread.start()
            thread.join()
        for _ in range(2):
            with ThreadPoolExecutor(2, "pool") as pool:
                list(pool.map(one, range(4)))
    lines = {number: name for number, name in enumerate(t.record.lines) if name != "MainThread"}
    first, second, third, *workers = lines
    assert t.record.joined[first] == [] and t.record.joined[second] == [first] and t.record.joined[third] == [second]
    # Of each pool's threads the one that was started first, which need not be the one that was heard of first.
    [once, again] = [number for number in workers if t.record.joined[number]]
    assert t.record.joined[once] == [third] and lines[once] == "pool_0"
    assert set(t.record.joined[again]) <= set(workers) and lines[again] == "pool_0"
    assert t.seconds_at(10, here_ms=0) > 0.03 + 2 * 0.02
    assert threading.Thread.join.__module__ == "threading" and not hasattr(threading.Thread.join, "__wrapped__")


def test_what_the_opener_does_beside_its_threads_is_done_once(nothing_besides):
    """It hands out work for 4 ms while replies travel; where the trace took 1 ms of that, 3 ms."""
    record = of_threads([get(0.0041, 0.0042, 1, 0.0001, 0.0002)], 0.0042, ["a"], cpu_over=0.004)
    assert seconds_at(record, 1, here_ms=1e-9) == pytest.approx(0.0042, abs=2e-4)
    assert seconds_at(record, 10, here_ms=1e-9) == pytest.approx(0.0102, abs=2e-4)
    noted = dataclasses.replace(record, opener=Opener(0, 0.0, 0.004, 0.001))
    assert seconds_at(noted, 1, here_ms=1e-9) == pytest.approx(0.0032, abs=2e-4)


def test_turns_that_read_for_long_are_no_distance(nothing_besides):
    """Half a millisecond from the write to the reply, all of it the thread's own work."""
    turns = [get(0.001 * number, 0.001 * number + 0.0005, 1, 0.001 * number, 0.001 * number + 0.00045) for number in range(1, 9)]
    record = of_threads(turns, 0.0086, ["a"])
    assert seconds_at(record, 10) == pytest.approx(seconds_at(record, 10, here_ms=0))


def test_threads_note_their_own_cpu_once_there_are_several(r):
    """What the main thread did before has none; what it does after them follows on them."""
    with trace() as t:
        r.get("user:1")
        threads = [threading.Thread(target=r.get, args=(f"user:{number}",)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        r.get("user:2")
    first, *others = t.turns
    assert first.cpu_sent is None and first.own == 0
    assert all(turn.own > 0 and turn.cpu_replied >= turn.cpu_sent for turn in others)
    assert is_of_threads(t.record)
    again = Trace.from_dict(json.loads(json.dumps(t.to_dict())))
    assert (again.record.opener, again.record.cpu_started) == (t.record.opener, t.record.cpu_started)
    assert 0.025 < t.seconds_at(10, here_ms=0) == again.seconds_at(10, here_ms=0)
    with trace() as t:
        r.get("user:1")
    assert t.turns[0].cpu_sent is None and not is_of_threads(t.record)


def test_what_a_trace_costs_threads_is_measured(r):
    assert 0 <= overhead.unmeasured_of_threads().turn < 0.001
    with trace():
        assert overhead.unmeasured_of_threads() == overhead.NOTHING
