"""Checks of chapter 03: many keys in one turn, batches with an end, and a page that asks twice instead of a hundred times."""

import bisect
import random

from ...tracing.cost import cost_and_result, cost_of
from ...tracing.tap import Tap
from ...words import many
from ..checking import Refused, exercise_client, first_difference, names_in, refuse_over, text, trips_of
from ..exercises import exercise

# 03.1
READ = 50
MISSING = (7, 31)  # never written: their place in the answer is None
# 03.2
VALUES = 9_500  # does not fill the last batch
MOST_TURNS, LARGEST_BATCH, HOUR_S = 10, 1_000, 3_600
AROUND = ("MULTI", "EXEC")  # what redis-py's default pipeline puts around the commands; they are not held against it
# 03.3
USERS = 40
NO_CART = (3, 20)  # users without the field `cart`


@exercise("03.1", "write read_all(r, keys): the values of all keys, in the order of keys, in one round trip", (
    "One command reads many keys. It is the reading twin of MSET.",
    "MGET replies in the order in which you name the keys, with None where there is none: leave both as they are.",
    "return r.mget(keys)",
))
def read_all(answer):
    numbers = random.Random(3).sample(range(READ), READ)
    keys = [f"exercise:key:{i}" for i in numbers]
    right = [None if i in MISSING else f"value {i}" for i in numbers]
    with exercise_client() as client:
        client.mset({key: value for key, value in zip(keys, right, strict=True) if value is not None})
        cost, got = cost_and_result(lambda r: answer(r, list(keys)), client)
    check_read(got, right)
    refuse_over(cost, 1)
    return f"{READ} keys in 1 round trip, {many(cost.commands, 'command')}, in the order asked for"


def check_read(got, right):
    """Raises Refused unless `got` lists the values in the order of the keys, None for those that are missing."""
    if isinstance(got, dict):
        raise Refused("you returned a dict; return a list, the values in the order of keys")
    if not isinstance(got, (list, tuple)):
        raise Refused(f"you returned {type(got).__name__}, not a list of {READ} values")
    said = [text(value) for value in got]
    if said == right:
        return
    present = [value for value in right if value is not None]
    if said == present:
        raise Refused(f"{len(said)} values for {READ} keys: {len(MISSING)} keys do not exist, and their places must hold None, "
                      "or nobody knows which value belongs to which key")
    if sorted(map(str, said)) in (sorted(map(str, right)), sorted(map(str, present))):
        raise Refused("the right values, but not in the order of keys")
    if len(said) != READ:
        raise Refused(f"{len(said)} values for {READ} keys")
    first = first_difference(said, right)
    raise Refused(f"place {first} holds {said[first]!r}; it should be {right[first]!r}")


@exercise("03.2", f"write write_all(r, values): at most {MOST_TURNS} round trips, {LARGEST_BATCH:,} commands a batch, "
                  "and every key expires in an hour", (
    "MSET cannot set an expiry (MSETEX can, from Redis 8.4 on). So queue SET with ex= in a pipeline, "
    "and execute it whenever it is full.",
    "len(pipe) says how many commands are queued. After the loop a last batch may be waiting that is not full.",
    "if len(pipe) == 1_000: pipe.execute() inside the loop, and pipe.execute() once more behind it.",
))
def write_all(answer):
    values = {f"exercise:key:{i}": f"value {i}" for i in range(VALUES)}
    with exercise_client() as client:
        with Tap() as tap:
            answer(client, dict(values))
        check_written(client, values)
    cost, largest = cost_of(tap), largest_batch(tap)
    refuse_over(cost, MOST_TURNS, "every value is there and expires")
    if largest > LARGEST_BATCH:
        raise Refused(f"every value is there and expires, but {many(largest, 'command')} in one batch; "
                      f"the limit is {LARGEST_BATCH:,}")
    return f"{VALUES:,} values in {many(trips_of(cost), 'round trip')}, at most {largest:,} commands a batch, and all expire"


def check_written(client, values):
    """Raises Refused unless every value is stored and expires within the hour."""
    keys = list(values)
    stored = client.mget(keys)
    missing = sum(value is None for value in stored)
    if missing == len(keys):
        raise Refused("no value is there: is the pipeline ever executed?")
    if missing:
        raise Refused(f"{many(missing, 'value')} missing of {len(keys):,}: is the last batch, which is not full, ever sent?")
    if [text(value) for value in stored] != list(values.values()):
        raise Refused("every key is there, but not with its own value")
    pipe = client.pipeline(transaction=False)
    for key in keys:
        pipe.ttl(key)
    left = pipe.execute()
    forever = sum(seconds == -1 for seconds in left)
    if forever:
        raise Refused(f"every value is there, but {many(forever, 'key')} never {'expires' if forever == 1 else 'expire'}")
    wrong = [seconds for seconds in left if not HOUR_S - 60 <= seconds <= HOUR_S]
    if wrong:
        raise Refused("every value is there, but not every key expires in an hour: "
                      f"one in {wrong[0]:,} seconds; it should be {HOUR_S:,}")


def largest_batch(tap):
    """The most commands sent between two waits for a reply, MULTI and EXEC not counted."""
    sent, largest = {}, 0
    ends = {}
    for turn in sorted(tap.turns, key=lambda turn: turn.replied):
        ends.setdefault(turn.connection, []).append(turn.replied)
    for write in sorted((write for write in tap.writes if not write.handshake), key=lambda write: write.started):
        turn = write.connection, bisect.bisect_left(ends.get(write.connection, ()), write.started)
        sent[turn] = sent.get(turn, 0) + sum(name not in AROUND for name in names_in(write.chunks))
        largest = max(largest, sent[turn])
    return largest


@exercise("03.3", "write load(r, ids): the same list as today's version, in at most 2 round trips", (
    "A cart's name is only known once its user has been read. So two turns are needed; what can share each of them?",
    "First turn: a pipeline with an HMGET of every user. Second turn: a pipeline with an LRANGE of every cart named in it.",
    "Users without a cart queue no LRANGE, so the replies are fewer than the users: carts = iter(pipe.execute()), "
    "then next(carts) if the user has a cart, else [].",
))
def load(answer):
    ids = random.Random(3).sample(range(USERS), USERS)
    with exercise_client() as client:
        right = fill(client, ids)
        cost, got = cost_and_result(lambda r: answer(r, list(ids)), client)
    check_load(got, right)
    refuse_over(cost, 2)
    return f"{USERS} users and their carts in {many(trips_of(cost), 'round trip')}, {many(cost.commands, 'command')}"


def fill(client, ids):
    """Writes the users and their carts, and returns what `load` must return for `ids`."""
    pipe, right = client.pipeline(transaction=False), []
    for i in ids:
        cart, items = f"exercise:cart:{i * 7 + 1}", [f"item {i}.{n}" for n in range(i % 3 + 1)]
        user = {"name": f"user {i}"} if i in NO_CART else {"name": f"user {i}", "cart": cart}
        pipe.hset(f"exercise:user:{i}", mapping=user)
        if i not in NO_CART:
            pipe.rpush(cart, *items)
        right.append((f"user {i}", [] if i in NO_CART else items))
    pipe.execute()
    return right


def check_load(got, right):
    """Raises Refused unless `got` is [(name, [items]), ...] in the order of the ids."""
    try:
        said = [(text(name), [text(item) for item in items or []]) for name, items in got]
    except (TypeError, ValueError):
        raise Refused("return a list with one (name, items) for each user, as today's version does") from None
    if said == right:
        return
    if sorted(map(repr, said)) == sorted(map(repr, right)):
        raise Refused("the right users and carts, but not in the order of ids")
    if len(said) != len(right):
        raise Refused(f"{len(said)} users where {len(right)} were asked for: {len(NO_CART)} of them have no cart, "
                      "and they count too")
    first = first_difference(said, right)
    name, items = right[first]
    raise Refused(f"{name} has {items!r}, and you returned {said[first]!r}. Some users have no cart: "
                  "do the replies still stand beside the right users?")
