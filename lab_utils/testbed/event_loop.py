"""One event loop in a thread of its own, for the asyncio variants.

Jupyter already runs a loop in the main thread, and an asyncio client belongs to the loop it was first used in.
"""

import asyncio
import contextlib
import functools
import inspect
import threading
import time

import redis.asyncio

from ..arguments import is_async
from ..errors import LabError
from ..interrupts import restorer, uninterrupted

__all__ = ["SHARED_OPTIONS", "client_like", "close", "is_async", "loop", "run", "thread_id"]

_going_on = {}  # thread -> what it ran in the loop and may not have ended: [Run]
CANCEL_AGAIN_S = 0.1
CANCELLING_S = 5  # for a coroutine to end that is cancelled; one that does not is left behind with its loop


@functools.cache
def loop():
    """The lab's event loop and its thread, started when first asked for."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, name="lab event loop", daemon=True)
    with uninterrupted():
        thread.start()
    return made, thread


def thread_id():
    """The system's id of the loop's thread, or None before it is started."""
    return loop()[1].native_id if loop.cache_info().currsize else None


def run(function, *arguments):
    """Runs a coroutine function with these arguments in the lab's loop and waits for its result.

    It is called there: a coroutine that a Ctrl-C cut off from its loop would never be awaited.

    Interrupted, by Ctrl-C for one, it cancels the coroutine and waits until that has ended. One that does not end, because
    it never awaits, is left alone in its thread, and the next gets a new loop. Raises LabError inside the loop itself.
    """
    check_outside()
    started = Run()
    with uninterrupted():
        loop()[0].call_soon_threadsafe(started.begin, function, arguments)
        _going_on.setdefault(threading.get_ident(), []).append(started)
    try:
        started.ended.wait()
        return started.result()
    finally:
        end()


@restorer
def end():
    """Sees to it that what this thread ran in the loop has ended. A second Ctrl-C may have cut this short the first time."""
    left = _going_on.get(threading.get_ident(), [])
    while left:
        if not left[-1].ended.came:
            cancel(left[-1])
        left.pop()
    _going_on.pop(threading.get_ident(), None)


def check_outside():
    """Raises LabError in the lab's own loop: who waits there for something that needs the loop waits for ever."""
    if loop.cache_info().currsize and loop()[1] is threading.current_thread():
        raise LabError("A helper of the lab was called inside an `async def` function that the lab runs; they would wait for "
                       "each other. Write the outer function as plain `def`.")


class Latch:
    """Something that comes once, in another thread, and is waited for in this one.

    A threading.Event, or a future, takes its lock in Python, where a Ctrl-C can come before the `with` that gives it back; then
    the loop would wait for it for ever. This lock is given back once, and by no one who waits.
    """

    def __init__(self):
        self.came, self.lock = False, threading.Lock()
        self.lock.acquire()

    def set(self):
        self.came = True
        self.lock.release()

    def wait(self, seconds=-1):
        """Until it has come; with `seconds`, at most so long."""
        if not self.came and self.lock.acquire(timeout=seconds):
            self.lock.release()


class Run:
    """A coroutine that runs in the loop: its task, and whether that has ended."""

    def __init__(self):
        self.task, self.stopped, self.ended = None, None, Latch()

    def begin(self, function, arguments):
        self.task = asyncio.get_running_loop().create_task(self.call(function, arguments))
        self.task.add_done_callback(self.end)

    async def call(self, function, arguments):
        try:
            return await function(*arguments)
        except (SystemExit, KeyboardInterrupt) as error:  # in a task it would end the loop
            self.stopped = error

    def end(self, task):
        if not task.cancelled():
            task.exception()  # asyncio complains of one that nobody has asked for
        self.ended.set()

    def cancel(self):
        self.task.cancel()

    def result(self):
        """What the coroutine returned, or what it raised, once it has ended."""
        if self.stopped:
            raise self.stopped
        return self.task.result()


def cancel(started):
    """Cancels the task until it ends: before Python 3.12 `asyncio.wait_for` can swallow a cancellation, and redis-py uses it."""
    deadline = time.monotonic() + CANCELLING_S
    while not started.ended.came and time.monotonic() < deadline:
        loop()[0].call_soon_threadsafe(started.cancel)
        started.ended.wait(CANCEL_AGAIN_S)
    if not started.ended.came:
        loop.cache_clear()


def close(client):
    """Closes an asyncio client. One whose loop was left behind goes with that loop: here it can't be closed any more."""
    with contextlib.suppress(RuntimeError):
        run(client.aclose)


def client_like(client):
    """An asyncio client with the address and options of `client`, whose connections belong to the lab's loop."""
    pool = client.connection_pool
    kind = getattr(redis.asyncio.connection, pool.connection_class.__name__, redis.asyncio.Connection)
    known = SHARED_OPTIONS | {name for name in inspect.signature(kind.__init__).parameters if name.startswith("ssl_")}
    options = {name: value for name, value in pool.connection_kwargs.items() if name in known}
    own = redis.asyncio.ConnectionPool(connection_class=kind, max_connections=pool.max_connections, **options)
    return redis.asyncio.Redis.from_pool(own)


# Options that mean the same to redis.Redis and redis.asyncio.Redis.
SHARED_OPTIONS = frozenset({
    "host", "port", "path", "db", "username", "password", "decode_responses", "encoding", "encoding_errors", "protocol",
    "socket_timeout", "socket_connect_timeout", "health_check_interval", "client_name",
})
