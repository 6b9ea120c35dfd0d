"""Whose a round trip is: the block's own, and of all that is started or handed over there."""

import asyncio
import contextvars
import gc
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest
import redis
import redis.asyncio

from roundtrips import trace
from runs import printed


def test_asgiref(r):
    sync = pytest.importorskip("asgiref.sync")

    async def main():
        await sync.sync_to_async(r.get)("before")
        with trace() as t:
            await sync.sync_to_async(r.get)("a")
            await sync.sync_to_async(r.get, thread_sensitive=False)("b")
        return t

    with trace() as view:
        t = sync.async_to_sync(main)()
    assert (t.round_trips, t.uncounted, view.round_trips) == (2, [], 3)
    lines = {each.site.line for each in view.call_sites if not each.setup}
    assert lines == {main.__code__.co_firstlineno + at for at in (1, 3, 4)}


# What can't be told is said


def listening(work):
    """Start a thread that calls `work(key)` for each key in a queue; return the function to ask it.

    That function takes a key, and returns once the thread is done with it. Given None, it makes the
    thread end.
    """
    jobs, done = queue.Queue(), queue.Queue()

    def run():
        while (key := jobs.get()) is not None:
            done.put(work(key))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return lambda key: (jobs.put(key), key and done.get(timeout=30))


def test_a_thread_of_before_is_the_process_own_and_no_blocks_and_that_is_said(r):
    ask = listening(r.get)
    with ThreadPool(1) as pool, trace(scope="process") as process, trace() as t:
        ask("a")
        pool.map(r.get, ["b", "c"])
        r.get("mine")
    ask(None)
    assert (process.round_trips, process.uncounted) == (4, [])
    assert (t.round_trips, t.unattributed) == (1, 3)
    [said] = t.uncounted
    assert "3 writes" in said and said in repr(t) and "3 writes" in t.report()
    assert "(run): " in said and "test_blocks.py:" in said  # the thread and its line


@pytest.mark.parametrize("around", [False, True])
def test_a_block_that_another_context_closes_says_so(r, around):
    """FastAPI runs each half of a dependency that yields in its own copy of the context."""
    outer, tracing = trace(), trace()
    if around:
        outer.__enter__()
    t = contextvars.copy_context().run(tracing.__enter__)
    r.get("a")
    contextvars.copy_context().run(tracing.__exit__, None, None, None)
    if around:
        outer.__exit__(None, None, None)
    assert t.round_trips == 0 and t.unattributed == 1
    assert any("another context" in said for said in t.uncounted)


def test_a_block_inside_another_sees_what_only_the_outer_one_takes(r):
    with trace() as outer:
        ask = listening(r.get)
        with trace() as inner, trace() as innermost:
            ask("a")
    ask(None)
    assert (outer.round_trips, outer.uncounted) == (1, [])
    assert [(t.round_trips, t.unattributed) for t in (inner, innermost)] == [(0, 1)] * 2


async def test_blocks_side_by_side_know_nothing_of_each_other(async_r):
    async def own():
        async with trace() as t:
            await async_r.get("a")
        return t

    with trace():  # around both
        for t in await asyncio.gather(own(), own()):
            assert (t.round_trips, t.uncounted) == (1, [])


def test_callbacks_of_work_that_a_block_hands_over_are_its_own(r):
    with ThreadPoolExecutor(1) as pool, trace() as t:
        done = threading.Event()
        job = pool.submit(r.get, "a")
        job.add_done_callback(lambda _: (r.get("b"), done.set()))
        assert done.wait(30)
    assert (t.round_trips, t.uncounted) == (2, [])


def test_what_a_dropped_pipeline_sends_is_nobodys(r):
    with trace(scope="process") as process, trace() as t:
        pipe = r.pipeline()
        pipe.watch("a")
        del pipe
        gc.collect()
        r.get("a")
    for each in (process, t):
        assert dict(each.commands) == {"WATCH": 1, "GET": 1}
        assert each.uncounted == []


# Others that switch


GEVENT = """
from roundtrips import trace
from gevent import monkey
monkey.patch_all()
import gevent, gevent.pool, redis
from concurrent.futures import ThreadPoolExecutor
import threading
r = redis.Redis(**options)
found = {}

def work(times):
    for number in range(times):
        r.get(f"user:{number}")

def family():
    gevent.spawn(work, 2).join()

before = gevent.spawn(lambda: (going.wait(), work(3)))
going = gevent.event.Event()
gevent.sleep(0)
with trace() as t, trace(scope="process") as process:
    work(1)
    gevent.joinall([gevent.spawn(work, 5) for _ in range(10)])
    gevent.pool.Pool(3).map(work, [1] * 4)
    gevent.spawn(family).join()
    gevent.spawn_later(0.001, work, 1).join()
    thread = threading.Thread(target=work, args=(2,))
    thread.start()
    thread.join()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work, 3).result()
found["counted"] = t.round_trips, t.uncounted, process.round_trips

def own(times):
    with trace() as t:
        work(times)
        gevent.spawn(work, 1).join()
    return t.round_trips, t.uncounted
jobs = [gevent.spawn(own, times) for times in range(1, 6)]
gevent.joinall(jobs)
found["each"] = [job.value for job in jobs]
with trace() as t:
    gevent.get_hub().loop.run_callback(going.set)
    before.join()
found["before"] = t.round_trips + t.unattributed, len(t.uncounted) + t.round_trips
print(json.dumps(found))
"""


def test_gevent(server):
    pytest.importorskip("gevent")
    found = printed(server, GEVENT, "-W", "ignore")
    assert found["counted"] == [1 + 50 + 4 + 2 + 1 + 2 + 3, [], 63]
    assert found["each"] == [[times + 1, []] for times in range(1, 6)]
    assert found["before"][0] == 3 and found["before"][1]  # counted, or said


def test_uvloop(server):
    pytest.importorskip("uvloop")
    program = """
    import asyncio, uvloop, redis.asyncio
    from roundtrips import trace
    async def main():
        async with redis.asyncio.Redis(**options) as client:
            await asyncio.gather(*(client.ping() for _ in range(4)))
            with trace() as t:
                await asyncio.gather(*(client.get("a") for _ in range(4)))
                await client.pipeline().get("a").get("b").execute()
        return t.round_trips, t.bytes_received, t.uncounted
    print(json.dumps(uvloop.Runner().run(main()) if hasattr(uvloop, "Runner") else
                     uvloop.new_event_loop().run_until_complete(main())))
    """
    size = 4 * len(b"_\r\n") + len(b"+OK\r\n") + 2 * len(b"+QUEUED\r\n") + len(b"*2\r\n_\r\n_\r\n")
    if redis.VERSION[0] < 8:  # RESP2
        size += 6 * len("$-1") - 6 * len("_")
    assert printed(server, program) == [5, size, []]
