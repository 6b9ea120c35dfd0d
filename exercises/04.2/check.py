"""Take from a stock that a rival takes from as well."""

import itertools

from lab_utils.course.checking import (
    Refused,
    connect,
    counted,
    exercise_client,
    names_in,
    sending,
    text,
)

STOCK = "exercise:stock"
AMOUNT = 3
# The stock before; what the rival takes just before the answer's first WATCHes, and just before
# its first writes.
CASES = (
    (10, (), ()),
    (2, (), ()),
    (3, (), ()),
    (10, (), (1,)),
    (10, (), (1, 1, 1)),
    (10, (), (8,)),
    (10, (8,), ()),
    (None, (), ()),  # no such key
    (100_000, (), itertools.repeat(1)),  # a rival who is always faster
)
MOST_TRIES = 100
MANY_LOST = 5  # races lost after which giving up with an error is an answer
IN_BETWEEN = (
    "Between your look and your write the stock changed, or may have. What keeps the "
    "write from happening then?",
    "pipe.watch(key) before the look; then pipe.multi(), the write, pipe.execute(): EXEC "
    "refuses if the key changed.",
)
LOOK_FIRST = (
    "To take first and give back sells tickets that are not there. Look before you take.",
    *IN_BETWEEN[1:],
)
READS = frozenset(
    {
        "GET",
        "MGET",
        "WATCH",
        "UNWATCH",
        "MULTI",
        "DISCARD",
        "PING",
        "EXISTS",
        "STRLEN",
        "TYPE",
        "SCRIPT",
    }
)


def check(answer):
    met = 0
    with exercise_client() as client, connect(client_name="rival") as rival:
        for before, watches, writes in CASES:
            client.delete(STOCK)
            if before is not None:
                client.set(STOCK, before)
            story = Story(rival, watches, writes)
            said, after = taken(answer, client, story), client.get(STOCK)
            if before is None:
                check_nothing_there(said, after)
            else:
                check_take(said, before, int(after), story)
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
        "each time"
    )


def check_take(said, before, after, story):
    rivals = sum(story.made)
    left, lowest = before - rivals, min([after, *story.seen])
    tale = f"{AMOUNT} wanted of {before:,}" + (
        f", and another client took {rivals} while you were deciding" if rivals else ""
    )
    if said is None:
        raise Refused(
            f"{tale}: take returned None. Return True if taken, False if too little was left",
            "return says it.",
        )
    if lowest < 0:
        raise Refused(
            f"{tale}: the stock stood at {lowest}"
            + (", if only for a moment" if after >= 0 else ""),
            *(IN_BETWEEN if {"GET", "MGET"} & story.names else LOOK_FIRST),
        )
    if said is False and after < left:
        raise Refused(
            f"{tale}: take returned False, and yet the stock went down to {after}. "
            "Something was sent before EXEC could refuse it: was multi() called?",
            "After watch() a pipeline sends each command at once, so that you can look. "
            "From where on should it queue again?",
            "pipe.multi() between the look and the write.",
        )
    if said is False and left == AMOUNT and not rivals:
        raise Refused(
            f"{tale}: take returned False, and the last {AMOUNT} are never sold",
            "Enough is when left >= amount.",
        )
    if said is False and left >= AMOUNT:
        raise Refused(
            f"{tale}: take returned False, though {left:,} were left. Losing a race is "
            "no reason to say that too little is left",
            "EXEC was refused because the stock changed, and that is all you know. Look "
            "again, and try again.",
            "for _ in range(20): try: … except redis.WatchError: go round again. Behind "
            "the loop: raise, for False is not true.",
        )
    if said is True and left < AMOUNT:
        raise Refused(f"{tale}: take returned True, though only {left} were left", *IN_BETWEEN)
    right = left - AMOUNT if said is True else left
    if after != right:
        raised = f"take raised {said!r}, and " if isinstance(said, Exception) else ""
        lost = ". The other client's update is lost" if rivals and after == before - AMOUNT else ""
        raise Refused(
            f"{tale}: {raised}{after} are left and it should be {right}{lost}", *IN_BETWEEN
        )


def check_nothing_there(said, after):
    tale = f"{AMOUNT} wanted, and there is no such key: take"
    if isinstance(said, Exception):
        raise Refused(
            f"{tale} raised {type(said).__name__}. Nothing in stock is 0",
            "GET replies None where there is no key: int(pipe.get(key) or 0).",
        )
    if said or after is not None:
        raise Refused(
            f"{tale} returned {said!r}, and the key "
            + ("does not exist" if after is None else f"holds {text(after)}"),
            *IN_BETWEEN,
        )


class TooMany(BaseException):
    """End an endless retry loop; no `except Exception` in an answer may swallow it."""


def taken(answer, client, story):
    """Return what the answer said, or the error by which it gave up; it has to give up."""
    with sending(story.tell):
        try:
            said = answer(client, STOCK, AMOUNT)
        except TooMany:
            raise Refused(
                f"{MOST_TRIES} tries and still at it, because another client is faster "
                "each time. Bound the loop: a caller who waits can't do anything else",
                "for _ in range(20): in place of while True: (r.transaction() is such a "
                "loop, without a bound), and raise behind it. A pause of random length "
                "before each new try lets the others finish.",
            ) from None
        except Exception as error:
            if len(story.made) < MANY_LOST and story.rival.exists(STOCK):
                raise
            return error
    return bool(said) if said is not None else None


class Story:
    """A rival client that takes from the stock just before the answer watches or writes.

    `made` is what the rival took; `seen` the stock before each write of the answer's.
    """

    def __init__(self, rival, watches, writes):
        self.rival, self.watches, self.writes = rival, iter(watches), iter(writes)
        self.made, self.seen, self.names = [], [], set()

    def tell(self, connection, chunks, send):
        """Let the rival act before a WATCH, or a write, leaves on any connection but theirs."""
        if connection.is_connected and connection.client_name != "rival":
            names = set(names_in(chunks))
            self.names |= names
            if names - READS:
                if len(self.seen) == MOST_TRIES:
                    raise TooMany
                self.seen.append(int(self.rival.get(STOCK) or 0))
                self.attack(self.writes)
            elif "WATCH" in names:
                self.attack(self.watches)
        return send(chunks)

    def attack(self, amounts):
        for amount in itertools.islice(amounts, 1):
            self.made.append(amount)
            self.rival.decrby(STOCK, amount)
