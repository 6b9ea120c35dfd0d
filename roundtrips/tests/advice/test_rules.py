"""Programs, each with what is found in it: for sure, worth a look, or nothing at all."""

import ast
import asyncio
import time
import uuid
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from roundtrips import advice, config, trace
from roundtrips.config import Settings

LONG = f"-- {'x' * 200}\nreturn redis.call('INCR', KEYS[1])"
NO_KEY = f"-- {'x' * 200}\nreturn 1"
IDS = range(20)
NUMBERS = {f"member:{number}": number for number in range(900)}
TEXTS = dict.fromkeys(NUMBERS, "x" * 99)
SOME = 6, 99  # how many round trips are saved where that hangs on the server


@pytest.fixture
def r(r, server):
    r.options = server
    return r


def found_in(r, program):
    with trace() as t:
        program(r)
    return t


def each(call, items=IDS):
    for item in items:
        call(item)


def through_a_helper(r):
    def user(number):
        return r.hgetall(f"user:{number}")

    each(user)


def at_its_own_pace(r):
    for number in range(6):
        r.get(f"user:{number}")
        time.sleep(0.03)


def names_of_members(r):
    r.sadd("online", *IDS)
    each(lambda number: r.hget(f"user:{number.decode()}", "name"), r.smembers("online"))


def in_pages(r):
    for number in range(4):
        r.get(f"page:{number}")
        r.incr("views")
        each(lambda user: r.hgetall(f"user:{user}"), range(50 * number, 50 * number + 50))


def two_and_an_expiry(r):
    for number in IDS:
        r.hset(f"user:{number}", mapping={"name": "ann", "age": number})
        r.expire(f"user:{number}", 60)
        r.sadd(f"tags:{number}", "a", "b")


def counter(r):
    r.set("hits", 1)
    r.set("hits", int(r.get("hits")) + 1)


def connection_each(r):
    for number in range(5):
        with redis.Redis(**r.options) as client:
            client.get(f"user:{number}")


# Sure, and how many round trips less, in code that holds these words.
SURE = [
    (through_a_helper, "loop", 19, "pipe.hgetall(key)"),
    (at_its_own_pace, "loop", 5, "r.mget(keys)"),
    (names_of_members, "loop", 19, "pipe.hget(key, field)"),
    (in_pages, "loop", 196, "pipe.hgetall(key)"),
    (lambda r: each(lambda n: r.get(f"user:{n % 50}"), range(100)), "loop", 98, "r.mget(keys)"),
    (two_and_an_expiry, "loop", 19, "pipe.hset(key, mapping=values)"),
    (two_and_an_expiry, "loop", 19, "pipe.sadd(key, *members)"),
    (lambda r: each(lambda n: r.pipeline().set(f"user:{n}", 1).execute()),
     "small pipelines", 19, "transaction=False"),
    (counter, "read, then written", 1, "r.incr(key, amount)"),
    (lambda r: each(r.keys, ("user:*", "cart:*")), "keys", 0, "scan_iter(match=pattern, count=1_0"),
    (lambda r: (r.mset(NUMBERS), list(r.scan_iter("member:*"))), "small scans", SOME,
     "r.scan_iter(match=pattern, count=1_000)"),
    (lambda r: (r.hset("h", mapping=TEXTS), list(r.hscan_iter("h"))), "small scans", SOME,
     "r.hscan_iter(key, count=1_000)"),
    (lambda r: (r.sadd("s", *NUMBERS), list(r.sscan_iter("s"))), "small scans", SOME,
     "r.sscan_iter(key, count=1_000)"),
    (lambda r: (r.zadd("z", NUMBERS), list(r.zscan_iter("z"))), "small scans", SOME,
     "r.zscan_iter(key, count=1_000)"),
    (connection_each, "connections", SOME, "redis.Redis(**options)"),
]  # fmt: skip


def parents_in_a_hash(r):
    """A tree read upwards: levels, each as many as the tree is wide."""
    r.hset("parent", mapping={number: (number * 31 + 7) % 97 // 2 for number in range(100)})
    number = 77
    for _ in IDS:
        number = int(r.hget("parent", number)) + 1


def any_ids(r):
    r.mset({f"user:{number * number % 89}": f"v{number * 3 % 17}x" for number in IDS})
    each(lambda number: r.get(f"user:{number * number % 89}"))


def drained(r):
    r.rpush("jobs", *IDS)
    while r.lpop("jobs"):
        pass


def in_two_functions(r):
    """What `load` and `save` do one after the other is a race too, seen twenty times."""

    def load(key):
        return int(r.hget(key, "n"))

    def save(key, number):
        r.hset(key, "n", number)

    fill = r.pipeline()
    each(lambda number: fill.hset(f"user:{number}", "n", number * number))
    fill.execute()
    each(lambda number: save(f"user:{number}", load(f"user:{number}") + 1))


def changed_in_between(r):
    """Whole hashes, read and written: read all, then write all, and the race is wider."""
    fill = r.pipeline()
    each(lambda number: fill.hset(f"user:{number}", mapping={"n": number * number}))
    fill.execute()
    for number in IDS:
        user = r.hgetall(f"user:{number}")
        r.hset(f"user:{number}", mapping={"n": int(user[b"n"]) + 1})


def changed_in_transactions(r):
    r.mset({f"n:{number}": number * number for number in IDS})
    for number in IDS:
        value = int(r.get(f"n:{number}"))
        r.pipeline().set(f"n:{number}", value + 1).execute()


def named_in_between(r):
    """The author is known only when the post has been read."""
    r.rpush("feed", *IDS)
    r.mset({f"post:{number}": f"by u{number * number % 89}" for number in IDS})
    for post in r.lrange("feed", 0, -1):
        author = r.get(f"post:{post.decode()}").split()[1].decode()
        r.sadd(f"posts:{author}", post)


LOOP = ("loop", 19)
LOOKED_AT = [
    (any_ids, [(*LOOP, "depend on the replies")]),
    (parents_in_a_hash, [(*LOOP, "depend on the replies")]),
    (lambda r: (r.set("settings", "x"), each(lambda _: r.get("settings"))),
     [("again", 19, "before the loop")]),
    (drained, [(*LOOP, "r.lpop(key, 1_000)")]),
    (lambda r: each(lambda n: r.publish("news", n)), [(*LOOP, "if all are there")]),
    (lambda r: each(lambda n: r.register_script(NO_KEY)(args=[n])), [
        ("loop", 18, "for argument in arguments:\n    script(args=[argument], client=pipe)"),
    ]),
    (in_two_functions, [("read, then written", 39, "pipe.hincrby(key, field, amount)")]),
    (changed_in_between, [(*LOOP, "between, which uses the same keys in between")] * 2),
    (changed_in_transactions, [
        (*LOOP, "uses the same keys in between"),
        ("small pipelines", 19, "transactions, which uses the same keys in between"),
    ]),
    (named_in_between, [(*LOOP, "whose replies name these keys, can be asked for all of them")]),
]  # fmt: skip


def politely(r):
    for first in range(0, 60, 10):
        some = [f"user:{number}" for number in range(first, first + 10)]
        r.mget(some)
        r.exists(*some)
        r.sadd("users", *some)
        r.hset("ages", mapping=dict.fromkeys(some, 1))
        r.zadd("board", dict.fromkeys(some, 1), nx=True)
        r.rpush("feed", *some)
        r.delete(*some)


def pages_of_a_list(r):
    r.rpush("list", *range(100))
    each(lambda first: r.lrange("list", first, first + 9), range(0, 100, 10))


def versions_of_a_cache(r):
    """As Flask-Caching's memoize: a key's version is asked for by MGET, and written with it."""
    for number in range(20):
        if r.mget([f"/{number % 5}/v"]) == [None] or r.get(f"/{number}/x") is None:
            r.set(f"/{number % 5}/v", "v" * 20)
            r.set(f"/{number}/x", "x" * 20)


def cache_aside(r):
    for number in IDS:
        for _ in range(2):
            if r.get(f"page:{number}") is None:
                r.set(f"page:{number}", "text", ex=60)


def watched(r):
    def change(pipe):
        value = int(pipe.get("n"))
        pipe.multi()
        pipe.set("n", value + 1)

    r.set("n", 1)
    each(lambda _: r.transaction(change, "n"))


def locked(r):
    r.set("n", 1)
    for number in IDS:
        with r.lock("mine", timeout=5):
            r.set("n", int(r.get("n")) + 1)
            r.get(f"user:{number}")


def limit_by_window(r):
    for now in IDS:
        with r.pipeline() as pipe:
            pipe.zremrangebyscore("hits:ann", 0, now - 10).zadd("hits:ann", {now: now})
            pipe.zcard("hits:ann").expire("hits:ann", 60).execute()


def worker(r):
    r.rpush("jobs", *IDS)
    while (job := r.lpop("jobs")) is not None:
        r.set(f"result:{int(job)}", "done")


def stream_of_jobs(r):
    r.xgroup_create("events", "group", id="0", mkstream=True)
    pipe = r.pipeline(transaction=False)
    each(lambda number: pipe.xadd("events", {"number": number}))
    pipe.execute()
    while taken := r.xreadgroup("group", "worker", {"events": ">"}, count=1):
        [(name, fields)] = taken[0][1] if isinstance(taken, list) else taken[b"events"][0]
        r.get(b"user:" + fields[b"number"])
        r.xack("events", "group", name)


def polls_for_a_key(r):
    for _ in range(30):
        r.exists("done")
        r.get("done")


def form(r):
    def show():
        return r.get("form")

    def save(text):
        r.set("form", text)

    save("old")
    show()
    save("new")


def two_clients(r):
    r.set("n", 1)
    with redis.Redis(**r.options, db=1) as other:
        r.get("n")
        other.set("n", 2)


def only_once(r):
    r.keys("user:*")
    r.pipeline().get("a").get("b").execute()
    r.eval(LONG, 1, "n")
    r.set("session", 1)
    r.expire("session", 60)


def scan_with_a_count(r):
    r.mset({f"user:{number}": 1 for number in range(3_000)})
    list(r.scan_iter("user:*", count=50))


def linked_in_a_hash(r):
    r.hset("next", mapping={f"n{number}": f"n{number + 1}" for number in IDS})
    at = "n0"
    while at := r.hget("next", at):
        pass


GOOD = [
    politely, pages_of_a_list, cache_aside, versions_of_a_cache, watched, locked, limit_by_window,
    worker, stream_of_jobs, polls_for_a_key, form, two_clients, only_once, scan_with_a_count,
    linked_in_a_hash,
    lambda r: each(lambda _: r.lpop("jobs")),  # nothing is there: it polls
]  # fmt: skip
PROGRAMS = [(program, True, [found]) for program, *found in SURE]
PROGRAMS += [(program, False, found) for program, found in LOOKED_AT]
PROGRAMS += [(program, None, []) for program in GOOD]
NAMES = {
    "key": "k", "keys": ["k"], "field": "f", "fields": ["f"], "amount": 1, "pattern": "*",
    "arguments": [1], "TEXT": NO_KEY, "member": "m", "members": ["m"], "values": {"k": 1},
    "channel": "k", "messages": [1], "print": lambda *_: None, "uuid4": uuid.uuid4, "redis": redis,
}  # fmt: skip
A_HASH = ("hset", "f", 1)
OF_TYPE = {
    **dict.fromkeys(("hscan", "hget", "hmget", "hincrby", "hset("), A_HASH),
    **dict.fromkeys(("lpop", "lmove"), ("rpush", 1)), "sscan": ("sadd", 1), "sadd": ("sadd", 1),
    "zscan": ("zadd", {"m": 1}),
}  # fmt: skip


def run_text(text, r):
    """Run the code of a finding, on a key of the type that it is about."""
    r.delete("k")
    for word, (name, *args) in OF_TYPE.items():
        if f".{word}" in text:
            getattr(r, name)("k", *args)
    values = {"f": 1} if "hset(" in text else NAMES["values"]
    options = r.options if "redis.Redis(" in text else {}
    names = {**NAMES, "r": r, "options": options, "values": values}
    exec(compile(text, "<advice>", "exec"), {**names, "script": r.register_script(NO_KEY)})


@pytest.mark.parametrize(
    "program, sure, expected", PROGRAMS, ids=[program.__name__ for program, *_ in PROGRAMS]
)
def test_what_is_found(r, program, sure, expected):
    t = found_in(r, program)
    if sure is None:
        assert repr(t.findings) == "Nothing found to change."
    first = program.__code__.co_firstlineno
    for kind, saves, says in expected:
        alike = [each for each in t.findings if each.kind == kind and says in each.instead]
        assert alike and all(found.sure == sure for found in alike), t.findings
        found = alike[0]
        assert found.saves in range(*saves) if saves is SOME else found.saves == saves
        assert found.site.file == __file__ and (found.what in repr(t.findings))
        assert first <= found.site.line < first + 12 or found.site.function == "each"
        assert ("What to change" if sure else "Worth a look") in repr(t.findings)
        run_text(found.instead, r)
    if sure is False:
        unsure = [found for found in t.findings if not found.sure]
        assert len(unsure) == len(expected), t.findings


def test_a_pattern_is_that_of_all_keys(r):
    """Three carts of each: `annsmith` is a word that many keys share, and not that of all."""
    keys = [f"cart:{user}:{at}" for user in ("annsmith", "bobjones", "cidmoore") for at in IDS]
    [found] = found_in(r, lambda r: each(r.hgetall, keys)).findings
    assert found.shows.startswith("HGETALL cart:{…}:{…}, 60 times")


# Whose client it is, through which library, how many


async def gathered(r):
    for _ in range(3):
        await asyncio.gather(*(r.get(f"user:{number}") for number in range(100)))


async def few_at_once(r):
    await asyncio.gather(*(r.get(f"user:{number}") for number in range(8)))


async def one_by_one(r):
    for number in IDS:
        await r.get(f"user:{number}")
    for number in IDS:
        await r.hget(f"user:{number}", "name")


async def scanned(r):
    [_ async for _ in r.scan_iter("user:*")]


async def found_in_asyncio(client, program):
    with trace() as t:
        await program(client)
    return t.findings


async def test_asyncio_gets_awaits(r, async_r):
    r.mset({f"text:{number}": 1 for number in range(200)})
    first, second = await found_in_asyncio(async_r, one_by_one)
    assert first.instead == "values = await r.mget(keys)" and first.sure
    for found in (first, second):
        code = compile(found.instead, "<advice>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        space = {**NAMES, "r": async_r}
        assert await found_in_asyncio(space, lambda space: eval(code, space)) == []  # noqa: B023
        assert space["values" if found is first else "replies"] == [None]
    [found] = await found_in_asyncio(async_r, scanned)
    assert found.instead.startswith("async for key in r.scan_iter(match=pattern, count=1_000):")


async def test_a_gather_of_many_keys_is_found(async_r):
    [found] = await found_in_asyncio(async_r, gathered)
    assert (found.kind, found.sure) == ("gather", False)
    assert found.saves > 250 and "values = await r.mget(keys)" in found.instead
    assert await found_in_asyncio(async_r, few_at_once) == []


def test_a_cluster_gets_what_goes_across_slots(cluster):
    node = cluster[0]
    with redis.RedisCluster(**node) as client:
        client.set("user:1", 1)
        with trace() as before:
            values = [client.get(f"user:{number}") for number in range(50)]
            for number in range(50):
                client.set(f"copy:{number}", 1)
        gets, sets = sorted(before.findings, key=lambda each: each.shows)
        assert (gets.saves, sets.saves) == (47, 47)
        space = {"r": client, "keys": [f"user:{number}" for number in range(50)]}
        with trace() as after:
            exec(gets.instead, space)
            exec(sets.instead, {"r": client, "values": dict.fromkeys(space["keys"], 1)})
        assert space["values"] == values and "nonatomic" in gets.instead
        assert after.round_trips == 6


@pytest.mark.parametrize("call", ["get", "incr", "set"])
def test_a_long_loop_is_sliced(r, call):
    keys = [f"user:{number}" for number in range(2_500)]
    with trace() as t:
        for key in keys:
            getattr(r, call)(key, *([1] if call == "set" else []))
    [found] = t.findings
    assert found.saves == 2_500 - 3 and "1_000" in found.instead
    space = {"r": r, "keys": keys, "amount": 1, "values": dict.fromkeys(keys, 1)}
    with trace() as after:
        exec(found.instead, space)
    assert after.round_trips == 3 and len(space["replies"]) == 2_500


LIBRARY = """
def one_by_one(r):
    for number in range(10):
        r.get(f"a:{number}")

def places(r):
    for key in ("rl:keys", "workers:all:names", "groups", "job:1:dependents:on", "job:1:a:b:c"):
        r.smembers(key)
    for field in ("state", "job", "at", "beat", "last"):
        r.hset("worker:1", field, 1)
        r.expire("worker:1", 60)

def counted(r):
    for _ in range(3):
        r.set("n", int(r.get("n") or 0) + 1)
"""


@pytest.mark.parametrize("library, name, instead", [
    ("django", "one_by_one", "values = cache.get_many(keys)"),
    ("cachelib", "one_by_one", "values = cache.get_many(*keys)"),
    ("aiocache", "one_by_one", "values = await cache.multi_get(keys)"),
    ("anorm", "one_by_one", "# see whether anorm has"), ("kombu", "one_by_one", None),
    ("rq", "one_by_one", None), ("anorm", "places", None), ("anorm", "counted", None),
])  # fmt: skip
def test_a_librarys_loop_gets_the_librarys_own_way_or_is_left_alone(r, library, name, instead):
    space = {}
    exec(compile(LIBRARY, f"/usr/lib/python3/site-packages/{library}/cache.py", "exec"), space)
    found = found_in(r, space[name]).findings
    assert len(found) == bool(instead), found
    for each in found:
        assert each.instead.startswith(instead) and each.sure == (library != "anorm")
        assert each.site.through == library and each.site.file == __file__


# What a finding promises: never more than the code that it says to write instead saves


def test_scans_that_begin_anew_are_a_round_trip_each(r):
    r.mset({f"user:{number}": 1 for number in range(300)})
    before = found_in(r, lambda r: [list(r.scan_iter("user:*")) for _ in range(3)])
    [found] = before.findings
    assert found.saves == before.round_trips - 3


def test_a_tree_read_node_by_node_is_a_round_trip_for_each_level(r):
    for number in range(31):
        r.sadd(f"friends:{number}", 2 * number + 1, 2 * number + 2)
    todo = [0]
    with trace() as t:
        for _ in range(31):
            todo += sorted(int(friend) for friend in r.smembers(f"friends:{todo.pop(0)}"))
    [found] = t.findings
    assert (found.saves, found.sure) == (31 - 5, False)


@pytest.mark.parametrize("call, instead, sure", [
    (lambda client: client.incr("n"), "once(keys=", True),
    (lambda client: client.xadd("n", {"a": 1}), "once(keys=", True),
    (lambda client: client.lpop("n"), "r.lmove(", True),
    (lambda client: client.zpopmin("n"), "have a script move it", True),
    (lambda client: client.lmove("n", "m"), "both stand where they went", True),
    (lambda client: client.eval("return 1", 1, "n"), "an id with each call", False),
    (lambda client: client.set("n", 1), None, None), (lambda client: client.get("n"), None, None),
])  # fmt: skip
def test_a_retry_of_what_adds_up_is_found(r, proxy, call, instead, sure):
    retry = {"retry": Retry(NoBackoff(), 1), "retry_on_error": [redis.ConnectionError]}
    with redis.Redis(**proxy.options, **retry) as client:
        client.ping()
        proxy.cut("asked")
        t = found_in(client, call)
    assert t.lost == 1
    assert [(found.kind, found.sure) for found in t.findings] == [("retried", sure)] * bool(instead)
    if instead:
        assert instead in t.findings[0].instead
        run_text(t.findings[0].instead, r)


def test_a_loop_is_as_long_as_the_table_says(r, monkeypatch):
    t = found_in(r, through_a_helper)
    for most, number in ((None, 1), (20, 1), (21, 0)):
        monkeypatch.setattr(config, "current", Settings(min_loop=most))
        assert len(t.findings) == number


def test_each_rule_is_asked():
    folder = Path(advice.__file__).parent
    rules = {path.stem for path in folder.glob("*.py") if "\ndef find(" in path.read_text()}
    assert rules == set(advice.RULES)
