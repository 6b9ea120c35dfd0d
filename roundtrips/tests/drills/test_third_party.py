"""Other people's libraries, with each redis-py that they take: what is counted is what a proxy saw.

The trace runs in a process of its own, and hears nothing of the proxy.
"""

import contextlib
import json
import os
import subprocess
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import environments
import pytest
import redis
import third_party

import servers
from proxy import Proxy, is_work

PACKAGE = Path(__file__).parents[2]
VERSIONS = "5.2.1", "6.4.0", "7.4.0", "8.1.0"
# Which of them a library takes, by what it says itself: from the first to the last. Else all.
TAKES = {
    "flask_caching": (6, 8), "celery_results": (6, 8), "celery_worker": (6, 8), "limits": (5, 7),
    "saq": (5, 7),
}  # fmt: skip
PROGRAMS = [
    "rq", "django_redis", "flask_caching", "limits", "celery_results", "celery_worker", "dramatiq",
    "aiocache", "python_redis_lock", "saq", "channels_redis", "sentinel",
]  # fmt: skip
ATTEMPTS = 3  # what one wrote in two pieces, a busy machine may pass on as two; rarely each time
UNSUBSCRIBES = {"UNSUBSCRIBE", "PUNSUBSCRIBE"}  # the wire doesn't tell whether anybody waits


def runs():
    """Yield (program, version of redis-py) of all that go together."""
    for name in PROGRAMS:
        first, last = TAKES.get(name, (5, 8))
        yield from ((name, each) for each in VERSIONS if first <= int(each[0]) <= last)


@pytest.fixture(scope="module")
def primary():
    """The port of a server without a password: not every library takes one."""
    with servers.running(password="") as options:
        yield options["port"]


@contextlib.contextmanager
def a_sentinel(folder, port):
    """Yield the port of a Sentinel that watches a primary on `port`, which it calls `main`."""
    settings, own = folder / f"sentinel{port}.conf", servers.free_port()
    lines = "bind 127.0.0.1", f"port {own}", f"sentinel monitor main 127.0.0.1 {port} 1"
    settings.write_text("\n".join(lines))
    command = [servers.binary(), str(settings), "--sentinel"]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        assert servers.answers({"host": "127.0.0.1", "port": own}, running)
        yield own
    finally:
        running.kill()
        running.wait()


def traced(python, version, name, *ports):
    """Return what a program told of its trace, which ran in a process of its own."""
    path = [PACKAGE / "src"]
    if version != VERSIONS[-1]:
        path.insert(0, environments.redis_py(version))
    command = [python, "-W", "ignore", third_party.__file__, name, *map(str, ports)]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, env=given)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout.splitlines()[-1])


def sums(turns):
    """Return the commands by name, and the number of round trips beside those of setting up."""
    kept = [(names, times) for names, times in turns if not set(names) <= UNSUBSCRIBES]
    work = sum(times for names, times in kept if is_work(names))
    commands = sum((Counter(names) for names, _ in turns), Counter())
    return work, {name: number for name, number in commands.items() if name not in UNSUBSCRIBES}


def seen(all_counts):
    """Return what passed, as [(names of commands, 1)], without a Sentinel's own connections."""
    found = []
    for counts in all_counts:
        named = {turn.connection for turn in counts.turns if "CLIENT SETNAME" in turn.names}
        own = named if len(all_counts) > 1 else set()
        found += [(turn.names, 1) for turn in counts.turns if turn.connection not in own]
    return found


def differences(told, counts):
    """Return what the trace says otherwise than the proxies: {what: (traced, passed)}."""
    turns = seen(counts)
    (work, commands), (true_work, true_commands) = sums(told["log"]), sums(turns)
    both = {
        "round trips": (work, true_work),
        "commands": (commands, true_commands),
        "lost": (told["lost"], 0),
        "uncounted": (told["uncounted"], []),
    }
    if len(counts) == 1 and not UNSUBSCRIBES & set(counts[0].commands):
        both["bytes"] = told["bytes"], [counts[0].sent, counts[0].received]
        both["connections"] = told["connections"], counts[0].connections
    return {what: pair for what, pair in both.items() if pair[0] != pair[1]}


@pytest.mark.parametrize(("name", "version"), list(runs()))
def test_each_count_is_the_proxys(primary, tmp_path, name, version, record_property):
    record_property("of", f"redis-py {version[0]}")
    python = environments.libraries()
    for _ in range(ATTEMPTS):
        with ExitStack() as stack, redis.Redis(port=primary) as admin:
            admin.flushall()
            proxies, behind = [stack.enter_context(Proxy(("127.0.0.1", primary)))], 0
            if "sentinel" in name:
                own = stack.enter_context(a_sentinel(tmp_path, proxies[0].port))
                proxies.append(stack.enter_context(Proxy(("127.0.0.1", own))))
                behind = proxies[1].port
            told = traced(python, version, name, proxies[0].port, behind)
            found = differences(told, [each.settle() for each in proxies])
        if not found:
            break
    assert told["redis-py"] == version
    assert not found, found
    assert told["log"]
    assert told["findings"] == {}  # nothing that their maintainers would close as wrong
