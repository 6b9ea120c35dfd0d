"""Whose a round trip is: the block's own, and of all that is started or handed over there."""

import asyncio
import contextvars
import queue
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest
import redis
import redis.asyncio

from roundtrips import scope, trace
from runs import printed


def test_what_is_submitted_keeps_its_name():
    def mine():
        """Mine."""

    seen = []

    class Executor(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):
            future = super().submit(fn, *args, **kwargs)
            seen.append(fn)
            return future

    with trace(), Executor(1) as pool:
        pool.submit(mine).result()
        with pytest.raises(TypeError):
            pool.submit(None).result()  # as without a trace
        handed = scope.handed_over(mine)
    assert seen == [mine, None]
    assert (handed.__name__, handed.__doc__, handed.__module__) == ("mine", "Mine.", __name__)


async def test_a_task_that_outlives_the_block_is_counted_as_long_as_it_is_open(async_r):
    async def work():
        for _ in range(5):
            await async_r.get("a")
            reached.set()
            await going.wait()

    await async_r.ping()
    with trace() as t:
        going, reached = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(work())
        await reached.wait()
    going.set()
    await task
    assert t.round_trips == 1


def test_asgiref(r):
    sync = pytest.importorskip("asgiref.sync")

    async def main():
        await sync.sync_to_async(r.get)("before")
        with trace() as t:
            await sync.sync_to_async(r.get)("a")
            await sync.sync_to_async(r.get, thread_sensitive=False)("b")
        return t

    def view():
        with trace() as t:
            sync.async_to_sync(main)()
        return t

    t = asyncio.run(main())
    assert (t.round_trips, t.uncounted) == (2, [])
    assert view().round_trips == 3


# What can't be told is said


def listening(work):
    """Start a thread that takes its work from a queue; return what puts it there, and waits."""
    jobs, done = queue.Queue(), queue.Queue()

    def run():
        while (key := jobs.get()) is not None:
            done.put(work(key))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return lambda key: (jobs.put(key), key and done.get(timeout=10))


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
    assert "3 writes" in said and said in repr(t) and said in t.report()
    assert t.to_dict()["unattributed"] == 3


async def test_a_task_of_before_is_nobodys(async_r):
    async def work():
        await going.wait()
        await async_r.get("a")

    await async_r.ping()
    going = asyncio.Event()
    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    with trace() as t:
        going.set()
        await task
    assert (t.round_trips, t.unattributed) == (0, 1)


@pytest.mark.parametrize("around", [False, True])
def test_a_block_that_another_context_closes_says_so(r, around):
    """As FastAPI does with a dependency that yields: each half in a copy of the context."""
    outer, tracing = trace(), trace()
    if around:
        outer.__enter__()
    t = contextvars.copy_context().run(tracing.__enter__)
    r.get("a")
    contextvars.copy_context().run(tracing.__exit__, None, None, None)
    if around:
        outer.__exit__(None, None, None)
    assert t.round_trips == 0 and t.unattributed == (not around)
    assert any("another context" in said for said in t.uncounted)
    assert t.to_dict()["detached"]


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


def test_eventlet(server):
    pytest.importorskip("eventlet")
    program = """
    import eventlet
    eventlet.monkey_patch()
    import redis
    from roundtrips import trace
    r = redis.Redis(**options)
    with trace() as t, trace(scope="process") as process:
        for thread in [eventlet.spawn(r.get, "a") for _ in range(5)]:
            thread.wait()
        pool = eventlet.GreenPool(2)
        for key in "abc":
            pool.spawn(r.get, key)
        pool.waitall()
        event = eventlet.event.Event()
        eventlet.spawn_n(lambda: event.send(r.get("raw")))
        event.wait()
    print(json.dumps([t.round_trips, t.unattributed, process.round_trips]))
    """
    assert printed(server, program, "-W", "ignore") == [8, 1, 9]  # spawn_n makes a bare greenlet


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


def test_a_subinterpreter_is_refused(server):
    if sys.version_info < (3, 12):
        pytest.skip("redis-py can't be imported in one")
    program = """
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    code = '''
    from roundtrips import RoundTripsError, trace
    try:
        trace().__enter__()
    except RoundTripsError as error:
        import os
        os.write(1, b'"%s"' % str(error).encode())
    '''
    import textwrap
    one = interpreters.create("legacy") if "config" in (interpreters.create.__doc__ or "") else \\
        interpreters.create(isolated=False)
    failed = (interpreters.exec if hasattr(interpreters, "exec") else interpreters.run_string)(
        one, textwrap.dedent(code))
    assert not failed, failed
    """
    assert "main interpreter only" in printed(server, program)
