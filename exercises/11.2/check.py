"""Tell a write that a replica has confirmed from one that only the primary has."""

import queue
import time

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lab_utils.course.checking import (
    Refused,
    Recording,
    cost_of,
    frozen,
    names_in,
    names_sent,
    refuse_over,
    replica,
    shown,
    text,
)

ORDER = "exercise:order"
SOCKET_TIMEOUT_S = 2  # of the client that an answer is given
CONFIRMED_WITHIN_S, GRACE_S = 0.2, 1.0
THAWED_S = 30
READ_THE_NUMBER = (
    "The WAIT of a replica that can't be reached raises nothing. What does it return?",
    "WAIT returns how many replicas have confirmed: return confirmed >= 1.",
)
MILLISECONDS = (
    "WAIT's second number is a timeout in milliseconds; 0 means for ever.",
    "WAIT 1 200",
)


def check(answer):
    with replica() as two, turn_about(two.primary) as client:
        check_confirmed(client, two, answer)
        two.cut()
        check_unconfirmed(client, answer, "the network to the replica is broken")
        two.heal()
        with frozen(two.replica, THAWED_S):
            check_unconfirmed(client, answer, "the replica stands still, its connection open")
        if not saved(client, answer, "again")[0]:
            raise Refused("the replica is back, and save still returns False", *READ_THE_NUMBER)
    return "a confirmed write is told from one that only the primary has"


def turn_about(primary):
    """Return a client that uses two connections in turn, as beside other threads."""
    options = primary.get_connection_kwargs() | {
        "socket_timeout": SOCKET_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
    }
    client = redis.Redis.from_pool(
        redis.BlockingConnectionPool(
            max_connections=2, timeout=1, queue_class=queue.Queue, **options
        )
    )
    for _ in range(2):
        client.ping()
    return client


def saved(client, answer, value):
    """Return (what one call returned, as a bool, and the seconds it took)."""
    started = time.perf_counter()
    said = answer(client, ORDER, value)
    if said not in (True, False):
        raise Refused(f"save returned {shown(said)}. True or False was expected", *READ_THE_NUMBER)
    return bool(said), time.perf_counter() - started


def check_confirmed(client, two, answer):
    with Recording() as seen:
        said, _ = saved(client, answer, "paid")
    if text(two.primary.get(ORDER)) != "paid":
        raise Refused(
            "save returned, and the primary does not hold the value",
            "r.set(key, value), or SET in a pipeline; a pipeline needs execute().",
        )
    names = names_sent(seen)
    queued = False
    for name in names:
        queued = name == "MULTI" or (queued and name != "EXEC")
        if name != "WAIT" or not queued:
            continue
        raise Refused(
            "WAIT stands inside MULTI, where a server can't wait: it answers at once, "
            "and for what was written before",
            "r.pipeline(), as it comes, is a transaction. Which of its options makes it "
            "a plain one?",
            "r.pipeline(transaction=False)",
        )
    if strangers(seen):
        raise Refused(
            "WAIT went over a connection that had not written the value: it speaks of "
            "what its own connection wrote before",
            "Each call of r may take another connection of the pool. What sends both over one?",
            "One pipeline, r.pipeline(transaction=False), SET first; or `with r.client() "
            "as one:` around both calls.",
        )
    refuse_over(cost_of(seen), 2, "the value is stored")
    if not said:
        raise Refused(
            "all is well, the replica has the value, and save returned False", *READ_THE_NUMBER
        )


def strangers(seen):
    """Tell whether a WAIT was sent over a connection that had not yet written the order."""
    sent = [
        (name, write.connection)
        for write in seen.writes
        if not write.setup
        for name in names_in([write.data])
    ]
    wrote = set()
    for name, connection in sent:
        if name == "WAIT" and connection not in wrote:
            return True
        wrote.add(connection)
    return False


def check_unconfirmed(client, answer, tale):
    try:
        said, took = saved(client, answer, "paid again")
    except redis.TimeoutError:
        raise Refused(
            f"{tale}: save had no answer within {SOCKET_TIMEOUT_S} s, when the socket's "
            "timeout ended it",
            *MILLISECONDS,
        ) from None
    if said:
        raise Refused(f"{tale}: no replica has the value, and save returned True", *READ_THE_NUMBER)
    if took > CONFIRMED_WITHIN_S + GRACE_S:
        raise Refused(
            f"{tale}: save returned after ~{took:.1f} s. 0.2 s is all it may take", *MILLISECONDS
        )
