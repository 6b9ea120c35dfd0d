"""Check exercise 10.1: count a batch of sales once, however often it is sent."""

import contextlib

import redis
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.retry import Retry

from lab_utils.course.checking import (
    Attempt,
    Refused,
    clean,
    commands_in,
    counted,
    exercise_client,
    sending,
)

SALES = {"tea": 3, "mug": 1, "pot": 2}
SHOP = "exercise:{shop}:"  # one slot for all
# Some came back: below 0.
MANY_SALES = {f"product {number}": number - 20 for number in range(120)}
COUNTERS = [SHOP + product for product in SALES]
MONDAY, TUESDAY = f"{SHOP}monday", f"{SHOP}tuesday"
DAY_S = 86_400
NO_NUMBER = (
    "A script or a transaction that fails half-way takes nothing back. What must be known "
    "before the first write?",
    "Ask every counter first: INCRBY counter 0 adds nothing, and raises where no whole "
    "number stands. Then the sums and the mark, together.",
)
# INCRBY takes none of them; Lua's tonumber takes the second.
NO_NUMBERS = "twelve", "1.5", ""


def check(answer) -> str:
    with exercise_client(retry=Retry(NoBackoff(), 3)) as client:
        total = check_uncut(client, answer)
        for place in range(total + 1):
            check_cut(client, answer, place, total)
        check_marks(client)
        for value in NO_NUMBERS:
            check_no_number(client, answer, value)
    return (
        f"sent in {counted(total, 'command')}, cut at every place, sent again: every sale is "
        "counted once"
    )


def check_uncut(client: redis.Redis, answer) -> int:
    """Check batches over a connection that is never cut; return how many commands the first took.

    `answer(client, batch, sales)` is the learner's function. Raises Refused if a batch is not
    counted, or if one that is sent again is counted twice.
    """
    attempt = Attempt(answer, client, MONDAY, dict(SALES))
    compare_sales(client, SALES, "a batch, undisturbed")
    answer(client, MONDAY, dict(SALES))
    compare_sales(client, SALES, "the same batch, called a second time")
    answer(client, TUESDAY, SALES | MANY_SALES)
    twice = {product: 2 * number for product, number in SALES.items()}
    compare_sales(client, twice | MANY_SALES, "a second batch of another name, with more products")
    return attempt.cost.commands


def check_cut(client: redis.Redis, answer, place: int, total: int) -> None:
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
            raise Refused(
                f"{what}: your code raised {type(error).__name__}",
                "A loop with an end: where redis-py raises WatchError, because the connection that "
                "watched is gone, watch again, look for the batch's name again, and count where it "
                "is missing.",
            ) from None
    compare_sales(client, SALES, what)


def check_marks(client: redis.Redis) -> None:
    """Raise Refused unless the learner's marks, keys that say "this batch is counted", last a day.

    Each mark must also be in the cluster slot of the counters.
    """
    for key in (key.decode() for key in client.scan_iter("exercise:*")):
        left = client.ttl(key)
        if 0 <= left < DAY_S - 60:
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


def check_no_number(client: redis.Redis, answer, value) -> None:
    clean(client)
    *others, last = COUNTERS
    client.set(last, value)
    raised = False
    try:
        answer(client, MONDAY, dict(SALES))
    except Exception:
        raised = True
    if not raised or any(int(client.get(key) or 0) for key in others):
        raise Refused(
            f"{last} holds {value!r}, to which INCRBY can't add: raise an error before anything "
            "is counted. Sent again, the batch would count twice, or the rest never",
            *NO_NUMBER,
        )
    client.delete(last)
    answer(client, MONDAY, dict(SALES))
    compare_sales(
        client,
        SALES,
        f"a counter held {value!r} and was mended, and the batch was sent again",
        *NO_NUMBER,
    )


def compare_sales(client: redis.Redis, expected: dict[str, int], what: str, *hints: str) -> None:
    """Raise Refused unless the products' counters on the server equal `expected`.

    `expected` is {product: number sold}. `what`, a text, begins the message: it says what was done
    before. `hints` are texts shown after the message.
    """
    for product, number in expected.items():
        got = int(client.get(SHOP + product) or 0)
        if got != number:
            raise Refused(f"{what}: {SHOP}{product} is {got} and should be {number}", *hints)


def cut_after(place: int):
    """In a `with` block, close the connection once, after the server has run `place` commands.

    The send that is cut raises redis.ConnectionError. A client with retries, as here, then connects
    again and sends the command or the pipeline once more, by itself.
    """
    left = [place]  # commands that still pass; below 0 after the cut

    def cut(connection, chunks, send):
        commands = list(commands_in(chunks))
        passing = left[0]
        left[0] -= len(commands)
        if not 0 <= passing <= len(commands):
            return send(chunks)
        left[0] = -1
        if passing:
            send(connection.pack_commands(commands[:passing]))
            for _ in range(passing):
                with contextlib.suppress(redis.ResponseError):
                    connection.read_response()
        connection.disconnect()
        raise redis.ConnectionError("cut by the check")

    return sending(cut)
