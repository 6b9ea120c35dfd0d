"""Check exercise 08.3: make a connection pool in which threads wait for a free connection."""

from concurrent.futures import ThreadPoolExecutor

import redis

from lab_utils.course.checking import Refused, connect, counted, of_kind

THREADS, GRANTED = 12, 4
HELD_S = 0.2  # how long each thread keeps its connection
MOST_PATIENCE_S = 1  # for a connection
PATIENCE = (
    "The pool's own `timeout` says for how many seconds a thread waits for a connection; "
    "as redis-py comes it is 20.",
    "timeout=1: long enough for three threads before you, and no longer than a second.",
)


def check(answer) -> str:
    with connect() as model:
        like = model.connection_pool
    kind = type("Kind", (like.connection_class,), {})  # a class that no pool has by default
    made = answer(kind, dict(like.connection_kwargs))
    of_kind(redis.ConnectionPool, made, "pool_for", "a connection pool")
    if not issubclass(made.connection_class, kind):
        raise Refused(
            f"your pool makes connections of the class {made.connection_class.__name__}, "
            "not of `kind`; with TLS or over a Unix socket it would not get through",
            "A pool makes plain TCP connections unless it is told otherwise: connection_class=kind",
        )
    if made.max_connections != GRANTED:
        raise Refused(
            f"your pool holds up to {counted(made.max_connections, 'connection')}; Redis "
            f"grants you {GRANTED}",
            f"max_connections={GRANTED}",
        )
    with redis.Redis.from_pool(made) as client:
        check_queue(client)
        check_patience(made)
    return (
        f"{THREADS} threads served over {GRANTED} connections, and nobody waits "
        "for more than a second"
    )


def check_queue(client: redis.Redis) -> None:
    with ThreadPoolExecutor(THREADS) as threads:
        calls = [threads.submit(client.blpop, "exercise:nothing", HELD_S) for _ in range(THREADS)]
    errors = [call.exception() for call in calls if call.exception()]
    if errors:
        raise Refused(
            f"{THREADS} threads each held a connection for {HELD_S:g} s, and some were "
            f"not served: {type(errors[0]).__name__}: {errors[0]}",
            *(PATIENCE if isinstance(client.connection_pool, redis.BlockingConnectionPool) else ()),
        )


def check_patience(pool: redis.ConnectionPool) -> None:
    """Raise Refused if this pool lets a thread wait longer than a second for a connection."""
    patience = getattr(pool, "timeout", MOST_PATIENCE_S)
    if patience is None or patience > MOST_PATIENCE_S:
        raise Refused(
            f"with all {GRANTED} connections taken, a thread waits for one for "
            f"{'ever' if patience is None else f'{patience:g} s'}; {MOST_PATIENCE_S:g} s "
            "is the most",
            *PATIENCE,
        )
