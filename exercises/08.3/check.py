"""Make a pool whose users queue."""

import threading
from concurrent.futures import ThreadPoolExecutor

import redis

from lab_utils.course.checking import Refused, Recording, connect, counted, shown

THREADS, GRANTED = 12, 4
HELD_S = 0.1  # how long each thread keeps its connection
MOST_PATIENCE_S = 1  # for a connection
PATIENCE = (
    "The pool's own `timeout` says for how many seconds a thread waits for a connection; "
    "as redis-py comes it is 20.",
    "timeout=1: long enough for three threads before you, and no longer than a second.",
)
AWAKE_S = 1.3  # a wait for a connection that lasts until then was too long


def check(answer):
    with connect() as model:
        like = model.connection_pool
    kind = type("Kind", (like.connection_class,), {})  # a class that no pool has by default
    made = answer(kind, dict(like.connection_kwargs))
    if not isinstance(made, redis.ConnectionPool):
        raise Refused(
            f"a connection pool was expected, not {shown(made)}", "return the pool, not a client."
        )
    if not issubclass(made.connection_class, kind):
        raise Refused(
            f"your pool makes connections of the class {made.connection_class.__name__}, "
            "not of `kind`; with TLS or over a Unix socket it would not get through",
            "A pool makes plain TCP connections unless it is told otherwise: connection_class=kind",
        )
    if made.max_connections < GRANTED:
        raise Refused(
            f"your pool holds only {counted(made.max_connections, 'connection')}; Redis "
            f"grants you {GRANTED}",
            f"max_connections={GRANTED}",
        )
    with redis.Redis.from_pool(made) as client:
        with Recording() as seen:
            check_queue(client)
        if seen.opened > GRANTED:
            raise Refused(
                f"all {THREADS} threads were served, but over "
                f"{counted(seen.opened, 'connection')}; Redis grants {GRANTED}",
                f"max_connections={GRANTED}",
            )
        check_end_of_patience(made, client)
    return (
        f"{THREADS} threads served over {counted(seen.opened, 'connection')}, and nobody waits "
        "for more than a second"
    )


def check_queue(client):
    start = threading.Barrier(THREADS)

    def hold(_):
        start.wait()
        try:
            client.blpop("exercise:nothing", HELD_S)
        except redis.RedisError as error:
            return f"{type(error).__name__}: {str(error).rstrip('.')}"

    with ThreadPoolExecutor(THREADS) as threads:
        errors = [said for said in threads.map(hold, range(THREADS)) if said]
    if errors:
        raise Refused(
            f"{THREADS} threads each held a connection for {HELD_S:g} s, and some were "
            f"not served: {errors[0]}",
            *(PATIENCE if isinstance(client.connection_pool, redis.BlockingConnectionPool) else ()),
        )


def check_end_of_patience(pool, client):
    """Raise Refused unless a call gives up within a second while all connections are held."""
    patience = getattr(pool, "timeout", MOST_PATIENCE_S)
    if patience is None or patience > MOST_PATIENCE_S:
        raise Refused(
            f"with all {GRANTED} connections taken, a thread waits for one for "
            f"{'ever' if patience is None else f'{patience:g} s'}; {MOST_PATIENCE_S:g} s "
            "is the most",
            *PATIENCE,
        )
    held = [pool.get_connection() for _ in range(GRANTED)]
    give_back = threading.Timer(AWAKE_S, lambda: [pool.release(held.pop()) for _ in range(GRANTED)])
    give_back.start()
    try:
        client.get("exercise:anything")
    except (redis.ConnectionError, redis.TimeoutError):
        pass
    else:
        raise Refused(
            f"with all {GRANTED} connections taken, a thread still waited for one after "
            f"{AWAKE_S:g} s",
            *PATIENCE,
        )
    finally:
        give_back.cancel()  # whoever gives up early need not wait for the rest
        give_back.join()
        for connection in held:
            pool.release(connection)
