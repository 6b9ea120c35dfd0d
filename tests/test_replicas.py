"""A primary and its replica: it follows, can be cut off and promoted, and leaves nothing."""

import time

import lab_utils as lab
from lab_utils.testbed.link import distance_through


def test_it_starts_with_all_that_the_primary_held():
    primary = lab.spare()
    primary.set("key", "value")
    with lab.replica(primary) as one:
        assert one.primary is primary
        assert one.replica.get("key") == b"value"
    assert primary.ping(), "only what was started for the pair is stopped"
    primary.shutdown(nosave=True)


def test_after_a_cut_the_replica_has_what_was_acknowledged_before_and_nothing_since():
    with lab.replica(decode_responses=True) as two:
        for number in range(200):
            two.primary.set("key", number)
        two.cut()
        assert two.primary.set("key", "since") is True
        assert two.replica.get("key") == "199"
        assert two.primary.wait(1, 50) == 0
        two.cut()  # a second time changes nothing
        assert two.replica.get("key") == "199"


def test_at_a_distance_a_confirmed_write_takes_a_round_trip_of_the_replicas():
    with lab.replica(rtt_ms=100, decode_responses=True) as far:
        began = time.perf_counter()
        far.primary.set("key", "value")
        assert far.primary.wait(1, 5_000) == 1 and time.perf_counter() - began >= 0.09
        assert lab.count(lambda r: r.set("key", "value"), far.primary).round_trips == 1
        assert distance_through(far.primary) is None
