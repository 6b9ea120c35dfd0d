"""Check exercise 09.1: send thousands of packed commands at once, and read every reply."""

import contextlib

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lab_utils.course.checking import (
    Attempt,
    Refused,
    connect,
    counted,
    exercise_client,
    refuse_over,
    shown,
    spare,
    text,
)

# More replies than one recv() brings.
VALUES = {f"exercise:row:{i}": f"value {i}" for i in range(15_000)} | {
    "exercise:row:é": "naïve café",
    "exercise:row:two lines": "one\r\ntwo",
    "exercise:row:empty": "",
}
REST_OF_THEM = (
    "read_response() raises where a reply is an error, and the replies behind it are "
    "still to come. Who reads them?",
    "Catch redis.ResponseError around each read_response() and keep it as the reply. "
    "What breaks off otherwise must close: except BaseException: "
    "connection.disconnect(); raise.",
)


def check(answer) -> str:
    with exercise_client() as other, connect(max_connections=1) as client:
        number = client.client_id()
        attempt = Attempt(answer, client, dict(VALUES))
        check_next(client, "", "Every SET has a reply: read as many as there are values.")
        check_stored(other)
        if client.client_id() != number:
            raise Refused(
                "right values, but the connection came back closed: the next caller has "
                "to connect and log in again",
                "A connection whose replies have all been read is as good as new: "
                "release it, and leave it open.",
            )
        check_sent(attempt)
        check_replies(attempt.reply, len(VALUES))
        check_replies(answer(client, {}), 0)
    check_refused_one(answer)
    return (
        f"{counted(len(VALUES), 'SET')} in one piece and one turn, every reply read, errors "
        "too, the connection given back"
    )


def check_refused_one(answer) -> None:
    """Raise Refused if the learner's function leaves replies unread after a SET was refused.

    `answer` is that function, called with a client and {key: value}; the server answers the second
    of three SETs by an error. Replies left unread would reach the next user of the connection, as
    replies to other commands. Refused is also raised if the function neither raises that error nor
    returns it among the replies.
    """
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


def check_stored(client: redis.Redis) -> None:
    for (key, value), stored in zip(VALUES.items(), client.mget(VALUES), strict=True):
        if stored != value.encode():
            raise Refused(f"{key} should hold {value.encode()!r} and holds {stored!r}")


def check_next(client: redis.Redis, tale: str, *hints: str) -> None:
    """Raise Refused unless the client's next command, ECHO, gets its own reply.

    `tale` is the beginning of the error's message; `hints` are texts shown after the message.
    """
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


def check_sent(attempt: Attempt) -> None:
    pieces = [piece for write in attempt.recording.writes for piece in write.chunks]
    refuse_over(attempt.cost, 1)
    if attempt.cost.commands != len(VALUES) or len(pieces) != 1:
        raise Refused(
            f"right values, but {counted(attempt.cost.commands, 'command')} in "
            f"{counted(len(pieces), 'piece')} for {len(VALUES)} values; wanted is one SET a value, "
            "all in one piece, by send_packed_command",
            "hiredis.pack_command(('SET', key, value)) packs one command.",
            "b''.join(…) of all the packed commands makes one piece of bytes; "
            "send_packed_command([data]) sends it as it is.",
        )


def check_replies(replies, number: int) -> None:
    """Raise Refused unless `replies` is a list of `number` OKs: as bytes, as text, or as True."""
    said = [text(each) for each in replies or ()]
    if len(said) != number or not all(each in ("OK", True) for each in said):
        raise Refused(
            f"all is stored, but instead of {counted(number, 'reply')} your function returned "
            f"{shown(replies)}",
            "Return what read_response() gave, for each value.",
        )
