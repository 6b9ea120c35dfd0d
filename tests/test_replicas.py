"""A primary and its replica: it follows, can be cut off and promoted, and leaves nothing."""

import time

import pytest
import redis
from helpers import refusal

import lab_utils as lab
from lab_utils.testbed import guard, keeper, replicas
from lab_utils.testbed.link import distance_through


@pytest.fixture
def nothing_stays():
    """Of the processes that the test starts: when it calls this, and at its end."""
    before = set(keeper._kept)

    def check():
        assert not [kept for kept in keeper._kept - before if kept.alive()]

    yield check
    check()


@pytest.fixture
def two():
    with lab.replica(decode_responses=True) as made:
        yield made


def test_it_starts_with_all_that_the_primary_held():
    primary = lab.spare()
    primary.set("key", "value")
    with lab.replica(primary) as one:
        assert one.primary is primary
        assert one.replica.get("key") == b"value"
    assert primary.ping(), "only what was started for the pair is stopped"
    primary.shutdown(nosave=True)


def test_after_a_cut_the_replica_has_what_was_acknowledged_before_and_nothing_since(two):
    for number in range(200):
        two.primary.set("key", number)
    two.cut()
    assert two.primary.set("key", "since") is True
    assert two.replica.get("key") == "199"
    assert two.primary.wait(1, 50) == 0
    two.cut()  # a second time changes nothing
    assert two.replica.get("key") == "199"
    two.heal()
    assert two.replica.get("key") == "since"


def test_a_dead_primary_is_neither_cut_off_nor_healed(two):
    two.kill_primary()
    for drill in (two.cut, two.heal):
        assert "has ended" in refusal(drill)
    two.kill_primary()


def test_it_is_killed_beside_a_replica_that_stands_still(two):
    with lab.frozen(two.replica, 10):
        two.kill_primary()
    two.kill_primary()


def test_at_a_distance_a_confirmed_write_takes_a_round_trip_of_the_replicas():
    with lab.replica(rtt_ms=100, decode_responses=True) as far:
        began = time.perf_counter()
        far.primary.set("key", "value")
        assert far.primary.wait(1, 5_000) == 1 and time.perf_counter() - began >= 0.09
        assert lab.count(lambda r: r.set("key", "value"), far.primary).round_trips == 1
        assert distance_through(far.primary) is None


def test_a_second_replica_of_one_primary(two):
    with lab.replica(two.primary) as second:
        two.primary.set("key", "value")
        assert two.primary.wait(2, 5_000) == 2
        second.cut()
        two.primary.set("key", "since")
        assert (two.primary.wait(1, 5_000), two.primary.wait(2, 100)) == (1, 1)
        assert "others use" in refusal(second.kill_primary)


def test_stopped_nothing_is_left(nothing_stays):
    two = lab.replica()
    two.stop()
    nothing_stays()
    two.stop()


@pytest.mark.parametrize(
    "moment, calls", [("start", 1), ("start", 2), ("follow", 1), ("follows", 1), ("Pair", 1)]
)
def test_interrupted_it_leaves_no_server(monkeypatch, nothing_stays, moment, calls):
    original, called = getattr(replicas, moment), []

    def interrupting(*args, **kwargs):
        called.append(original(*args, **kwargs))
        if len(called) == calls:
            raise KeyboardInterrupt
        return called[-1]

    monkeypatch.setattr(replicas, moment, interrupting)
    with pytest.raises(KeyboardInterrupt):
        lab.replica()
    assert len(called) == calls


# Refused


def test_a_primary_that_has_ended():
    ended = lab.spare(retry=None)
    process = guard.check(ended).kept.process
    ended.shutdown(nosave=True)
    process.wait(30)
    assert "has ended" in refusal(lab.replica, ended)


def test_a_replica_led_elsewhere_or_that_cannot_catch_up(monkeypatch, nothing_stays):
    assert "another server" in refusal(lab.replica, host="example.org")
    monkeypatch.setattr(replicas, "FOLLOWING_TIMEOUT_S", 0.2)
    monkeypatch.setattr(replicas, "follow", lambda server, whom: None)
    assert "did not catch up" in refusal(lab.replica)


def test_no_server_of_somebody_elses_is_copied(monkeypatch, another_server):
    theirs = another_server()
    monkeypatch.setattr(guard, "_private", {})
    assert "lab.spare()" in refusal(lab.replica, theirs.connect())


def test_a_new_replica_is_sent_what_is_written_at_once_and_is_not_emptied(two):
    two.primary.set("key", "value")
    assert two.primary.wait(1, 5_000) == 1
    with pytest.raises(redis.ReadOnlyError):
        lab.empty(two.replica)
    assert two.replica.dbsize() == 1
    lab.empty(two.primary)
    assert two.primary.dbsize() == 0
    # Redis 7.0 calls it online up to a second before.
    with lab.replica() as two:
        sent, got = two.primary.info("replication"), two.replica.info("replication")
        assert 0 < sent["master_repl_offset"] <= got["slave_repl_offset"]
