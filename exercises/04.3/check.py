"""Check exercise 04.3: find out which commands of a pipeline the server refused."""

from lab_utils.course.checking import (
    Attempt,
    Refused,
    exercise_client,
    of_kind,
    refuse_over,
    shown,
    text,
)

MEMBER = "exercise-member"
THERE = "exercise:green"  # a set that has the member already
SETS = ("exercise:red", THERE, "exercise:white", *(f"exercise:set:{i}" for i in range(100)))
TEXTS = ("exercise:blue", "exercise:grey")
KEYS = ("exercise:red", "exercise:blue", THERE, "exercise:grey", *SETS[2:])


def check(answer) -> str:
    with exercise_client() as client:
        client.mset(dict.fromkeys(TEXTS, "not a set"))
        for key in SETS:
            client.sadd(key, "somebody", *[MEMBER] * (key == THERE))
        attempt = Attempt(answer, client, list(KEYS), MEMBER)
        missing = [key for key in SETS if not client.sismember(key, MEMBER)]
    if missing:
        raise Refused(
            f"the member was not added to {' and '.join(missing[:3])}, where nothing is in the way",
            "Queue an SADD for every key. One that fails doesn't keep the others from running.",
        )
    of_kind(
        (list, tuple, set, frozenset),
        attempt.reply,
        "refused",
        "a list of keys",
        "Return the keys whose reply is an error.",
    )
    check_names([text(key) for key in attempt.reply])
    refuse_over(
        attempt.cost,
        1,
        "right keys",
        "All the SADDs can leave together: queue them in one pipeline, then execute().",
        "pipe.execute(raise_on_error=False) returns a reply for each; a failed one's is an "
        "exception, not raised.",
    )
    return f"{len(KEYS)} keys in 1 round trip, and you know which {len(TEXTS)} refused"


def check_names(names: list) -> None:
    for name in names:
        if name not in TEXTS:
            raise Refused(
                f"{shown(name)} is in your list, and is no key whose SADD failed; a reply of 0 "
                "means that the member was there already",
                "A refusal is an error, not a number: isinstance(reply, redis.ResponseError). "
                "zip(keys, replies) gives each key beside its reply.",
            )
    for key in TEXTS:
        if key not in names:
            raise Refused(
                f"{key!r} is not in your list, and its SADD failed: its value is a string"
            )
