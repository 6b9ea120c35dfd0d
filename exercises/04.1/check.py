"""Chapter 04: a transfer in one piece, a stock that survives a rival, and the replies that are errors."""

import functools
import itertools

from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.retry import Retry

from ...arguments import shown
from ...testbed.chosen_server import connect
from ...tracing.cost import cost_of
from ...tracing.tap import Tap, chunks_of
from ...words import counted
from ..checking import Refused, exercise_client, names_in, refuse_over, refuse_pieces, replaced, text
from ..exercises import exercise

# 04.1
ALICE, BOB = "exercise:alice", "exercise:bob"
TRANSFERS = ((100, 20, 30), (7, 0, 7))  # alice's and bob's money before, the amount
# 04.2
STOCK = "exercise:stock"
AMOUNT = 3
CASES = (  # stock before, what the rival takes just before the answer's first WATCHes, and just before its first writes
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
IN_BETWEEN = ("Between your look and your write the stock changed, or may have. What keeps the write from happening then?",
              "pipe.watch(key) before the look; then pipe.multi(), the write, pipe.execute(): EXEC refuses if the key changed.")
LOOK_FIRST = ("To take first and give back sells tickets that are not there. Look before you take.", *IN_BETWEEN[1:])
READS = frozenset({"GET", "MGET", "WATCH", "UNWATCH", "MULTI", "DISCARD", "PING", "EXISTS", "STRLEN", "TYPE", "SCRIPT"})
# 04.3
MEMBER = "exercise-member"
KEYS = {f"exercise:{name}": kind for name, kind in (
    ("red", "set"), ("blue", "text"), ("green", "set with the member"), ("grey", "text"), ("white", "set"))}
WRONG_TYPE = [key for key, kind in KEYS.items() if kind == "text"]


@exercise("04.1", "write transfer(r, source, target, amount): both accounts change together, in one round trip", (
    "Which pipeline sends everything at once, and which keeps others out? You need a pipeline that is both.",
    "DECRBY and INCRBY need no reply to be built. Queue both in a plain r.pipeline(), and execute.",
    "pipe = r.pipeline(); pipe.decrby(source, amount); pipe.incrby(target, amount); pipe.execute()",
))
def transfer(answer):
    with exercise_client(retry=Retry(NoBackoff(), 0)) as client:
        client.mset({ALICE: 1, BOB: 1})
        answer(client, ALICE, BOB, 1)  # opens what it opens, loads what it loads
        for alice, bob, amount in TRANSFERS:
            client.mset({ALICE: alice, BOB: bob})
            with Tap() as tap:
                answer(client, ALICE, BOB, amount)
            check_transfer(client, tap, alice, bob, amount)
    return f"both accounts in 1 round trip, {counted(cost_of(tap).commands, 'command')}, and nobody sees the money in between"


def check_transfer(client, tap, alice, bob, amount):
    after = [int(value or 0) for value in client.mget(ALICE, BOB)]
    right = [alice - amount, bob + amount]
    if after != right:
        raise Refused(f"{amount} from {alice} to {bob} left {after[0]} and {after[1]}; it should leave {right[0]} and {right[1]}",
                      "A pipeline keeps what you queue until execute(); DECRBY takes from `source`, INCRBY gives to `target`.")
    refuse_over(cost_of(tap), 1)
    refuse_pieces(tap, ("right values in 1 round trip, but ", " are not in one transaction: another client can be served between "
                        "them, and then the money is in neither account"),
                  "A pipeline may be a transaction too. Which of its options decides?")


@exercise("04.2", "write take(r, key, amount): WATCH, look, and take; True if taken, False if too little is left", (
    "Between your look and your write the stock may change. WATCH makes EXEC fail then: what do you do with the WatchError?",
    "In a loop: pipe.watch(key); left = int(pipe.get(key)); if left < amount, return False; pipe.multi(); pipe.decrby(...); "
    "pipe.execute(); return True. On redis.WatchError go round again, but not for ever.",
    "with r.pipeline() as pipe: for _ in range(20): try: watch, get, compare, multi(), decrby, execute(), return True; "
    "except redis.WatchError: time.sleep(random.random() / 1_000). Behind the loop: raise.",
))
def take(answer):
    met = 0
    with exercise_client() as client, connect(client_name="rival") as rival:
        for before, watches, writes in CASES:
            client.delete(STOCK)
            if before is not None:
                client.set(STOCK, before)
            story = Story(rival, watches, writes)
            said = taken(answer, client, story)
            check_take(said, before, client.get(STOCK), story)
            met += bool(story.made)
        check_released(client)
    return f"{len(CASES)} shoppers, a rival in the way of {met} of them, and the stock is right each time"


def check_take(said, before, after, story):
    if before is None:
        check_nothing_there(said, after)
        return
    rivals, after = sum(story.made), int(after)
    left = before - rivals
    tale = f"{AMOUNT} wanted of {before:,}" + (f", and another client took {rivals} while you were deciding" if rivals else "")
    if said is None:
        raise Refused(f"{tale}: take returned None. Return True if taken, False if too little was left", "return says it.")
    lowest = min([after, *story.seen])
    if lowest < 0:
        hints = IN_BETWEEN if {"GET", "MGET"} & story.names else LOOK_FIRST
        raise Refused(f"{tale}: the stock stood at {lowest}" + (", if only for a moment" if after >= 0 else ""), *hints)
    if not said and after < left:
        raise Refused(f"{tale}: take returned False, and yet the stock went down to {after}. "
                      "Something was sent before EXEC could refuse it: was multi() called?",
                      "After watch() a pipeline sends each command at once, so that you can look. From where on should it "
                      "queue again?",
                      "pipe.multi() between the look and the write.")
    if not said and left >= AMOUNT:
        check_gave_up(said, tale, left, rivals)
    if said is True and left < AMOUNT:
        raise Refused(f"{tale}: take returned True, though only {left} were left", *IN_BETWEEN)
    if said is True and after != left - AMOUNT:
        raise Refused(f"{tale}: {after} are left and it should be {left - AMOUNT}."
                      + (" The other client's update is lost" if rivals and after == before - AMOUNT else ""), *IN_BETWEEN)
    if isinstance(said, Exception) and after != left:
        raise Refused(f"{tale}: take raised {type(said).__name__}, and yet {left - after} were taken", *IN_BETWEEN)


def check_nothing_there(said, after):
    if isinstance(said, Exception):
        raise Refused(f"{AMOUNT} wanted, and there is no such key: take raised {type(said).__name__}. Nothing in stock is 0",
                      "GET replies None where there is no key: int(pipe.get(key) or 0).")
    if said or after is not None:
        raise Refused(f"{AMOUNT} wanted, and there is no such key: take returned {said!r}, and the key "
                      + ("does not exist" if after is None else f"holds {text(after)}"), *IN_BETWEEN)


def check_gave_up(said, tale, left, rivals):
    if left == AMOUNT and not rivals:
        raise Refused(f"{tale}: take returned False, and the last {AMOUNT} are never sold", "Enough is when left >= amount.")
    raise Refused(f"{tale}: take returned False, though {left:,} were left. Losing a race is no reason to say that too little "
                  "is left",
                  "EXEC was refused because the stock changed, and that is all you know. Look again, and try again.",
                  "for _ in range(20): try: … except redis.WatchError: go round again. Behind the loop: raise, for False is "
                  "not true.")


def check_released(client):
    _, (used, _) = client.connection_pool.get_connection_count()
    if used:
        raise Refused(f"the stock is right, but {counted(used, 'connection')} of the pool did not come back",
                      "with r.pipeline() as pipe: gives the connection back, whichever way the block is left. So does "
                      "pipe.reset().")


class TooMany(BaseException):
    """Ends an endless retry loop; no `except Exception` in an answer may swallow it."""


def taken(answer, client, story):
    """What the answer said while `story` went on, or the error by which it gave up. Refused where it never gives up."""
    with told_beforehand(story):
        try:
            said = answer(client, STOCK, AMOUNT)
        except TooMany:
            raise Refused(f"{MOST_TRIES} tries and still at it, because another client is faster each time. Bound the loop: "
                          "a caller who waits can't do anything else",
                          "for _ in range(20): in place of while True: (r.transaction() is such a loop, without a bound), and "
                          "raise behind it. A pause of random length before each new try lets the others finish.") from None
        except Exception as error:
            if len(story.made) < MANY_LOST and story.rival.exists(STOCK):
                raise
            return error
    return bool(said) if said is not None else None


class Story:
    """A rival client that takes from the stock just before the answer watches or writes, and keeps an eye on the stock."""

    def __init__(self, rival, watches, writes):
        self.rival, self.watches, self.writes = rival, iter(watches), iter(writes)
        self.made, self.seen, self.written, self.names = [], [], 0, set()

    def before_watch(self):
        self.attack(self.watches)

    def before_write(self):
        self.written += 1
        if self.written > MOST_TRIES:
            raise TooMany
        self.seen.append(int(self.rival.get(STOCK) or 0))
        self.attack(self.writes)

    def attack(self, amounts):
        for amount in itertools.islice(amounts, 1):
            self.made.append(amount)
            self.rival.decrby(STOCK, amount)


def told_beforehand(story):
    """Tells `story` before a WATCH, or anything that may change data, leaves on any connection but the rival's."""
    original = AbstractConnection.send_packed_command

    @functools.wraps(original)
    def send(self, command, *args, **kwargs):
        chunks = list(chunks_of(command))
        if self.is_connected and self.client_name != "rival":
            names = set(names_in(chunks))
            story.names |= names
            if names - READS:
                story.before_write()
            elif "WATCH" in names:
                story.before_watch()
        return original(self, chunks, *args, **kwargs)

    return replaced(AbstractConnection, send_packed_command=send)


@exercise("04.3", "write refused(r, keys, member): add to every set in one round trip, and return the keys that refused", (
    "execute() raises the first error, after all has run. Which of its arguments gives you every reply instead?",
    "pipe.execute(raise_on_error=False) returns one reply a command; a failed one's reply is an exception, not raised.",
    "return [key for key, reply in zip(keys, replies) if isinstance(reply, redis.ResponseError)]",
))
def refused(answer):
    with exercise_client() as client:
        prepare_keys(client)
        with Tap() as tap:
            said = answer(client, list(KEYS), MEMBER)
        check_refused(client, said, cost_of(tap))
    return f"{len(KEYS)} keys in 1 round trip, and you know which {len(WRONG_TYPE)} refused"


def prepare_keys(client):
    for key, kind in KEYS.items():
        if kind == "text":
            client.set(key, "not a set")
        else:
            client.sadd(key, "somebody", *([MEMBER] if "with" in kind else []))


def check_refused(client, said, cost):
    missing = [key for key in KEYS if key not in WRONG_TYPE and not client.sismember(key, MEMBER)]
    if missing:
        raise Refused(f"the member was not added to {' and '.join(missing)}, where nothing is in the way",
                      "Queue an SADD for every key. One that fails doesn't keep the others from running.")
    if not isinstance(said, (list, tuple, set, frozenset)):
        raise Refused(f"returned {said!r}, not a list of keys", "Return the keys whose reply is an error.")
    names = [text(key) for key in said]
    extra, lost = [key for key in names if key not in WRONG_TYPE], [key for key in WRONG_TYPE if key not in names]
    if extra and extra[0] not in KEYS:
        raise Refused(f"{shown(extra[0])} is in your list, and is none of the keys", "zip(keys, replies) gives each key beside "
                                                                                     "its reply.")
    if extra:
        raise Refused(f"{extra[0]!r} is in your list, and its SADD did not fail"
                      + (": 0 means that the member was there already" if KEYS.get(extra[0]) == "set with the member" else ""),
                      "A refusal is an error, not a number: isinstance(reply, redis.ResponseError).")
    if lost:
        raise Refused(f"{lost[0]!r} is not in your list, and its SADD failed: its value is a string")
    refuse_over(cost, 1, "right keys", "All the SADDs can leave together: queue them in one pipeline, then execute().",
                "pipe.execute(raise_on_error=False) returns a reply for each; a failed one's is an exception, not raised.",
                "return [key for key, reply in zip(keys, replies) if isinstance(reply, redis.ResponseError)]")


