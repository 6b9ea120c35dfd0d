"""Bad programs each with their finding, good ones with none, and what is only worth a look."""

import ast
import asyncio
import time
import uuid

import pytest
import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

from roundtrips import config, trace
from roundtrips.config import Settings

LONG_SCRIPT = f"-- {'x' * 200}\nreturn redis.call('INCR', KEYS[1])"
IDS = range(20)


# Bad ones: what `board` and `feed` do is what half of all pages do


def through_a_helper(r):
    def user(number):
        return r.hgetall(f"user:{number}")

    for number in IDS:
        user(number)


def at_its_own_pace(r):
    for number in range(6):
        r.get(f"user:{number}")
        time.sleep(0.03)


def names_of_members(r):
    r.sadd("online", *IDS)
    return [r.hget(f"user:{number.decode()}", "name") for number in r.smembers("online")]


def authors_of_posts(r):
    r.rpush("feed", *IDS)
    r.mset({f"post:{number}": f"by {(number * 7 + 3) % 50}" for number in IDS})
    for post in r.lrange("feed", 0, -1):
        author = r.get(f"post:{post.decode()}").split()[1]
        r.hget(f"user:{author.decode()}", "name")


def small_transactions(r):
    for number in IDS:
        with r.pipeline() as pipe:
            pipe.set(f"user:{number}", 1).execute()


def counter(r):
    r.set("hits", 1)
    r.set("hits", int(r.get("hits")) + 1)


def balance(r):
    r.hset("user:1", "credit", 100)
    r.hset("user:1", "credit", int(r.hget("user:1", "credit")) - 10)


def keys_twice(r):
    for kind in ("user:*", "session:*"):
        r.keys(kind)


def small_scan(r):
    r.mset({f"user:{number}": 1 for number in range(300)})
    list(r.scan_iter("user:*"))


def small_hscan(r):
    r.hset("h", mapping={f"field{number}": "x" * 99 for number in range(900)})
    list(r.hscan_iter("h"))


def small_sscan(r):
    r.sadd("s", *[f"member{number}" for number in range(900)])
    list(r.sscan_iter("s"))


def small_zscan(r):
    r.zadd("z", {f"member{number}": number for number in range(900)})
    list(r.zscan_iter("z"))


def text_again(r):
    for number in range(3):
        r.eval(LONG_SCRIPT, 1, f"n:{number}")


def text_in_pipelines(r):
    for _ in range(2):
        pipe = r.pipeline(transaction=False)
        for number in range(9):
            pipe.eval(LONG_SCRIPT, 1, f"n:{number}")
        pipe.execute()


def connection_each(r):
    for number in range(5):
        with redis.Redis(**r.connection_pool.connection_kwargs_here) as client:
            client.get(f"user:{number}")


def blocks_for_ever(r):
    r.rpush("list", 1, 2)
    with redis.Redis(**{**r.connection_pool.connection_kwargs_here, "socket_timeout": 2}) as client:
        for _ in range(2):
            client.blpop("list")


def in_two_functions(r):
    """What `load` and `save` do one after the other is a race too, seen twenty times."""

    def load(key):
        return int(r.hget(key, "n"))

    def save(key, number):
        r.hset(key, "n", number)

    for number in IDS:
        r.pipeline().hset(f"user:{number}", "n", number * number).ping().execute()
    for number in IDS:
        save(f"user:{number}", load(f"user:{number}") + 1)


BAD = [
    (through_a_helper, "loop", 19, "pipe.hgetall(key)"),
    (at_its_own_pace, "loop", 5, "r.mget(keys)"),
    (names_of_members, "loop", 19, "pipe.hget(key, field)"),
    (authors_of_posts, "loop", 19, None),
    (small_transactions, "small pipelines", 19, "transaction=False"),
    (counter, "read, then written", 1, "r.incr(key, amount)"),
    (balance, "read, then written", 1, "r.hincrby(key, field, amount)"),
    (keys_twice, "keys", 0, "r.scan_iter(match=pattern, count=1_000)"),
    (small_scan, "small scans", None, "r.scan_iter(match=pattern, count=1_000)"),
    (small_hscan, "small scans", None, "r.hscan_iter(key, count=1_000)"),
    (small_sscan, "small scans", None, "r.sscan_iter(key, count=1_000)"),
    (small_zscan, "small scans", None, "r.zscan_iter(key, count=1_000)"),
    (text_again, "script's text", 0, "r.register_script(TEXT)"),
    (text_in_pipelines, "script's text", 0, "r.register_script(TEXT)"),
    (connection_each, "connections", None, "redis.Redis(**options)"),
    (blocks_for_ever, "blocking", 0, "r.blpop(key, timeout=1)"),
]


@pytest.fixture
def r(r, server):
    r.connection_pool.connection_kwargs_here = server
    return r


def found_in(r, program):
    with trace() as t:
        program(r)
    return t


@pytest.mark.parametrize("program, kind, saves, instead", BAD, ids=[row[0].__name__ for row in BAD])
def test_a_bad_program_is_found_out(r, program, kind, saves, instead):
    t = found_in(r, program)
    found = t.findings[0]
    assert (found.kind, found.sure) == (kind, True), t.findings
    assert instead is None or instead in found.instead
    assert found.saves == saves if saves is not None else found.saves > 5
    assert found.site.file == __file__
    first = program.__code__.co_firstlineno
    assert first < found.site.line < first + 9
    assert found.what in repr(t.findings) and found.shows in str(found)
    assert "chapter" not in repr(t.findings) and found.topic
    assert "socket_timeout=None" not in repr(t.findings)
    for each in t.findings:
        run_text(each.instead, r)


# Worth a look


NAMES = {
    "key": "k", "keys": ["k"], "field": "f", "fields": ["f"], "amount": 1, "pattern": "*",
    "args": [1], "TEXT": LONG_SCRIPT, "messages": [1], "channel": "c",
    "values": {"k": 1}, "print": lambda *_: None, "uuid4": uuid.uuid4, "redis": redis,
}  # fmt: skip
A_HASH, A_LIST = ("hset", "f", 1), ("rpush", 1)
OF_TYPE = {
    **dict.fromkeys(("hscan", "hget", "hmget", "hincrby", "hgetall"), A_HASH),
    **dict.fromkeys(("blpop", "lpop", "lmove"), A_LIST),
    "sscan": ("sadd", 1), "zscan": ("zadd", {"m": 1}),
}  # fmt: skip


def run_text(text, r):
    """Run the code of a finding, on a key of the type that it is about."""
    r.delete("k")
    for word, (name, *args) in OF_TYPE.items():
        if f".{word}" in text:
            r.delete("k")
            getattr(r, name)("k", *args)
    options = r.connection_pool.connection_kwargs_here if "redis.Redis(" in text else {}
    script = r.register_script(LONG_SCRIPT)
    code = compile(text, "<advice>", "exec")
    exec(code, {**NAMES, "r": r, "options": options, "script": script})


def computed_keys(r):
    number = 27
    r.mset({f"n:{each}": (each * 7919) % 1009 + 3 for each in range(500)})
    for _ in IDS:
        number = int(r.get(f"n:{number}")) // 3 + 1


def parents_in_a_hash(r):
    """A tree read upwards: levels, each as many as the tree is wide."""
    r.hset("parent", mapping={number: (number * 31 + 7) % 97 // 2 for number in range(100)})
    number = 77
    for _ in IDS:
        number = int(r.hget("parent", number)) + 1


def any_ids(r):
    r.mset({f"user:{number * number % 89}": f"v{number * 3 % 17}x" for number in IDS})
    for number in IDS:
        r.get(f"user:{number * number % 89}")


def same_again(r):
    r.set("settings", "x")
    for _ in IDS:
        r.get("settings")


def published(r):
    for number in IDS:
        r.publish("news", number)


def drained(r):
    r.rpush("jobs", *IDS)
    while r.lpop("jobs"):
        pass


def claims(r):
    return [number for number in IDS if r.set(f"claim:{number}", 1, nx=True)]


def whole_hashes(r):
    for number in IDS:
        r.hset(f"user:{number}", mapping={"name": "ann", "age": number})
        r.sadd(f"tags:{number}", "a", "b")


def scripts(r):
    count = r.register_script(LONG_SCRIPT)
    for number in IDS:
        count(keys=[f"n:{number}"])


def reading_transactions(r):
    for _ in range(2):
        with r.pipeline() as pipe:
            pipe.get("a").get("b").execute()


def large_values(r):
    r.mset({f"profile:{number}": "x" * 200_000 for number in range(2)})
    for number in range(2):
        r.get(f"profile:{number}")


LOOKED_AT = [
    (computed_keys, "loop", "depend on the replies"), (any_ids, "loop", "depend on the replies"),
    (parents_in_a_hash, "loop", "depend on the replies"), (same_again, "again", "before the loop"),
    (published, "loop", "if all are there"), (drained, "loop", "r.lpop(key, 1_000)"),
    (claims, "loop", "depend on the replies"), (scripts, "loop", "client=pipe"),
    (reading_transactions, "transaction", "of one moment"),
    (in_two_functions, "read, then written", "pipe.hincrby(key, field, amount)"),
    (large_values, "large value", "if a part of it"),
]  # fmt: skip


@pytest.mark.parametrize(
    "program, kind, says", LOOKED_AT, ids=[row[0].__name__ for row in LOOKED_AT]
)
def test_what_the_wire_cannot_prove_is_worth_a_look(r, program, kind, says):
    t = found_in(r, program)
    assert {(found.kind, found.sure) for found in t.findings} == {(kind, False)}
    assert says in t.findings[0].instead
    assert "Worth a look" in repr(t.findings)
    for each in t.findings:
        run_text(each.instead, r)


def test_a_loop_of_commands_with_several_members_keeps_them(r):
    hashes, sets = found_in(r, whole_hashes).findings
    assert "pipe.hset(key, mapping=values)" in hashes.instead and hashes.sure
    assert "pipe.sadd(key, *members)" in sets.instead and sets.sure


# Good programs


def pipelines(r):
    for _ in range(10):
        pipe = r.pipeline(transaction=False)
        for number in IDS:
            pipe.get(f"user:{number}")
        pipe.execute()


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
        time.sleep(0.001)


def pages_of_a_list(r):
    r.rpush("list", *range(100))
    for first in range(0, 100, 10):
        r.lrange("list", first, first + 9)


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
    for _ in IDS:
        r.transaction(change, "n")


def locked(r):
    r.set("n", 1)
    for number in IDS:
        with r.lock("mine", timeout=5):
            r.set("n", int(r.get("n")) + 1)
            r.get(f"user:{number}")


def lock_with_token(r):
    release = r.register_script("return redis.call('DEL', KEYS[1])")
    r.set("stock", 5)
    if r.set("lock:stock", "token", nx=True, ex=10):
        r.set("stock", int(r.get("stock")) - 1)
        release(keys=["lock:stock"])


def limiter(r):
    for number in range(10):
        r.set("limit:1", number, nx=True, ex=60)


def limit_by_window(r):
    for now in IDS:
        with r.pipeline() as pipe:
            pipe.zremrangebyscore("hits:ann", 0, now - 10).zadd("hits:ann", {now: now})
            pipe.zcard("hits:ann").expire("hits:ann", 60).execute()


def worker(r):
    r.rpush("jobs", *IDS)
    while (job := r.lpop("jobs")) is not None:
        r.set(f"result:{int(job)}", "done")


def reliable_queue(r):
    r.rpush("todo", *IDS)
    while (job := r.blmove("todo", "doing", 1)) and job != b"19":
        r.lrem("doing", 1, job)


def stream_of_jobs(r):
    r.xgroup_create("events", "group", id="0", mkstream=True)
    pipe = r.pipeline(transaction=False)
    for number in IDS:
        pipe.xadd("events", {"number": number})
    pipe.execute()
    while taken := r.xreadgroup("group", "worker", {"events": ">"}, count=1):
        [(name, fields)] = taken[0][1] if isinstance(taken, list) else taken[b"events"][0]
        r.get(b"user:" + fields[b"number"])
        r.xack("events", "group", name)


def poll(r):
    with redis.Redis(**r.connection_pool.connection_kwargs_here) as other:
        for number in range(30):
            r.get("state")
            if number in (5, 28):
                other.set("state", {5: "busy", 28: "done"}[number])


def polls_for_a_key(r):
    for _ in range(30):
        r.exists("done")
        r.get("done")


def show_form(r):
    return r.get("form")


def save_form(r, text):
    r.set("form", text)


def form(r):
    save_form(r, "old")
    show_form(r)
    save_form(r, "new")


def two_clients(r):
    r.set("n", 1)
    with redis.Redis(**r.connection_pool.connection_kwargs_here, db=1) as other:
        r.get("n")
        other.set("n", 2)


def only_once(r):
    r.keys("user:*")
    r.set("large", "x" * 200_000)
    r.get("large")
    r.pipeline().get("a").get("b").execute()
    r.rpush("list", 1)
    with redis.Redis(**{**r.connection_pool.connection_kwargs_here, "socket_timeout": 2}) as client:
        client.blpop("list")
    r.eval(LONG_SCRIPT, 1, "n")
    r.set("session", 1)
    r.expire("session", 60)


def scan_with_a_count(r):
    r.mset({f"user:{number}": 1 for number in range(3_000)})
    for keys in range(2):
        cursor = "0"
        while cursor != 0:
            cursor, keys = r.scan(cursor, match="user:*", count=1000)
            r.mget(keys)
    list(r.scan_iter("user:*", count=50))


def linked_list(r):
    r.mset({f"node:{number}": f'{{"next": {number + 1}}}' for number in IDS})
    number = 0
    while (node := r.get(f"node:{number}")) is not None:
        number = int(node.split()[1][:-1])


def linked_in_two(r):
    """Each node names an edge, each edge a node."""
    r.mset({f"node:{number}": f"e{number * 5 % 23}" for number in range(23)})
    r.mset({f"edge:e{number}": f"{(number * 3 + 1) % 23}" for number in range(23)})
    number = 0
    for _ in IDS:
        edge = r.get(f"node:{number}").decode()
        number = int(r.get(f"edge:{edge}"))


def linked_in_a_hash(r):
    r.hset("next", mapping={f"n{number}": f"n{number + 1}" for number in IDS})
    at = "n0"
    while at := r.hget("next", at):
        pass


def page(r):
    r.get("session:1")
    r.hgetall("user:1")
    r.zrevrange("board", 0, 9, withscores=True)
    r.incr("views:1")
    r.expire("views:1", 60)


GOOD = [
    pipelines, politely, pages_of_a_list, cache_aside, watched, locked, lock_with_token, limiter,
    limit_by_window, worker, reliable_queue, stream_of_jobs, poll, polls_for_a_key, form,
    two_clients, only_once, scan_with_a_count, linked_list, linked_in_two, linked_in_a_hash, page,
]  # fmt: skip


@pytest.mark.parametrize("program", GOOD, ids=[program.__name__ for program in GOOD])
def test_a_good_program_stays_silent(r, program):
    assert repr(found_in(r, program).findings) == "Nothing found to change."


# Whose client it is, through which library, how many


async def gathered(r):
    for _ in range(3):
        await asyncio.gather(*(r.get(f"user:{number}") for number in range(100)))


async def one_by_one(r):
    for number in IDS:
        await r.get(f"user:{number}")
    for number in IDS:
        await r.hget(f"user:{number}", "name")


async def scanned(r):
    [_ async for _ in r.scan_iter("user:*")]


def in_asyncio(server, program, **options):
    async def main():
        async with redis.asyncio.Redis(**server, **options) as client, trace() as t:
            await program(client)
        return t.findings

    return asyncio.run(main())


def test_asyncio_gets_awaits(r, server):
    r.mset({f"text:{number}": 1 for number in range(200)})
    first, second = in_asyncio(server, one_by_one)
    assert first.instead == "values = await r.mget(keys)" and first.sure

    async def followed(client):
        for found in (first, second):
            code = compile(found.instead, "<advice>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            space = {**NAMES, "r": client}
            await eval(code, space)
            assert space["values" if found is first else "replies"] == [None]

    assert in_asyncio(server, followed) == []
    assert second.instead.endswith("replies = await pipe.execute()  # one for each, in order")
    [found] = in_asyncio(server, scanned)
    assert found.instead.startswith("async for key in r.scan_iter(match=pattern, count=1_000):")


def test_a_gather_of_a_hundred_keys_is_found(server):
    [found] = in_asyncio(server, gathered)
    assert (found.kind, found.sure) == ("gather", False)
    assert found.saves > 250 and "values = await r.mget(keys)" in found.instead


def test_a_few_tasks_at_once_stay_silent(server):
    async def few(r):
        await asyncio.gather(*(r.get(f"user:{number}") for number in range(8)))

    assert in_asyncio(server, few) == []


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


@pytest.mark.parametrize("call", ["get", "hgetall", "incr", "set", "delete"])
def test_a_long_loop_is_sliced(r, call):
    with trace() as t:
        for number in range(2_500):
            getattr(r, call)(f"user:{number}", *([1] if call == "set" else []))
    [found] = t.findings
    assert found.saves == 2_500 - 3 and "1_000" in found.instead
    keys = [f"user:{number}" for number in range(2_500)]
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


def through(library, name, r):
    space = {}
    exec(compile(LIBRARY, f"/usr/lib/python3/site-packages/{library}/cache.py", "exec"), space)
    with trace() as t:
        space[name](r)
    return t.findings


@pytest.mark.parametrize("library, instead", [
    ("django", "values = cache.get_many(keys)"), ("cachelib", "values = cache.get_many(*keys)"),
    ("aiocache", "values = await cache.multi_get(keys)"), ("anorm", "# see whether anorm has"),
])  # fmt: skip
def test_a_librarys_loop_gets_the_librarys_own_way(r, library, instead):
    [found] = through(library, "one_by_one", r)
    assert found.instead.startswith(instead) and found.sure == (library != "anorm")
    assert found.site.through == library and found.site.file == __file__


@pytest.mark.parametrize("library, name", [
    ("kombu", "one_by_one"), ("rq", "one_by_one"), ("anorm", "places"), ("anorm", "counted"),
])  # fmt: skip
def test_what_a_library_does_by_itself_is_left_alone(r, library, name):
    assert through(library, name, r) == []


# What a finding promises: never more than the code that it says to write instead saves


def test_loops_that_run_several_times_are_a_round_trip_each(r):
    def pages(r):
        for number in range(4):
            r.get(f"page:{number}")
            r.incr("views")
            for user in range(50 * number, 50 * number + 50):
                r.hgetall(f"user:{user}")

    def twice(r):
        for _ in range(2):
            for number in range(50):
                r.get(f"user:{number}")

    assert [found.saves for found in found_in(r, pages).findings] == [196]
    assert [found.saves for found in found_in(r, twice).findings] == [98]


def test_scans_that_begin_anew_are_a_round_trip_each(r):
    r.mset({f"user:{number}": 1 for number in range(300)})
    with trace() as before:
        for _ in range(3):
            list(r.scan_iter("user:*"))
    [found] = before.findings
    assert found.saves == before.round_trips - 3


def test_a_tree_read_node_by_node_is_a_round_trip_for_each_level(r):
    for number in range(31):
        pipe = r.pipeline(transaction=False)
        pipe.sadd(f"friends:{number}", 2 * number + 1).sadd(f"friends:{number}", 2 * number + 2)
        pipe.execute()
    todo = [0]
    with trace() as t:
        for _ in range(31):
            todo += sorted(int(friend) for friend in r.smembers(f"friends:{todo.pop(0)}"))
    [found] = t.findings
    assert (found.saves, found.sure) == (31 - 5, False)


@pytest.mark.parametrize("call, instead, sure", [
    (lambda client: client.incr("n"), "once(keys=", True),
    (lambda client: client.rpush("n", 1), "once(keys=", True),
    (lambda client: client.xadd("n", {"a": 1}), "once(keys=", True),
    (lambda client: client.lpop("n"), "r.lmove(", True),
    (lambda client: client.zpopmin("n"), "have a script move it", True),
    (lambda client: client.lmove("n", "m"), "both stand where they went", True),
    (lambda client: client.eval("return 1", 1, "n"), "an id with each call", False),
    (lambda client: client.set("n", 1), None, None), (lambda client: client.get("n"), None, None),
])  # fmt: skip
def test_a_retry_of_what_adds_up_is_found(r, proxy, call, instead, sure):
    with redis.Redis(
        **proxy.options, retry=Retry(NoBackoff(), 1), retry_on_error=[redis.ConnectionError]
    ) as client:
        client.ping()
        proxy.cut("asked")
        with trace() as t:
            call(client)
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
