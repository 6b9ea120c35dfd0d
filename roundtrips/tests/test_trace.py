"""What a trace counts in programs of one kind each; random ones are in test_truth."""

import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
import threading
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

import servers
from roundtrips import RoundTripsError, Trace, recorder, trace
from roundtrips.callsites import NOWHERE, CallSite


@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("db", [0, 1])
def test_setting_up_is_counted_apart(proxy, protocol, db):
    before = proxy.settle()
    options = {**proxy.options, "db": db, "protocol": protocol, "client_name": "me"}
    with redis.Redis(**options) as client, trace() as t:
        client.get("user:1")
    seen = proxy.settle() - before
    assert (t.round_trips, t.connections, t.waits) == (1, 1, 1)
    assert t.setup_trips + t.round_trips == len(seen.turns)
    assert t.commands == {"GET": 1}
    assert options["password"] not in json.dumps(t.to_dict())


async def test_asyncio_waits(async_r):
    await asyncio.gather(*(async_r.ping() for _ in range(10)))
    async with trace() as t:
        await async_r.get("user:1")
        await asyncio.gather(*(async_r.get(f"user:{number}") for number in range(10)))
        async with async_r.pipeline() as pipe:
            await pipe.get("user:1").get("user:2").execute()
    assert (t.round_trips, t.commands) == (12, {"GET": 13, "MULTI": 1, "EXEC": 1})
    # How many connections an older pool gives them is its business.
    assert (t.waits, t.connections) == (3, 0) if redis.VERSION[0] >= 8 else 3 <= t.waits <= 12


async def test_tasks_that_share_a_few_connections_wait_for_them(server):
    pool = redis.asyncio.BlockingConnectionPool(max_connections=2, timeout=20, **server)
    async with redis.asyncio.Redis(connection_pool=pool) as client:
        await asyncio.gather(client.ping(), client.ping())
        with trace() as t:
            await asyncio.gather(*(client.get(f"user:{number}") for number in range(10)))
    await pool.disconnect()
    assert (t.round_trips, t.connections) == (10, 0)
    assert 5 <= t.waits < 10


async def test_a_sign_of_life_is_a_round_trip_of_its_own(server):
    async with redis.asyncio.Redis(**server, health_check_interval=100) as client:
        await client.ping()
        [connection] = client.connection_pool._available_connections
        connection.next_health_check = 0
        with trace() as t:
            await client.get("a")
    assert [each.names for each in t.log] == [{"PING": 1}, {"GET": 1}]
    assert t.log[0].bytes_received == len(b"+PONG\r\n")


async def test_a_confirmation_that_is_late_is_waited_for(r, async_r):
    async with async_r.pubsub() as listener:
        await listener.subscribe("before")
        await listener.get_message(timeout=5)
        server = r.info("server")["process_id"]
        os.kill(server, signal.SIGSTOP)
        with trace() as t:
            try:
                await listener.subscribe("news")
                seen = await listener.get_message(timeout=0.05), t.round_trips
            finally:
                os.kill(server, signal.SIGCONT)
            await listener.get_message(timeout=20)
        assert (seen, t.round_trips) == ((None, 0), 1)


def test_a_timeout_is_a_lost_round_trip(server):
    with redis.Redis(**server, socket_timeout=0.2, retry=Retry(NoBackoff(), 0)) as client:
        while not any(each._sock for each in client.connection_pool._available_connections):
            with contextlib.suppress(redis.TimeoutError):  # of a busy machine
                client.ping()
        with trace() as t, pytest.raises(redis.TimeoutError):
            client.blpop("nothing", timeout=20)
    assert (t.round_trips, t.lost) == (1, 1)


def cluster_client(cluster, kind=redis.RedisCluster):
    return kind(host=cluster[0]["host"], port=cluster[0]["port"], password=cluster[0]["password"])


def test_a_cluster(cluster):
    client = cluster_client(cluster)
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
    assert all(place.cluster for place in t.record.places)
    client.close()


def test_a_cluster_that_sends_elsewhere(cluster):
    client, keys = cluster_client(cluster), [f"user:{number}" for number in range(99)]
    port = cluster[0]["port"]
    key = next(key for key in keys if client.get_node_from_key(key).port != port)
    client.close()
    with redis.Redis(**cluster[0]) as node, trace() as t, pytest.raises(redis.ResponseError):
        node.get(key)
    assert t.round_trips == 1 == t.elsewhere + t.errors  # redis-py 5.0 doesn't know what it is


async def test_an_asyncio_cluster(cluster):
    async with cluster_client(cluster, redis.asyncio.RedisCluster) as client:
        for number in range(50):
            await client.set(f"user:{number}", number)
        with trace() as t:
            pipe = client.pipeline()
            for number in range(50):
                pipe.get(f"user:{number}")
            await pipe.execute()
    assert (t.commands, t.round_trips, t.waits) == ({"GET": 50}, 3, 1)
    assert {site.site.file for site in t.call_sites if not site.setup} == {__file__}


async def test_a_mock_of_a_client_may_be_awaited(async_r):
    with trace():
        pipe = AsyncMock(spec=type("Pipeline", (type(async_r.pipeline()),), {}))
        pipe.execute.return_value = [1]
        assert await pipe.execute() == [1]


def test_a_unix_socket(tmp_path):
    path = str(tmp_path / "socket")
    with servers.running(f"unixsocket {path}") as options:
        client = redis.Redis(unix_socket_path=path, password=options["password"], protocol=2)
        with client, trace() as t:
            client.get("user:1")
    assert (t.round_trips, t.connections, t.bytes_received) == (1, 1, len(b"$-1\r\n"))
    assert t.record.places[0].address == path


def test_a_reply_after_the_blocks_end_changes_nothing_in_it(r):
    """A pipeline is answered in part when the inner block ends; the outer one sees the rest."""
    [connection] = r.connection_pool._available_connections
    with trace() as outer:
        with trace() as inner:
            connection.send_packed_command(connection.pack_commands([["PING"], ["NO"]]))
            connection.read_response()
        with pytest.raises(redis.ResponseError):
            connection.read_response()
    [cut], [whole] = inner.log, outer.log
    assert cut.replied <= inner.seconds
    assert cut.seconds == pytest.approx(inner.waiting) and inner.waiting < outer.waiting
    assert (cut.outcome, whole.outcome) == ("answered", "error")


def test_a_trace_that_nobody_holds_is_gone_at_once(r):
    gc.disable()
    try:
        with trace() as t:
            r.get("a")
        assert t.round_trips == 1
        source = weakref.ref(t._source)
        del t
        assert source() is None
    finally:
        gc.enable()


def test_what_goes_on_after_the_block_keeps_no_threads(r):
    with trace() as t:
        held = t._source
        thread = threading.Thread(target=r.get, args=("a",))
        thread.start()
        thread.join()
    assert len(t.log) >= 1 and not held.worker_numbers and not held.workers


def test_it_can_be_read_while_it_runs(r):
    with trace() as t:
        r.get("a")
        assert (t.round_trips, t.waits) == (1, 1)
        r.get("b")
        assert t.round_trips == 2
    r.get("c")
    assert t.round_trips == 2


# Where it came from


async def page(client):
    await asyncio.gather(*(client.get(f"user:{number}") for number in range(3)))
    await asyncio.wait_for(client.get("user:1"), 5)
    pipes = [client.pipeline(transaction=False).get("user:1") for _ in range(2)]
    await asyncio.gather(*(pipe.execute() for pipe in pipes))


async def test_the_place_of_a_command_that_became_a_task_is_where_it_was_called(async_r):
    async with trace() as t:
        await page(async_r)
    sites = [site.site for site in t.call_sites]
    first = page.__code__.co_firstlineno
    assert {(site.file, site.line - first) for site in sites} == {
        (__file__, 1), (__file__, 2), (__file__, 4),
    }  # fmt: skip


def test_the_place_of_a_call_that_redis_py_calls_back_for_is_its_own_line(r):
    def add(pipe):
        number = pipe.execute_command("GET", "n")
        pipe.multi()
        pipe.set("n", int(number or 0) + 1)

    with trace() as t:
        for _ in range(3):
            r.transaction(add, "n")
    lines = {name: site.site.line for site in t.call_sites for name in site.names}
    assert lines["WATCH"] > lines["GET"] == add.__code__.co_firstlineno + 1


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


@pytest.mark.parametrize("program, line", [(by_map, 2), (by_threads, 3), (by_asyncio, 2)])
def test_the_place_of_a_threads_only_call_is_where_it_was_handed_over(r, program, line):
    with trace() as t:
        program(r)
    first = program.__code__.co_firstlineno
    work = [site for site in t.call_sites if not site.setup]
    found = {name: site.site.line - first for site in work for name in site.names}
    assert found == {"GET": line, "INCRBY": 3}
    assert {site.site.file for site in t.call_sites} == {__file__}


def test_where_a_threads_work_comes_from_nowhere_no_line_is_blamed(r):
    with trace() as t, ThreadPool(1) as pool:
        pool.map(r.get, [f"user:{number}" for number in range(30)])
    [site] = [site for site in t.call_sites if not site.setup]
    assert (site.site, site.round_trips) == (NOWHERE, 30)


def test_a_notebooks_cell_is_known_by_its_number(monkeypatch):
    compiler = SimpleNamespace(format_code_name=lambda name: ("Cell", "In[5]"))
    shell = SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert str(CallSite("made up", 1, "<module>")) == "In[5]:1 in <module>"


# What is kept


@pytest.mark.parametrize("wrong", [{}, {"format": 99}, None, [], {"format": 2, "log": [{}]}])
def test_what_is_no_stored_trace_is_refused(wrong):
    with pytest.raises(RoundTripsError):
        Trace.from_dict(wrong)


def test_many_are_added_up_by_place(r, monkeypatch):
    monkeypatch.setattr(recorder, "WHOLE", 100)
    monkeypatch.setattr(recorder, "BATCH", 10)
    r.ping()
    with trace() as t:
        for number in range(500):
            r.get(f"user:{number}")
        for number in range(50):
            r.set(f"user:{number}", 1)
    assert (t.round_trips, t.waits, t.commands) == (550, 550, {"GET": 500, "SET": 50})
    assert len(t.log) == 100
    folds = [(fold.label, fold.round_trips) for fold in t.folds]
    assert folds == [("GET user:{…}", 400), ("SET user:{…}", 50)]
    sites = [(site.label, site.round_trips) for site in t.call_sites]
    assert sites == [("GET user:{…}", 500), ("SET user:{…}", 50)]
    assert t.seconds_at(10, here_ms=1) - t.seconds_at(1, here_ms=1) == pytest.approx(550 * 0.009)


def test_large_values_are_not_kept(r):
    r.ping()
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


def test_what_goes_on_after_the_block_keeps_nothing(r):
    with trace() as t:
        held = t._source
        for _ in range(20):
            r.get("a")
    assert t.round_trips == 20 and t.log and not held.kept and not held.notes


def test_nothing_is_missed_that_threads_do_while_notes_are_sorted_in(r, monkeypatch):
    monkeypatch.setattr(recorder, "WHOLE", 100)
    monkeypatch.setattr(recorder, "BATCH", 20)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with trace() as t, ThreadPoolExecutor(4) as pool:
            list(pool.map(r.get, ["user:1"] * 1600))
    finally:
        sys.setswitchinterval(before)
    assert t.round_trips == 1600 == t.commands["GET"]


def test_a_ctrl_c_at_any_line_of_sorting_in_costs_at_most_one_which_is_said(r):
    def interrupt(frame, event, _):
        if frame.f_code.co_name in ("sort_in", "keep"):
            lines.extend([1] * (event == "line"))
            if len(lines) == at:
                raise KeyboardInterrupt
            return interrupt

    for at in range(1, 60):
        lines = []
        with trace() as t:
            r.get("a"), r.get("b"), r.get("c")
        sys.settrace(interrupt)  # what raises is traced no more
        with pytest.raises(KeyboardInterrupt):
            repr(t)
        sys.settrace(None)
        [said] = t.uncounted or [""]
        assert len(lines) == at and t.round_trips in ((2, 3) if said else (3,))
        assert said.endswith(": InterruptedError: KeyboardInterrupt") or not said


# What it tells


@pytest.mark.parametrize(
    "block", [lambda r: r.blpop("nothing", 0.05), lambda r: r.xread({"nothing": "$"}, block=50)]
)
def test_what_a_command_blocked_is_no_distance(r, block):
    r.ping()
    with trace() as t:
        block(r)
    assert t.seconds_at(10) == pytest.approx(t.seconds_at(10, here_ms=0))


@pytest.mark.parametrize("wrong", [-1, "1 ms", None, True, float("nan")])
def test_no_distance_is_refused(r, wrong):
    with trace() as t:
        r.get("a")
    with pytest.raises(RoundTripsError, match="Pass milliseconds"):
        t.seconds_at(wrong)


def test_connections_that_are_dropped_are_closed_as_without_a_trace(server):
    def gone():
        client = redis.Redis(**server)
        client.get("a")
        [connection] = client.connection_pool._available_connections
        return weakref.ref(connection)

    plain = [gone()() is None for _ in range(3)]
    with trace() as t:
        assert [gone()() is None for _ in range(3)] == plain
    assert t.connections == 3


def test_what_the_estimate_leaves_out_is_not_cut_off(r):
    together = threading.Barrier(2)
    with trace() as t, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda key: (together.wait(), r.get(key)), "ab"))
    assert "its threads and tasks wait for one another" in " ".join(t.report().split())
