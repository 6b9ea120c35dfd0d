"""roundtrips on other people's libraries, with the versions of redis-py that they take: held against a proxy and the server.

The proxy counts turns, bytes and commands by name from what passes it; the server says in INFO commandstats how often it was
asked for each command. The trace runs in a process of its own and hears of neither.
"""

import json
import os
import subprocess
from collections import Counter
from contextlib import ExitStack, contextmanager

import environments
import hiredis
import pytest
import redis
import third_party
from counting_proxy import counting_proxy
from helpers import ROOT, wait_until
from other_servers import a_server

from lab_utils.testbed import private_server
from lab_utils.testbed.keeper import Kept

VERSIONS = "5.2.1", "6.4.0", "7.4.0", "8.1.0"
# Which of them a library takes, by what it says itself: from the first to the last. Where nothing is said, all.
TAKES = {"cachelib": (6, 8), "flask_caching": (6, 8), "redis_om": (6, 8), "celery_results": (6, 8), "celery_worker": (6, 8),
         "limits": (5, 7), "saq": (5, 7)}
PROGRAMS = ["rq", "django_redis", "cachelib", "flask_caching", "redis_om", "limits", "celery_results", "celery_worker",
            "dramatiq", "huey", "walrus", "aiocache", "python_redis_lock", "dogpile", "pottery", "saq", "channels_redis",
            "socketio", "sentinel", "rq_with_sentinel"]
DELAY_S = 0.005  # of the proxy's replies: two writes in a row, which asyncio's clients make when they connect, arrive meanwhile
ATTEMPTS = 3  # a busy machine can hold a client up for longer than that between two writes; a wrong count is wrong each time
SET_UP = {"HELLO", "AUTH", "CLIENT", "SELECT", "READONLY"}  # what a connection begins with
UNSUBSCRIBES = {"UNSUBSCRIBE", "PUNSUBSCRIBE"}
SCRIPTED = {"EVAL", "EVALSHA", "FCALL"}


def runs():
    """(program, version of redis-py) of all that go together."""
    for name in PROGRAMS:
        first, last = TAKES.get(name, (5, 8))
        yield from ((name, version) for version in VERSIONS if first <= int(version[0]) <= last)


@pytest.fixture(scope="module")
def primary():
    """The port of a server that nobody else uses."""
    with a_server() as port:
        yield port


@contextmanager
def a_sentinel(folder, port):
    """The port of a Sentinel that watches a primary on `port`, which it calls `main`."""
    settings, own = folder / "sentinel.conf", private_server.free_port()
    settings.write_text(f"bind 127.0.0.1\nport {own}\nsentinel monitor main 127.0.0.1 {port} 1\n")
    running = Kept([private_server.find_binary(), str(settings), "--sentinel"], folder=True, stdout=subprocess.DEVNULL)
    try:
        with redis.Redis(port=own) as asked:
            assert wait_until(lambda: knows_its_primary(asked), 10)
        yield own
    finally:
        running.stop()


def knows_its_primary(sentinel):
    try:
        return sentinel.sentinel_master("main")["flags"] == "master" if sentinel.ping() else False
    except redis.RedisError:
        return False


class Passed:
    """What passed the proxies, by what a program's own connections wrote: turns, commands by name, bytes, connections."""

    def __init__(self, *all_counts):
        self.turns = self.connections = self.sent = self.received = 0
        self.set_up, self.work, self.given_up = Counter(), Counter(), Counter()
        for counts in all_counts:
            for number, turns in enumerate(counts.written):
                names = [names_in(turn) for turn in turns]
                if not any("sentinel-" in name for turn in names for name in turn):  # a Sentinel's own connection
                    self.add(names, counts.sent[number], counts.received[number])

    def add(self, turns, sent, received):
        self.connections += 1
        self.sent += sent
        self.received += received
        # Whether anybody waits for the reply to an UNSUBSCRIBE, the wire doesn't tell: such turns are left out on both sides.
        self.turns += sum(not set(turn) <= UNSUBSCRIBES for turn in turns)
        names = [name for turn in turns for name in turn]
        first = next((place for place, name in enumerate(names) if name not in SET_UP | {"PING"}), len(names))
        while first and names[first - 1] == "PING":  # one that comes before the others is of the set-up; kombu sends that
            first -= 1
        self.set_up.update(names[:first])
        self.work.update(name for name in names[first:] if name not in UNSUBSCRIBES)
        self.given_up.update(name for name in names[first:] if name in UNSUBSCRIBES)


def names_in(written):
    """The names of the commands in what was written; of CLIENT SETNAME the name given besides."""
    reader, names = hiredis.Reader(), []
    reader.feed(bytes(written))
    while (command := reader.gets()) is not False:
        words = [word.decode(errors="replace") for word in command[:3]]
        names.append(words[0].upper())
        if words[0].upper() == "CLIENT" and words[-1].startswith("sentinel-"):
            names.append(words[-1])
    return names


def first_words(names):
    """{"CLIENT": 2} of {"CLIENT SETINFO": 2}, without what perhaps nobody waits for."""
    found = Counter()
    for name, number in names.items():
        found[name.split()[0]] += number
    return Counter({name: number for name, number in found.items() if name not in UNSUBSCRIBES})


def served(admin):
    """How often the server was asked for each command, since its statistics began anew."""
    found = Counter()
    for name, stat in admin.info("commandstats").items():
        found[name.removeprefix("cmdstat_").split("|")[0].upper()] += stat["calls"]
    return found


def traced(python, version, name, port, sentinels_port):
    """What a trace says of a program, which runs in a process of its own."""
    path = [str(environments.redis_py(version))] if version != VERSIONS[-1] else []
    command = [python, "-W", "ignore", third_party.__file__, name, str(port), str(sentinels_port)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join([*path, str(ROOT / "roundtrips" / "src")])})
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout.splitlines()[-1])


def differences(told, passed, asked):
    """What the trace says otherwise than the proxy and the server: {what: (traced, passed)}."""
    work, set_up = first_words(told["commands"]), first_words(told["set-up commands"])
    both = {"turns": (told["round trips"] + told["set up"] - told["to unsubscribe"], passed.turns),
            "commands": (work, passed.work), "commands of setting up": (set_up, passed.set_up),
            "connections": (told["connections"], passed.connections),
            "turns without an answer": (told["lost"], 0), "writes that were not counted": (told["not counted"], 0)}
    if not passed.given_up:  # else the server's replies to them, and what was published, are in the proxy's count
        both["bytes"] = told["bytes"], [passed.sent, passed.received]
    if asked is not None and not SCRIPTED & set(work):  # a script's own commands are in the server's count
        # Of a subcommand that it doesn't know a server keeps no number; redis-py 8 asks for this one all the same.
        unknown = Counter({"CLIENT": told["set-up commands"].get("CLIENT MAINT_NOTIFICATIONS", 0)})
        both["commands, by the server"] = work + set_up - unknown, asked
    return {what: pair for what, pair in both.items() if pair[0] != pair[1]}


@pytest.mark.timeout(400)
@pytest.mark.parametrize("name, version", list(runs()), ids=lambda value: value)
def test_each_count_is_the_proxys(primary, tmp_path, name, version, record_property):
    record_property("of", f"redis-py {version[0]}")
    python = environments.libraries()
    for _ in range(ATTEMPTS):
        with ExitStack() as stack, redis.Redis(port=primary) as admin:
            admin.flushall()
            port, counts = stack.enter_context(counting_proxy(("127.0.0.1", primary), DELAY_S))
            all_counts, sentinels_port = [counts], 0
            if "sentinel" in name:
                behind = stack.enter_context(a_sentinel(tmp_path, port))
                sentinels_port, further = stack.enter_context(counting_proxy(("127.0.0.1", behind), DELAY_S))
                all_counts.append(further)
            admin.config_resetstat()
            told = traced(python, version, name, port, sentinels_port)
            asked = None if sentinels_port else first_words(served(admin)) - Counter(["CONFIG"])
            found = differences(told, Passed(*all_counts), asked)
        if not found:
            break
    assert told["redis-py"] == version
    assert not found, found
    assert told["round trips"] > 0
    assert told["findings"] == {}  # nothing that their maintainers would close as wrong


def test_valkeys_client_is_said_not_to_be_counted(primary):
    program = "\n".join(["import valkey", "from roundtrips import trace", f"client = valkey.Valkey(port={primary})",
                         "with trace() as t:", "    client.ping()", "print(t.report())"])
    ran = subprocess.run([environments.libraries(), "-c", program], capture_output=True, text=True, timeout=60,
                         env={**os.environ, "PYTHONPATH": str(ROOT / "roundtrips" / "src")})
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("0 round trips") and "valkey-py" in ran.stdout
