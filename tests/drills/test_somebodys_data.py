"""Somebody's data: whatever stands on a server, the lab leaves it as it was, or refuses.

Each try fills a Redis at random as an application might, near-marks of the lab's own among it.
Then every public helper is tried on it, through REDIS_URL and with clients of other databases and
servers, and every chapter's setup. Afterwards all is as it was, on the replica too.
"""

import contextlib
import os
import random
import subprocess
import sys
import textwrap

import pytest
import redis
from chapter_runs import CHAPTERS
from fakes import held, somebodys_server
from helpers import ROOT, refusal, url_of
from redis.sentinel import Sentinel
from tries import SEED, tries

import lab_utils as lab
from chapter_helpers.raw_socket import raw_socket
from chapter_helpers.sampling import sampled
from chapter_helpers.waiting_map import plot_map
from lab_utils.course import checking
from lab_utils.testbed.server_from_url import server_from_url

DATABASES = 16
NEAR_MARKS = (
    "redis-round-trip-lab",
    "redis-round-trip-lab:15:ada@home:pid-1:0",
    "key1",
    "exercise:visits",
    "exercise:",
    "user:1",
    "visits",
    "gate",
    "big",
)


def write(client, dice, key):
    """Write the key `key` with a value of a random type, by `client`; some get an expiry.

    `dice` is a random.Random.
    """
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
    """Write random keys to some databases of a server; return the numbers of these databases.

    `server` is a Server of lab_utils, which gets a random maxmemory-policy too. The last two
    databases stay empty. `dice` is a random.Random.
    """
    full = sorted(dice.sample(range(DATABASES - 2), dice.randrange(1, DATABASES - 2)))
    for database in full:
        with server.connect(db=database) as client:
            names = [f"customer:{dice.randrange(10**6)}" for _ in range(dice.randrange(0, 30))]
            for key in {*names, *dice.sample(NEAR_MARKS, dice.randrange(1, len(NEAR_MARKS)))}:
                write(client, dice, key)
    with server.connect() as client:
        client.config_set("maxmemory-policy", dice.choice(["noeviction", "allkeys-lru"]))
    return full


def snapshot(server):
    """Return all that could be lost on a server, as a dict to compare with a later one.

    It has {(database, key): (DUMP, whether it expires)}, and "settings" and "users".
    """
    found = {}
    for database in range(DATABASES):
        with server.connect(db=database) as client:
            for key in client.scan_iter(count=1_000):
                left = client.pttl(key)
                found[database, key] = client.dump(key), left >= 0
    with server.connect() as client:
        found["settings"] = client.config_get("*")
        found["users"] = client.acl_list()
    return found


@pytest.fixture
def theirs():
    """Yield (primary, replica): two Servers of lab_utils that the lab did not start.

    Each needs a password. The replica copies the primary's data. Both have as many databases as
    DATABASES says.
    """
    with (
        somebodys_server(f"databases {DATABASES}") as primary,
        somebodys_server(
            f"databases {DATABASES}",
            f"masterauth {primary.options['password']}",
            f"replicaof 127.0.0.1 {primary.address[1]}",
        ) as replica,
    ):
        yield primary, replica


def set_key1(client):
    return client.set("key1", "value1")


async def set_key1_async(client):
    return await client.set("key1", "value1")


# Every public function that is handed a client, and the lab's own clean-up.
WITH_A_CLIENT = {
    "bystander": lambda client: lab.bystander(set_key1, client),
    "bystander, setup": lambda client: lab.bystander(lambda c: c.ping(), client, setup=set_key1),
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
    "rest": lab.rest,
    "sampled": lambda client: sampled(set_key1, client),
    "tcp": lab.tcp,
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
    "plot_rain",
}

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
    assert set(lab.__all__) == tried | WITHOUT_A_SERVER


def test_clients_of_somebodys_server_are_refused_by_every_helper(theirs):
    primary, replica = theirs
    dice = random.Random(SEED)
    for number in range(tries(300)):
        primary.connect().flushall()
        full = fill(primary, dice)
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
            *of_no_known_server(database),
        ]
        # another database of the same server is held, or none
        with held(url_of(primary, 15)) if dice.random() < 0.5 else contextlib.nullcontext():
            for client in clients:
                for helper in WITH_A_CLIENT.values():
                    refusal(helper, client)
                client.close()
            refusal(server_from_url, url_of(primary, database))
            refusal(server_from_url, url_of(replica, 15))
            refusal(server_from_url, "redis://reader:secret@{}:{}/15".format(*primary.address))
        assert snapshots(theirs) == before, f"try {number} of DRILLS_SEED={SEED}"


def of_no_known_server(database):
    """Return a list of clients whose options do not say which server they lead to.

    `database` is the database's number for the one that asks a Sentinel.
    """
    kind = type("Kind", (redis.Connection,), {})
    return [
        redis.Redis(unix_socket_path="/nowhere"),
        redis.Redis.from_pool(redis.ConnectionPool(kind)),
        Sentinel([("127.0.0.1", 1)]).master_for("mymaster", db=database),
    ]


def snapshots(theirs):
    """Return (snapshot of the primary, snapshot of the replica), once the replica has all the data.

    `theirs` is the pair of Servers that the fixture yields.
    """
    primary, replica = theirs
    with primary.connect(single_connection_client=True) as client:
        client.publish("any", "thing")  # WAIT asks about what this connection has written
        assert client.wait(1, 10_000) == 1
    return snapshot(primary), snapshot(replica)


def test_an_empty_database_beside_somebodys(theirs, tmp_path):
    """Nothing that a kernel does with REDIS_URL changes data that were there.

    The kernel calls the helpers, and runs the setup of every chapter.
    """
    primary, _ = theirs
    dice = random.Random(SEED + 1)
    for number in range(tries(20)):
        primary.connect().flushall()
        fill(primary, dice)
        before = snapshot(primary)
        for script, arguments in ((THROUGH_REDIS_URL, ()), (SETUPS, CHAPTERS)):
            done = kernel(script, url_of(primary, 15), *arguments, LAB_STATE=str(tmp_path))
            assert done.stdout.endswith("all done\n"), done.stderr[-3000:]
            assert snapshot(primary) == before, f"try {number} of DRILLS_SEED={SEED}"


def test_ten_kernels_on_one_url(theirs):
    """Ten kernels that start at once get a database each, and keep it as long as they live."""
    primary, _ = theirs
    with primary.connect(db=0) as client:
        client.set("customer:1", "Ada")
    script = (
        "import lab_utils as lab, sys; r = lab.connect(); n = r.client_info()['db']; "
        "r.set('mine', n); print(n, flush=True); sys.stdin.read(); "
        "lab.empty(r); r.set('mine', n); print(r.get('mine').decode())"
    )
    environment = {**os.environ, "REDIS_URL": url_of(primary, 3), "PYTHONPATH": str(ROOT)}
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
