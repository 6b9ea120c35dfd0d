"""What a trace costs a turn of a task or thread beyond what is measured at each: measured in this process, once, when asked for.

Opening a trace replaces methods of redis-py, after which Python runs redis-py's own code more slowly for a while: what the
interpreter had learned of those classes is gone. And each await goes through a coroutine more. No clock in a hook sees either.
So bursts of GETs and of pipelines are run with a trace and without, in a thread of its own, against a listener in that same
thread that answers OK: the thread's CPU says what is left when the measured part is taken off. For turns of threads the same
is done without a loop, one after the other, and another thread answers.

For a pipeline that a thread makes while there is no other, each reply's way through the tap is measured, without a server.
"""

import asyncio
import contextlib
import functools
import socket
import statistics
import threading
from collections import namedtuple
from time import perf_counter, thread_time

import redis.asyncio

from . import tap
from .turns import MISSING, NOTED, OWN, Threads

AT_ONCE, LONG = 20, 10  # turns at once, twice a burst; GETs in a pipeline
THREAD_PASSES = 16  # of which the median counts
REPLIES = 500  # whose way through the tap is measured
PASSES, WARM = 8, 2  # bursts with a trace; bursts without one before each, of which the last counts
OK = b"+OK\r\n"

Unmeasured = namedtuple("Unmeasured", "turn reply")  # seconds of CPU: each turn, and each reply of it after the first
NOTHING = Unmeasured(0.0, 0.0)


def unmeasured():
    """The Unmeasured of this process: nothing while a trace is open, since there is no going without, or where it fails."""
    return NOTHING if tap.open_taps else measured(in_a_loop)


def unmeasured_of_threads():
    """The same of turns that threads make."""
    return NOTHING if tap.open_taps else measured(in_a_thread)


@functools.cache
def measured(how):
    found = []
    thread = threading.Thread(target=how, args=(found,), name="trace overhead", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # Python is about to end
        return NOTHING
    thread.join()
    turn, pipeline = found or (0.0, 0.0)
    return Unmeasured(max(0.0, turn), max(0.0, pipeline - turn) / (LONG - 1))


@functools.cache
def seconds_a_reply():
    """What the tap takes of each reply, beside redis-py's own reading of it: other programs can only add to either."""
    passes = [(seconds_of_replies(tap.read_response(reads_nothing)), seconds_of_replies(reads_nothing)) for _ in range(PASSES)]
    traced, plain = map(min, zip(*passes, strict=True))
    return max(0.0, traced - plain) / REPLIES


def seconds_of_replies(read):
    connection, note = Unconnected(), [None] * len(NOTED.split())
    waits = connection.__dict__[tap.WAITS] = tap.Waits()
    note[MISSING], note[OWN], waits.notes = REPLIES + 1, 0.0, (note,)
    started = perf_counter()
    for _ in range(REPLIES):
        read(connection)
    return perf_counter() - started


def reads_nothing(connection):
    """Stands in for redis-py's method."""


class Unconnected:
    """Stands in for a connection."""

    _sock = None


def in_a_loop(found):
    """Puts into `found` the seconds of a GET and those of a pipeline; nothing where there may be no listener."""
    belongs_to_nobody()
    with contextlib.suppress(OSError, redis.RedisError):
        found += asyncio.run(measure())


def belongs_to_nobody():
    """No trace that is opened meanwhile takes what this thread does for its own: it stands in another one's block."""
    nobody = tap.Listener()
    nobody.is_open = True
    tap.blocks.set((nobody,))


async def measure():
    listener = await asyncio.get_running_loop().create_server(Answers, "127.0.0.1", 0)
    client = redis.asyncio.Redis(host="127.0.0.1", port=listener.sockets[0].getsockname()[1], protocol=2)
    try:
        return [await unmeasured_of(one, client) for one in (get, pipeline)]
    finally:
        await client.connection_pool.disconnect()
        listener.close()


async def unmeasured_of(one, client):
    from .traces import trace

    plain, traced, own = [], [], []
    for _ in range(PASSES):
        plain.append([await burst(one, client) for _ in range(WARM)][-1])
        with trace() as t:
            traced.append(await burst(one, client))
        own.append(sum(turn.own for turn in t.turns))
    return (min(traced) - min(plain) - statistics.median(own)) / (2 * AT_ONCE)


async def burst(one, client):
    """Seconds of this thread's CPU."""
    started = thread_time()
    for _ in range(2):
        await asyncio.gather(*(one(client, number) for number in range(AT_ONCE)))
    return thread_time() - started


def get(client, number):
    return client.get(f"user:{number}")


def pipeline(client, number):
    pipe = client.pipeline(transaction=False)
    for place in range(LONG):
        pipe.get(f"user:{number + place}")
    return pipe.execute()


def in_a_thread(found):
    """The same, with another thread that answers."""
    belongs_to_nobody()
    with contextlib.suppress(OSError, redis.RedisError, RuntimeError), socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=says_ok, args=(listener,), name="trace overhead: server", daemon=True).start()
        client = redis.Redis(host="127.0.0.1", port=listener.getsockname()[1], protocol=2)
        try:
            found += [unmeasured_of_thread(one, client) for one in (get, pipeline)]
        finally:
            client.connection_pool.disconnect()


def unmeasured_of_thread(one, client):
    """Seconds of CPU a turn, with a trace that has heard of threads: only then it asks each turn's clock."""
    from .traces import trace

    more = []
    for _ in range(THREAD_PASSES):
        plain = [thread_burst(one, client) for _ in range(WARM)][-1]
        with trace() as t:
            Threads.several = True
            traced = thread_burst(one, client)
        more.append(traced - plain - sum(turn.own for turn in t.turns))
    return statistics.median(more) / (2 * AT_ONCE)


def thread_burst(one, client):
    """Seconds of this thread's CPU."""
    started = thread_time()
    for number in range(2 * AT_ONCE):
        one(client, number)
    return thread_time() - started


def says_ok(listener):
    with contextlib.suppress(OSError):
        connection, _ = listener.accept()
        with connection:
            while data := connection.recv(65536):
                connection.sendall(OK * max(1, data.count(b"*")))


class Answers(asyncio.Protocol):
    """Says OK to every command."""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.transport.write(OK * max(1, data.count(b"*")))
