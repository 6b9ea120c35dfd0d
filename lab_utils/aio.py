"""One event loop in a thread of its own, for the asyncio variants.

Jupyter already runs a loop in the main thread, and an asyncio client belongs to the loop it was first used in.
"""

import asyncio
import functools
import inspect
import threading

import redis.asyncio


@functools.cache
def loop():
    """The lab's event loop and its thread, started when first asked for."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, name="lab event loop", daemon=True)
    thread.start()
    return made, thread


def thread_id():
    """The system's id of the loop's thread, or None before it is started."""
    return loop()[1].native_id if loop.cache_info().currsize else None


def run(coroutine):
    """Runs a coroutine in the lab's loop and waits for its result."""
    return asyncio.run_coroutine_threadsafe(coroutine, loop()[0]).result()


def is_async(fn):
    """True for `async def f(client)`."""
    return inspect.iscoroutinefunction(fn)


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
