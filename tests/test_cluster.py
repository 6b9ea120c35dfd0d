"""The private cluster: three real nodes, at any distance, gone when told."""

import os
import time

import pytest
import redis
from redis.cluster import RedisCluster

from lab_utils.cluster import SLOTS, cluster


@pytest.fixture(scope="module")
def three():
    made = cluster()
    yield made
    made.stop()


def test_every_slot_is_served_by_one_of_three_masters(three):
    owners = three.connect().nodes_manager.slots_cache
    assert len(owners) == SLOTS
    assert len({nodes[0].port for nodes in owners.values()}) == 3


def test_the_cluster_client_finds_every_key(three):
    client = three.connect()
    for i in range(30):
        client.set(f"key{i}", i)
    assert [client.get(f"key{i}") for i in range(30)] == [b"%d" % i for i in range(30)]


def test_a_plain_client_is_sent_elsewhere(three):
    missing = 0
    for number in range(3):
        try:
            three.node(number).get("key1")
        except redis.exceptions.MovedError:
            missing += 1
    assert missing == 2


def test_distance_reaches_every_node(three):
    far = three.connect(rtt_ms=20)
    assert isinstance(far, RedisCluster)
    keys = ["key0", "key1", "key2", "key3"]
    for key in keys:
        far.get(key)  # opens a connection to each node
    started = time.perf_counter()
    for key in keys:
        far.get(key)
    assert time.perf_counter() - started > 0.9 * len(keys) * 0.020


def test_a_killed_node_takes_its_slots_with_it():
    made = cluster()
    folders = [node.connect().config_get("dir")["dir"] for node in made.nodes]
    made.kill(2)
    with pytest.raises(redis.ConnectionError):
        made.node(2, retry=None).ping()
    assert made.node(0).ping()
    made.stop()
    assert not any(os.path.exists(folder) for folder in folders)
