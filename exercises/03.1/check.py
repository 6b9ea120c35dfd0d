"""Checks of chapter 03: many keys in one turn, batches with an end, and a page that asks twice instead of a hundred times."""

import bisect
import math
import random

from ...arguments import check_ran
from ...tracing.cost import cost_and_result, cost_of
from ...tracing.resp import commands_in
from ...tracing.tap import Tap
from ...words import counted
from ..checking import (
    SCRIPTS,
    Refused,
    commands_sent,
    exercise_client,
    first_difference,
    refuse_over,
    refuse_pipelines,
    text,
    trips_of,
)
from ..exercises import exercise

# 03.1
READ = 50
MISSING = (7, 31)  # never written: their place in the answer is None
# 03.2
VALUES = 9_500  # does not fill the last batch
MOST_TURNS, LARGEST_BATCH, HOUR_S = 10, 1_000, 3_600
EXPIRY = ("MSET cannot set an expiry (MSETEX can, from Redis 8.4 and Valkey 9.1 on). Which option of SET does, in seconds?",
          "pipe.set(key, value, ex=3_600)")
SMALL_BATCHES = ("Ten batches of a thousand have room for them all. Which of yours hold fewer, and when are they sent?",
                 "len(pipe) says how many commands are queued: if len(pipe) == 1_000: pipe.execute() inside the loop.")
FIRST = 3  # batches that are told
SETS = (b"SET", b"SETEX", b"PSETEX")
AROUND = (b"MULTI", b"EXEC")  # what redis-py's default pipeline puts around the commands; they are not held against it
# 03.3
USERS = 40
BESIDE = "Users without a cart queue no LRANGE, so there are fewer replies than users. Who gets the next one?"
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
    refuse_pipelines(got)
    check_read(got, right)
    refuse_over(cost, 1)
    return f"{READ} keys in 1 round trip, {counted(cost.commands, 'command')}, in the order asked for"


def check_read(got, right):
    """Raises Refused unless `got` lists the values in the order of the keys, None for those that are missing."""
    if isinstance(got, dict):
        raise Refused("you returned a dict; return a list, the values in the order of keys",
                      "A list of values has its order from the list of keys: [found[key] for key in keys].")
    if not isinstance(got, (list, tuple)):
        raise Refused(f"you returned {type(got).__name__}, not a list of {READ} values", "Return what the server replied.")
    said = [text(value) for value in got]
    if said == right:
        return
    present = [value for value in right if value is not None]
    if said == present:
        raise Refused(f"{len(said)} values for {READ} keys: {len(MISSING)} keys do not exist, and their places must hold None, "
                      "or nobody knows which value belongs to which key",
                      "None says that there is no such key. Leave it where it stands in the reply.")
    if sorted(map(str, said)) in (sorted(map(str, right)), sorted(map(str, present))):
        raise Refused("the right values, but not in the order of keys",
                      "The replies come in the order in which the keys were asked for. Ask in the order of `keys`.")
    if len(said) != READ:
        raise Refused(f"{len(said)} values for {READ} keys")
    first = first_difference(said, right)
    raise Refused(f"place {first} holds {said[first]!r}; it should be {right[first]!r}")


@exercise("03.2", f"write write_all(r, values): at most {MOST_TURNS} round trips, {LARGEST_BATCH:,} values a batch, "
                  "and every key expires in an hour", (
    "Queue SET with ex= in a pipeline, and execute it whenever it is full.",
    "len(pipe) says how many commands are queued. After the loop a last batch may be waiting that is not full.",
    "if len(pipe) == 1_000: pipe.execute() inside the loop, and pipe.execute() once more behind it.",
))
def write_all(answer):
    values = {f"exercise:key:{i}": f"value {i}" for i in range(VALUES)}
    with exercise_client() as client:
        with Tap() as tap:
            answer(client, dict(values))
        check_written(client, values)
    cost, sizes = cost_of(tap), batches(tap)
    largest = max(sizes, default=0)
    refuse_over(cost, MOST_TURNS, f"every value is there and expires, in batches of {first_of(sizes)}",
                *(SMALL_BATCHES if 1 < largest <= LARGEST_BATCH else ()))
    if largest > LARGEST_BATCH:
        raise Refused(f"every value is there and expires, but {counted(largest, 'value')} in one batch; "
                      f"the limit is {LARGEST_BATCH:,}. One script or one command that writes them all is a batch too: "
                      "while it runs, the server answers nobody else",
                      "Send what is queued whenever there are a thousand, and go on with an empty batch.",
                      "if len(pipe) == 1_000: pipe.execute() inside the loop.")
    return f"{VALUES:,} values in {counted(trips_of(cost), 'round trip')}, at most {largest:,} values a batch, and all expire"


def check_written(client, values):
    """Raises Refused unless every value is stored and expires within the hour."""
    keys = list(values)
    stored = client.mget(keys)
    missing = sum(value is None for value in stored)
    if missing == len(keys):
        raise Refused("no value is there: is the pipeline ever executed?", "Queued is not sent. pipe.execute() sends.")
    if missing:
        raise Refused(f"{counted(missing, 'value')} missing of {len(keys):,}: is the last batch, which is not full, ever sent?",
                      "After the loop a last batch may be waiting that is not full: pipe.execute() once more behind it.")
    if [text(value) for value in stored] != list(values.values()):
        raise Refused("every key is there, but not with its own value", "values.items() gives each key beside its value.")
    pipe = client.pipeline(transaction=False)
    for key in keys:
        pipe.ttl(key)
    left = pipe.execute()
    forever = sum(seconds == -1 for seconds in left)
    if forever:
        raise Refused(f"every value is there, but {counted(forever, 'key')} never "
                      f"{'expires' if forever == 1 else 'expire'}", *EXPIRY)
    wrong = [seconds for seconds in left if not HOUR_S - 60 <= seconds <= HOUR_S]
    if wrong:
        raise Refused("every value is there, but not every key expires in an hour: "
                      f"one in {wrong[0]:,} seconds; it should be {HOUR_S:,}", "SET's ex= is in seconds, px= in milliseconds.")


def first_of(sizes):
    """'1, 1,000, 1,000, …': the sizes of the first batches."""
    return ", ".join(f"{size:,}" for size in sizes[:FIRST]) + ", …" * (len(sizes) > FIRST)


def batches(tap):
    """For each wait for a reply: the values written, or the commands of another kind sent, where those are more."""
    ends, sent = {}, {}
    for turn in sorted(tap.turns, key=lambda turn: turn.replied):
        ends.setdefault(turn.connection, []).append(turn.replied)
    scripts = sum(name in SCRIPTS for name, *_ in commands_sent(tap))
    for write in tap.writes:
        turn = write.connection, bisect.bisect_left(ends.get(write.connection, ()), write.started)
        for command in () if write.handshake else commands_in(write.chunks):
            kind, weight = weighed(command, scripts)
            sent[turn, kind] = sent.get((turn, kind), 0) + weight
    sizes = {}
    for (turn, _), size in sent.items():
        sizes[turn] = max(size, sizes.get(turn, 0))
    return list(sizes.values())


def weighed(command, scripts):
    """(does it write values?, how many, or 1 for another command). All the scripts together are taken to write all values."""
    name = command[0].upper()
    if name in SCRIPTS:
        return True, math.ceil(VALUES / scripts)
    if name == b"MSET":
        return True, len(command) // 2
    if name == b"MSETEX":
        return True, int(command[1])
    return name in SETS, name not in AROUND


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
        with Tap() as tap:
            got = check_ran(answer(client, list(ids)), "the check")
    refuse_pipelines(got)
    check_load(got, right, names_guessed(tap))
    cost = cost_of(tap)
    refuse_over(cost, 2)
    return f"{USERS} users and their carts in {counted(trips_of(cost), 'round trip')}, {counted(cost.commands, 'command')}"


def names_guessed(tap):
    """The carts that were read and that no user has."""
    carts = {cart_of(i).encode() for i in range(USERS) if i not in NO_CART}
    return [text(key) for name, *keys in commands_sent(tap) if name.upper() == b"LRANGE" for key in keys[:1] if key not in carts]


def cart_of(i):
    return f"exercise:cart:{i * 7 + 1}"


def fill(client, ids):
    """Writes the users and their carts, and returns what `load` must return for `ids`."""
    pipe, right = client.pipeline(transaction=False), []
    for i in ids:
        cart, items = cart_of(i), [f"item {i}.{n}" for n in range(i % 3 + 1)]
        user = {"name": f"user {i}"} if i in NO_CART else {"name": f"user {i}", "cart": cart}
        pipe.hset(f"exercise:user:{i}", mapping=user)
        if i not in NO_CART:
            pipe.rpush(cart, *items)
        right.append((f"user {i}", [] if i in NO_CART else items))
    pipe.execute()
    return right


def check_load(got, right, guessed):
    """Raises Refused unless `got` is [(name, [items]), ...] in the order of the ids."""
    try:
        said = [(text(name), [text(item) for item in items] if isinstance(items, list) else items) for name, items in got]
    except (TypeError, ValueError):
        raise Refused("return a list with one (name, items) for each user, as today's version does", BESIDE) from None
    if said == right:
        return
    if guessed:
        raise Refused(f"you read {guessed[0]!r}, and no user's field `cart` names it: a cart's name is not made from the "
                      "user's id",
                      "A cart's name is only known once its user has been read: which commands can go first, all together?",
                      "First turn: an HMGET of every user, in a pipeline. Second turn: an LRANGE of every cart that they name.")
    if sorted(map(repr, said)) == sorted(map(repr, right)):
        raise Refused("the right users and carts, but not in the order of ids", "Go through `ids` in both turns, in its order.")
    if len(said) != len(right):
        raise Refused(f"{len(said)} users where {len(right)} were asked for: {len(NO_CART)} of them have no cart, "
                      "and they count too", BESIDE)
    first = first_difference(said, right)
    name, items = right[first]
    if said[first] == (name, None):
        raise Refused(f"{name} has no cart: today's version says [] and you returned None",
                      "[] can be counted and gone through as any other cart: replies for those who have one, [] for those who "
                      "don't.")
    raise Refused(f"{name} has {items!r}, and you returned {said[first]!r}. Some users have no cart: "
                  "do the replies still stand beside the right users?", BESIDE,
                  "carts = iter(pipe.execute()), then next(carts) if the user has a cart, else [].")
