"""Write thousands of keys in batches with an end, each with an expiry."""

import bisect
import math
from collections import Counter

from lab_utils.course.checking import (
    SCRIPTS,
    Refused,
    Recording,
    commands_in,
    commands_sent,
    cost_of,
    counted,
    exercise_client,
    refuse_over,
    text,
    trips_of,
)

VALUES = 9_500  # does not fill the last batch
MOST_TURNS, LARGEST_BATCH, HOUR_S = 10, 1_000, 3_600
EXPIRY = (
    "MSET cannot set an expiry (MSETEX can, from Redis 8.4 and Valkey 9.1 on). Which option "
    "of SET does, in seconds?",
    "pipe.set(key, value, ex=3_600)",
)
SMALL_BATCHES = (
    "Ten batches of a thousand have room for them all. Which of yours hold fewer, and "
    "when are they sent?",
    "len(pipe) says how many commands are queued: if len(pipe) == 1_000: "
    "pipe.execute() inside the loop.",
)
FIRST = 3  # batches that are told
SETS = (b"SET", b"SETEX", b"PSETEX")
# what redis-py's default pipeline puts around the commands; they are not held against it
AROUND = (b"MULTI", b"EXEC")


def check(answer):
    values = {f"exercise:key:{i}": f"value {i}" for i in range(VALUES)}
    with exercise_client() as client:
        with Recording() as seen:
            answer(client, dict(values))
        check_written(client, values)
        check_expiry(client, values)
    cost, sizes = cost_of(seen), batches(seen)
    largest = max(sizes, default=0)
    first = ", ".join(f"{size:,}" for size in sizes[:FIRST]) + ", …" * (len(sizes) > FIRST)
    twice = sum(sizes) > VALUES  # written, and then given an expiry
    refuse_over(
        cost,
        MOST_TURNS,
        f"every value is there and expires, in batches of {first}",
        *(EXPIRY if twice else SMALL_BATCHES if 1 < largest <= LARGEST_BATCH else ()),
    )
    if largest > LARGEST_BATCH:
        raise Refused(
            f"every value is there and expires, but {counted(largest, 'value')} in one "
            f"batch; the limit is {LARGEST_BATCH:,}. One script or one command that "
            "writes them all is a batch too: while it runs, the server answers nobody "
            "else",
            "Send what is queued whenever there are a thousand, and go on with an empty batch.",
            "if len(pipe) == 1_000: pipe.execute() inside the loop.",
        )
    return (
        f"{VALUES:,} values in {counted(trips_of(cost), 'round trip')}, at most {largest:,} "
        "values a batch, and all expire"
    )


def check_written(client, values):
    stored = client.mget(values)
    missing = sum(value is None for value in stored)
    if missing == VALUES:
        raise Refused(
            "no value is there: is the pipeline ever executed?",
            "Queued is not sent. pipe.execute() sends.",
        )
    if missing:
        raise Refused(
            f"{counted(missing, 'value')} missing of {VALUES:,}: is the last batch, "
            "which is not full, ever sent?",
            "After the loop a last batch may be waiting that is not full: pipe.execute() "
            "once more behind it.",
        )
    if [text(value) for value in stored] != list(values.values()):
        raise Refused(
            "every key is there, but not with its own value",
            "values.items() gives each key beside its value.",
        )


def check_expiry(client, values):
    pipe = client.pipeline(transaction=False)
    for key in values:
        pipe.ttl(key)
    left = pipe.execute()
    forever = left.count(-1)
    if forever:
        raise Refused(
            f"every value is there, but {counted(forever, 'key')} never "
            f"{'expires' if forever == 1 else 'expire'}",
            *EXPIRY,
        )
    wrong = [seconds for seconds in left if not HOUR_S - 60 <= seconds <= HOUR_S]
    if wrong:
        raise Refused(
            "every value is there, but not every key expires in an hour: one in "
            f"{wrong[0]:,} seconds; it should be {HOUR_S:,}",
            "SET's ex= is in seconds, px= in milliseconds.",
        )


def batches(seen):
    """Return, for each wait for a reply, the values or other commands sent, whichever are more."""
    ends, sent = {}, {}
    for turn in sorted(seen.round_trips, key=lambda turn: turn.replied):
        ends.setdefault(turn.connection, []).append(turn.replied)
    scripts = sum(name in SCRIPTS for name, *_ in commands_sent(seen))
    for write in seen.writes:
        turn = write.connection, bisect.bisect_left(ends.get(write.connection, ()), write.at)
        for command in () if write.setup else commands_in([write.data]):
            kind, weight = weighed(command, scripts)
            sent.setdefault(turn, Counter())[kind] += weight
    return [max(weights.values()) for weights in sent.values()]


def weighed(command, scripts):
    """Return (does it write values?, how many); all scripts together write all the values."""
    name = command[0].upper()
    if name in SCRIPTS:
        return True, math.ceil(VALUES / scripts)
    if name == b"MSET":
        return True, len(command) // 2
    if name == b"MSETEX":
        return True, int(command[1])
    return name in SETS, name not in AROUND
