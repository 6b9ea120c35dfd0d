"""One event loop in a thread of its own, for the asyncio variants.

Jupyter already runs a loop in the main thread, and an asyncio client belongs to the loop it was
first used in.
"""

import asyncio
import contextlib
import functools
import inspect
import queue
import threading
from collections.abc import Callable

import redis.asyncio

from ..arguments import is_async as is_async
from ..errors import LabError
from ..interrupts import Whole, uninterrupted

CANCEL_AGAIN_S = 0.1  # before Python 3.12 `asyncio.wait_for` can swallow a cancellation
CANCELLATIONS = 50  # of one that does not end: it is left with its loop

# Options that mean the same to redis.Redis and redis.asyncio.Redis.
SHARED_OPTIONS = frozenset(
    {"host", "port", "path", "db", "username", "password", "decode_responses", "encoding"}
    | {"encoding_errors", "protocol", "socket_timeout", "socket_connect_timeout"}
    | {"health_check_interval", "client_name"}
)


@functools.cache
def loop() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    """Return the lab's event loop and its thread, started when first asked for."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, name="lab event loop", daemon=True)
    with uninterrupted():
        thread.start()
    return made, thread


def thread_id() -> int | None:
    """Return the system's id of the loop's thread, None before it is started."""
    return loop()[1].native_id if loop.cache_info().currsize else None


class Running(Whole):
    """A coroutine function at work in the lab's loop; cancelled where the block ends before it."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments
        self.result = self.error = None
        self.over, self.ended = False, queue.SimpleQueue()  # in C: no interrupt keeps its lock

    def enter(self):
        self.loop = loop()[0]
        self.loop.call_soon_threadsafe(self.begin)

    def begin(self):
        self.task = self.loop.create_task(self.work())
        self.task.add_done_callback(self.end)

    async def work(self):
        try:
            self.result = await self.function(*self.arguments)
        except BaseException as error:  # what ends Python, raised in a task, would end the loop
            self.error = error

    def end(self, _):
        self.over = True
        self.ended.put(True)

    def leave(self):
        for _ in range(CANCELLATIONS):
            if self.over:
                return
            self.loop.call_soon_threadsafe(lambda: self.task.cancel())
            with contextlib.suppress(queue.Empty):
                self.ended.get(timeout=CANCEL_AGAIN_S)
        loop.cache_clear()  # it never awaits


def run(function: Callable, *arguments):
    """Run a coroutine function with these arguments in the lab's loop, and return its result.

    An interrupt cancels it and waits until it has ended; one that does not end, because it never
    awaits, is left alone in its thread, and the next gets a new loop. Raises LabError in the loop.
    """
    check_outside()
    with Running(function, arguments) as running:
        running.ended.get()
    if running.error:
        raise running.error
    return running.result


def check_outside():
    """Raise LabError in the lab's own loop, where waiting for something in it takes for ever."""
    if loop.cache_info().currsize and loop()[1] is threading.current_thread():
        raise LabError(
            "A helper of the lab was called inside an `async def` function that the lab runs; they "
            "would wait for each other. Write the outer function as plain `def`."
        )


@contextlib.contextmanager
def like(client):
    """Yield an asyncio client with the address and options of `client`, for the lab's loop."""
    own = client_like(client)
    try:
        yield own
    finally:
        with contextlib.suppress(RuntimeError):  # its loop was left behind, and it with that loop
            run(own.aclose)


def client_like(client) -> redis.asyncio.Redis:
    """Return what `like` yields, for whoever closes it in the loop."""
    pool = client.connection_pool
    name = pool.connection_class.__name__
    kind = getattr(redis.asyncio.connection, name, redis.asyncio.Connection)
    parameters = inspect.signature(kind.__init__).parameters
    known = SHARED_OPTIONS | {name for name in parameters if name.startswith("ssl_")}
    options = {name: value for name, value in pool.connection_kwargs.items() if name in known}
    options |= {"connection_class": kind, "max_connections": pool.max_connections}
    return redis.asyncio.Redis.from_pool(redis.asyncio.ConnectionPool(**options))
