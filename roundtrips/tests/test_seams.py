"""A fault of our own is never the program's: each seam raises in turn, and the program goes on."""

import asyncio
import contextlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
import redis.asyncio
import redis.asyncio.retry
from redis.backoff import NoBackoff
from redis.retry import Retry

from roundtrips import callsites, critical_path, recorder, redis_py, scope, sockets, trace
from test_changes import is_plain

HASTY = {"socket_timeout": 0.02, "socket_connect_timeout": 5}  # in reading alone


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


def plain_part(options):
    """What a program gets to see of a plain client."""
    with redis.Redis(**options, socket_timeout=5) as r, ThreadPoolExecutor(1) as pool:
        r.delete("n", "list")
        pipe = r.pipeline(transaction=False)
        for _ in range(30):
            pipe.incr("n")
        seen = [
            pipe.execute(),
            outcome(lambda: r.lpush("n", 1)),
            outcome(lambda: r.pipeline().incr("n").lpush("n", 1).execute()),
            pool.submit(r.get, "n").result(),
            r.blpop("list", timeout=0.01),
        ]
        thread = threading.Thread(target=lambda: seen.append(r.get("n")))
        thread.start()
        thread.join()
        with r.pubsub() as listener:
            listener.subscribe("news")
            seen += [listener.get_message(timeout=5), r.publish("news", "x")]
            seen.append(listener.get_message(timeout=5))
        with redis.Redis(**{**options, "port": 1}, retry=Retry(NoBackoff(), 0)) as nobody:
            seen.append(outcome(nobody.ping)[0])
        with redis.Redis(**{**options, **HASTY}, retry=Retry(NoBackoff(), 0)) as hasty:
            seen.append(outcome(lambda: hasty.blpop("list", timeout=20)))
    return seen


async def async_part(options):
    async with redis.asyncio.Redis(**options) as r:
        seen = await asyncio.gather(*(r.get("n") for _ in range(5)))
        seen.append(await r.pipeline().incr("n").get("n").execute())
        try:
            await r.lpush("n", 1)
        except redis.ResponseError as error:
            seen.append(str(error))
        seen.append(await asyncio.to_thread(int, "3"))
    once = redis.asyncio.retry.Retry(NoBackoff(), 0)
    async with redis.asyncio.Redis(**{**options, **HASTY}, retry=once) as hasty:
        try:
            await hasty.blpop("list", timeout=20)
        except redis.TimeoutError as error:
            seen.append(str(error))
    return seen


def program(options):
    return plain_part(options), asyncio.run(async_part(options))


SEAMS = [
    *((redis_py, name) for name in (
        "state_of", "watch", "failed_to_read", "end_batch", "read_plainly", "seeing", "described",
        "is_closed",
    )),
    *((recorder, name) for name in ("answer", "end_all", "end", "said_in")),
    (recorder, "packed"),
    *((recorder.Recorder, name) for name in ("wrote", "number_of", "keep")),
    *((scope, name) for name in ("blocks_here", "worker_here", "handed_over")),
    (scope, "stand_in"),
    (sockets, "count"), (sockets, "put_back"), (scope, "forget"), (callsites, "forget"),
    *((callsites.Finder, name) for name in ("find", "search")),
    (callsites, "made"), (callsites, "made_at_task"), (critical_path.CriticalPath, "enter"),
]  # fmt: skip


@pytest.fixture(scope="module")
def plain(server):
    """What the program sees without a trace."""
    return program(server)


@pytest.mark.parametrize(
    "owner, name",
    SEAMS,
    ids=[f"{owner.__name__}.{name}".split("roundtrips.")[-1] for owner, name in SEAMS],
)
def test_a_seam_that_raises(server, r, plain, owner, name, monkeypatch):
    def broken(*args, **kwargs):
        times.append(1)
        raise LookupError("a seam")

    times = []
    tracing = trace()
    with monkeypatch.context() as patched:
        if name not in ("blocks_here", "seeing"):
            patched.setattr(owner, name, broken)
        with tracing as t:
            patched.setattr(owner, name, broken)
            seen = program(server)
        *_, said = t.uncounted  # before it, perhaps, that nobody saw the reply
    with trace():  # which puts back what a fault left
        pass
    assert seen == plain
    assert times, "nothing came by here"
    assert said.startswith("roundtrips failed to see a part: LookupError: a seam"), said
    assert said in repr(t)
    assert is_plain()


def test_near_the_end_of_the_stack_what_is_done_is_counted_or_said(r):
    def at(depth):
        return r.get("a") if depth == 0 else at(depth - 1)

    r.ping()
    for depth in range(sys.getrecursionlimit() - 130, sys.getrecursionlimit()):
        with trace() as t, contextlib.suppress(RecursionError):
            at(depth)
            assert t.round_trips == 1 or t.uncounted


def test_what_counts_bytes_may_fail(server, r, plain, monkeypatch):
    class Broken(dict):
        def __getitem__(self, key):
            raise LookupError("a seam")

    monkeypatch.setattr(sockets, "received", Broken())
    with trace() as t:
        assert program(server) == plain
    assert any("a seam" in said for said in t.uncounted)


def test_opening_may_fail(server, r, monkeypatch):
    def broken(*args):
        raise LookupError("a seam")

    monkeypatch.setattr(scope, "blocks_here", broken)
    with trace() as t:
        r.ping()
    assert t.uncounted == ["roundtrips failed to see a part: LookupError: a seam"]
    assert is_plain()
