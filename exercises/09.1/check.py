"""Send thousands of packed commands in one piece, and read every reply."""

import contextlib
import time

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lab_utils.course.checking import (
    Refused,
    Recording,
    commands_in,
    connect,
    cost_of,
    counted,
    exercise_client,
    refuse_over,
    replaced,
    shown,
    spare,
)

# More replies than one recv() brings.
VALUES = {f"exercise:row:{i}": f"value {i}" for i in range(15_000)} | {
    "exercise:row:é": "naïve café",
    "exercise:row:two lines": "one\r\ntwo",
    "exercise:row:empty": "",
}
ARRIVAL_S = 1.0
REST_OF_THEM = (
    "read_response() raises where a reply is an error, and the replies behind it are "
    "still to come. Who reads them?",
    "Catch redis.ResponseError around each read_response() and keep it as the reply. "
    "What breaks off otherwise must close: except BaseException: "
    "connection.disconnect(); raise.",
)
ONE_PIECE = (
    "b''.join(…) of all the packed commands makes one piece of bytes; "
    "send_packed_command([data]) sends it as it is."
)


def check(answer):
    with exercise_client() as other, connect(max_connections=1) as client:
        number, pool, returned = client.client_id(), client.connection_pool, []
        release = pool.release

        def noted(connection):
            if not returned:
                returned.append(sum(len(read.data) for read in seen.reads))
            release(connection)

        with Recording() as seen, replaced(pool, release=noted):
            replies = loaded(answer, client)
        check_stored(other)
        check_next(
            client, "right values, but ", "Every SET has a reply: read as many as there are values."
        )
        if client.client_id() != number:
            raise Refused(
                "right values, but the connection came back closed: the next caller has "
                "to connect and log in again",
                "A connection whose replies have all been read is as good as new: "
                "release it, and leave it open.",
            )
    check_sent(seen)
    check_read(returned)
    check_replies(replies)
    check_refused_one(answer)
    return (
        f"{counted(len(VALUES), 'SET')} in one piece and one turn, every reply read, errors "
        "too, the connection given back"
    )


def loaded(answer, client):
    try:
        return answer(client, dict(VALUES))
    except TypeError as error:
        if "not 'int'" not in str(error):
            raise
        raise Refused(
            f"your code raised TypeError: {error}. send_packed_command goes through what "
            "it is handed, and bytes are a row of numbers",
            "Hand it a list of one piece: connection.send_packed_command([data])",
        ) from error


def check_refused_one(answer):
    """Raise Refused if replies behind a refused SET wait for the next caller."""
    client = spare(max_connections=1, retry=Retry(NoBackoff(), 0))
    try:
        client.execute_command("ACL", "SETUSER", "default", "resetkeys", "~exercise:row:*")
        try:
            replies = answer(
                client, {"exercise:row:1": "a", "exercise:forbidden": "b", "exercise:row:2": "c"}
            )
        except redis.ResponseError:
            replies = None  # raising is an answer too, if what came behind the error is nobody's
        check_next(client, "right values; but where the server refuses one SET, ", *REST_OF_THEM)
        if replies is not None and not (
            len(replies) == 3 and isinstance(replies[1], redis.ResponseError)
        ):
            raise Refused(
                "right values; but where the server refuses the second of three SETs, "
                f"you return {shown(replies)}: the refusal is neither raised nor among "
                "the replies",
                "append(error) in place of the reply that it is.",
            )
    finally:
        with contextlib.suppress(redis.RedisError):
            client.shutdown(nosave=True)
        client.close()


def check_stored(client):
    """Raise Refused unless all values are there, a moment after an answer that did not wait."""
    last, deadline = list(VALUES)[-1], time.monotonic() + ARRIVAL_S
    while not client.exists(last) and time.monotonic() < deadline:
        time.sleep(0.01)
    for (key, value), stored in zip(VALUES.items(), client.mget(VALUES), strict=True):
        if stored != value.encode():
            raise Refused(f"{key} should hold {value.encode()!r} and holds {stored!r}")


def check_next(client, tale, *hints):
    """Raise Refused if the next one to use the client reads anything but their own reply."""
    try:
        heard = client.echo("exercise")
    except redis.exceptions.MaxConnectionsError:
        raise Refused(
            f"{tale}the connection was not given back: a pool of one is empty now",
            "try: … finally: r.connection_pool.release(connection) gives it back "
            "whatever happens in between.",
        ) from None
    except redis.RedisError as error:
        heard = error
    if heard != b"exercise":
        raise Refused(
            f"{tale}the next one to use the client asks for ECHO and reads {heard!r}: "
            "there are replies left that nobody read",
            *hints,
        )


def check_sent(seen):
    pieces = [piece for write in seen.writes for piece in write.chunks]
    if not pieces:
        raise Refused(
            "right values, but nothing was sent by send_packed_command over a connection of r",
            ONE_PIECE,
        )
    refuse_over(cost_of(seen), 1)
    commands = len(list(commands_in(pieces)))
    if commands != len(VALUES):
        raise Refused(
            f"right values, but {counted(commands, 'command')} for {len(VALUES)} values",
            "hiredis.pack_command(('SET', key, value)) packs one command.",
        )
    if len(pieces) != 1:
        raise Refused(
            f"right values in one turn, but sent in {len(pieces)} pieces; the budget is 1",
            ONE_PIECE,
        )


def check_read(returned):
    """Raise Refused if not all bytes of the replies had been read when it was given back."""
    owed = len(VALUES) * len(b"+OK\r\n")
    if returned and returned[0] < owed:
        raise Refused(
            f"right values, but the connection was given back after {returned[0]:,} of "
            f"{owed:,} bytes of replies: whoever takes it in the meantime reads yours",
            "Read all replies first, then release.",
        )


def check_replies(replies):
    said = list(replies) if isinstance(replies, (list, tuple)) else replies
    if said not in ([b"OK"] * len(VALUES), ["OK"] * len(VALUES), [True] * len(VALUES)):
        raise Refused(
            f"all is stored, but instead of {len(VALUES)} replies your function returned "
            f"{shown(replies)}",
            "Return what read_response() gave, for each value.",
        )
