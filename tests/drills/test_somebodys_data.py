"""Somebody's data: whatever stands on a server, the lab leaves it as it was, or refuses.

Each try fills a Redis at random as an application might, near-marks of the lab's own among it.
Then every public helper is tried on it, through REDIS_URL and with clients of other databases and
servers, and every chapter's setup. Afterwards all is as it was, on the replica too.
"""

import os
import random
import subprocess
import sys
import textwrap

import pytest
import redis
from chapter_runs import CHAPTERS
from helpers import ROOT
from tries import SEED, tries

import lab_utils as lab
from chapter_helpers.sampling import sampled
from chapter_helpers.waiting_map import plot_map
from lab_utils.course import checking
from lab_utils.testbed import chosen_server, guard
from lab_utils.testbed.plain_socket import raw_socket

DATABASES = 16
RESERVES = "redis-round-trip-lab reserves"
NEAR_MARKS = (
    "redis-round-trip-lab",
    RESERVES,
    f"{RESERVES} 3 by ada@home pid 1 since 2026-01-01T00:00:00Z token 0",
    "key1",
    "exercise:visits",
    "exercise:",
    "user:1",
    "visits",
    "gate",
    "big",
)
LIBRARY = "#!lua name=theirs\nredis.register_function('answer', function() return 42 end)"


def write(client, dice, key):
    """One key of a random type, some of them with an expiry."""
    text = "".join(dice.choices("abcø\0\r\n", k=dice.randrange(1, 200)))
    several = range(dice.randrange(1, 300))
    dice.choice(
        [
            lambda: client.set(key, text),
            lambda: client.hset(key, mapping={f"field{i}": text for i in several}),
            lambda: client.rpush(key, *[f"{text}{i}" for i in several]),
            lambda: client.sadd(key, *[dice.randrange(10**6) for _ in several]),
            lambda: client.zadd(key, {f"{text}{i}": dice.random() for i in several}),
            lambda: client.xadd(key, {"said": text}),
            lambda: client.pfadd(key, text),
            lambda: client.setbit(key, dice.randrange(10_000), 1),
        ]
    )()
    if dice.random() < 0.2:
        client.expire(key, dice.randrange(100_000, 200_000))


def fill(server, dice):
    """Fills a server at random, but for database 15 and another; returns which hold keys."""
    full = sorted(dice.sample(range(DATABASES - 2), dice.randrange(1, DATABASES - 2)))
    for database in full:
        with server.connect(db=database) as client:
            names = [f"customer:{dice.randrange(10**6)}" for _ in range(dice.randrange(0, 30))]
            for key in {*names, *dice.sample(NEAR_MARKS, dice.randrange(1, len(NEAR_MARKS)))}:
                write(client, dice, key)
    with server.connect() as client:
        for user in range(dice.randrange(3)):
            client.acl_setuser(
                f"user{user}", enabled=True, passwords=["+secret"], categories=["+@read"], keys="*"
            )
        policies = ["noeviction", "allkeys-lru", "volatile-ttl"]
        client.config_set("maxmemory-policy", dice.choice(policies))
        client.config_set("slowlog-log-slower-than", dice.randrange(10_000, 20_000))
        if has_functions(client) and dice.random() < 0.5:
            client.function_load(LIBRARY, replace=True)
    return full


def has_functions(client):
    return int(client.info("server")["redis_version"].split(".")[0]) >= 7


def snapshot(server):
    """Everything that somebody could miss: keys by DUMP and expiry, settings, users, functions."""
    found = {}
    for database in range(DATABASES):
        with server.connect(db=database) as client:
            for key in client.scan_iter(count=1_000):
                left = client.pttl(key)
                found[database, key] = client.dump(key), left >= 0
    with server.connect() as client:
        found["settings"] = client.config_get("*")
        found["users"] = client.acl_list()
        found["functions"] = client.function_dump() if has_functions(client) else None
    return found


@pytest.fixture
def theirs(another_server):
    """A server of somebody's, and its replica, neither known to the lab for one of its own."""
    primary = another_server(f"databases {DATABASES}")
    replica = another_server(
        f"databases {DATABASES}",
        f"masterauth {primary.options['password']}",
        f"replicaof 127.0.0.1 {primary.address[1]}",
    )
    for server in primary, replica:
        del guard._private[server.address]
    return primary, replica


def url(server, database, login=None):
    known_by = login or ":" + server.options["password"]
    return f"redis://{known_by}@127.0.0.1:{server.address[1]}/{database}"


def refused(call, *arguments):
    with pytest.raises(lab.LabError):
        call(*arguments)


def set_key1(client):
    return client.set("key1", "value1")


async def set_key1_async(client):
    return await client.set("key1", "value1")


# Every public function that is handed a client, and the lab's own clean-up.
WITH_A_CLIENT = {
    "bystander": lambda client: lab.bystander(set_key1, client),
    "capture": lambda client: lab.capture(set_key1, client),
    "count": lambda client: lab.count(set_key1, client),
    "count, async": lambda client: lab.count(set_key1_async, client),
    "count, several": lambda client: lab.count({"one": set_key1, "other": set_key1}, client),
    "empty": lab.empty,
    "frozen": lambda client: lab.frozen(client, 0.1).__enter__(),
    "plot_map": plot_map,
    "plot_lanes": lambda client: lab.plot_lanes({"one": set_key1}, client),
    "race": lambda client: lab.race({"one": set_key1}, client),
    "raw_socket": raw_socket,
    "replica": lambda client: lab.replica(client),
    "sampled": lambda client: sampled(set_key1, client),
    "the exercises' clean-up": checking.clean,
}

# Every other public function that reaches a server, run by a kernel with REDIS_URL set.
THROUGH_REDIS_URL = """
    import lab_utils as lab
    from chapter_helpers.waiting_map import plot_map
    def fill(r): r.mset({f"key{i}": i for i in range(20)})
    def loop(r): return [r.get(f"key{i}") for i in range(20)]
    def mget(r): return r.mget([f"key{i}" for i in range(20)])
    async def one(r): return await r.get("key1")
    r = lab.connect()
    lab.empty(r); fill(r); fill(lab.connect(rtt_ms=1))
    print(lab.fingerprint(), lab.count({"loop": loop, "mget": mget}, r), lab.count(one, r))
    both = lab.compare({"loop": loop, "mget": mget}, ops=20, rtt_ms=(0, 1), rounds=3)
    both.plot(); both.budget("loop", 1)
    def in_slices(r, n):
        for at in range(0, 20, n): r.mget([f"key{i}" for i in range(20)][at:at + n])
        return 1
    lab.sweep(in_slices, (5, 20), rounds=3).plot()
    seen = lab.capture(loop, r); seen.plot()
    lab.plot_lanes({"loop": loop}, r); lab.race({"loop": loop}, r)
    lab.timeline(lambda: loop(r))
    print(lab.bystander(loop, r))
    print(lab.run_fresh("import redis; redis.Redis(**address).set('fresh', 1)"))
    model = lab.fit_model("SET"); lab.predict(20, 20, 1, model); plot_map(r)
    lab.check("01.1", lambda r, keys: r.mget(keys))
    lab.check("00.1", lambda r: r.mset({"a": 1, "b": 2}) and r.mget(["a", "b"]))
    spare = lab.spare(); spare.flushall()
    with lab.frozen(spare, 0.05): pass
    with lab.replica() as pair: pair.primary.set("key1", "value1")
    with lab.trace() as t: loop(r)
    print(t)
    three = lab.cluster(); print(lab.count(lambda c: c.get("key1"), three.connect())); three.stop()
    print("all done")
"""
WITHOUT_A_SERVER = {
    "Cost",
    "LabError",
    "calibration",
    "claim",
    "guess",
    "plot_bars",
    "plot_lines",
    "plot_published",
    "plot_rain",
}
IN_A_TEST_OF_THEIR_OWN = {"retrial"}

# The cells that each chapter tags `setup`, every chapter in names of its own.
SETUPS = """
    import json, sys, traceback
    for path in sys.argv[1:]:
        names = {}
        for cell in json.load(open(path, encoding="utf-8"))["cells"]:
            if "setup" in cell["metadata"].get("tags", []):
                exec("".join(cell["source"]), names)
    print("all done")
"""


def kernel(script, url, *arguments, **environment):
    environment = {
        **os.environ,
        "REDIS_URL": url,
        "LAB_SCALE": "ci",
        "MPLBACKEND": "agg",
        "PYTHONPATH": str(ROOT),
        **environment,
    }
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    return subprocess.run(
        command,
        env=environment,
        cwd=ROOT / "notebooks",
        capture_output=True,
        text=True,
        timeout=800,
    )


def test_every_public_function_is_tried():
    tried = {
        name for name in lab.__all__ if name in WITH_A_CLIENT or f"lab.{name}(" in THROUGH_REDIS_URL
    }
    assert set(lab.__all__) == tried | WITHOUT_A_SERVER | IN_A_TEST_OF_THEIR_OWN


def test_clients_of_somebodys_server_are_refused_by_every_helper(theirs, record_property):
    primary, replica = theirs
    dice = random.Random(SEED)
    for number in range(tries(300)):
        primary.connect().flushall()
        full = fill(primary, dice)
        reserved = dice.random() < 0.5
        mine = chosen_server.own_server(url(primary, 15)) if reserved else None
        primary.connect().acl_setuser(
            "reader",
            enabled=True,
            passwords=["+secret"],
            categories=["+@read", "+@connection"],
            keys=["*"],
        )
        before = snapshots(theirs)
        database = dice.choice(full)
        at = {"host": "127.0.0.1", "port": primary.address[1], "db": database}
        clients = [
            primary.connect(db=database),
            replica.connect(db=database),
            primary.connect(db=database, decode_responses=True),
            primary.connect(db=database, single_connection_client=True),
            redis.Redis(**{**at, "host": "localhost"}, password=primary.options["password"]),
            redis.Redis(**at, username="reader", password="secret"),
        ]
        for client in clients:
            for helper in WITH_A_CLIENT.values():
                refused(helper, client)
            client.close()
        refused(chosen_server.own_server, url(primary, database))
        refused(chosen_server.own_server, url(replica, 15))
        refused(chosen_server.own_server, url(primary, 15, "reader:secret"))
        if mine:
            mine.reservation.end()
        assert snapshots(theirs) == before, f"try {number} of DRILLS_SEED={SEED}"
    record_property("tries", tries(300))


def snapshots(theirs):
    """Of a primary and its replica, once that has all that the primary has."""
    primary, replica = theirs
    with primary.connect(single_connection_client=True) as client:
        client.publish("any", "thing")  # WAIT asks about what this connection has written
        assert client.wait(1, 10_000) == 1
    return snapshot(primary), snapshot(replica)


def test_an_empty_database_beside_somebodys(theirs, record_property, tmp_path):
    """Everything that a kernel does with REDIS_URL: the helpers, and the setup of every chapter."""
    primary, _ = theirs
    dice = random.Random(SEED + 1)
    for number in range(tries(20)):
        primary.connect().flushall()
        fill(primary, dice)
        before = snapshot(primary)
        for script, arguments in ((THROUGH_REDIS_URL, ()), (SETUPS, CHAPTERS)):
            done = kernel(script, url(primary, 15), *arguments, LAB_STATE=str(tmp_path))
            assert done.stdout.endswith("all done\n"), done.stderr[-3000:]
            assert snapshot(primary) == before, f"try {number} of DRILLS_SEED={SEED}"
    record_property("tries", 2 * tries(20))


def test_ten_kernels_on_one_url(theirs, record_property):
    """Ten kernels that start at once, each with a database of its own as long as it lives."""
    primary, _ = theirs
    with primary.connect(db=0) as client:
        client.set("customer:1", "Ada")
    script = (
        "import lab_utils as lab, sys; r = lab.connect(); n = r.client_info()['db']; "
        "r.set('mine', n); print(n, flush=True); sys.stdin.read(); "
        "lab.empty(r); r.set('mine', n); print(r.get('mine').decode())"
    )
    environment = {**os.environ, "REDIS_URL": url(primary, 3), "PYTHONPATH": str(ROOT)}
    for _ in range(tries(10)):
        kernels = [
            subprocess.Popen(
                [sys.executable, "-c", script],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(10)
        ]
        numbers = [kernel.stdout.readline().strip() for kernel in kernels]
        assert sorted(map(int, numbers)) == list(range(3, 13))
        ends = [kernel.communicate()[0].strip() for kernel in kernels]
        assert ends == numbers
        assert primary.connect().info("keyspace").keys() == {"db0"}
    record_property("tries", 10 * tries(10))
