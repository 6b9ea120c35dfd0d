"""Lanes: what was really sent, as boxes on one axis of time; counted, marked apart, readable."""

import asyncio
import itertools
import statistics
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from flown import made
from legible import check_legible, words_of
from redis.retry import Retry
from roundtrips.roundtrip import ELSEWHERE, LOST

import lab_utils as lab
from lab_utils.counting.watching import one_run, timed, watch
from lab_utils.figures import lanes
from lab_utils.figures.canvas import STYLE, plt
from lab_utils.runs import HANDSHAKE, REDIRECTED, REQUEST, UNANSWERED, kind_of


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


def sent_again(run, kind):
    """Whether a command of a round trip of this kind, without a usable answer, went out again."""
    return any(
        kind_of(later) == REQUEST
        and later.sent >= trip.replied
        and trip.names.keys() & later.names.keys()
        for trip in run.trips
        if kind_of(trip) == kind
        for later in run.trips
    )


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


def test_a_request_lasts_as_long_as_the_distance(r):
    seen = watch({"loop": loop}, lab.connect(rtt_ms=5))["loop"]
    # one may leave late from a busy CPU
    assert statistics.median(trip.seconds for trip in seen.trips) > 0.004
    assert 0.5 < seen.waiting / seen.seconds <= 1


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
    assert kinds(run)[UNANSWERED] and kinds(run)[HANDSHAKE] and sent_again(run, UNANSWERED)
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
        slots = client.nodes_manager.slots_cache
        for slot in slots:
            slots[slot] = [slots[0][0]]  # it has not heard of the second node, which has key1
        astray = one_run(lambda: timed(lambda c: c.get("key1"), client), client)
        assert kinds(astray) == {REDIRECTED: 1, REQUEST: 1} and sent_again(astray, REDIRECTED)
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


def drawn(name):
    with plt.style.context(STYLE):
        return lanes.draw_lanes(FIGURES[name])


def texts(name):
    return [text.get_text() for text in words_of(drawn(name))]


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_be_read_and_says_the_same_in_one_measured_line(lab_server, capsys, name):
    check_legible(drawn(name))
    told = capsys.readouterr().out
    assert told.startswith("measured: ") and told.count("\n") == 1


def test_the_title_is_the_finding_and_only_what_was_drawn_is_explained(r):
    title = lanes.lanes_title({"one by one": made(50), "pipeline": made(1)})
    assert title.startswith("1 ms away: 55.1 ms one by one, 1.2 ms in a pipeline")
    both = {"one by one": made(50), "50 threads": made(1, 50)}
    assert lanes.lanes_title(both).startswith(
        "50 GETs, 1 ms away: "
    ) and "in 50 threads" in lanes.lanes_title(both)
    assert lanes.lanes_title({"my way": made(50), "pipeline": made(50)}).endswith(
        "my way in 55.1 ms, pipeline in 55.1 ms"
    )
    assert lanes.WORKING in texts("one") and lanes.BINNED not in texts("one")
    assert lanes.BINNED in texts("a thousand")
    explained = {"no answer", "opening a connection", "sent to another node"}
    assert explained <= set(texts("everything that can happen"))


def test_the_size_does_not_depend_on_how_many_threads_got_a_connection(r):
    sizes = {
        tuple(lanes.draw_lanes({"threads": made(3, number)}).get_size_inches())
        for number in (5, 9, 16, 40)
    }
    assert len(sizes) == 1  # the committed output names it


def test_the_share_of_waiting_is_the_time_covered():
    assert lanes.waiting_share(
        [(0.0, 0.5), (0.5, 1.0), (1.5, 4.0)], [0, 1, 2, 3, 4]
    ) == pytest.approx([1, 0.5, 1, 1])
    run = made(10)
    idle = sum(end - start for start, end in lanes.idle(run))
    assert idle == pytest.approx(run.seconds - run.waiting)
