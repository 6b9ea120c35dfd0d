"""A real cluster of three masters, at any distance, that leaves nothing behind."""

import pytest
import redis
from helpers import GONE_S, running, wait_until
from redis.backoff import NoBackoff
from redis.retry import Retry

import lab_utils as lab


@pytest.fixture(scope="module")
def nodes():
    made = lab.cluster()
    yield made
    made.stop()


def test_every_node_is_as_far_as_asked(nodes):
    client = nodes.connect(rtt_ms=5)
    client.set("key1", "value1")
    ports = {node.port for node in client.get_primaries()}
    assert len(ports) == 3 and not ports & {node.address[1] for node in nodes.nodes}
    assert lab.count(lambda r: r.get("key1"), nodes.node(1)).round_trips == 1
    cost = lab.count(lambda r: r.mset_nonatomic({f"key{i}": i for i in range(30)}), client)
    assert (cost.round_trips, cost.server_reads) == (3, 3), "a turn for each node, by its counters"
    client.close()


def test_a_lost_node_takes_its_slots_with_it(nodes):
    # This is the last test here, since it leaves the cluster broken.
    client = nodes.connect(retry=Retry(NoBackoff(), 0))
    place = next(
        number
        for number, node in enumerate(nodes.nodes)
        if node.address[1] == client.get_node_from_key("key1").port
    )
    nodes.kill(place)
    assert wait_until(lambda: not running(nodes.nodes[place].pid), GONE_S)
    with pytest.raises((redis.ConnectionError, redis.exceptions.ClusterError, redis.TimeoutError)):
        client.get("key1")
    client.close()
    nodes.stop()
    assert not any(running(node.pid) for node in nodes.nodes)
