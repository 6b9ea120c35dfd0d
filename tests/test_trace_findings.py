"""What lab.trace finds to change: bad programs each with its finding, good ones with none."""

import asyncio
import json

import pytest
import redis
import redis.asyncio
from lab_utils.tracing.traces import trace
from redis.backoff import NoBackoff
from redis.retry import Retry

import lab_utils as lab
from lab_utils.testbed.chosen_server import server

LONG_SCRIPT = f"-- {'x' * 200}\nreturn redis.call('INCR', KEYS[1])"
IDS = range(20)


def gets(r):
    for number in IDS:
        r.get(f"user:{number}")


def through_a_helper(r):
    def user(number):
        return r.hgetall(f"user:{number}")

    for number in IDS:
        user(number)


def sets(r):
    for number in IDS:
        r.set(f"user:{number}", number)


def sets_that_expire(r):
    for number in IDS:
        r.set(f"user:{number}", number, ex=60)


def online(r):
    return [r.exists(f"online:{number}") for number in IDS]  # EXISTS of many keys only says how many there are


def fields(r):
    for number in IDS:
        r.hget("user:1", f"field{number}")


def members(r):
    for number in IDS:
        r.sadd("users", number)


def pairs(r):
    for number in IDS:
        r.hgetall(f"user:{number}")
        r.expire(f"user:{number}", 60)


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


def keys(r):
    r.keys("user:*")


def small_scan(r):
    r.mset({f"user:{number}": 1 for number in range(300)})
    list(r.scan_iter("user:*"))


def text_again(r):
    for number in range(3):
        r.eval(LONG_SCRIPT, 1, f"n:{number}")


def connection_each(r):
    for number in range(5):
        with redis.Redis(**server().options) as client:
            client.get(f"user:{number}")


def blocks_for_ever(r):
    r.rpush("list", 1)
    with redis.Redis(**{**server().options, "socket_timeout": 2}) as client:
        client.blpop("list")


def names_of_members(r):
    r.sadd("online", *IDS)
    return [r.hget(f"user:{number.decode()}", "name") for number in r.smembers("online")]


def times_to_live(r):
    return [r.ttl(f"session:{number}") for number in IDS]


def flags_one_by_one(r):
    return [r.hget("flags", f"flag{number}") for number in IDS]


def scores_one_by_one(r):
    for number in IDS:
        r.zadd("board", {f"user:{number}": number})


def deletes(r):
    for number in IDS:
        r.delete(f"user:{number}")


def counts(r):
    for number in IDS:
        r.incr(f"views:{number}")


def feed(r):
    return [r.lrange(f"feed:{number}", 0, 9) for number in IDS]


def pushes(r):
    for number in IDS:
        r.rpush(f"feed:{number}", "post")


def stock(r):
    r.set("stock", 5)
    if int(r.get("stock")) > 0:
        r.set("stock", int(r.get("stock")) - 1)


def hits_in_transactions(r):
    for number in IDS:
        with r.pipeline() as pipe:
            pipe.hincrby("hits", f"page{number}", 1).execute()


BAD = [(gets, "loop", 19, "mget"), (through_a_helper, "loop", 19, "pipe.hgetall"), (sets, "loop", 19, "mset"),
       (sets_that_expire, "loop", 19, "pipe.set"), (fields, "loop", 19, "hmget"), (members, "loop", 19, "sadd"),
       (pairs, "loop", 19, "pipe.hgetall"), (online, "loop", 19, "pipe.exists(key)"),
       (small_transactions, "small pipelines", 19, "pipe.execute"),
       (counter, "read, then written", 1, "incr"), (balance, "read, then written", 1, "hincrby"), (keys, "keys", 0, "scan_iter"),
       (small_scan, "small scans", None, "count=1000"), (text_again, "script's text", 0, "register_script"),
       (connection_each, "connections", None, "redis.Redis"), (blocks_for_ever, "blocking", 0, "socket_timeout=None"),
       (names_of_members, "loop", 19, "pipe.hget"), (times_to_live, "loop", 19, "pipe.ttl"),
       (flags_one_by_one, "loop", 19, "hmget"),
       (scores_one_by_one, "loop", 19, "zadd(key, mapping"), (deletes, "loop", 19, "r.delete(*keys)"),
       (counts, "loop", 19, "pipe.incr"), (feed, "loop", 19, "pipe.lrange"), (pushes, "loop", 19, "pipe.rpush"),
       (stock, "read, then written", 1, "incr"), (hits_in_transactions, "small pipelines", 19, "pipe.execute")]


@pytest.mark.parametrize("program, kind, saves, instead", BAD, ids=[row[0].__name__ for row in BAD])
def test_a_bad_program_is_found_out(r, program, kind, saves, instead):
    with trace() as t:
        program(r)
    found = t.findings[0]
    assert (found.kind, found.sure) == (kind, True)
    assert instead in found.instead
    assert found.saves == saves if saves is not None else found.saves > 5
    assert found.site.file == __file__
    first = program.__code__.co_firstlineno
    assert first < found.site.line < first + 8
    assert found.what in repr(t.findings) and found.what in t.report() and found.shows in str(found)


def test_two_loops_in_one_are_two_findings(r):
    with trace() as t:
        pairs(r)
    assert [found.kind for found in t.findings] == ["loop", "loop"]


def test_loops_of_a_library_are_two_findings_at_one_place_and_name_it(r):
    """Through json, say: any package that stands between the program and redis-py."""
    library = "def both(r):\n    for number in range(10):\n        r.get(f'a:{number}')\n        r.hgetall(f'b:{number}')\n"
    both = {}
    exec(compile(library, "/usr/lib/python3/site-packages/anorm/models.py", "exec"), both)
    with trace() as t:
        both["both"](r)
    assert [(found.saves, found.site.through, found.site.file) for found in t.findings] == [(9, "anorm", __file__)] * 2
    assert all("what anorm has for many keys" in found.instead and "more" not in found.shows for found in t.findings)


def test_a_retry_of_what_adds_up_is_found():
    with lab.connect() as admin:
        client = redis.Redis(**server().options, client_name="victim", retry=Retry(NoBackoff(), 1))
        client.ping()
        pool, plain = client.connection_pool, client.connection_pool.get_connection
        [victim] = [known["id"] for known in admin.client_list() if known["name"] == "victim"]

        def get_connection(*args, **kwargs):
            connection = plain(*args, **kwargs)
            pool.get_connection = plain
            admin.client_kill_filter(_id=victim)
            return connection

        pool.get_connection = get_connection
        with trace() as t:
            client.incr("n")
        client.close()
    assert t.lost == 1
    assert [(found.kind, found.sure) for found in t.findings] == [("retried", True)]


# What a finding promises: never more than the code that it says to write instead saves.


def page_of(r, ids, one_by_one):
    keys = [f"user:{number}" for number in ids]
    if one_by_one:
        return [r.hgetall(key) for key in keys]
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.hgetall(key)
    return pipe.execute()


def twice(r, one_by_one):
    for _ in range(2):
        page_of(r, range(50), one_by_one)


def overlapping_pages(r, one_by_one):
    page_of(r, range(50), one_by_one)
    page_of(r, range(40, 90), one_by_one)


def pages_with_heads(r, one_by_one):
    for number in range(4):
        r.get(f"page:{number}")
        r.incr("views")
        page_of(r, range(50 * number, 50 * number + 50), one_by_one)


def small_pipelines_in_runs(r, one_by_one):
    for page in range(3):
        r.incr("views")
        if one_by_one:
            for number in range(10):
                with r.pipeline() as pipe:
                    pipe.set(f"user:{page}:{number}", 1).execute()
        else:
            with r.pipeline() as pipe:
                for number in range(10):
                    pipe.set(f"user:{page}:{number}", 1)
                pipe.execute()


def fields_of_two(r, one_by_one):
    for user in range(2):
        if one_by_one:
            for number in IDS:
                r.hget(f"user:{user}", f"field{number}")
        else:
            r.hmget(f"user:{user}", [f"field{number}" for number in IDS])
        r.incr("hits")


def test_scans_that_begin_anew_are_a_round_trip_each(r):
    r.mset({f"user:{number}": 1 for number in range(300)})
    with trace() as before:
        for _ in range(3):
            list(r.scan_iter("user:*"))
    with trace() as after:
        for _ in range(3):
            list(r.scan_iter("user:*", count=1000))
    [found] = before.findings
    assert after.round_trips == 3 and found.saves == before.compare(after).saved


@pytest.mark.parametrize("program, saves", [(twice, 98), (overlapping_pages, 98), (pages_with_heads, 196),
                                            (small_pipelines_in_runs, 27), (fields_of_two, 38)])
def test_a_loop_that_runs_several_times_is_a_round_trip_each(r, program, saves):
    with trace() as before:
        program(r, True)
    with trace() as after:
        program(r, False)
    assert sum(found.saves for found in before.findings) == saves == before.compare(after).saved


def test_a_pipeline_of_a_cluster_is_a_round_trip_for_each_node(three_nodes):
    client = three_nodes.connect()
    page_of(client, range(50), True)  # its connections are open
    with trace() as before:
        page_of(client, range(50), True)
    with trace() as after:
        page_of(client, range(50), False)
    [found] = before.findings
    assert found.saves == 47 == before.compare(after).saved


@pytest.fixture(scope="module")
def three_nodes():
    made = lab.cluster()
    yield made
    made.stop()


# Good programs


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    for number in IDS:
        pipe.get(f"user:{number}")
    pipe.execute()


def several_pipelines(r):
    for _ in range(10):
        pipeline(r)


def one_command(r):
    r.mset({f"user:{number}": number for number in IDS})
    r.mget([f"user:{number}" for number in IDS])


def transaction(r):
    with r.pipeline() as pipe:
        pipe.incr("a").incr("b").execute()


def cache_aside(r):
    for _ in range(2):
        if r.get("page:1") is None:
            r.set("page:1", "text", ex=60)


def cache_aside_setex(r):
    if r.get("page:1") is None:
        r.execute_command("SETEX", "page:1", 60, "text")  # redis-py calls its own method deprecated


def counters(r):
    r.incr("hits")
    r.hincrby("user:1", "hits", 1)


def watched(r):
    r.set("n", 1)

    def change(pipe):
        value = int(pipe.get("n"))
        pipe.multi()
        pipe.set("n", value + 1)

    r.transaction(change, "n")


def locked(r):
    r.set("n", 1)
    with r.lock("mine", timeout=5):
        r.set("n", int(r.get("n")) + 1)


def script(r):
    increment = r.register_script(LONG_SCRIPT)
    for number in range(3):
        increment(keys=[f"n:{number}"])


def worker(r):
    r.rpush("jobs", *range(20))
    while r.lpop("jobs"):
        pass


def scan(r):
    r.mset({f"user:{number}": 1 for number in range(300)})
    list(r.scan_iter("user:*", count=1000))


def page(r):
    r.get("session:1")
    r.hgetall("user:1")
    r.zrevrange("board", 0, 9, withscores=True)
    r.incr("views:1")
    r.expire("views:1", 60)


def blocking(r):
    r.rpush("list", 1)
    r.blpop("list", timeout=1)


def published(r):
    with r.pubsub() as listener:
        listener.subscribe("news")
        listener.get_message(timeout=1)
        for number in range(10):
            r.publish("news", number)


def watched_each(r):
    r.mset({f"n:{number}": 1 for number in IDS})

    def change_of(key):
        def change(pipe):
            value = int(pipe.get(key))
            pipe.multi()
            pipe.set(key, value + 1)
        return change

    for number in IDS:
        r.transaction(change_of(f"n:{number}"), f"n:{number}")


def locked_each(r):
    for number in IDS:
        with r.lock(f"lock:{number}", timeout=5):
            r.get(f"user:{number}")


def listener(r):
    with r.pubsub() as news:
        news.subscribe("news")
        news.get_message(timeout=1)
        for number in range(10):
            r.publish("news", number)
            news.get_message(timeout=1)


def limit_by_script(r):
    limit = r.register_script("local n = redis.call('INCR', KEYS[1]) redis.call('EXPIRE', KEYS[1], 60) return n")
    for number in IDS:
        limit(keys=[f"limit:{number}"])


def limiter(r):
    for number in range(10):
        r.set("limit:1", number, nx=True, ex=60)


def cache_aside_of_many(r):
    keys = [f"page:{number}" for number in IDS]
    missing = [key for key, value in zip(keys, r.mget(keys), strict=True) if value is None]
    pipe = r.pipeline(transaction=False)
    for key in missing:
        pipe.set(key, "text", ex=60)
    pipe.execute()


def lock_with_token(r):
    release = r.register_script("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0")
    r.set("stock", 5)
    if r.set("lock:stock", "token", nx=True, ex=10):
        r.set("stock", int(r.get("stock")) - 1)
        release(keys=["lock:stock"], args=["token"])


def reliable_queue(r):
    r.rpush("todo", *IDS)
    while (job := r.blmove("todo", "doing", 1)) and job != b"19":
        r.lrem("doing", 1, job)


def limit_by_window(r):
    for now in IDS:
        with r.pipeline() as pipe:
            pipe.zremrangebyscore("hits:ann", 0, now - 10).zadd("hits:ann", {now: now}).zcard("hits:ann").expire("hits:ann", 60)
            pipe.execute()


def sliding_session(r):
    r.set("session:1", "ann", ex=60)
    for _ in range(3):
        r.getex("session:1", ex=60)


def pages_of_a_scan(r):
    r.mset({f"user:{number}": 1 for number in range(3_000)})
    cursor = "0"
    while cursor != 0:
        cursor, keys = r.scan(cursor, match="user:*", count=1000)
        r.mget(keys)


def flags_once(r):
    r.hset("flags", mapping={f"flag{number}": 1 for number in IDS})
    flags = r.hgetall("flags")
    return [flags.get(f"flag{number}") for number in IDS]


def leaderboard(r):
    with r.pipeline(transaction=False) as pipe:
        for number in IDS:
            pipe.zincrby("board", number, f"user:{number}")
        pipe.execute()
    r.zrevrange("board", 0, 9, withscores=True)
    r.zrevrank("board", "user:7")


def fan_out(r):
    with r.pubsub() as news:
        news.subscribe(*[f"room:{number}" for number in IDS])
        with r.pipeline(transaction=False) as pipe:
            for number in IDS:
                pipe.publish(f"room:{number}", "hello")
            pipe.execute()
        for _ in range(40):
            news.get_message(timeout=0.1)


def linked_list(r):
    r.mset({f"node:{number}": f'{{"next": {number + 1}}}' for number in IDS})
    number = 0
    while (node := r.get(f"node:{number}")) is not None:
        number = json.loads(node)["next"]


def linked_hashes(r):
    pipe = r.pipeline(transaction=False)
    for number in IDS:
        pipe.hset(f"node:{number}", mapping={"text": "x", "next": f"node:{number + 1}"})
    pipe.execute()
    key = "node:0"
    while key and key != "node:19":
        key = r.hget(key, "next").decode()


def levels_of_a_graph(r):
    pipe = r.pipeline(transaction=False)
    for number in range(31):
        pipe.sadd(f"friends:{number}", 2 * number + 1, 2 * number + 2)
    pipe.execute()
    level, known = [0], set()
    while level and len(known) < 40:
        for number in level:
            pipe.smembers(f"friends:{number}")
        known.update(level)
        level = sorted({int(friend) for friends in pipe.execute() for friend in friends} - known)


def stream_in_batches(r):
    r.xgroup_create("events", "group", id="0", mkstream=True)
    pipe = r.pipeline(transaction=False)
    for number in range(100):
        pipe.xadd("events", {"number": number})
    pipe.execute()
    while taken := r.xreadgroup("group", "worker", {"events": ">"}, count=25):
        entries = taken[0][1] if isinstance(taken, list) else taken[b"events"][0]
        r.xack("events", "group", *[name for name, _ in entries])


GOOD = [pipeline, several_pipelines, one_command, transaction, cache_aside, cache_aside_setex, counters, watched, locked, script,
        worker, scan, page, blocking, published, limiter, watched_each, locked_each, listener,
        limit_by_script, cache_aside_of_many, lock_with_token, reliable_queue, limit_by_window, sliding_session, pages_of_a_scan,
        flags_once, leaderboard, fan_out, linked_list, linked_hashes, levels_of_a_graph, stream_in_batches]


@pytest.mark.parametrize("program", GOOD, ids=[program.__name__ for program in GOOD])
def test_a_good_program_stays_silent(r, program):
    with trace() as t:
        program(r)
    assert t.findings == []
    assert repr(t.findings) == "Nothing found to change."


LIBRARY = """
def unlike(r):
    for key in ("rl:keys", "workers:all:names", "groups", "job:1:dependents:on", "job:1:a:b:c"):
        r.smembers(key)

def heartbeats(r):
    for field in ("state", "job", "at", "beat", "last"):
        r.hset("worker:1", field, 1)
        r.expire("worker:1", 60)

def alike(r):
    for number in range(5):
        r.smembers(f"job:{number}")
"""


@pytest.mark.parametrize("name, saves", [("unlike", []), ("heartbeats", []), ("alike", [4])])
def test_what_many_places_of_a_library_do_is_no_loop(r, name, saves):
    """All that a library does on one call comes from one line of the caller's."""
    library = {}
    exec(compile(LIBRARY, "/usr/lib/site-packages/jobs/worker.py", "exec"), library)
    with trace() as t:
        library[name](r)
    assert [found.saves for found in t.findings if found.sure] == saves
    assert {site.site.through for site in t.call_sites} == {"jobs"}


def test_tasks_side_by_side_stay_silent():
    async def main():
        async with redis.asyncio.Redis(**server().options) as client, trace() as t:
            await asyncio.gather(*(client.get(f"user:{number}") for number in IDS))
        return t

    assert asyncio.run(main()).findings == []


def cache_in_a_loop(r):
    for number in IDS:
        if r.get(f"page:{number}") is None:
            r.set(f"page:{number}", "text", ex=60)


def reading_transaction(r):
    with r.pipeline() as pipe:
        pipe.get("a").get("b").execute()


def large_value(r):
    r.set("profile:1", "x" * 200_000)
    r.get("profile:1")


def same_again(r):
    for _ in IDS:
        r.get("settings")


def worker_with_results(r):
    r.rpush("jobs", *IDS)
    while (job := r.lpop("jobs")) is not None:
        r.set(f"result:{int(job)}", "done")


def stream_of_jobs(r):
    r.xgroup_create("events", "group", id="0", mkstream=True)
    for number in IDS:
        r.xadd("events", {"number": number})
    while taken := r.xreadgroup("group", "worker", {"events": ">"}, count=1):
        [(name, fields)] = taken[0][1] if isinstance(taken, list) else taken[b"events"][0]
        r.get(b"user:" + fields[b"number"])
        r.xack("events", "group", name)


def graph(r):
    """A tree read node by node: a pipeline for each level would do, but each key comes from a reply before it."""
    for number in range(31):
        r.pipeline().sadd(f"friends:{number}", 2 * number + 1).sadd(f"friends:{number}", 2 * number + 2).execute()
    todo = [0]
    for _ in range(31):
        todo += sorted(int(friend) for friend in r.smembers(f"friends:{todo.pop(0)}"))


LOOKED_AT = [(graph, "loop"), (stream_of_jobs, "loop"), (cache_in_a_loop, "loop"), (worker_with_results, "loop"),
             (reading_transaction, "transaction"), (large_value, "large value"), (same_again, "again")]


@pytest.mark.parametrize("program, kind", LOOKED_AT, ids=[row[0].__name__ for row in LOOKED_AT])
def test_what_the_wire_cannot_prove_is_worth_a_look(r, program, kind):
    with trace() as t:
        program(r)
    assert {(found.kind, found.sure) for found in t.findings} == {(kind, False)}
    assert "Worth a look" in repr(t.findings)
