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
import time
from collections.abc import Callable

import redis.asyncio

from ..arguments import is_async
from ..errors import LabError
from ..interrupts import restorer, uninterrupted

__all__ = ["SHARED_OPTIONS", "client_like", "close", "is_async", "loop", "run", "thread_id"]

CANCEL_AGAIN_S = 0.1  # before Python 3.12 `asyncio.wait_for` can swallow a cancellation
CANCELLING_S = 5  # for a task to end that is cancelled; one that does not is left with its loop
_running = {}  # thread -> for each run that has not ended: ([its task], what its end is put into)

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


def run(function: Callable, *arguments):
    """Run a coroutine function with these arguments in the lab's loop, and return its result.

    An interrupt cancels it and waits until it has ended; one that does not end, because it never
    awaits, is left alone in its thread, and the next gets a new loop. Raises LabError in the loop.
    """
    check_outside()
    tasks, ended = [], queue.SimpleQueue()  # in C: no interrupt can leave its lock taken

    def begin():
        tasks.append(asyncio.get_running_loop().create_task(kept_in_the_task(function, arguments)))
        tasks[0].add_done_callback(done)

    def done(task):
        if not task.cancelled():
            task.exception()  # asyncio complains of one that nobody has asked for
        ended.put(task)

    with uninterrupted():
        _running.setdefault(threading.get_ident(), []).append((tasks, ended))
        loop()[0].call_soon_threadsafe(begin)
    try:
        ended.get()
    finally:
        end()
    result, stopped = tasks[0].result()
    if stopped:
        raise stopped
    return result


async def kept_in_the_task(function, arguments):
    """Return (result, what ends Python): raised in a task, that would end the loop."""
    try:
        return await function(*arguments), None
    except (SystemExit, KeyboardInterrupt) as error:
        return None, error


@restorer
def end():
    """Cancel what this thread has in the loop, unless it has ended, and wait until it has."""
    left = _running.get(threading.get_ident(), [])
    deadline = time.monotonic() + CANCELLING_S
    while left:
        tasks, ended = left[-1]
        if tasks and tasks[0].done():
            left.pop()
            continue
        loop()[0].call_soon_threadsafe(lambda tasks=tasks: tasks[0].cancel())
        with contextlib.suppress(queue.Empty):
            ended.get(timeout=CANCEL_AGAIN_S)
        if time.monotonic() > deadline:
            left.clear()
            loop.cache_clear()
    _running.pop(threading.get_ident(), None)


def check_outside():
    """Raise LabError in the lab's own loop, where waiting for something in it takes for ever."""
    if loop.cache_info().currsize and loop()[1] is threading.current_thread():
        raise LabError(
            "A helper of the lab was called inside an `async def` function that the lab runs; they "
            "would wait for each other. Write the outer function as plain `def`."
        )


def close(client):
    """Close an asyncio client. One whose loop was left behind goes with that loop."""
    with contextlib.suppress(RuntimeError):
        run(client.aclose)


def client_like(client) -> redis.asyncio.Redis:
    """Return an asyncio client with the address and options of `client`, for the lab's loop."""
    pool = client.connection_pool
    name = pool.connection_class.__name__
    kind = getattr(redis.asyncio.connection, name, redis.asyncio.Connection)
    parameters = inspect.signature(kind.__init__).parameters
    known = SHARED_OPTIONS | {name for name in parameters if name.startswith("ssl_")}
    options = {name: value for name, value in pool.connection_kwargs.items() if name in known}
    options |= {"connection_class": kind, "max_connections": pool.max_connections}
    return redis.asyncio.Redis.from_pool(redis.asyncio.ConnectionPool(**options))
