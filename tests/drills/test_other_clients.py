"""The clients of other languages do as chapters 03 and 08 say, and as committed figures have it."""

import json
import os
import subprocess
import sys

import pytest
from helpers import ROOT

sys.path.insert(0, str(ROOT / "notebooks"))
from other_clients import measure

COMMITTED = json.loads((measure.HERE / "measured.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    try:
        commands = measure.installed(tmp_path_factory.mktemp("clients"))
    except (OSError, subprocess.CalledProcessError) as missing:
        assert not os.environ.get("CI"), missing
        pytest.skip(f"needs Java, mvn and npm, and the registries that they ask: {missing}")
    return measure.measure(commands, rtts_ms=(5,), records=(100,), rounds=3)


def test_what_each_way_asks_of_the_server(seen):
    for told in (seen, COMMITTED):
        reads, opened, at_once = (
            {way: rtts["5"]["100"] for way, rtts in told[kind].items()}
            for kind in ("reads", "connections", "at once")
        )
        for way in opened:
            assert opened[way] == ([1, 1, 1] if way == "Spring, pipelined" else [0, 0, 0]), way
        for way in ("Spring, one by one", "ioredis, one by one", "Jedis, parallel stream, CPUs: 1"):
            assert reads[way] == [100, 100, 100]
        for way in ("Jedis, pipelined", "ioredis, pipelined", "ioredis, auto-pipelining"):
            assert reads[way] == [1, 1, 1]
        # Java's pool adds threads while its own wait for a future; Jedis waits for a socket.
        jedis = at_once["Jedis, parallel stream, CPUs: 4"][-1]
        assert jedis <= 4 < at_once["Spring, parallel stream, CPUs: 4"][-1]
