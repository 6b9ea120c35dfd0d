"""Store a value only if no higher fencing token has written before."""

import contextlib
import threading

from lab_utils.course.checking import (
    Refused,
    connect,
    exercise_client,
    names_in,
    sending,
    shown,
    text,
)

REPORT, RACED_REPORT = "exercise:report", "exercise:raced report"
WRITES = (  # token, value, whether it is to be written
    (5, "a", True),
    (3, "b", False),
    (5, "c", True),
    (9, "d", True),
    (10, "e", True),
    (9, "f", False),
    (9, "g", False),
    (100, "h", True),
)
RIVALS_TOKEN = 99
PATIENCE_S, END_S = 0.5, 10  # for a rival who waits, as for a lock; and altogether
READS = frozenset(
    {
        "GET",
        "MGET",
        "HGET",
        "HMGET",
        "HGETALL",
        "HEXISTS",
        "EXISTS",
        "WATCH",
        "HVALS",
        "UNWATCH",
        "DISCARD",
        "PING",
        "SCRIPT",
        "TYPE",
        "CLIENT",
        "HELLO",
        "AUTH",
        "SELECT",
        "EVAL_RO",
        "EVALSHA_RO",
        "FCALL_RO",
    }
)
IN_BETWEEN = (
    "Between your look and your write somebody else may write. What keeps the two together?",
    "A script that looks and writes is one step: HGET the token, compare, HSET both "
    "fields. Or WATCH, and look again after a WatchError.",
)


def check(answer):
    with exercise_client() as client, connect(client_name="rival") as rival:
        check_order(client, answer)
        place = 0
        while check_race(client, rival, answer, place):
            place += 1
    return (
        f"{len(WRITES)} writes in and out of order, and one overtaken before each command that "
        "writes: the highest token wins"
    )


def written(client, answer, key, value, token, tale):
    said = answer(client, key, value, token)
    if said not in (True, False):
        raise Refused(
            f"{tale}: write returned {shown(said)}. True or False was expected",
            "True if it was written, else False.",
        )
    return bool(said)


def check_order(client, answer):
    holds, highest, before = None, 0, []
    for token, value, right in WRITES:
        tale = (
            f"token {token}, after {', '.join(map(str, before))}"
            if before
            else f"token {token}, the first of all"
        )
        said = written(client, answer, REPORT, value, token, tale)
        holds = value if right else holds
        found = text(client.hget(REPORT, "value"))
        if found != holds:
            raise Refused(
                f"{tale}: the value is {found!r} and should be {holds!r}",
                *hints_for(token, highest),
            )
        if said != right:
            raise Refused(
                f"{tale}: write returned {said}, and the value is {found!r}, as it should be",
                "True if this call wrote, False if it did not.",
            )
        highest = max(highest, token)
        before.append(token)
    if not written(client, answer, "exercise:other", "first", 1, "token 1 under another key"):
        raise Refused(
            "token 1 under another key: it was refused. Each key has its own highest token",
            "The token belongs beside the value: a field of the same hash.",
        )


def hints_for(token, highest):
    if token == highest:
        return (
            "The holder of a lock may write more than once with its token. Which comparison "
            "refuses too much?",
            "Refuse token < highest only.",
        )
    if token > highest:
        return (
            "Is '10' higher than '9'? Not as texts.",
            "Compare numbers: int(…) in Python, tonumber(…) in Lua.",
        )
    return (
        "A lower token comes too late. What must you have kept, to know?",
        "HSET key value … token …, both at once, and only where the token is not lower than "
        "the one that is there.",
    )


def check_race(client, rival, answer, place):
    """Return False where the answer sends no more than `place` commands that could write."""
    report = f"{RACED_REPORT} {place}"
    written(client, answer, report, "old", 1, "token 1, the first of all")
    with overtaken(place, answer, rival, report, "rival", RIVALS_TOKEN) as (other, waited):
        said = written(
            client, answer, report, "late", 2, "another client wrote while you were deciding"
        )
    if other.ident is None and not place:
        raise Refused("nothing was written through the client that was passed in", "Use r.")
    if other.ident is None:
        return False
    other.join(END_S)
    between = "two of your writes" if place else "your look and your write"
    tale = f"token 2, and token {RIVALS_TOKEN} wrote between {between}"
    found = text(client.hget(report, "value"))
    if found != "rival":
        raise Refused(f"{tale}: the value is {found!r} and should be the rival's", *IN_BETWEEN)
    if said and not place and not waited:
        raise Refused(f"{tale}: write returned True, and the value is the rival's", *IN_BETWEEN)
    written(client, answer, report, "later", 3, "token 3, after all that")
    if text(client.hget(report, "value")) != "rival":
        raise Refused(
            f"{tale}; then token 3 was written. The token has to be stored as one step "
            "with the value",
            *IN_BETWEEN,
        )
    return True


@contextlib.contextmanager
def overtaken(place, answer, *rivals):
    """Have the rival call the answer when `place` commands that could write were sent.

    Yield (its thread, a list that is empty unless the rival waits for the overtaken call to end).
    """
    left, waited = [place], []

    def call():
        with contextlib.suppress(Exception):  # the value tells
            answer(*rivals)

    def overtake(connection, chunks, send):
        if connection.client_name != "rival" and not set(names_in(chunks)) <= READS:
            left[0] -= 1
            if left[0] == -1:
                other.start()
                other.join(PATIENCE_S)
                waited.extend([True] * other.is_alive())
        return send(chunks)

    other = threading.Thread(target=call, daemon=True)
    with sending(overtake):
        yield other, waited
