"""Count a batch once, however often it is sent."""

import contextlib

import redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.retry import Retry

from lab_utils.course.checking import (
    Refused,
    Recording,
    clean,
    commands_in,
    commands_sent,
    cost_of,
    counted,
    exercise_client,
    sending,
)

NEVER_COUNTED = (
    "The batch's name was noted, and its sums were not made: each later try finds the "
    "name and does nothing. When may the name be noted?",
    "The name and the sums must be one step: neither without the other, wherever the "
    "cut falls. What runs on the server as one piece and can decide?",
)
SALES = {"tea": 3, "mug": 1, "pot": 2}
SHOP = "exercise:{shop}:"  # one slot for all
COUNTERS = [SHOP + product for product in SALES]
MONDAY, TUESDAY = f"{SHOP}monday", f"{SHOP}tuesday"
DAY_S = 86_400
NO_NUMBER = (
    "A script or a transaction that fails half-way takes nothing back. What must be known "
    "before the first write?",
    "Ask every counter first: INCRBY counter 0 adds nothing, and raises where no whole "
    "number stands. int() takes '007', which INCRBY does not. Then the sums and the mark, "
    "together.",
)
WATCH_LOST = (
    "A WATCH ends with its connection. redis-py raises WatchError then, and does not "
    "begin again: who does?",
    "A loop with an end: on redis.WatchError watch again, look for the batch's name "
    "again, and count where it is missing.",
)
# INCRBY takes none of them; Lua's tonumber the last three, Python's int the last two.
NO_NUMBERS = "twelve", "1.5", "", "007", " 5"
NOT_ADDED = (
    "Each number of `sales` is added to the counter of its product. A pipeline keeps what "
    "you queue until execute().",
)
LOOKED_FIRST = (
    ". But between your look at the counters and the sums another client may write "
    "one: look in the script, or WATCH the counters too"
)


def check(answer):
    with exercise_client(retry=Retry(NoBackoff(), 3)) as client:
        total, guarded = check_uncut(client, answer)
        for place in range(total + 1):
            check_cut(client, answer, place, total)
        check_marks(client)
        for value in NO_NUMBERS:
            check_no_number(client, answer, value)
    return (
        f"sent in {counted(total, 'command')}, cut at every place, sent again: every sale is "
        f"counted once{'' if guarded else LOOKED_FIRST}"
    )


def check_uncut(client, answer):
    """Return how many commands the answer sends for a new batch, and if none comes between."""
    with Recording() as seen:
        answer(client, MONDAY, dict(SALES))
    compare_sales(client, 1, "a batch, undisturbed", NOT_ADDED)
    if not cost_of(seen).commands:
        raise Refused(
            "right sums, but nothing went through the client that was passed in", "Use r."
        )
    answer(client, MONDAY, dict(SALES))
    compare_sales(client, 1, "the same batch, called a second time")
    answer(client, TUESDAY, dict(SALES))
    compare_sales(client, 2, "a second batch of another name")
    looked, watched = (
        {
            key.decode()
            for name, *keys in commands_sent(seen)
            if name.upper() in names or (b"GET" in names and keys[1:] == [b"0"])
            for key in keys
        }  # (INCRBY by 0 is a look, too)
        for names in ((b"GET", b"MGET"), (b"WATCH",))
    )
    return cost_of(seen).commands, not (looked - watched).intersection(COUNTERS)


def check_cut(client, answer, place, total):
    clean(client)
    what = (
        f"the connection broke after {place} of {counted(total, 'command')} and redis-py tried "
        "again"
        if place < total
        else "all was done, only the last reply was lost, and redis-py tried again"
    )
    with cut_after(place):
        try:
            answer(client, MONDAY, dict(SALES))
        except redis.RedisError as error:
            hints = WATCH_LOST if isinstance(error, redis.WatchError) else ()
            raise Refused(f"{what}: your code raised {type(error).__name__}", *hints) from None
    never = client.exists(MONDAY) and client.exists(*COUNTERS) < len(COUNTERS)
    compare_sales(client, 1, what, NEVER_COUNTED if never else ())


def check_marks(client):
    """Raise Refused unless a batch's mark lasts for a day, in the slot of the counters."""
    for key in (key.decode() for key in client.scan_iter("exercise:*")):
        left = client.ttl(key)
        if key not in COUNTERS and 0 <= left < DAY_S - 60:
            raise Refused(
                f"the mark {key} is gone in {left:,} s; the batch may come again within "
                "a day, and would count twice",
                "EX takes seconds; a day has 86,400.",
            )
        if key_slot(key.encode()) != key_slot(MONDAY.encode()):
            raise Refused(
                f"the mark {key} lies in another slot than the counters: a cluster "
                "refuses the two in one step",
                "`batch` is in the counters' slot: it has their tag.",
            )


def check_no_number(client, answer, value):
    clean(client)
    *others, last = COUNTERS
    client.set(last, value)
    try:
        answer(client, MONDAY, dict(SALES))
    except Exception:
        pass
    else:
        raise Refused(
            f"{last} holds {value!r}, to which INCRBY can't add, and your function "
            "says nothing: raise an error",
            *NO_NUMBER,
        )
    for key in others:
        held = int(client.get(key) or 0)  # a 0 that was added counts nothing
        if held:
            raise Refused(
                f"{last} holds {value!r}: your function raised, but {key} is {held} "
                "already; sent again it counts twice, or the rest never",
                *NO_NUMBER,
            )
    client.delete(last)
    answer(client, MONDAY, dict(SALES))
    compare_sales(
        client,
        1,
        f"a counter held {value!r} and was mended, and the batch was sent again",
        NO_NUMBER,
    )


def compare_sales(client, times, what, hints=()):
    for key, number in zip(COUNTERS, SALES.values(), strict=True):
        got = int(client.get(key) or 0)
        if got != times * number:
            used_up = (
                "; did the first product use up the batch's name?"
                if key != COUNTERS[0] and not got
                else ""
            )
            raise Refused(f"{what}: {key} is {got} and should be {times * number}{used_up}", *hints)


def cut_after(place):
    """Break the connection once, when the server has run `place` commands of those sent."""
    left = [place]  # commands that still pass; None after the cut

    def cut(connection, chunks, send):
        commands = list(commands_in(chunks))
        if left[0] is None or left[0] > len(commands):
            left[0] = None if left[0] is None else left[0] - len(commands)
            return send(chunks)
        passing, left[0] = left[0], None
        if passing:
            send(connection.pack_commands(commands[:passing]))
            for _ in range(passing):
                with contextlib.suppress(redis.ResponseError):
                    connection.read_response()
        connection.disconnect()
        raise redis.ConnectionError("cut by the check")

    return sending(cut)
