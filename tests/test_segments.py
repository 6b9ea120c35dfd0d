"""The kernel's own count of TCP segments: exact for short work, on Linux."""

import sys

import pytest

from chapter_helpers.tcp_segments import segments


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how many a socket sent")
@pytest.mark.parametrize("rtt_ms", [0, 1])
def test_a_turn_is_a_segment_each_way(r, rtt_ms):
    works = {
        3: lambda r: [r.set(f"key{i}", "value") for i in (1, 2, 3)],
        1: lambda r: r.pipeline().set("key1", 1).set("key2", 2).execute(),
    }
    for turns, work in works.items():
        seen = segments(work, rtt_ms)
        assert (seen.data_sent, seen.data_received) == (turns, turns)
