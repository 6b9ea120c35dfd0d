"""Check exercise 11.3: store a value only if no higher fencing token has written before."""

import contextlib
import threading

from lab_utils.course.checking import (
    READS,
    Refused,
    connect,
    exercise_client,
    names_in,
    sending,
    shown,
    text,
)

REPORT, RACED_REPORT = "exercise:report", "exercise:raced report"
TOO_LATE = (
    "A lower token comes too late. What must you have kept, to know?",
    "HSET key value … token …, both at once, and only where the token is not lower than the one "
    "that is there.",
)
AGAIN = (
    "The holder of a lock may write more than once with its token. Which comparison refuses too "
    "much?",
    "Refuse token < highest only.",
)
NUMBERS = (
    "Is '10' higher than '9'? Not as texts.",
    "Compare numbers: int(…) in Python, tonumber(…) in Lua.",
)
WRITES = (  # token, value, whether it is to be written, hints where it goes wrong
    (5, "a", True, ()),
    (3, "b", False, TOO_LATE),
    (5, "c", True, AGAIN),
    (9, "d", True, NUMBERS),
    (10, "e", True, NUMBERS),
    (9, "f", False, TOO_LATE),
    (9, "g", False, TOO_LATE),
    (100, "h", True, NUMBERS),
)
RIVALS_TOKEN = 99
PATIENCE_S, END_S = 0.5, 10  # for a rival who waits, as for a lock; and altogether
IN_BETWEEN = (
    "Between your look and your write somebody else may write. What keeps the two together?",
    "A script that looks and writes is one step: HGET the token, compare, HSET both "
    "fields. Or WATCH, and look again after a WatchError.",
)


def check(answer) -> str:
    with exercise_client() as client, connect(client_name="rival") as rival:
        check_order(client, answer)
        place = 0
        while check_race(client, rival, answer, place):
            place += 1
    return (
        f"{len(WRITES)} writes in and out of order, and one overtaken before each command that "
        "writes: the highest token wins"
    )


def is_written(client, answer, key: str, value: str, token: int, tale: str) -> bool:
    said = answer(client, key, value, token)
    if said not in (True, False):
        raise Refused(
            f"{tale}: write returned {shown(said)}. True or False was expected",
            "True if it was written, else False.",
        )
    return bool(said)


def check_order(client, answer):
    holds = None
    before = []
    for token, value, right, hints in WRITES:
        tale = f"token {token}, after {', '.join(map(str, before)) or 'none'}"
        said = is_written(client, answer, REPORT, value, token, tale)
        holds = value if right else holds
        found = text(client.hget(REPORT, "value"))
        if found != holds:
            raise Refused(f"{tale}: the value is {found!r} and should be {holds!r}", *hints)
        if said != right:
            raise Refused(
                f"{tale}: write returned {said}, and the value is {found!r}, as it should be",
                "True if this call wrote, False if it did not.",
            )
        before.append(token)
    if not is_written(client, answer, "exercise:other", "first", 1, "token 1 under another key"):
        raise Refused(
            "token 1 under another key: it was refused. Each key has its own highest token",
            "The token belongs beside the value: a field of the same hash.",
        )


def check_race(client, rival, answer, place: int) -> bool:
    """Raise Refused unless a rival's value survives that is written during a learner's call.

    `answer` is the learner's function, called as `answer(client, key, value, token)`. The rival
    calls it too, with the client `rival` and a higher token. Of the commands of the learner's call
    those that may write are counted, from 0: the rival's call is made just before number `place`.
    Returns True, or False if the learner's call sends no command with that number, so that nothing
    was tried.
    """
    report = f"{RACED_REPORT} {place}"
    is_written(client, answer, report, "old", 1, "token 1, the first of all")
    with overtaken(place, answer, rival, report, "rival", RIVALS_TOKEN) as (other, waited):
        said = is_written(
            client, answer, report, "late", 2, "another client wrote while you were deciding"
        )
    if other.ident is None:
        return False
    other.join(END_S)
    between = "two of your writes" if place else "your look and your write"
    tale = f"token 2, and token {RIVALS_TOKEN} wrote between {between}"
    found = text(client.hget(report, "value"))
    if found != "rival" or (said and not place and not waited):
        raise Refused(
            f"{tale}: the value is {found!r} and should be the rival's; write returned {said}",
            *IN_BETWEEN,
        )
    is_written(client, answer, report, "later", 3, "token 3, after all that")
    if text(client.hget(report, "value")) != "rival":
        raise Refused(
            f"{tale}; then token 3 was written. The token has to be stored as one step "
            "with the value",
            *IN_BETWEEN,
        )
    return True


@contextlib.contextmanager
def overtaken(place: int, answer, *rivals):
    """In a `with` block, let a rival call the learner's function during another call of it.

    `answer` is that function, and `answer(*rivals)` the rival's call, made in a thread of its own.
    Of the commands sent in the `with` block those that may write are counted, from 0: the thread
    starts just before number `place`, or never if there are fewer. Yields (the thread, a list). The
    list becomes non-empty if the rival's call has to wait for the other call to end, as it does for
    a lock.
    """
    left = [place]
    waited = []

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
