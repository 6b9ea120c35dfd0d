"""Check exercise 11.2: tell whether a write is on a replica, or only on the primary."""

import queue

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lab_utils.course.checking import (
    Attempt,
    Refused,
    names_in,
    refuse_over,
    replica,
    shown,
    steps_of,
    text,
)

ORDER = "exercise:order"
PATIENCE_S = 1.2  # the timeout of the client that an answer is given: 0.2 and much room
ONE_CONNECTION = (
    "WAIT speaks of what its own connection wrote before. Each call of r may take another "
    "connection of the pool: what sends both over one, SET first?",
    "One pipeline, r.pipeline(transaction=False); or `with r.client() as one:` around both calls.",
)
READ_THE_NUMBER = (
    "The WAIT of a replica that can't be reached raises nothing. What does it return?",
    "WAIT returns how many replicas have confirmed: return confirmed >= 1.",
)
MILLISECONDS = (
    "WAIT's second number is a timeout in milliseconds; 0 means for ever.",
    "WAIT 1 200",
)


def check(answer) -> str:
    with replica() as two, turn_about(two.primary) as client:
        check_confirmed(client, two, answer)
        two.cut()
        check_unconfirmed(client, answer)
    return "a confirmed write is told from one that only the primary has"


def turn_about(primary: redis.Redis):
    """Return a client that sends alternately over two connections, as threads do that share one.

    `primary` is a client with the same options. The client is for a `with` statement, which closes
    it.
    """
    options = primary.get_connection_kwargs() | {
        "socket_timeout": PATIENCE_S,
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


def is_saved(client: redis.Redis, answer, value: str) -> bool:
    """Write the text `value` by the learner's function, and return the bool that it returned.

    `answer` is that function, called as `answer(client, key, value)`. Raises Refused if it returns
    anything but True or False.
    """
    said = answer(client, ORDER, value)
    if said not in (True, False):
        raise Refused(f"save returned {shown(said)}. True or False was expected", *READ_THE_NUMBER)
    return bool(said)


def check_confirmed(client: redis.Redis, two, answer) -> None:
    attempt = Attempt(is_saved, client, answer, "paid")
    if text(two.primary.get(ORDER)) != "paid":
        raise Refused(
            "save returned, and the primary does not hold the value",
            "r.set(key, value), or SET in a pipeline; a pipeline needs execute().",
        )
    if any("WAIT" in step and len(step) > 1 for step in steps_of(attempt.names)):
        raise Refused(
            "WAIT stands inside MULTI, where a server can't wait: it answers at once, "
            "and for what was written before",
            "r.pipeline(), as it comes, is a transaction. Which of its options makes it "
            "a plain one?",
            "r.pipeline(transaction=False)",
        )
    if waits_elsewhere(attempt.recording):
        raise Refused("WAIT went over a connection that had not written the value", *ONE_CONNECTION)
    refuse_over(attempt.cost, 2, "the value is stored")
    if not attempt.reply:
        raise Refused(
            "all is well, the replica has the value, and save returned False", *READ_THE_NUMBER
        )


def waits_elsewhere(seen) -> bool:
    """Return whether a WAIT was sent over a connection that had not written anything before.

    WAIT speaks only of writes over its own connection, so such a WAIT says nothing about the order.
    `seen` is the Recording, of lab_utils, of all messages while the learner's function ran; what
    sets a connection up, such as HELLO, does not count as written.
    """
    wrote = set()
    for write in seen.writes:
        for name in [] if write.setup else names_in([write.data]):
            if name == "WAIT" and write.connection not in wrote:
                return True
            wrote.add(write.connection)
    return False


def check_unconfirmed(client: redis.Redis, answer) -> None:
    tale = "the network to the replica is broken"
    try:
        said = is_saved(client, answer, "paid again")
    except redis.TimeoutError:
        raise Refused(
            f"{tale}: save had no answer within {PATIENCE_S} s, and 0.2 s is all it may take",
            *MILLISECONDS,
        ) from None
    if said:
        raise Refused(
            f"{tale}: no replica has the value, and save returned True",
            *READ_THE_NUMBER,
        )
