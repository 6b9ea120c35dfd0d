"""Programs, each with what is found in it, or nothing at all."""

import ast
import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
import redis.asyncio

from roundtrips import trace

NO_KEY = f"-- {'x' * 200}\nreturn 1"
IDS = range(20)
NUMBERS = {f"member:{number}": number for number in range(900)}
TEXTS = dict.fromkeys(NUMBERS, "x" * 99)
SOME = range(6, 99)  # how many round trips are saved where that hangs on the server


def found_in(r, program):
    with trace() as t:
        program(r)
    return t


def each(call, items=IDS):
    for item in items:
        call(item)


def options_of(r):
    return {name: r.get_connection_kwargs()[name] for name in ("host", "port", "password")}


def connection_each(r):
    for number in range(5):
        redis.Redis(**options_of(r)).get(f"user:{number}")


def a_client_for_each_request(r):
    async def request(number):
        async with redis.asyncio.Redis(**options_of(r)) as client:
            await client.get(f"user:{number}")

    async def serve():  # two at a time, as a web server would
        for number in IDS:
            await asyncio.gather(request(number), request(number))

    asyncio.run(serve())


def checkpoints(r):
    for job in range(6):
        time.sleep(0.02)  # the work
        r.set(f"done:{job}", 1)


LOOP = ("loop", 19)
# Each program, and what is found in it: its kind, how many round trips less, in code that holds
# these words.
BAD = [
    (lambda r: each(lambda n: r.get(f"user:{n % 50}"), range(100)), [("loop", 98, "r.mget(keys)")]),
    (lambda r: each(lambda n: r.pipeline().set(f"user:{n}", 1).execute()),
     [("small pipelines", 19, "pipe = r.pipeline(transaction=False)")]),
    (lambda r: r.keys("user:*"), [("keys", 0, "scan_iter(match=pattern, count=1_0")]),
    (lambda r: each(r.keys, ("user:*", "cart:*")),
     [("keys", 0, "scan_iter(match=pattern, count=1_0")]),
    (lambda r: (r.mset(NUMBERS), list(r.scan_iter("member:*"))),
     [("small scans", SOME, "r.scan_iter(match=pattern, count=1_000)")]),
    (lambda r: (r.hset("h", mapping=TEXTS), list(r.hscan_iter("h"))),
     [("small scans", SOME, "r.hscan_iter(key, count=1_000)")]),
    (lambda r: (r.sadd("s", *NUMBERS), list(r.sscan_iter("s"))),
     [("small scans", SOME, "r.sscan_iter(key, count=1_000)")]),
    (lambda r: (r.zadd("z", NUMBERS), list(r.zscan_iter("z"))),
     [("small scans", SOME, "r.zscan_iter(key, count=1_000)")]),
    (connection_each, [
        ("connections", SOME, "redis.Redis(**options)"), ("loop", 4, "r.mget(keys)"),
    ]),
    (a_client_for_each_request, [("connections", range(100, 200), "redis.asyncio.Redis(**opt")]),
    (lambda r: each(lambda n: r.publish("news", n)), [(*LOOP, "if all are there")]),
    (lambda r: each(lambda n: r.pipeline(False).get(memoryview(b"user:%d" % n)).execute()),
     [("loop", 19, "r.mget(keys)")]),
    (lambda r: each(lambda n: r.register_script(NO_KEY)(args=[n])), [
        ("loop", 18, "for argument in arguments:\n    script(args=[argument], client=pipe)"),
    ]),
    (lambda r: each(r.incr, [f"user:{n}" for n in range(2_500)]),
     [("loop", 2_500 - 3, "a pipeline for each 1,000")]),
    # What the wire can't tell is said: that replies decide, as where each names the next field.
    (lambda r: each(lambda n: r.hget("parent", n)),
     [(*LOOP, "# if neither keys nor values depend on the replies:")]),
    (checkpoints, [("loop", 5, "a crash loses all, and others see them late")]),
    (lambda r: each(lambda n: r.set(f"blob:{n}", "x" * 300_000), range(6)),
     [("loop", 5, "Values are large")]),
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


def cache_aside(r):
    for number in IDS:
        for _ in range(2):
            if r.get(f"page:{number}") is None:
                r.set(f"page:{number}", "text", ex=60)


def watched(r):
    def change(pipe):
        pipe.multi()
        pipe.set("n", 1)

    each(lambda _: r.transaction(change, "n"))
    with r.pipeline() as pipe:
        pipe.watch("n")
        each(lambda _: (change(pipe), pipe.execute()))


def locked(r):
    for number in IDS:
        with r.lock("mine", timeout=5):
            r.get(f"user:{number}")


def a_client_for_each_loop(r):
    async def job():
        async with redis.asyncio.Redis(**options_of(r)) as client:
            await asyncio.gather(*(client.get("a") for _ in range(50)))
            for channel in "bcd":
                await client.pubsub().subscribe(channel)

    for _ in range(3):
        asyncio.run(job())


def results_that_expire(r):
    r.rpush("jobs", *IDS)
    while (job := r.lpop("jobs")) is not None:
        r.set(f"result:{int(job)}", "done")
        r.expire(f"result:{int(job)}", 60)


GOOD = [
    politely, cache_aside, watched, locked, a_client_for_each_loop, results_that_expire,
    # The same key each time, in objects that differ.
    lambda r: each(lambda key: r.pipeline(False).get(key).execute(),
                   [memoryview(b"user:1") for _ in IDS]),
]  # fmt: skip


@pytest.mark.parametrize("program, expected", BAD, ids=[each[0].__name__ for each in BAD])
def test_what_is_found(r, program, expected):
    t = found_in(r, program)
    first = program.__code__.co_firstlineno
    for found, (kind, saves, says) in zip(t.findings, expected, strict=True):
        assert found.kind == kind and says in found.instead
        assert found.saves in saves if isinstance(saves, range) else found.saves == saves
        assert found.site.file == __file__ and found.what in repr(t.findings)
        assert first <= found.site.line < first + 12 or found.site.function == "each"
        for reservation in ("crash", "large"):
            assert (reservation in found.instead) == (reservation in says)
        compile(found.instead, "<advice>", "exec")


def test_a_set_is_given_an_expiry_only_where_each_one_has_it(r):
    def save(numbers):
        for number in numbers:
            r.set(f"cart:{number}", "tea")
            if number < 20:  # a guest's
                r.expire(f"cart:{number}", 60)

    with trace() as t, ThreadPoolExecutor(1) as pool:
        pool.submit(save, range(20)).result()
        save(range(20, 40))
    assert t.findings and "ex=" not in repr(t.findings)


@pytest.mark.parametrize("program", GOOD, ids=[each.__name__ for each in GOOD])
def test_what_is_left_alone(r, program):
    assert repr(found_in(r, program).findings) == "Nothing found to change."


# Whose client it is, through which library, how many


async def test_asyncio_gets_awaits(r, async_r):
    r.mset({f"text:{number}": 1 for number in range(200)})
    async with trace() as before:
        for number in IDS:
            await async_r.get(f"text:{number}")
            await async_r.hget(f"user:{number}", "name")
        [_ async for _ in async_r.scan_iter("text:*")]
    space = {"r": async_r, "keys": ["user:1"], "field": "name", "pattern": "text:*"}
    async with trace() as after:
        for found in before.findings:
            code = compile(found.instead, "<advice>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            await eval(code, space)
    assert len(before.findings) == after.round_trips == 3
    assert (space["values"], space["replies"]) == ([None], [None])


def test_a_cluster_gets_what_goes_across_slots(cluster):
    keys = [f"user:{number}" for number in range(50)]
    with redis.RedisCluster(**cluster[0]) as client:
        with trace() as before:
            each(lambda key: client.set(key, 1), keys)
            each(client.get, keys)
        gets, sets = sorted(before.findings, key=lambda found: found.shows)
        assert (gets.saves, sets.saves) == (47, 47) and "50 times" in gets.shows
        space = {"r": client, "keys": keys, "values": dict.fromkeys(keys, 1)}
        with trace() as after:
            exec(sets.instead, space)
            exec(gets.instead, space)
    assert space["values"] == [b"1"] * 50 and after.round_trips == 6


LIBRARY = """
def one_by_one(r):
    for number in range(10):
        r.get(f"a:{number}")
"""


@pytest.mark.parametrize("library, found", [("django", 1), ("kombu", 0)])
def test_a_loop_through_djangos_cache_is_asked_about_and_a_librarys_left_alone(r, library, found):
    space = {}
    exec(compile(LIBRARY, f"/usr/lib/python3/site-packages/{library}/cache.py", "exec"), space)
    findings = found_in(r, space["one_by_one"]).findings
    assert [each.instead for each in findings] == [
        f"# see whether {library} has a call for many keys"
    ] * found
    assert all(each.site.through == library and each.site.file == __file__ for each in findings)


# What the wire can't know is said, or nothing is


@pytest.mark.parametrize("call", [
    lambda r, n: r.set(f"plan:{n}", "gold"), lambda r, n: r.get(f"plan:{n}"),
    lambda r, n: (r.set(f"plan:{n}", 1), r.expire(f"plan:{n}", 60)),
    lambda r, n: r.pipeline().incr(f"plan:{n}").execute(),
])  # fmt: skip
def test_databases_are_never_put_into_one_command(server, call):
    """There is such code: it has a database for each tenant."""
    with trace() as t:
        for number in range(8):
            with redis.Redis(**server, db=number) as client:
                call(client, number)
    assert t.findings == []


# What a finding promises: never more than the code that it says to write instead saves


def test_a_loop_is_as_long_as_the_table_says(r, tmp_path, monkeypatch):
    t = found_in(r, lambda r: each(r.get))
    monkeypatch.chdir(tmp_path)
    for most, number in ((20, 1), (21, 0)):
        (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\nmin_loop = {most}\n")
        assert len(t.findings) == number
