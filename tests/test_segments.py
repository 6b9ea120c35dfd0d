"""The kernel's own count of TCP segments: exact for short work, on Linux."""

import sys

import pytest

from chapter_helpers.tcp_segments import Segments, segments


@pytest.mark.skipif(sys.platform != "linux",
                    reason="only Linux tells how many segments a socket sent")
@pytest.mark.parametrize("rtt_ms", [0, 1])
def test_a_turn_is_a_segment_each_way(r, rtt_ms):
    def three_sets(r):
        for i in (1, 2, 3):
            r.set(f"key{i}", f"value{i}")

    seen = segments(three_sets, rtt_ms)
    assert (seen.data_sent, seen.data_received) == (3, 3)


@pytest.mark.skipif(sys.platform != "linux",
                    reason="only Linux tells how many segments a socket sent")
def test_a_pipeline_is_one_and_it_is_told_in_words(r):
    def three_in_a_pipeline(r):
        pipe = r.pipeline(transaction=False)
        for i in (1, 2, 3):
            pipe.set(f"key{i}", f"value{i}")
        pipe.execute()

    seen = segments(three_in_a_pipeline)
    assert (seen.data_sent, seen.data_received) == (1, 1)
    assert str(Segments(7, 2, 1, 0)) == "data sent 7, received 2   acks sent 1, received 0"


def test_elsewhere_it_says_nothing(r, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert segments(lambda r: r.ping()) is None
