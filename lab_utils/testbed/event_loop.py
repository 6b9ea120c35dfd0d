"""Run one event loop in a thread of its own, for functions of an asyncio client.

Jupyter already runs a loop in the main thread, and an asyncio client belongs to the loop in which
it was first used.
"""

import asyncio
import contextlib
import functools
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import redis.asyncio

from ..arguments import is_async as is_async
from ..errors import LabError

# Options that mean the same to redis.Redis and redis.asyncio.Redis.
SHARED_OPTIONS = frozenset(
    {"host", "port", "path", "db", "username", "password", "decode_responses", "encoding"}
    | {"encoding_errors", "protocol", "socket_timeout", "socket_connect_timeout"}
    | {"health_check_interval", "client_name"}
)

AGAIN_S = 1  # after which an interrupted task is cancelled again; what it closes has that long


@functools.cache
def loop() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    """Return (the lab's event loop, its thread); the first call starts both."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, name="lab event loop", daemon=True)
    thread.start()
    return made, thread


def thread_id() -> int | None:
    """Return the system's id of the event loop's thread, None before the loop is started."""
    return loop()[1].native_id if loop.cache_info().currsize else None


def run(function: Callable[..., Awaitable], *arguments: Any) -> Any:
    """Run `function(*arguments)`, a coroutine function, in the lab's event loop; return its result.

    The caller waits. A Ctrl-C cancels the coroutine. Raises LabError if called in the loop itself,
    and the errors of the function.
    """
    check_outside()
    tasks = []
    future = asyncio.run_coroutine_threadsafe(outcome_of(function, arguments, tasks), loop()[0])
    try:
        result, error = future.result()
    except KeyboardInterrupt:
        loop()[0].call_soon_threadsafe(cancel, tasks)
        raise
    if error:
        raise error
    return result


def cancel(tasks: list[asyncio.Task]) -> None:
    """Cancel the task in the list `tasks`, and do so again every second until it has ended.

    If the task has not begun yet, the list is empty, and is looked at again after a second. One try
    may not do: redis-py may take a cancellation for a lost connection, and go on. Call this in the
    lab's event loop only.
    """
    if not (tasks and tasks[0].done()):
        for task in tasks:
            task.cancel()
        loop()[0].call_later(AGAIN_S, cancel, tasks)


async def outcome_of(
    function: Callable[..., Awaitable], arguments: tuple, tasks: list
) -> tuple[Any, BaseException | None]:
    """Await `function(*arguments)`; return (result, None), or (None, error) instead of raising.

    `function` is a coroutine function. First, the task in which this runs is appended to the list
    `tasks`, so that another thread can cancel it. Errors are returned for two reasons: a SystemExit
    or KeyboardInterrupt raised in a task would end the loop, and asyncio would print the error of a
    cancelled task for which nobody waits any more.
    """
    tasks.append(asyncio.current_task())
    try:
        return await function(*arguments), None
    except BaseException as error:
        return None, error


def check_outside() -> None:
    """Raise LabError if called in the thread of the lab's event loop.

    Waiting there for the loop would never end.
    """
    if loop.cache_info().currsize and loop()[1] is threading.current_thread():
        raise LabError(
            "A helper of the lab was called inside an `async def` function that the lab runs; they "
            "would wait for each other. Write the outer function as plain `def`."
        )


@contextlib.contextmanager
def like(client: redis.Redis) -> Iterator[redis.asyncio.Redis]:
    """Yield an asyncio client with the address and options of `client`, for a `with` block.

    It is for coroutines in the lab's event loop, and is closed there when the `with` block ends.
    """
    own: Any = client_like(client)
    try:
        yield own
    finally:
        run(own.aclose)


def client_like(client: redis.Redis) -> redis.asyncio.Redis:
    """Return an asyncio client with the address and options of `client`, a redis.Redis.

    The caller must close it, in the lab's event loop.
    """
    pool = client.connection_pool
    name = pool.connection_class.__name__
    kind = getattr(redis.asyncio.connection, name, redis.asyncio.Connection)
    options = {
        name: value for name, value in pool.connection_kwargs.items() if name in SHARED_OPTIONS
    }
    options |= {"connection_class": kind, "max_connections": pool.max_connections}
    # By its name: the stubs of an old redis-py, which redis-om brings, know of no from_pool.
    return vars(redis.asyncio)["Redis"].from_pool(redis.asyncio.ConnectionPool(**options))
