"""What a trace counts in programs of one kind each; random ones are in test_truth."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest
import redis
import redis.asyncio

import servers
from roundtrips import RoundTripsError, trace
from roundtrips.callsites import NOWHERE


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


def test_a_cluster(cluster):
    with redis.RedisCluster(**cluster[0]) as client, trace() as t:
        client.get("user:1")
        pipe = client.pipeline()
        for number in range(50):
            pipe.get(f"user:{number}")
        pipe.execute()
    assert t.commands == {"GET": 51}
    assert (t.round_trips, t.waits) == (4, 2)  # the pipeline's three nodes are asked at once
    assert all(place.cluster for place in t.record.places)


def test_a_cluster_that_sends_elsewhere(cluster):
    with redis.RedisCluster(**cluster[0]) as client:
        keys = [f"user:{number}" for number in range(99)]
        port = cluster[0]["port"]
        key = next(key for key in keys if client.get_node_from_key(key).port != port)
    with redis.Redis(**cluster[0]) as node, trace() as t, pytest.raises(redis.ResponseError):
        node.get(key)
    assert t.round_trips == 1 == t.elsewhere + t.errors  # redis-py 5.0 doesn't know what it is


async def test_an_asyncio_cluster(cluster):
    async with redis.asyncio.RedisCluster(**cluster[0]) as client:
        with trace() as t:
            pipe = client.pipeline()
            for number in range(50):
                pipe.get(f"user:{number}")
            await pipe.execute()
    assert (t.commands, t.round_trips, t.waits) == ({"GET": 50}, 3, 1)
    assert {site.site.file for site in t.call_sites if not site.setup} == {__file__}


def test_a_unix_socket(tmp_path):
    path = str(tmp_path / "socket")
    with servers.running(f"unixsocket {path}") as options:
        client = redis.Redis(unix_socket_path=path, password=options["password"], protocol=2)
        with client, trace() as t:
            client.get("user:1")
    assert (t.round_trips, t.connections, t.bytes_received) == (1, 1, len(b"$-1\r\n"))
    assert t.record.places[0].address == path


def test_event_loops_of_one_thread_follow_each_other(server):
    async def own_client():
        async with redis.asyncio.Redis(**server) as client:
            await client.get("user:1")

    with trace() as t:
        asyncio.run(own_client())
        asyncio.run(own_client())
        with redis.Redis(**server) as client:
            client.get("user:1")
    assert (t.round_trips, t.waits) == (3, 3)
    each_ms = t.seconds_at(2_000) - t.seconds_at(1_000)
    assert each_ms == pytest.approx(t.setup_trips + 3)  # connections are opened over it too


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


async def test_a_pools_next_job_is_not_blamed_on_the_line_that_started_its_thread(r):
    async with trace() as t:
        await asyncio.to_thread(r.get, "a")
        await asyncio.gather(
            *[asyncio.create_task(asyncio.to_thread(r.get, "b")) for _ in range(3)]
        )
    numbers = {each.site.line: each.round_trips for each in t.call_sites if not each.setup}
    assert sorted(numbers.values()) == [1, 3]


# What it tells


@pytest.mark.parametrize(
    "block", [lambda r: r.blpop("nothing", 0.05), lambda r: r.xread({"nothing": "$"}, block=50)]
)
def test_what_a_command_blocked_is_no_distance(r, block):
    r.ping()
    with trace() as t:
        block(r)
    assert t.seconds_at(10) == pytest.approx(t.seconds + t.waits * 0.01)


@pytest.mark.parametrize("wrong", [-1, "1 ms", None, True, float("nan")])
def test_no_distance_is_refused(r, wrong):
    with trace() as t:
        r.get("a")
    with pytest.raises(RoundTripsError, match="Pass milliseconds"):
        t.seconds_at(wrong)
