"""What this lab runs on, every line marked so that CI does not compare it."""

import re

import redis

import lab_utils as lab
from lab_utils.testbed.fingerprints import environment_line, server_name


def test_what_could_change_a_result_is_there_on_a_line_marked_as_this_machines(r):
    found = lab.fingerprint()
    lines = repr(found).splitlines()
    assert len(lines) == len(found) and all(line.startswith("this machine: ") for line in lines)
    assert list(found) == [
        "server",
        "where",
        "link",
        "its TCP",
        "allocator",
        "redis-py",
        "parser",
        "protocol",
        "timeout",
        "retries",
        "Python",
        "system",
        "busy",
        "scale",
    ]
    assert found["redis-py"] == redis.__version__ == environment_line().split(" · ")[1][9:]
    assert found["where"] == "started by the lab, on loopback"
    assert "hiredis" in found["parser"].lower() and found["protocol"] == "RESP3"
    assert found["scale"].startswith("ci, ")
    assert r.info("server")["redis_version"] in found["server"] or "Valkey" in found["server"]
    assert re.fullmatch(r"1 ms asked, \d\.\d{3} measured", found["link"])


def test_a_fork_is_called_by_its_own_name():
    assert server_name({"redis_version": "8.2.3"}) == "Redis 8.2.3"
    assert server_name({"redis_version": "7.2.4", "valkey_version": "9.1.2"}) == "Valkey 9.1.2"
