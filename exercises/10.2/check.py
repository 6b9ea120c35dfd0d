"""Check exercise 10.2: make a client that gives up on a silent server within a second."""

import contextlib
import time

import redis

from lab_utils.course.checking import Refused, counted, frozen, of_kind, spare

BUDGET_S, GRACE_S = 1.0, 0.1
SLOW_S = 0.2  # how long a healthy server may take
AWAKE_S = 1.3  # when the stalled server wakes, so that no check waits for a minute
SYSTEMS_S = 127  # after which Linux itself gives up to connect, where a client sets no timeout
GAVE_UP = redis.TimeoutError, redis.ConnectionError


def check(answer) -> str:
    server = spare("hz 100", retry=None)  # by hz 10 it ends a BLPOP up to 0.1 s late
    address = {name: server.get_connection_kwargs()[name] for name in ("host", "port", "password")}
    try:
        made = made_by(answer, address)
        check_patience(made)
        check_stalled(made, server, "a connection that was open")
        check_stalled(made_by(answer, address), server, "a connection that had yet to be opened")
        check_gone(made_by(answer, address))
    finally:
        with contextlib.suppress(redis.RedisError):
            server.shutdown(nosave=True)
        server.close()
    return (
        f"it waits {SLOW_S:g} s for a slow reply, and gives up on a stalled server within "
        f"{BUDGET_S:g} s"
    )


def made_by(answer, address):
    return of_kind(
        redis.Redis,
        answer(dict(address)),
        "client_for",
        "a redis.Redis",
        "return redis.Redis(**address, …)",
    )


def check_patience(client: redis.Redis) -> None:
    try:
        client.ping()
        client.blpop("exercise:nothing", SLOW_S)
    except GAVE_UP as error:
        raise Refused(
            f"a healthy server that took {SLOW_S:g} s for a reply: your client raised "
            f"{type(error).__name__}",
            "redis.Redis(**address, …) takes host, port and password from it.",
            f"A healthy reply may take {SLOW_S:g} s: let socket_timeout be longer, and "
            "make fewer attempts.",
        ) from None


def check_stalled(client: redis.Redis, server: redis.Redis, where: str) -> None:
    with frozen(server, AWAKE_S):
        started = time.perf_counter()
        with contextlib.suppress(*GAVE_UP):
            client.get("exercise:anything")
        took = time.perf_counter() - started
        client.close()
    attempts, timeout = attempts_by(client), client.get_connection_kwargs().get("socket_timeout")
    if took > BUDGET_S + GRACE_S or attempts * (timeout or 0) >= BUDGET_S:
        raise Refused(
            f"{where}, a server that stands still for {AWAKE_S:g} s: your client was busy "
            f"with it for ~{took:.1f} s. Your client makes "
            f"{counted(attempts, 'attempt')} with a timeout of {timeout} s each; "
            f"together they must stay below {BUDGET_S:g} s"
        )


def check_gone(client: redis.Redis) -> None:
    """Raise Refused if `client` would wait a second or more for a machine that no longer exists.

    Nothing is timed: the seconds are computed from the client's timeouts and retries.
    """
    attempts = attempts_by(client)
    options = client.get_connection_kwargs()
    to_connect_s = client.connection_pool.make_connection().socket_connect_timeout or SYSTEMS_S
    at_first_s = attempts * to_connect_s
    # Each retry of a command opens a connection, and that opening has all its retries too.
    while_open_s = options["socket_timeout"] + (attempts - 1) * attempts * to_connect_s
    if max(at_first_s, while_open_s) >= BUDGET_S:
        raise Refused(
            "it gives up on a server that stands still; where the machine is gone, your client "
            f"waits {at_first_s:.1f} s to connect, and {while_open_s:.1f} s where a connection was "
            "open",
            "Opening a connection has an option of its own: socket_connect_timeout=0.3. And each "
            "retry of a command opens a connection, which has all its retries too: retries × "
            "(retries + 1) openings.",
            "socket_timeout=0.3, socket_connect_timeout=0.3 and one retry make (1 + 1 × "
            "2) × 0.3 s.",
        )


def attempts_by(client: redis.Redis) -> int:
    retry = client.get_retry()
    return 1 + (retry.get_retries() if retry else 0)
