"""Make a client that gives up within a second."""

import contextlib
import time

import redis
from redis.connection import AbstractConnection

from lab_utils.course.checking import Refused, counted, frozen, replaced, shown, spare

BUDGET_S, GRACE_S = 1.0, 0.1
SLOW_S = 0.2  # how long a healthy server may take
AWAKE_S = 1.3  # when the stalled server wakes, so that no check waits for a minute
GAVE_UP = redis.TimeoutError, redis.ConnectionError


def check(answer):
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
    made = answer(dict(address))
    if not isinstance(made, redis.Redis):
        raise Refused(
            f"a redis.Redis was expected, not {shown(made)}", "return redis.Redis(**address, …)"
        )
    return made


def check_patience(client):
    try:
        client.ping()
        client.blpop("exercise:nothing", SLOW_S)
    except redis.ConnectionError as error:
        raise Refused(
            f"your client does not reach the server: {type(error).__name__}. Did you "
            "pass **address on?",
            "redis.Redis(**address, …) takes host, port and password from it.",
        ) from None
    except redis.TimeoutError:
        raise Refused(
            f"a healthy reply that took {SLOW_S:g} s ended in a TimeoutError: too hasty",
            f"A healthy reply may take {SLOW_S:g} s: let socket_timeout be longer, and "
            "make fewer attempts.",
        ) from None


def check_stalled(client, server, where):
    with frozen(server, AWAKE_S):
        started = time.perf_counter()
        try:
            client.get("exercise:anything")
            came = f"no error within {AWAKE_S:g} s, and then the server woke up"
        except GAVE_UP:
            came = f"the error came after ~{time.perf_counter() - started:.1f} s"
        took = time.perf_counter() - started
        client.close()
    attempts, timeout = attempts_by(client), client.get_connection_kwargs().get("socket_timeout")
    if took > BUDGET_S + GRACE_S or attempts * (timeout or 0) >= BUDGET_S:
        raise Refused(
            f"{where}, a server that stands still: {came}. Your client makes "
            f"{counted(attempts, 'attempt')} with a timeout of {timeout} s each; "
            f"together they must stay below {BUDGET_S:g} s"
        )


def check_gone(client):
    """Raise Refused if a machine that is gone would be waited for too long, by counting."""
    attempts = attempts_by(client)
    patience = client.connection_pool.make_connection().socket_connect_timeout
    if patience is None or attempts * patience >= BUDGET_S:
        each = "for ever" if patience is None else f"{patience:g} s"
        waits = "waits" if attempts == 1 else "wait"
        raise Refused(
            "it gives up on a server that stands still; on a machine that is gone, "
            f"{counted(attempts, 'attempt')} to connect {waits} {each} each",
            "Opening a connection has an option of its own.",
            "socket_connect_timeout=0.3",
        )
    replies, openings, paused_s = min(waits_when_gone(client) for _ in range(3))  # the calmest
    timeout = client.get_connection_kwargs()["socket_timeout"]
    total = replies * timeout + openings * patience + paused_s
    if total >= BUDGET_S:
        raise Refused(
            "where the machine goes while a connection is open, your client waits "
            f"{timeout:g} s for a reply and then, {counted(openings, 'time')}, "
            f"{patience:g} s to connect: ~{total:.1f} s in all",
            "Each retry of the command opens a connection, and that opening has all its "
            "retries too: retries × (retries + 1) of them. Which of the two timeouts may "
            "be shorter?",
            "socket_timeout=0.3, socket_connect_timeout=0.3 and one retry make (1 + 1 × "
            "2) × 0.3 s.",
        )


def waits_when_gone(client):
    """Return (replies waited for, connections tried, seconds paused) by one call in vain."""
    client.ping()
    tried, paused_s = [], []

    def no_reply(self, *args, **kwargs):
        tried.append("reply")
        raise redis.TimeoutError("nobody answers")

    def no_connection(self):
        tried.append("opening")
        raise TimeoutError("nobody answers")

    started = time.perf_counter()
    with (
        replaced(AbstractConnection, read_response=no_reply),
        replaced(redis.Connection, _connect=no_connection),
        replaced(redis.retry, sleep=paused_s.append),
        contextlib.suppress(*GAVE_UP),
    ):
        client.get("exercise:anything")
    paused_s.append(time.perf_counter() - started)  # an answer may sleep by other means
    client.close()
    return tried.count("reply"), tried.count("opening"), sum(paused_s)


def attempts_by(client):
    retry = client.get_retry()
    return 1 + (retry.get_retries() if retry else 0)
