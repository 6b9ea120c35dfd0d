"""Several taps at once: each sees its own; and redis-py afterwards is what it was, whatever happened."""

import asyncio
import gc
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
import redis.asyncio.connection
import redis.connection
from helpers import refusal
from lab_utils.tracing import received, tap
from lab_utils.tracing.insides import KNOWN
from lab_utils.tracing.tap import Tap

import lab_utils as lab
from lab_utils.counting.cost import cost_and_result
from lab_utils.testbed import event_loop

OWNERS = [*((owner, name) for owner in (tap.SYNC, tap.ASYNC) for name in tap.REPLACED), (threading.Thread, "start")]
ORIGINALS = [owner.__dict__[name] for owner, name in OWNERS]


def is_plain():
    return all(owner.__dict__[name] is original for (owner, name), original in zip(OWNERS, ORIGINALS, strict=True))


@pytest.fixture(autouse=True)
def redis_py_is_left_as_it_was():
    assert is_plain()
    yield
    assert is_plain() and not tap.open_taps and not tap.sources


def in_thread(work):
    """Starts a thread that stands in nobody's block; `result` raises what `work` raised."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(work)
    pool.shutdown(wait=False)
    return future


def commands(seen):
    """The keys of the GETs that a tap saw."""
    return [chunk.split(b"\r\n")[4] for write in seen.writes for chunk in write.chunks
            if chunk.startswith(b"*2\r\n$3\r\nGET")]


def test_overlapping_taps_of_two_threads_see_each_its_own(r):
    """One opens, the other opens, the first closes, the second goes on: overlapping without nesting."""
    steps = threading.Barrier(2)
    mine = lab.connect()

    def other():
        steps.wait()
        with Tap() as seen:
            r.get("other1")
            steps.wait()  # both open
            r.get("other2")
            steps.wait()  # the first closes
            steps.wait()
            r.get("other3")
        return commands(seen)

    future = in_thread(other)
    with Tap() as seen:
        steps.wait()
        mine.get("mine1")
        steps.wait()
        mine.get("mine2")
        steps.wait()
    steps.wait()
    mine.get("mine3")  # in nobody's block
    assert future.result(10)[:2] == [b"other1", b"other2"]
    assert commands(seen) == [b"mine1", b"mine2"]


def test_many_threads_with_a_tap_each(r):
    together = threading.Barrier(8)

    def work(number):
        client = lab.connect()
        together.wait()
        with Tap() as seen:
            for i in range(50):
                client.get(f"{number}.{i}")
        client.close()
        return commands(seen), len(seen.turns), sum(read.size for read in seen.reads)

    futures = [in_thread(lambda number=number: work(number)) for number in range(8)]
    for future in futures:
        future.exception(30)  # all have closed their taps, whatever comes of one of them
    for number, future in enumerate(futures):
        assert future.result() == ([f"{number}.{i}".encode() for i in range(50)], 50, 50 * len(b"_\r\n"))


def test_a_thread_started_inside_belongs_to_the_tap_and_so_do_its_own_threads(r):
    def child():
        r.get("child")
        grandchild = threading.Thread(target=r.get, args=("grandchild",))
        grandchild.start()
        grandchild.join()

    def family(names):
        with Tap() as seen:
            thread = threading.Thread(target=child)
            thread.start()
            thread.join()
        names.extend(commands(seen))

    one, other = [], []
    futures = [in_thread(lambda names=names: family(names)) for names in (one, other)]
    for future in futures:
        future.result(10)
    assert one == other == [b"child", b"grandchild"]


def test_a_thread_that_was_there_before_is_seen_by_every_open_tap(r):
    """It may work for anybody, and must not be missed."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(r.get, "before").result()
        assert lab.count(lambda r: pool.submit(r.get, "inside").result(), r).round_trips == 1
        with Tap() as one:
            opened, done = threading.Event(), threading.Event()

            def other():
                with Tap() as seen:
                    opened.set()
                    done.wait(10)
                return commands(seen)

            future = in_thread(other)
            opened.wait(10)
            pool.submit(r.get, "anybody's").result()
            done.set()
            assert future.result(10) == commands(one) == [b"anybody's"]


def test_a_worker_that_an_outer_block_started_belongs_to_whoever_submits(r):
    def work(r):
        for _ in range(5):
            pool.submit(r.get, "inner").result()

    def outer(r):
        pool.submit(r.get, "outer").result()
        inner.append(lab.count(work, r).round_trips)
        pool.submit(r.get, "outer").result()

    inner = []
    with ThreadPoolExecutor(1) as pool, Tap() as seen:
        outer(r)
    assert inner == [5]
    assert commands(seen) == [b"outer", *[b"inner"] * 5, b"outer"]


def test_two_threads_with_a_tap_each_share_a_pool(r):
    steps = threading.Barrier(2)

    def one(name):
        with Tap() as seen:
            if name == "a":
                pool.submit(r.get, "a").result()  # starts the worker
            steps.wait(10)
            for _ in range(3):
                pool.submit(r.get, name).result()
            steps.wait(10)
        return commands(seen)

    with ThreadPoolExecutor(1) as pool:
        futures = [in_thread(lambda name=name: one(name)) for name in "ab"]
        assert [future.result(30) for future in futures] == [[b"a"] * 4, [b"b"] * 3]


def test_asyncios_own_pool_works_for_the_block_that_hands_it_something(r):
    async def main():
        with Tap() as outer:
            await asyncio.to_thread(r.get, "outer")
            with Tap() as inner:
                await asyncio.to_thread(r.get, "inner")
                await asyncio.get_running_loop().run_in_executor(None, r.get, "inner")
        return commands(outer), commands(inner)

    assert asyncio.run(main()) == ([b"outer", b"inner", b"inner"], [b"inner"] * 2)


def test_asyncio_tasks_belong_to_the_block_that_made_them(r):
    async def one(seen, key, other_is_open):
        client = event_loop.client_like(r)
        await client.ping()
        with seen:
            await other_is_open.wait()
            await asyncio.gather(*(asyncio.create_task(client.get(f"{key}{i}")) for i in range(3)))
        await client.aclose()

    async def both(taps):
        barrier = asyncio.Barrier(2)
        await asyncio.gather(*(one(seen, key, barrier) for seen, key in zip(taps, "ab", strict=True)))

    taps = Tap(), Tap()
    event_loop.run(both, taps)
    assert [sorted(commands(seen)) for seen in taps] == [[b"a0", b"a1", b"a2"], [b"b0", b"b1", b"b2"]]


def test_a_tap_around_an_async_count_sees_it_too(r):
    async def work(r):
        await r.get("inside")

    with Tap() as seen:
        cost = lab.count(work, r)
    assert cost.round_trips == 1
    assert b"inside" in commands(seen)


def test_counts_in_two_threads_take_turns_and_are_exact(r):
    def work(number):
        def gets(r):
            for _ in range(number):
                r.get("key")
        return [lab.count(gets, clients[number]) for _ in range(5)]

    clients = {number: lab.connect() for number in (10, 20, 30)}
    futures = [in_thread(lambda number=number: work(number)) for number in (10, 20, 30)]
    for number, future in zip((10, 20, 30), futures, strict=True):
        for cost in future.result(60):
            assert (cost.round_trips, cost.commands, cost.connections) == (number, number, 0)
            assert cost.server_reads is not None  # nobody else was at the server meanwhile


def test_a_count_in_a_thread_of_a_counted_function_does_not_wait_for_it(r):
    inner = []

    def work(r):
        thread = threading.Thread(target=lambda: inner.append(lab.count(lambda r: r.get("key"), r)))
        thread.start()
        thread.join(20)

    lab.count(work, r)
    assert inner[0].round_trips == 1


def test_a_helper_inside_an_async_function_says_so_instead_of_waiting_for_ever(r):
    async def inner(r):
        await r.ping()

    async def outer(_):
        lab.count(inner, r)

    assert "`async def`" in refusal(lab.count, outer, r)


# redis-py as it should be


@pytest.mark.parametrize("owner, name", [(owner, name) for owner, name in OWNERS if owner is not threading.Thread], ids=str)
def test_a_redis_py_without_what_is_replaced_is_refused_before_anything_is_changed(monkeypatch, owner, name):
    monkeypatch.delattr(owner, name)
    for base in owner.__mro__[1:]:
        if name in base.__dict__ and base is not object:
            monkeypatch.delattr(base, name)
    before = [each.__dict__.get(attribute) for each, attribute in OWNERS]
    text = refusal(Tap().__enter__)
    assert f"{owner.__name__}.{name}" in text and KNOWN in text and redis.__version__ in text
    assert [each.__dict__.get(attribute) for each, attribute in OWNERS] == before
    assert not tap.open_taps
    monkeypatch.undo()


@pytest.mark.parametrize("owner, method, name", tap.USED)
def test_a_redis_py_that_calls_its_private_parts_otherwise_is_refused(monkeypatch, owner, method, name):
    monkeypatch.setattr(owner, method, lambda self, *_: None)
    assert f"{owner.__name__}.{name}" in refusal(Tap().__enter__)
    monkeypatch.undo()


@pytest.mark.parametrize("place", range(len(OWNERS)))
def test_what_fails_midway_leaves_nothing_changed(monkeypatch, place):
    """Also a Ctrl-C, at each of the replacements."""
    done = []

    def interrupted(*_):
        done.append(1)
        if len(done) == place + 1:
            raise KeyboardInterrupt
        return lambda version: version

    with monkeypatch.context() as patched:
        patched.setattr(tap.functools, "wraps", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Tap().__enter__()
    assert is_plain() and not tap.open_taps


def test_an_interrupt_while_it_closes_leaves_nothing_changed(monkeypatch, r):
    calls = []

    def once(*_):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        real()

    real = tap.put_back
    monkeypatch.setattr(tap, "put_back", once)
    with pytest.raises(KeyboardInterrupt), Tap():
        r.ping()
    assert is_plain()


@pytest.mark.parametrize(("module", "name", "method"), [
    (tap, "watched", "add"), (tap, "sources", "__setitem__"), (received, "counted_sources", "add"),
    (received, "counted_sources", "discard")])
def test_a_connection_is_as_it_was_wherever_an_interrupt_falls(monkeypatch, module, name, method):
    class Interrupting(type(getattr(module, name))):
        pass

    def interrupted(*_):
        delattr(Interrupting, method)
        raise KeyboardInterrupt

    setattr(Interrupting, method, interrupted)
    monkeypatch.setattr(module, name, Interrupting())
    client = lab.connect()
    with client.client() as one:
        connection = one.connection
        with pytest.raises(KeyboardInterrupt), tap.Listener():
            one.ping()
        assert type(connection._sock) is socket.socket and type(connection._parser._sock) is socket.socket
        assert tap.WAITS not in connection.__dict__


def test_a_reply_that_an_interrupt_left_on_its_way_is_nobodys(monkeypatch, r):
    def interrupted(*_):
        raise KeyboardInterrupt

    seen = Tap()
    seen.wrote = interrupted  # redis-py has written, and does not wait yet
    with pytest.raises(KeyboardInterrupt), seen:
        r.echo("one")
    assert r.echo("two") == b"two"


def test_an_interrupt_leaves_other_threads_their_connections(r):
    with ThreadPoolExecutor(1) as pool, lab.connect().client() as other:
        with pytest.raises(KeyboardInterrupt), Tap():
            assert pool.submit(other.echo, "one").result() == b"one"
            sock = other.connection._sock
            raise KeyboardInterrupt
        assert other.connection._sock is sock


def test_whatever_is_open_can_be_closed_at_once(r):
    one, other = Tap(), Tap()
    one.__enter__()
    other.__enter__()
    r.get("key")
    tap.close_all()
    assert is_plain() and not tap.open_taps
    one.close()  # and once more does no harm
    assert r.get("key") is None


# An interrupted coroutine


def test_an_interrupt_cancels_the_coroutine_and_waits_for_its_end(monkeypatch):
    cleaned, going = [], threading.Event()

    async def work():
        try:
            going.set()
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            cleaned.append(True)

    interrupt_when(going)
    with pytest.raises(KeyboardInterrupt):
        event_loop.run(work)
    assert cleaned
    assert event_loop.run(asyncio.sleep, 0, "and the loop goes on") == "and the loop goes on"


def test_an_interrupt_before_the_loop_has_it_leaves_no_coroutine_behind(monkeypatch, recwarn, r):
    def interrupted():
        raise KeyboardInterrupt

    client = event_loop.client_like(r)
    gc.collect()  # what other tests left
    recwarn.clear()
    with monkeypatch.context() as patched:
        patched.setattr(event_loop, "check_outside", interrupted)
        with pytest.raises(KeyboardInterrupt):
            event_loop.close(client)
    gc.collect()
    assert [str(warned.message) for warned in recwarn] == []  # "coroutine 'Redis.aclose' was never awaited"
    event_loop.close(client)


def test_a_count_that_is_interrupted_leaves_redis_py_plain_and_nothing_running(monkeypatch, r):
    going, beats = threading.Event(), []

    async def work(r):
        while True:
            await r.ping()
            beats.append(1)
            going.set()

    wait = going.wait
    monkeypatch.setattr(event_loop, "run", interrupting_run(event_loop.run, going))
    with pytest.raises(KeyboardInterrupt):
        lab.count(work, r)
    assert wait(30) and is_plain()
    seen = len(beats)
    time.sleep(0.05)
    assert len(beats) == seen
    monkeypatch.undo()
    assert cost_and_result(ping, r)[0].round_trips == 1


async def ping(r):
    await r.ping()


def test_a_coroutine_that_never_awaits_is_left_behind_and_the_next_one_runs(monkeypatch):
    monkeypatch.setattr(event_loop, "CANCELLING_S", 0.2)
    going, over = threading.Event(), threading.Event()

    async def stuck():
        going.set()
        over.wait(30)

    interrupt_when(going)
    with pytest.raises(KeyboardInterrupt):
        event_loop.run(stuck)
    assert event_loop.run(asyncio.sleep, 0, "another loop") == "another loop"
    over.set()


def interrupt_when(going):
    """Sends a Ctrl-C as soon as `going` is set."""
    threading.Thread(target=lambda: going.wait(10) and os.kill(os.getpid(), signal.SIGINT)).start()


def interrupting_run(run, going):
    def chosen(function, *arguments):
        if function.__name__ == "work":
            interrupt_when(going)
        return run(function, *arguments)
    return chosen
