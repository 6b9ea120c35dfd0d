"""Programs, each with what is found in it, or nothing at all."""

import ast
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from roundtrips import trace

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


def connection_each(r):
    for number in range(5):
        with redis.Redis(**r.options) as client:
            client.get(f"user:{number}")


def parents_in_a_hash(r):
    """Read a tree upwards: each reply names the next field, so no pipeline can do the same."""
    r.hset("parent", mapping={number: (number * 31 + 7) % 97 // 2 for number in range(100)})
    number = 77
    for _ in IDS:
        number = int(r.hget("parent", number)) + 1


LOOP = ("loop", 19)
# Each program, and what is found in it: its kind, how many round trips less, in code that holds
# these words.
BAD = [
    (through_a_helper, [(*LOOP, "pipe.hgetall(key)")]),
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
    (lambda r: each(lambda n: r.publish("news", n)), [(*LOOP, "if all are there")]),
    (lambda r: each(lambda n: r.register_script(NO_KEY)(args=[n])), [
        ("loop", 18, "for argument in arguments:\n    script(args=[argument], client=pipe)"),
    ]),
    # The wire can't tell that replies decide: the code says under which condition it holds.
    (parents_in_a_hash, [(*LOOP, "# if neither keys nor values depend on the replies:")]),
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


def worker(r):
    r.rpush("jobs", *IDS)
    while (job := r.lpop("jobs")) is not None:
        r.set(f"result:{int(job)}", "done")


def guests_carts(r):
    for number in IDS:
        r.set(f"cart:{number}", "tea")
        if number % 2:
            r.expire(f"cart:{number}", 60)


def results_that_expire(r):
    r.rpush("jobs", *IDS)
    while (job := r.lpop("jobs")) is not None:
        r.set(f"result:{int(job)}", "done")
        r.expire(f"result:{int(job)}", 60)


GOOD = [politely, cache_aside, watched, locked, worker, results_that_expire]


@pytest.mark.parametrize("program, expected", BAD, ids=[each[0].__name__ for each in BAD])
def test_what_is_found(r, program, expected):
    t = found_in(r, program)
    first = program.__code__.co_firstlineno
    assert len(t.findings) == len(expected), t.findings
    left = list(t.findings)
    for kind, saves, says in expected:
        found = next(each for each in left if each.kind == kind and says in each.instead)
        left.remove(found)
        assert found.saves in range(*saves) if saves is SOME else found.saves == saves
        assert found.site.file == __file__ and (found.what in repr(t.findings))
        assert first <= found.site.line < first + 12 or found.site.function == "each"
        compile(found.instead, "<advice>", "exec")


def test_a_set_is_given_an_expiry_only_where_each_one_has_it(r):
    def both(r):
        def save(seconds):
            for number in IDS:
                r.set(f"cart:{number}:{seconds}", "tea")
                if seconds:
                    r.expire(f"cart:{number}:{seconds}", seconds)

        with ThreadPoolExecutor(1) as pool:
            pool.submit(save, 60).result()
        save(None)

    for program in (guests_carts, both):
        assert not any("ex=" in each.instead for each in found_in(r, program).findings)


@pytest.mark.parametrize("program", GOOD, ids=[each.__name__ for each in GOOD])
def test_what_is_left_alone(r, program):
    assert repr(found_in(r, program).findings) == "Nothing found to change."


# Whose client it is, through which library, how many


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
    assert first.instead.endswith("values = await r.mget(keys)")
    for found in (first, second):
        code = compile(found.instead, "<advice>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        space = {"r": async_r, "keys": ["k"], "field": "f"}
        assert await found_in_asyncio(space, lambda space: eval(code, space)) == []  # noqa: B023
        assert space["values" if found is first else "replies"] == [None]
    [found] = await found_in_asyncio(async_r, scanned)
    assert found.instead.startswith("async for key in r.scan_iter(match=pattern, count=1_000):")


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


def test_a_long_loop_is_no_single_pipeline(r):
    t = found_in(r, lambda r: each(r.incr, [f"user:{number}" for number in range(2_500)]))
    [found] = t.findings
    assert found.saves == 2_500 - 3 and "a pipeline for each 1,000" in found.instead


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


def one_each_in(options, call):
    """Return a function `program(r)` that makes a call in one database after another.

    So does code that has a database for each tenant. `options` are those of a connection;
    `call(client, number)` gets a client of database `number`, from 0 to 7. The program ignores `r`.
    """
    clients = [redis.Redis(**options, db=number) for number in range(8)]

    def program(r):
        for number, client in enumerate(clients):
            with client:
                call(client, number)

    return program


@pytest.mark.parametrize("call", [
    lambda r, n: r.set(f"plan:{n}", "gold"), lambda r, n: r.get(f"plan:{n}"),
    lambda r, n: (r.set(f"plan:{n}", 1), r.expire(f"plan:{n}", 60)),
    lambda r, n: r.pipeline().incr(f"plan:{n}").execute(),
])  # fmt: skip
def test_databases_are_never_put_into_one_command(r, call):
    program = one_each_in(r.options, call)
    assert found_in(r, program).findings == []


def checkpoints(r):
    for job in range(6):
        time.sleep(0.02)  # the work
        r.set(f"done:{job}", 1)


def blobs(r):
    each(lambda number: r.set(f"blob:{number}", "x" * 300_000), range(6))


@pytest.mark.parametrize("program, says", [
    (checkpoints, "a crash loses all, and others see them late"), (blobs, "Values are large"),
    (through_a_helper, None),
])  # fmt: skip
def test_what_following_it_would_change_is_said(r, program, says):
    findings = found_in(r, program).findings
    assert findings
    for found in findings:
        said = {text for text in ("crash", "large") if text in found.instead}
        assert said == ({text for text in ("crash", "large") if text in says} if says else set())
        assert says is None or says in found.instead


# What a finding promises: never more than the code that it says to write instead saves


def test_a_loop_is_as_long_as_the_table_says(r, tmp_path, monkeypatch):
    t = found_in(r, through_a_helper)
    monkeypatch.chdir(tmp_path)
    for most, number in ((None, 1), (20, 1), (21, 0)):
        line = "" if most is None else f"min_loop = {most}"
        (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\n{line}\n")
        assert len(t.findings) == number
