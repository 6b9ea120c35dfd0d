"""Lanes: what was really sent, as boxes on one axis of time; counted, marked apart, readable."""

import asyncio
import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from flown import made
from legible import broken_rules
from redis.retry import Retry
from roundtrips.roundtrip import ELSEWHERE, LOST

import lab_utils as lab
from lab_utils.counting.watching import one_run, timed, watch
from lab_utils.figures import lanes
from lab_utils.runs import HANDSHAKE, REQUEST, UNANSWERED, kind_of


def loop(r):
    for i in range(20):
        r.get(f"key{i}")


def pipeline(r, **options):
    pipe = r.pipeline(**options)
    loop(pipe)
    pipe.execute()


def threads(r):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: r.get(f"key{i}"), range(20)))


async def tasks(r):
    await asyncio.gather(*(r.get(f"key{i}") for i in range(20)))


WAYS = {
    "one by one": loop,
    "pipeline": lambda r: pipeline(r, transaction=False),
    "4 threads": threads,
    "asyncio": tasks,
}


def kinds(run):
    return Counter(map(kind_of, run.trips))


def test_every_way_is_seen_as_it_was_sent(r):
    seen = watch(WAYS, lab.connect(rtt_ms=1))
    turns = {name: len(run.requests) for name, run in seen.items()}
    assert turns == {"one by one": 20, "pipeline": 1, "4 threads": 20, "asyncio": 20}
    for run in seen.values():  # their connections were open
        assert (run.commands, kinds(run).keys(), run.rtt_ms) == ({"GET": 20}, {REQUEST}, 1)
    # Requests of one connection follow one another, and those of several overlap.
    alone = seen["one by one"].trips
    assert all(before.replied <= after.sent for before, after in itertools.pairwise(alone))
    assert all(0 <= trip.sent < trip.replied <= seen["one by one"].seconds for trip in alone)
    for name in ("4 threads", "asyncio"):
        assert len(seen[name].connections) > 1
        trips = seen[name].trips
        assert any(before.replied > after.sent for before, after in itertools.pairwise(trips))
        for number in seen[name].connections:
            own = [trip for trip in trips if trip.connection == number]
            assert all(before.replied <= after.sent for before, after in itertools.pairwise(own))


def test_a_race_runs_what_it_is_given(r, capsys):
    ways = {"loop": loop, "MGET": lambda r: r.mget("a", "b", "c")}
    found = lab.race(ways, r)
    assert [way["run"]["trips"] for way in found.constants["ways"].values()] == [20, 1]
    assert capsys.readouterr().out.startswith("measured: loop: 20 round trips on 1 connection, ")
    assert repr(found) == "<race, to drag>", "nothing measured"


def test_opening_a_connection_is_no_request(r):
    def reconnect(r):
        r.connection_pool.disconnect()
        r.get("key1")

    seen = watch({"new": reconnect}, r)["new"]
    counted = lab.count(reconnect, r)
    assert kinds(seen) == {REQUEST: counted.round_trips, HANDSHAKE: counted.handshake_trips}


def test_what_is_sent_again_is_marked(r):
    pause = lab.frozen(r, 60)
    waking = SimpleNamespace(reset=lambda: None, compute=lambda _: pause.wake() or 0)
    impatient = lab.connect(socket_timeout=0.2, retry=Retry(waking, 20))

    def during_a_pause(client):
        with pause:
            client.get("key1")

    run = one_run(lambda: timed(during_a_pause, impatient), r)
    assert kinds(run)[UNANSWERED] and kinds(run)[HANDSHAKE]
    assert run.commands == {"GET": 1}
    assert min(each.seconds for each in run.trips if kind_of(each) == UNANSWERED) > 0.19


def test_a_cluster_s_lanes_stand_by_node():
    nodes = lab.cluster()
    try:
        client = nodes.connect()
        seen = watch({"loop": loop, "pipeline": pipeline}, client)
        run = seen["loop"]
        assert sorted(run.nodes[number] for number in run.connections) == [0, 1, 2]
        assert len(seen["pipeline"].requests) == 3
    finally:
        nodes.stop()


LONG = (
    "a way of doing it that has a long name since it says what it does with each of its many "
    "connections"
)
FIGURES = {
    "one": {"loop": made()},
    "three": {"one by one": made(50), "16 threads": made(3, 16), "pipeline": made(1)},
    "a thousand": {"loop": made(1_000), "pipeline": made(1)},
    "a hundred connections": {"100 threads": made(10, 100), "pipeline": made(1)},
    "eight ways": {f"way {number}": made(10, number) for number in range(1, 9)},
    "long names": {LONG: made(5), "pipeline": made(1)},
    "a cluster": {
        "loop": made(10, 3, nodes={0: 0, 1: 1, 2: 2}),
        "8 threads": made(5, 12, nodes={number: number % 3 for number in range(12)}),
    },
    "everything that can happen": {
        "retries": made(8, outcome=LOST),
        "new connections": made(8, setup=True),
        "redirected": made(8, outcome=ELSEWHERE),
    },
    "microseconds": {
        "loop": made(20, turn_s=1e-5, gap_s=1e-6, rtt_ms=0),
        "pipeline": made(1, turn_s=1e-5, rtt_ms=None),
    },
    "seconds": {
        "loop": made(50, turn_s=0.25, rtt_ms=250),
        "pipeline": made(1, turn_s=0.25, rtt_ms=250),
    },
}


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_be_read_and_says_the_same_in_one_measured_line(lab_server, capsys, name):
    assert broken_rules(lanes.draw_lanes(FIGURES[name])) == []
    told = capsys.readouterr().out
    assert told.startswith("measured: ") and told.count("\n") == 1
