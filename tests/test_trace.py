"""What lab.trace counts, held against two others that count: a proxy between client and server, and the server itself."""

import asyncio
import dataclasses
import json
import os
import sys
import threading
import tracemalloc
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace
from unittest.mock import ANY

import pytest
import redis
import redis.asyncio
from counting_proxy import counting_proxy
from helpers import refusal
from IPython.core.compilerop import CachingCompiler
from lab_utils.tracing import overhead, recorder, replay, tap
from lab_utils.tracing.recorder import Fold
from lab_utils.tracing.replay import seconds_at
from lab_utils.tracing.sites import NOWHERE, Site
from lab_utils.tracing.traces import Record, Trace, trace
from lab_utils.tracing.turns import Turn
from redis.backoff import NoBackoff
from redis.cache import CacheConfig
from redis.retry import Retry

import lab_utils as lab
from lab_utils.testbed.chosen_server import server

FUNCTION = """#!lua name=mine
redis.register_function('one_more', function(keys) return redis.call('INCR', keys[1]) end)
redis.register_function{function_name='as_it_is', callback=function(keys) return redis.call('GET', keys[1]) end,
                        flags={'no-writes'}}
"""
SCRIPT = "return redis.call('INCR', KEYS[1])"


@pytest.fixture
def proxied(r):
    """(options of a client that goes through the proxy, what the proxy counted)."""
    with counting_proxy(server().address) as (port, counts):
        yield {**server().options, "host": "127.0.0.1", "port": port}, counts


def served(admin):
    """How often the server says each command was called."""
    return Counter({name.removeprefix("cmdstat_").replace("|", " ").upper(): stat["calls"]
                    for name, stat in admin.info("commandstats").items()})


# Programs of a plain client: (the program, its round trips, its waits). None of them opens a second connection.


def loop(r):
    for number in range(10):
        r.set(f"user:{number}", number)
        r.get(f"user:{number}")


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    for number in range(100):
        pipe.get(f"user:{number}")
    pipe.execute()


def transaction(r):
    with r.pipeline() as pipe:
        pipe.incr("n").incr("n").execute()


def watched(r):
    with r.pipeline() as pipe:
        pipe.watch("n")
        pipe.get("n")
        pipe.multi()
        pipe.set("n", 1)
        pipe.execute()


def unwatched(r):
    with r.pipeline() as pipe:
        pipe.watch("n")


def failing_commands(r):
    r.set("text", "x")
    for _ in range(2):
        with pytest.raises(redis.ResponseError):
            r.incr("text")
    pipe = r.pipeline(transaction=False)
    pipe.incr("text").get("text")
    pipe.execute(raise_on_error=False)


def script(r):
    r.script_flush()
    increment = r.register_script(SCRIPT)
    for _ in range(3):
        increment(keys=["n"])


def function(r):
    r.function_load(FUNCTION, replace=True)
    for _ in range(3):
        r.fcall("one_more", 1, "n")
    r.fcall_ro("as_it_is", 1, "n")
    r.function_delete("mine")


def locked(r):
    r.script_flush()  # so that releasing it finds no script, and loads it
    with r.lock("mine", timeout=5):
        r.incr("n")


def blocking(r):
    r.rpush("list", "x")
    r.blpop("list", timeout=1)
    r.blpop("list", timeout=0.01)


def scanned(r):
    r.mset({f"user:{number}": 1 for number in range(25)})
    list(r.scan_iter("user:*", count=100))


def large_values(r):
    r.set("large", b"x\r\n*" * 100_000)
    r.get("large")


def published(r):
    r.publish("news", "x")


def empty_pipeline(r):
    r.pipeline().execute()


PROGRAMS = [(loop, 20, 20), (pipeline, 1, 1), (transaction, 1, 1), (watched, 3, 3), (unwatched, 2, 2), (failing_commands, 4, 4),
            (script, 6, 6), (function, 6, 6), (locked, 6, 6), (blocking, 3, 3), (scanned, 2, 2), (large_values, 2, 2),
            (published, 1, 1), (empty_pipeline, 0, 0)]
NAMES = [program.__name__ for program, _, _ in PROGRAMS]


@pytest.mark.parametrize("program, round_trips, waits", PROGRAMS, ids=NAMES)
def test_a_plain_client(proxied, r, program, round_trips, waits):
    options, counts = proxied
    with redis.Redis(**options) as client:
        client.ping()
        turns, sent, received = counts.total, sum(counts.sent), sum(counts.received)
        before = served(r)
        with trace() as t:
            program(client)
        after = served(r)
        proxied_turns = counts.total - turns
        assert (t.round_trips, t.waits, t.setup_trips, t.connections) == (round_trips, waits, 0, 0)
        if program is not large_values:  # which the proxy sees in pieces
            assert proxied_turns == round_trips
        assert (t.bytes_sent, t.bytes_received) == (sum(counts.sent) - sent, sum(counts.received) - received)
        own = Counter({name: number for name, number in (after - before).items() if not name.startswith("INFO")})
        if program not in (script, function, locked):  # the server counts what a script calls as well
            assert t.commands == own
        if program is function:
            assert t.commands == own - Counter(INCR=3, GET=1) == Counter(
                {"FCALL": 3, "FCALL_RO": 1, "FUNCTION LOAD": 1, "FUNCTION DELETE": 1})
            assert {site.label for site in t.call_sites} >= {"FCALL n", "FCALL_RO n"}


@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("db", [0, 1])
def test_setting_up_is_counted_apart(proxied, protocol, db):
    options, counts = proxied
    with redis.Redis(**{**options, "db": db, "protocol": protocol, "client_name": "me"}) as client, trace() as t:
        client.get("user:1")
    assert (t.round_trips, t.connections, t.waits) == (1, 1, 1)
    assert t.setup_trips + t.round_trips == counts.total
    assert t.commands == {"GET": 1}
    assert options["password"] not in json.dumps(t.to_dict())


def test_connections_that_a_pool_opens_for_threads(proxied):
    options, counts = proxied
    client = redis.Redis(**options)
    together = threading.Barrier(4)

    def work(number):
        together.wait()
        for _ in range(5):
            client.get(f"user:{number}")

    with trace() as t:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    client.close()
    assert t.round_trips == 20
    assert t.round_trips + t.setup_trips == counts.total
    assert t.connections == len(counts.turns)
    assert 5 <= t.waits <= 20


def test_asyncio(proxied):
    options, counts = proxied

    async def main():
        async with redis.asyncio.Redis(**options) as client:
            await asyncio.gather(*(client.ping() for _ in range(10)))
            turns = counts.total
            async with trace() as t:
                await client.get("user:1")
                await asyncio.gather(*(client.get(f"user:{number}") for number in range(10)))
                async with client.pipeline() as pipe:
                    await pipe.get("user:1").get("user:2").execute()
            return t, counts.total - turns

    t, turns = asyncio.run(main())
    assert (t.round_trips, t.commands) == (12, {"GET": 13, "MULTI": 1, "EXEC": 1})
    assert (t.waits, t.connections, turns) == (3, 0, 12)
    assert len(counts.turns) == 10


def test_tasks_that_share_a_few_connections_wait_for_them(proxied):
    options, _ = proxied

    async def main():
        pool = redis.asyncio.BlockingConnectionPool(max_connections=2, timeout=20, **options)
        async with redis.asyncio.Redis(connection_pool=pool) as client:
            await asyncio.gather(client.ping(), client.ping())
            with trace() as t:
                await asyncio.gather(*(client.get(f"user:{number}") for number in range(10)))
        return t

    t = asyncio.run(main())
    assert (t.round_trips, t.connections) == (10, 0)
    assert 5 <= t.waits < 10


def test_publishing_and_listening(proxied):
    options, counts = proxied
    with redis.Redis(**options) as client, client.pubsub() as listener:
        client.ping()
        turns = counts.total
        with trace() as t:
            listener.subscribe("news")
            assert listener.get_message(timeout=5)["type"] == "subscribe"
            for number in range(3):
                client.publish("news", number)
                assert listener.get_message(timeout=5)["data"] == str(number).encode()
        assert t.round_trips + t.setup_trips == counts.total - turns
    assert (t.round_trips, t.commands) == (4, {"SUBSCRIBE": 1, "PUBLISH": 3})


def test_a_cache_that_knows_makes_no_turn(proxied, r):
    options, counts = proxied
    r.set("user:1", "a")
    if tuple(map(int, r.info("server")["redis_version"].split(".")[:2])) < (7, 4):  # Valkey says that it is Redis 7.2
        with pytest.raises(redis.ConnectionError, match="client-side caching"):
            redis.Redis(**options, protocol=3, cache_config=CacheConfig()).get("user:0")
        return
    with redis.Redis(**options, protocol=3, cache_config=CacheConfig()) as client:
        client.get("user:0")
        turns = counts.total
        with trace() as t:
            for _ in range(5):
                client.get("user:1")
            r.set("user:1", "b")
            while client.get("user:1") != b"b":  # until the invalidation is here
                pass
    assert t.commands == {"GET": 2, "SET": 1}
    assert t.round_trips == counts.total - turns + 1  # the SET went past the proxy


def test_a_turn_without_an_answer_is_lost_and_what_is_sent_again_is_another(proxied, r):
    options, counts = proxied
    with redis.Redis(**options, retry=Retry(NoBackoff(), 2), client_name="victim") as client:
        client.ping()

        def kill(connection):
            for known in r.client_list():
                if known["name"] == "victim":
                    r.client_kill_filter(_id=known["id"])

        pool = client.connection_pool
        turns, plain = counts.total, pool.get_connection

        def get_connection(*args, **kwargs):
            connection = plain(*args, **kwargs)
            kill(connection)
            return connection

        pool.get_connection = get_connection
        with trace() as t:
            client.incr("n")
        pool.get_connection = plain
        assert t.lost == 1 and t.connections == 1
        assert t.commands["INCRBY"] == 2 and r.get("n") == b"1"
        assert counts.total - turns <= t.round_trips - sum(t.commands[name] for name in ("CLIENT LIST", "CLIENT KILL")) \
            + t.setup_trips


def test_a_timeout_is_a_lost_turn(proxied):
    options, counts = proxied
    client = redis.Redis(**options, socket_timeout=0.2, retry=Retry(NoBackoff(), 0))
    client.ping()
    turns = counts.total
    with trace() as t, pytest.raises(redis.TimeoutError):
        client.blpop("nothing", timeout=2)
    client.close()
    assert (t.round_trips, t.lost) == (1, 1) == (counts.total - turns, 1)


@pytest.fixture(scope="module")
def three_nodes():
    made = lab.cluster()
    yield made
    made.stop()


def test_a_cluster(three_nodes):
    client = three_nodes.connect()
    for number in range(50):
        client.set(f"user:{number}", number)
    with trace() as t:
        client.get("user:1")
        pipe = client.pipeline()
        for number in range(50):
            pipe.get(f"user:{number}")
        pipe.execute()
    assert t.commands == {"GET": 51}
    assert (t.round_trips, t.waits) == (4, 2)  # the pipeline's three nodes are asked at once


def test_a_cluster_that_sends_elsewhere(three_nodes):
    client = three_nodes.connect()
    node = three_nodes.node(0)
    keys = [f"user:{number}" for number in range(99)]
    key = next(key for key in keys if client.get_node_from_key(key).port != three_nodes.nodes[0].address[1])
    with trace() as t, pytest.raises(redis.ResponseError):
        node.get(key)
    assert (t.round_trips, t.elsewhere) == (1, 1)


def test_an_asyncio_cluster(three_nodes):
    async def main():
        node = three_nodes.nodes[0]
        async with redis.asyncio.RedisCluster(host=node.address[0], port=node.address[1],
                                              password=node.options["password"]) as client:
            for number in range(50):
                await client.set(f"user:{number}", number)
            with trace() as t:
                async with client.pipeline() as pipe:
                    for number in range(50):
                        pipe.get(f"user:{number}")
                    await pipe.execute()
            return t

    t = asyncio.run(main())
    assert (t.commands, t.round_trips, t.waits) == ({"GET": 50}, 3, 1)


def test_a_unix_socket(another_server, tmp_path):
    path = tmp_path / "socket"
    started = another_server(f"unixsocket {path}")
    with redis.Redis(unix_socket_path=str(path), password=started.options["password"]) as client, trace() as t:
        client.get("user:1")
    assert (t.round_trips, t.connections, t.bytes_received) == (1, 1, len(b"_\r\n"))
    assert t.record.places[0].address == str(path)


# Whose turn it is


def test_blocks_in_blocks_and_side_by_side_see_each_their_own(r):
    with trace() as outer:
        r.get("a")
        with trace() as inner:
            r.get("b")
            r.get("c")
        r.get("d")
    assert (outer.round_trips, outer.waits, inner.round_trips, inner.waits) == (4, 4, 2, 2)
    assert outer.bytes_sent == 2 * inner.bytes_sent

    def work(number):
        client = lab.connect()
        with trace() as t:
            for _ in range(number):
                client.get("a")
        client.close()
        return t.round_trips, t.waits

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(1, 20))) == [(number, number) for number in range(1, 20)]


def test_tasks_with_a_block_each_see_their_own():
    async def work(client, number):
        async with trace() as t:
            for _ in range(number):
                await client.get("a")
        return t.round_trips, t.waits

    async def main():
        async with redis.asyncio.Redis(**server().options) as client:
            return await asyncio.gather(*(work(client, number) for number in range(1, 10)))

    assert asyncio.run(main()) == [(number, number) for number in range(1, 10)]


def test_a_count_inside_a_trace_and_a_trace_inside_a_count_agree(r):
    inner = []

    def traced(r):
        with trace() as t:
            loop(r)
        inner.append(t)

    with trace() as outer:
        cost = lab.count(traced, r)
    assert cost.round_trips == inner[0].round_trips == 20 <= outer.round_trips
    assert (cost.bytes_sent, cost.bytes_received) == (inner[0].bytes_sent, inner[0].bytes_received)


def test_threads_from_before_are_told_apart(r):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(r.get, "before").result()
        with trace() as t:
            r.get("mine")
            pool.submit(r.get, "whose").result()
    assert (t.round_trips, t.unattributed) == (1, 1)


def test_it_can_be_read_while_it_runs(r):
    with trace() as t:
        r.get("a")
        assert (t.round_trips, t.waits) == (1, 1)
        r.get("b")
        assert t.round_trips == 2
    r.get("c")
    assert t.round_trips == 2


# What is told


def test_places_and_patterns(r):
    def page():
        for number in range(3):
            r.get(f"user:{number}:name")

    line = page.__code__.co_firstlineno + 2
    with trace() as t:
        page()
    [site] = t.call_sites
    assert (site.site.line, site.site.function.split(".")[-1], site.label) == (line, "page", "GET user:{…}:name")
    assert site.site.file == __file__ and site.site.through is None


@pytest.mark.parametrize("call, label", [
    (lambda r: r.set("session:9f86d081884c7d65", "secret"), "SET session:{…}"),
    (lambda r: r.mset({"a:1": 1, "b:2": 2}), "MSET a:{…}"),
    (lambda r: r.get("ann@example.com"), "GET {…}"),
    (lambda r: r.eval(SCRIPT, 1, "n:1"), "EVAL n:{…}"),
    (lambda r: r.config_get("maxmemory"), "CONFIG GET"),
    (lambda r: r.execute_command("ECHO", "secret"), "ECHO"),
    (lambda r: r.object("ENCODING", "n:1"), "OBJECT ENCODING n:{…}"),
], ids=range(7))
def test_keys_are_patterns_and_values_are_nowhere(r, call, label):
    with trace() as t:
        call(r)
    assert t.call_sites[0].label == label
    assert "secret" not in json.dumps(t.to_dict())


def test_a_password_is_nowhere():
    r = lab.connect(retry=Retry(NoBackoff(), 1))  # redis-py tries an AUTH that failed again, and would wait in between
    with trace() as t:
        for command in (("AUTH", "wordpass"), ("AUTH", "me", "wordpass"), ("HELLO", 2, "AUTH", "me", "wordpass"),
                        ("CONFIG", "SET", "masterauth", "wordpass"), ("NEW.COMMAND", "wordpass")):
            with pytest.raises(redis.RedisError):
                r.execute_command(*command)
                raise redis.RedisError
    assert t.round_trips >= 5
    assert "wordpass" not in json.dumps(t.to_dict())
    r.config_set("masterauth", "")


async def page(client):
    await asyncio.gather(*(client.get(f"user:{number}") for number in range(3)))
    await asyncio.wait_for(client.get("user:1"), 5)
    pipes = [client.pipeline(transaction=False).get("user:1") for _ in range(2)]
    await asyncio.gather(*(pipe.execute() for pipe in pipes))


def test_the_place_of_a_command_that_became_a_task_is_where_it_was_called():
    async def main():
        async with redis.asyncio.Redis(**server().options) as client, trace() as t:
            await page(client)
        return t

    sites = [site.site for site in asyncio.run(main()).call_sites]
    first = page.__code__.co_firstlineno
    assert {(site.file, site.line - first) for site in sites} == {(__file__, 1), (__file__, 2), (__file__, 4)}


def by_map(r):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(r.get, [f"user:{number}" for number in range(30)]))
        pool.submit(r.incr, "n").result()


def by_threads(r):
    threads = [threading.Thread(target=r.get, args=("a",)), threading.Timer(0.001, r.incr, ("n",))]
    for thread in threads:
        thread.start()
        thread.join()


def by_asyncio(r):
    async def main():
        await asyncio.to_thread(r.get, "a")
        await asyncio.get_running_loop().run_in_executor(None, r.incr, "n")

    asyncio.run(main())


@pytest.mark.parametrize("program, lines", [(by_map, {"GET": 2, "INCRBY": 3}), (by_threads, {"GET": 3, "INCRBY": 3}),
                                            (by_asyncio, {"GET": 2, "INCRBY": 3})])
def test_the_place_of_a_threads_only_call_is_where_it_was_handed_over(r, program, lines):
    submit = ThreadPoolExecutor.submit
    with trace() as t:
        program(r)
    first = program.__code__.co_firstlineno
    found = {name: site.site.line - first for site in t.call_sites if not site.setup for name in site.names}
    assert found == lines and {site.site.file for site in t.call_sites} == {__file__}
    assert ThreadPoolExecutor.submit is submit


def test_where_a_threads_work_comes_from_nowhere_no_line_is_blamed(r):
    with trace() as t, ThreadPool(1) as pool:
        pool.map(r.get, [f"user:{number}" for number in range(30)])
    [site] = t.call_sites
    assert (site.site, site.turns) == (NOWHERE, 30)
    assert "a thread that runs no line of yours" in t.report() and "?:0" not in t.report()
    assert t.findings == []


def test_it_can_be_stored_and_read_again(r):
    with trace() as t:
        loop(r)
        pipeline(r)
    stored = json.loads(json.dumps(t.to_dict()))
    again = Trace.from_dict(stored)
    assert again.to_dict() == stored
    assert (again.round_trips, again.waits, again.commands) == (t.round_trips, t.waits, t.commands)
    assert [site.label for site in again.call_sites] == [site.label for site in t.call_sites]
    for wrong in ({}, {"format": 99}, {**stored, "turns": [{}]}):
        refusal(Trace.from_dict, wrong)


def test_many_turns_are_added_up_by_place(r, monkeypatch):
    monkeypatch.setattr(recorder, "WHOLE", 100)
    monkeypatch.setattr(recorder, "BATCH", 10)
    with trace() as t:
        for number in range(500):
            r.get(f"user:{number}")
        for number in range(50):
            r.set(f"user:{number}", 1)
    assert (t.round_trips, t.waits, t.commands) == (550, 550, {"GET": 500, "SET": 50})
    assert len(t.turns) == 100 and [(fold.label, fold.turns) for fold in t.folds] == [("GET user:{…}", 400), ("SET user:{…}", 50)]
    assert [(site.label, site.turns) for site in t.call_sites] == [("GET user:{…}", 500), ("SET user:{…}", 50)]


# What is made of it


def slow_page(r):
    for number in range(30):
        r.get(f"user:{number}")
    r.incr("hits")


def test_a_report_says_each_thing_once_and_fits_the_page(r):
    with trace() as t:
        slow_page(r)
        for number in range(20):
            r.set(f"user:{number}", 1)
            r.expire(f"user:{number}", 60)
        pipeline(r)
    text = t.report()
    assert max(map(len, text.splitlines())) <= 100
    assert "72 round trips   72 waits" in text
    in_order = [line.strip() for line in text.partition("In order")[2].partition("\n\n")[0].splitlines()]
    assert in_order == ["", "GET user:{…} × 30", "INCRBY hits", "(SET user:{…} · EXPIRE user:{…}) × 20",
                        "pipeline of 100 GET user:{…}"]
    assert "GET user:{…}" in t._repr_html_() and "slow_page" in t._repr_html_()


def test_the_report_of_nothing():
    with trace() as t:
        pass
    assert t.report().splitlines()[0] == "0 round trips   0 waits   0 commands   0 bytes sent   0 bytes received"
    assert "nothing to draw" in refusal(t.plot)


def turn(sent, replied, line=0, connection=0, **other):
    return Turn(sent, replied, line=line, connection=connection, outcome="answered", **other)


@pytest.mark.parametrize("turns, starters, seconds, expected", [
    ([turn(0.001, 0.002), turn(0.003, 0.004)], [None], 0.005, 0.025),  # one after the other
    ([turn(0.001, 0.002), turn(0.001, 0.002, 0, 1)], [None], 0.005, 0.015),  # at once: a cluster's pipeline
    ([turn(0.001, 0.002, 1), turn(0.001, 0.002, 2, 1), turn(0.003, 0.004)], [None, 0, 0], 0.005, 0.025),  # threads
    ([turn(0.001, 0.002, 1), turn(0.003, 0.004, 2, 1)], [None, 0, 0], 0.005, 0.015),  # two threads that did not meet, by chance
    ([turn(0.001, 0.002, 1), turn(0.003, 0.004, 2)], [None, 0, 0], 0.005, 0.025),  # but on one connection
    ([turn(0.001, 0.002, setup=True), turn(0.003, 0.004)], [None], 0.005, 0.035),  # TCP's own turn besides
])
def test_turns_are_played_again_at_a_distance(turns, starters, seconds, expected):
    record = Record(turns=turns, starters=starters, lines=["x"] * len(starters), seconds=seconds, waits=1)
    assert seconds_at(record, 10, here_ms=1e-9) == pytest.approx(expected)  # and no sleep to be woken from
    assert seconds_at(record, 0, here_ms=0) == pytest.approx(seconds)


def test_workers_of_a_pool_are_alike():
    """One of them did all the work, by chance; at a distance they share it."""
    turns = [turn(0.001 * number, 0.001 * number + 0.0005, 1) for number in range(10)] + [turn(0.0201, 0.0206, 2, 1)]
    record = Record(turns=turns, starters=[None, 0, 0], lines=["MainThread", "Pool_0", "Pool_1"], seconds=0.0206)
    assert 0.06 < seconds_at(record, 10, here_ms=1e-9) < 0.09


@pytest.mark.parametrize("block", [lambda r: r.blpop("nothing", timeout=0.05), lambda r: r.xread({"nothing": "$"}, block=50)],
                         ids=["BLPOP", "XREAD"])
def test_what_a_command_blocked_is_no_distance(r, block):
    r.ping()
    with trace() as t:
        block(r)
    assert t.seconds_at(10) == pytest.approx(t.seconds_at(10, here_ms=0)) and t.seconds_at(10) >= t.seconds + 0.01


@pytest.mark.parametrize("commands", [11, 1_000])
def test_what_many_commands_took_is_no_distance(r, commands):
    r.ping()
    with trace() as t:
        pipe = r.pipeline(transaction=False)
        for number in range(commands):
            pipe.set(f"user:{number}", "x")
        pipe.execute()
    assert t.seconds_at(10) == t.seconds_at(10, here_ms=0) and 0.01 < t.seconds_at(10) < t.seconds + 0.01 + replay.WAKING_S


def test_a_reply_that_waited_while_a_long_pipeline_was_read_came_from_near():
    get = turn(0.0010, 0.0016, 1, 1, names={"GET": 1})
    pipeline = turn(0.0011, 0.00155, 2, 2, names={"GET": 1_000})
    assert replay.distance_of(Record(turns=[get, pipeline])) == 0
    assert replay.distance_of(Record(turns=[get])) == pytest.approx(0.0006 - replay.OWN_S)


def test_what_the_trace_took_of_a_pipeline_is_taken_off(r):
    with trace() as t:
        r.get("user:1")
        r.pipeline(transaction=False).get("user:1").get("user:2").execute()
    get, pipeline = [turn for turn in t.turns if not turn.setup]
    assert get.own == 0 < pipeline.own < pipeline.seconds  # a single command is not looked at so closely
    assert 0 < overhead.seconds_a_reply() < 1e-4
    taken = sum(map(replay.own_of, t.turns))
    assert pipeline.own < taken and t.seconds_at(0, here_ms=0) == pytest.approx(t.seconds - taken)


def test_a_disturbed_pass_does_not_hide_what_the_trace_takes_of_a_reply(monkeypatch):
    took = iter([0.003, 0.001, 0.003, 0.009, 0.008, 0.001] + [0.003, 0.001] * (overhead.PASSES - 3))
    monkeypatch.setattr(overhead, "seconds_of_replies", lambda read: next(took))
    assert overhead.seconds_a_reply.__wrapped__() == pytest.approx(0.002 / overhead.REPLIES)


def test_turns_that_were_added_up_are_further_away_too(r, monkeypatch):
    monkeypatch.setattr(recorder, "WHOLE", 10)
    monkeypatch.setattr(recorder, "BATCH", 10)
    with trace() as t:
        for number in range(100):
            r.get(f"user:{number}")
    assert t.seconds_at(10, here_ms=1) - t.seconds_at(1, here_ms=1) == pytest.approx(0.9)
    refusal(t.seconds_at, -1)
    refusal(t.seconds_at, "1 ms")


@pytest.mark.parametrize("rtt_ms", [0.25, 1, 5])
def test_what_was_added_up_is_foreseen_as_if_it_had_been_kept(rtt_ms):
    """Three threads of 10,000 turns each, which take turns at one CPU: 10 seconds at 1 ms, not 20."""
    lines, each = 3, 10_000
    turns = [turn(0.0001 * step + 0.00002 * line, 0.0001 * step + 0.00002 * line + 0.00005, line + 1, line, depth=step + 1)
             for step in range(each) for line in range(lines)]
    known = {"starters": [None, 0, 0, 0], "lines": ["main", "a", "b", "c"], "seconds": 1.0001, "waits": each}
    later = Fold(site=turns[0].site, label="GET user:{…}", turns=len(turns) - recorder.WHOLE)
    whole, added_up = Record(turns=turns, **known), Record(turns=turns[:recorder.WHOLE], folds=[later], **known)
    assert seconds_at(added_up, rtt_ms, here_ms=0) == pytest.approx(seconds_at(whole, rtt_ms, here_ms=0), rel=0.15)
    assert each * rtt_ms / 1000 < seconds_at(added_up, rtt_ms, here_ms=0) < each * (rtt_ms + 0.2) / 1000


def test_a_turn_that_others_held_up_is_as_long_as_a_short_one_of_its_kind():
    gets = [turn(0.001 * step, 0.001 * step + 0.0001, 1, 1, names={"GET": 1}) for step in range(19)]

    def far(name):
        long = turn(0.0005, 0.0185, 2, 2, names={name: 1})
        turns = sorted([*gets, long], key=lambda each: each.sent)
        record = Record(turns=turns, starters=[None, 0, 0], lines=["main", "a", "b"], seconds=0.0186, waits=1)
        return seconds_at(record, 1, here_ms=1e-9)

    assert far("GET") == far("BLPOP")  # the other thread's loop takes longer than either
    gets = gets[:3]
    assert far("GET") == pytest.approx(0.0186) and far("BLPOP") == pytest.approx(0.0196, abs=2e-4)


def test_tasks_that_all_wait_for_one_loop_are_as_far_away_as_one(r):
    """Sixty sent before the first reply is read, 20 µs each: at 5 ms they take 5 ms and the work, at 0.25 ms the work."""
    gets = [turn(2e-5 * number, 2e-5 * (60 + number), number + 1, number) for number in range(60)]
    known = {"starters": [None] + [0] * 60, "lines": ["main"] + ["task"] * 60, "seconds": 0.0024, "waits": 1}
    assert seconds_at(Record(turns=gets, **known), 0.25, here_ms=0) == pytest.approx(0.0024)
    assert seconds_at(Record(turns=gets, **known), 0.25) == pytest.approx(0.0024)  # no distance is seen in it
    assert seconds_at(Record(turns=gets, **known), 5, here_ms=1e-9) == pytest.approx(0.0062, abs=2e-4)
    noted = [dataclasses.replace(each, own=1e-5) for each in gets]
    assert seconds_at(Record(turns=noted, **known), 0.25, here_ms=0) == pytest.approx(0.0018)


@pytest.fixture
def nothing_unmeasured(monkeypatch):
    monkeypatch.setattr(replay, "unmeasured", lambda: overhead.NOTHING)


def of_tasks(turns, seconds):
    """A Record of turns each of which a task of its own made, all in one loop."""
    lines = max(turn.line for turn in turns) + 1
    return Record(turns=turns, starters=[None] + [0] * (lines - 1), lines=["main"] + ["task"] * (lines - 1), loops=[0] * lines,
                  seconds=seconds, waits=1)


@pytest.mark.parametrize("rtt_ms, expected", [
    (0.25, 0.0024),  # less than the writes take: the loop always has something to do
    (5, 0.0012 + 0.005 + 2e-5),  # the last reply comes when all others have been read
])
def test_what_tasks_do_while_replies_travel_is_done_once(nothing_unmeasured, rtt_ms, expected):
    """Sixty at once: each write takes 20 µs of the loop's CPU, and so does each reply that is read."""
    gets = [turn(2e-5 * (number + 1), 2e-5 * (61 + number), number + 1, number,
                 cpu_sent=2e-5 * (number + 1), cpu_replied=2e-5 * (61 + number)) for number in range(60)]
    assert seconds_at(of_tasks(gets, 0.0024), rtt_ms, here_ms=1e-9) == pytest.approx(expected, abs=1e-6)
    noted = [dataclasses.replace(each, own=1e-5) for each in gets]  # the trace's own work is in the loop's CPU
    assert seconds_at(of_tasks(noted, 0.0024), 0.25, here_ms=1e-9) == pytest.approx(0.0018, abs=2e-5)


def test_a_task_that_did_not_compute_waited(nothing_unmeasured):
    """One asks and is answered twice, 1 ms apart, without work for the CPU; another one's turn is as far away as each of its."""
    gets = [turn(0.001, 0.0011, 1, 1, cpu_sent=0.001, cpu_replied=0.00105),
            turn(0.0021, 0.0022, 1, 1, cpu_sent=0.00107, cpu_replied=0.0011)]
    waited = 0.0022 + 2 * 0.01
    assert seconds_at(of_tasks(gets, 0.0022), 10, here_ms=1e-9) == pytest.approx(waited, abs=1e-6)
    between = turn(0.0015, 0.0016, 2, 2, cpu_sent=0.00106, cpu_replied=0.001065)
    assert seconds_at(of_tasks([gets[0], between, gets[1]], 0.0022), 10, here_ms=1e-9) == pytest.approx(waited, abs=1e-4)


def test_two_loops_do_not_wait_for_each_other(nothing_unmeasured):
    gets = [turn(0.001, 0.002, number, number, cpu_sent=0.001, cpu_replied=0.0019) for number in (1, 2)]
    record = dataclasses.replace(of_tasks(gets, 0.002), loops=[0, 0, 1])
    assert seconds_at(record, 10, here_ms=1e-9) == pytest.approx(0.012, abs=1e-4)
    assert seconds_at(dataclasses.replace(record, loops=[0, 0, 0]), 10, here_ms=1e-9) == pytest.approx(0.012, abs=1e-4)


def test_what_a_trace_costs_unseen_is_measured_without_a_trace_of_it():
    with trace() as t:
        assert overhead.unmeasured() is overhead.NOTHING
    before = threading.active_count(), tap.ASYNC.read_response
    found = overhead.unmeasured()
    assert found.turn >= 0 and found.reply >= 0 and found is overhead.unmeasured()
    assert t.round_trips == t.unattributed == t.connections == 0
    assert (threading.active_count(), tap.ASYNC.read_response) == before


def test_noting_a_turn_of_a_task_is_measured():
    async def main():
        async with redis.asyncio.Redis(**server().options) as client, trace() as t:
            await asyncio.gather(*(client.get(f"user:{number}") for number in range(5)))
        return t

    t = asyncio.run(main())
    assert all(turn.cpu_sent <= turn.cpu_replied for turn in t.turns) and {t.record.loops[turn.line] for turn in t.turns} == {0}
    assert all(turn.own > 0 for turn in t.turns) and sum(turn.own for turn in t.turns) < t.seconds
    assert Trace.from_dict(t.to_dict()).turns == [dataclasses.replace(turn, commands=ANY) for turn in t.turns]


def test_before_and_after(r):
    def page(loop):
        if loop:
            slow_page(r)
        else:
            r.mget([f"user:{number}" for number in range(30)])
            r.incr("hits")

    with trace() as before:
        page(loop=True)
    with trace() as after:
        page(loop=False)
    change = before.compare(after)
    assert (change.saved, change.waits_saved) == (29, 29)
    assert change.rows[0].label == "GET user:{…}" and (change.rows[0].before, change.rows[0].after) == (30, 0)
    assert "31 round trips before, 2 after: 29 saved" in repr(change)
    assert "29 more" in repr(after.compare(before)) and "no change" in repr(before.compare(before))
    refusal(before.compare, 3)


def test_the_lanes_show_each_turn(r):
    with trace() as t:
        slow_page(r)
    figure = t.plot()
    texts = [artist.get_text() for artist in figure.findobj(lambda artist: hasattr(artist, "get_text"))]
    assert any("31 round trips on 1 connection" in text for text in texts)
    assert any(text.startswith("31 round trips in ") for text in texts)


def test_another_client_is_not_missed_silently(r, monkeypatch):
    monkeypatch.setitem(sys.modules, "valkey", object())
    with trace() as t:
        r.get("a")
    assert "not counted: what goes through valkey-py" in t.report()


def test_large_values_are_not_kept(r):
    tracemalloc.start()
    try:
        with trace() as t:
            before = tracemalloc.get_traced_memory()[0]
            for number in range(20):
                r.set(f"user:{number}", b"x" * 1_000_000)
            grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 2_000_000
    assert t.bytes_sent > 20_000_000 and t.commands == {"SET": 20}


def test_what_goes_on_after_the_block_keeps_no_turn(r):
    with trace() as t:
        held = t._source
        loop(r)
    assert t.round_trips == 20 and not held.turns and not held.notes


def test_nothing_is_missed_that_threads_do_while_turns_are_sorted_in(r, monkeypatch):
    from lab_utils.tracing import recorder

    monkeypatch.setattr(recorder, "WHOLE", 100)
    monkeypatch.setattr(recorder, "BATCH", 20)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with trace() as t, ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: [r.get(f"user:{number}") for _ in range(400)], range(4)))
    finally:
        sys.setswitchinterval(before)
    assert t.round_trips == 1600


def test_a_turn_that_lasts_longer_than_thousands_of_others_is_counted(r, monkeypatch):
    from lab_utils.tracing import recorder

    monkeypatch.setattr(recorder, "WHOLE", 100)
    monkeypatch.setattr(recorder, "BATCH", 20)
    with trace() as t:
        blocking = threading.Thread(target=r.blpop, args=("list",), kwargs={"timeout": 20})
        blocking.start()
        while not r.info("clients")["blocked_clients"]:
            pass
        for _ in range(500):
            r.ping()
        r.rpush("list", "x")
        blocking.join()
    assert (t.commands["BLPOP"], t.commands["PING"]) == (1, 500)
    assert t.round_trips == sum(t.commands.values())


# redis-py afterwards


def everything(connection):
    """What a connection and its parser consist of, by name and type."""
    return {(name, type(value)) for thing in (connection, connection._parser) for name, value in vars(thing).items()}


@pytest.mark.parametrize("protocol", [2, 3])
def test_afterwards_redis_py_is_as_it_was(protocol):
    client = redis.Redis(**server().options, protocol=protocol)
    client.ping()
    changed = [*((owner, name) for owner in (tap.SYNC, tap.ASYNC) for name in tap.REPLACED), *tap.places_of_coroutines()]
    classes = [(owner, name, owner.__dict__.get(name)) for owner, name in changed]
    connection = client.connection_pool.get_connection()
    client.connection_pool.release(connection)
    before = everything(connection)
    with trace(), pytest.raises(ZeroDivisionError):
        client.get("a")
        assert everything(connection) != before
        raise ZeroDivisionError
    assert everything(connection) == before
    assert [(owner, name, owner.__dict__.get(name)) for owner, name, _ in classes] == classes
    assert not tap.open_taps and not len(tap.watched)
    client.close()


def test_connections_that_are_dropped_are_closed_as_without_a_trace():
    def gone():
        client = redis.Redis(**server().options)
        client.get("a")
        return weakref.ref(client.connection_pool.get_connection())

    plain = [gone()() is None for _ in range(3)]
    with trace() as t:
        assert [gone()() is None for _ in range(3)] == plain
    assert t.connections == 3


def test_a_notebooks_cell_is_known_by_its_number(monkeypatch):
    compiler = CachingCompiler()
    made_up = compiler.cache("r.get('key')", 5)
    shell = SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert str(Site(made_up, 1, "<module>")) == "In[5]:1 in <module>"
    assert str(Site("/srv/shop/cart.py", 1, "cart")) == f"shop{os.sep}cart.py:1 in cart"
