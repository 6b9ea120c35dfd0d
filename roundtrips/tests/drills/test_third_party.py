"""Other people's libraries, with each redis-py that they take: what is counted is what a proxy saw,
and what grows is what the proxy saw grow.
"""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import environments
import pytest
import redis
from third_party import SUBSCRIPTION, UNSUBSCRIBES

import servers
from proxy import is_work

PACKAGE = Path(__file__).parents[2]
VERSIONS = "5.2.1", "6.4.0", "7.4.0", "8.1.0"
# Which of them a library takes, by what it says itself: from the first to the last. Else all.
TAKES = {
    "flask_caching": (6, 8), "celery_worker": (6, 8), "limits": (5, 7), "saq": (5, 7),
}  # fmt: skip
PROGRAMS = [
    "rq", "django_redis", "flask_caching", "limits", "celery_worker", "dramatiq", "aiocache",
    "python_redis_lock", "saq", "channels_redis",
]  # fmt: skip
ATTEMPTS = 3  # what one wrote in two pieces, a busy machine may pass on as two; rarely each time


def runs():
    """Yield (program's name, version of redis-py) for each version that its library takes."""
    for name in PROGRAMS:
        first, last = TAKES.get(name, (5, 8))
        yield from ((name, each) for each in VERSIONS if first <= int(each[0]) <= last)


@pytest.fixture(scope="module")
def primary():
    """Yield the port of a server without a password, since not every library takes a password."""
    with servers.running(password="") as options:
        yield options["port"]


def ran(python, version, *words):
    """Run third_party.py with the arguments `words`; return what it prints, decoded from JSON.

    `python` is the path of a Python, `version` the version of redis-py that it gets.
    """
    path = [PACKAGE / "src", PACKAGE / "tests"]
    if version != VERSIONS[-1]:
        path.insert(0, environments.redis_py(version))
    command = [python, "-W", "ignore", Path(__file__).with_name("third_party.py"), *map(str, words)]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=200, env=given)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout.splitlines()[-1])


def sums(turns, left_out):
    """Return (number of round trips, {name of a command: how often it was sent}).

    `turns` are round trips, each a list of its commands' names. Round trips of set-up are not
    counted, nor are commands in `left_out`, and round trips that have no other commands.
    """
    work = sum(is_work(names) for names in turns if not set(names) <= left_out)
    commands = sum(map(Counter, turns), Counter())
    return work, {name: number for name, number in commands.items() if name not in left_out}


def differences(told):
    """Return where the trace and the proxy differ: {what: (traced, passed)}, {} if nowhere.

    `told` is the dict that `counted` in third_party.py returns. "work" is compared by `sums`,
    "bytes" and "connections" as they are; these two only if the program did not unsubscribe.
    """
    unsubscribes = any(UNSUBSCRIBES & set(names) for names in told["passed"])
    left_out = SUBSCRIPTION if unsubscribes else set()
    both = {"work": (sums(told["log"], left_out), sums(told["passed"], left_out))}
    if not unsubscribes:
        both |= {name: (told[name], told[f"passed {name}"]) for name in ("bytes", "connections")}
    return {what: pair for what, pair in both.items() if pair[0] != pair[1]}


def test_fakeredis_is_counted_although_its_connections_are_its_own():
    assert ran(environments.libraries(), VERSIONS[-1], "fake", 0, "count") == [12, []]


@pytest.mark.parametrize(("name", "version"), list(runs()))
def test_each_count_is_the_proxys(primary, name, version):
    for _ in range(ATTEMPTS):
        with redis.Redis(port=primary) as admin:
            admin.flushall()
        told = ran(environments.libraries(), version, name, primary, "count")
        found = differences(told)
        if not found:
            break
    assert told["redis-py"] == version
    assert not found, found
    assert told["log"] and (told["lost"], told["uncounted"]) == (0, [])
    assert told["findings"] == []  # nothing that their maintainers would close as wrong


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_grows_as_the_proxy_counts(primary, name):
    version = next(each for known, each in list(runs())[::-1] if known == name)
    for _ in range(ATTEMPTS):
        told = ran(environments.libraries(), version, name, primary, "growth")
        found = [differences(each) for each in told["runs"] if differences(each)]
        if not found:
            break
    assert not found, found
    assert told["numbers"] == [each["round_trips"] for each in told["runs"]]
    # A worker polls, an executor has more threads or fewer: then no growth is asserted.
    if told["numbers"][:3] != told["numbers"][3:]:
        assert told["says"].startswith("can't be told: ") and told["slope"] is False
        return
    assert told["says"].startswith("grows with n: ")
    if told["slope"] is not None:
        assert told["slope"] >= 1 and sum(told["of sites"]) == told["slope"]
