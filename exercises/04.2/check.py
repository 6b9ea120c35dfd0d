"""Check exercise 04.2: take from a stock while a rival client takes from it too."""

import redis

from lab_utils.course.checking import (
    READS,
    Refused,
    connect,
    counted,
    exercise_client,
    names_in,
    sending,
)

STOCK = "exercise:stock"
MOST_TRIES = 100
# The stock before, the amount wanted; what the rival takes just before the answer's first WATCHes,
# and just before its first writes.
CASES = (
    (10, 3, (), ()),
    (2, 3, (), ()),
    (3, 3, (), ()),
    (1_000, 101, (), ()),
    (10, 3, (), (1,)),
    (10, 3, (), (1, 1, 1)),
    (10, 3, (), (8,)),
    (10, 3, (8,), ()),
    (None, 3, (), ()),  # no such key
    (100_000, 3, (), [1] * MOST_TRIES),  # a rival who is faster each time
)
MANY_LOST = 5  # races lost after which giving up with an error is an answer
IN_BETWEEN = (
    "Between your look and your write the stock changed, or may have. What keeps the "
    "write from happening then?",
    "pipe.watch(key) before the look; then pipe.multi(), the write, pipe.execute(): EXEC "
    "refuses if the key changed.",
)
QUEUE_AGAIN = (
    "After watch() a pipeline sends each command at once, so that you can look. From where on "
    "should it queue again?",
    "pipe.multi() between the look and the write.",
)
TRY_AGAIN = (
    "EXEC was refused because the stock changed, and that is all you know. Look again, and try "
    "again.",
    "for _ in range(20): try: … except redis.WatchError: go round again. Behind the loop: raise, "
    "for False is not true.",
)


def check(answer) -> str:
    met = 0
    with exercise_client() as client, connect(client_name="rival") as rival:
        for before, amount, watches, writes in CASES:
            client.delete(STOCK)
            if before is not None:
                client.set(STOCK, before)
            story = Story(rival, watches, writes)
            said = outcome_of_take(answer, client, amount, story)
            if before is None:
                check_nothing_there(said, client.get(STOCK))
            else:
                check_take(said, before, amount, int(client.get(STOCK)), story)
            met += bool(story.made)
        _, (used, _) = client.connection_pool.get_connection_count()
    if used:
        raise Refused(
            f"the stock is right, but {counted(used, 'connection')} of the pool did not come back",
            "with r.pipeline() as pipe: gives the connection back, whichever way the "
            "block is left. So does pipe.reset().",
        )
    return (
        f"{len(CASES)} shoppers, a rival in the way of {met} of them, and the stock is right "
        "each time. Not tried: an EXEC whose reply is lost. That comes as a WatchError too, and "
        "whoever goes round again may take twice; the solution raises it"
    )


def check_take(said, before: int, amount: int, after: int, story) -> None:
    rivals = sum(story.made)
    left = before - rivals
    tale = f"{amount} wanted of {before:,}"
    if rivals:
        tale += f", and another client took {rivals} while you were deciding"
    if said is None:
        raise Refused(
            f"{tale}: take returned None. Return True if taken, False if too little was left",
            "return says it.",
        )
    if min([after, *story.seen]) < 0:
        raise Refused(f"{tale}: the stock went below zero", *IN_BETWEEN)
    if said is False and after < left:
        raise Refused(
            f"{tale}: take returned False, and yet the stock went down to {after}. "
            "Something was sent before EXEC could refuse it: was multi() called?",
            *QUEUE_AGAIN,
        )
    if said is False and left >= amount:
        raise Refused(
            f"{tale}: take returned False, though {left:,} were left",
            *(TRY_AGAIN if rivals else ("Enough is when left >= amount.",)),
        )
    right = left - amount if said is True else left
    if after != right:
        lost = ". The other client's update is lost" if rivals and after == before - amount else ""
        raise Refused(f"{tale}: {after} are left and it should be {right}{lost}", *IN_BETWEEN)


def check_nothing_there(said, after):
    if said or after is not None:
        outcome = (
            f"raised {type(said).__name__}"
            if isinstance(said, Exception)
            else f"returned {said!r}, and the key holds {after}"
        )
        raise Refused(
            f"there is no such key: take {outcome}. Nothing in stock is 0",
            "GET replies None where there is no key: int(pipe.get(key) or 0).",
        )


def outcome_of_take(answer, client: redis.Redis, amount: int, story):
    """Call the learner's function once, beside the rival client of `story`; return its outcome.

    `answer` is that function, called as `answer(client, key, amount)`; `story` is a Story. Returns
    True, False or None, as the function did. If the function gave up with an exception after the
    rival had been faster many times, or because there is no stock, returns that exception; any
    other exception passes through. Raises Refused if the function never gives up, or if its own
    write makes its WATCH fail.
    """
    try:
        with sending(story.tell):
            said = answer(client, STOCK, amount)
    except Exception as error:
        if isinstance(error, redis.WatchError) and not story.made:
            raise Refused(
                "your code raised WatchError, and nobody else wrote: your own write went out "
                "before multi(), and changed the key that you watch",
                *QUEUE_AGAIN,
            ) from None
        if len(story.made) < MANY_LOST and client.exists(STOCK):
            raise
        return error
    if len(story.made) == MOST_TRIES:
        raise Refused(
            f"{MOST_TRIES} tries and still at it, because another client is faster "
            "each time. Bound the loop: a caller who waits can't do anything else",
            "for _ in range(20): in place of while True: (r.transaction() is such a "
            "loop, without a bound), and raise behind it. A pause of random length "
            "before each new try lets the others finish.",
        )
    return None if said is None else bool(said)


class Story:
    """A rival client that takes from the stock just before the learner's function writes.

    It can also take just before a WATCH.

    `rival` is a redis.Redis. `watches` and `writes` are the amounts it takes: one before each
    WATCH, one before each write; 0 takes nothing. `made` lists the amounts taken so far, `seen` the
    stock before each of the learner's writes.
    """

    def __init__(self, rival: redis.Redis, watches: list[int], writes: list[int]):
        self.rival = rival
        self.watches = iter(watches)
        self.writes = iter(writes)
        self.made = []
        self.seen = []

    def tell(self, connection: redis.Connection, chunks: list[bytes], send):
        """Let the rival act, then send: `checking.sending` calls this whenever redis-py sends.

        `chunks` are the bytes of the commands, and `send(chunks)` sends them on `connection`. The
        rival acts before a WATCH or a write, unless the connection is its own. Returns what `send`
        returns.
        """
        if connection.is_connected and connection.client_name != "rival":
            names = set(names_in(chunks))
            if names - READS:
                self.seen.append(int(self.rival.get(STOCK) or 0))
                self.attack(self.writes)
            elif "WATCH" in names:
                self.attack(self.watches)
        return send(chunks)

    def attack(self, amounts):
        amount = next(amounts, 0)
        if amount:
            self.made.append(amount)
            self.rival.decrby(STOCK, amount)
