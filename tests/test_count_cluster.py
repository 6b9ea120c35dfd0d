"""Counting on a cluster: the turns of every node, and the nodes' own counters added up."""

import pytest

import lab_utils as lab

KEYS = {f"key{i}": i for i in range(30)}


@pytest.fixture(scope="module")
def three():
    made = lab.cluster()
    yield made
    made.stop()


def loop(r):
    for key, value in KEYS.items():
        r.set(key, value)


def pipeline(r):
    pipe = r.pipeline()
    for key, value in KEYS.items():
        pipe.set(key, value)
    pipe.execute()


def mset(r):
    r.mset({f"{{one}}{key}": value for key, value in KEYS.items()})


@pytest.mark.parametrize("rtt_ms", [0, 2])
def test_a_pipeline_makes_one_turn_for_each_node(three, rtt_ms):
    client = three.connect(rtt_ms)
    for fn, trips, commands in ((loop, 30, 30), (pipeline, 3, 30), (mset, 1, 1)):
        cost = lab.count(fn, client)
        assert (cost.round_trips, cost.commands, cost.connections) == (trips, commands, 0)
        assert cost.server_reads == trips


def test_a_coroutine_is_refused_in_words(three):
    async def later(r):
        await r.get("key0")

    with pytest.raises(lab.LabError, match="plain `def`"):
        lab.count(later, three.connect())
