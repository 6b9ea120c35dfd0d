"""Check exercise 03.2: write thousands of keys in batches, each key with an expiry."""

from collections import defaultdict

from lab_utils.course.checking import (
    Attempt,
    Refused,
    commands_in,
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


def check(answer) -> str:
    values = {f"exercise:key:{i}": f"value {i}" for i in range(VALUES)}
    with exercise_client() as client:
        attempt = Attempt(answer, client, dict(values))
        check_written(client, values)
        check_expiry(client, values)
    refuse_over(
        attempt.cost,
        MOST_TURNS,
        "every value is there and expires",
        *(EXPIRY if "EXPIRE" in attempt.names else ()),
    )
    largest = largest_batch(attempt.recording)
    if largest > LARGEST_BATCH:
        raise Refused(
            f"every value is there and expires, but {counted(largest, 'value')} in one "
            f"batch; the limit is {LARGEST_BATCH:,}. While the server works through a batch, it "
            "answers nobody else",
            "Send what is queued whenever there are a thousand, and go on with an empty batch.",
            "if len(pipe) == 1_000: pipe.execute() inside the loop.",
        )
    with exercise_client() as client:
        answer(client, {})  # nothing to write is no mistake
    return (
        f"{VALUES:,} values in {counted(trips_of(attempt.cost), 'round trip')}, at most "
        f"{largest:,} values a batch, and all expire"
    )


def check_written(client, values: dict) -> None:
    stored = client.mget(values)
    missing = sum(value is None for value in stored)
    if [text(value) for value in stored] != list(values.values()):
        raise Refused(
            f"{counted(missing, 'value')} missing of {VALUES:,}, or not under their own keys: is "
            "every batch sent, and the last one, which is not full?",
            "Queued is not sent: pipe.execute() sends. After the loop a last batch may be waiting "
            "that is not full: pipe.execute() once more behind it.",
        )


def check_expiry(client, values: dict) -> None:
    pipe = client.pipeline(transaction=False)
    for key in values:
        pipe.ttl(key)
    left = pipe.execute()
    wrong = [seconds for seconds in left if not HOUR_S - 60 <= seconds <= HOUR_S]
    if wrong:
        raise Refused(
            f"every value is there, but of {VALUES:,} keys {len(wrong):,} do not expire in an "
            f"hour; TTL says {wrong[0]:,}, and -1 is never",
            *EXPIRY,
        )


def largest_batch(seen) -> int:
    """Return the largest number of keys that one connection wrote before it read a reply.

    `seen` is the Recording, of lab_utils, of all messages while the learner's function ran.
    """
    largest, named = 0, defaultdict(set)
    for message in sorted([*seen.writes, *seen.reads], key=lambda message: message.at):
        keys = named[message.connection]
        if message.written:
            keys.update(part for command in commands_in([message.data]) for part in command)
        else:
            largest = max(largest, sum(part.startswith(b"exercise:key:") for part in keys))
            keys.clear()
    return largest
