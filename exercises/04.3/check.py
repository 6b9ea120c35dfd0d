"""Tell which commands of a pipeline were refused."""

from lab_utils.course.checking import (
    Refused,
    Recording,
    cost_of,
    exercise_client,
    refuse_over,
    shown,
    text,
)

MEMBER = "exercise-member"
THERE = "exercise:green"  # a set that has the member already
SETS, TEXTS = ("exercise:red", THERE, "exercise:white"), ("exercise:blue", "exercise:grey")
KEYS = ("exercise:red", "exercise:blue", THERE, "exercise:grey", "exercise:white")


def check(answer):
    with exercise_client() as client:
        client.mset(dict.fromkeys(TEXTS, "not a set"))
        for key in SETS:
            client.sadd(key, "somebody", *[MEMBER] * (key == THERE))
        with Recording() as seen:
            said = answer(client, list(KEYS), MEMBER)
        missing = [key for key in SETS if not client.sismember(key, MEMBER)]
    if missing:
        raise Refused(
            f"the member was not added to {' and '.join(missing)}, where nothing is in the way",
            "Queue an SADD for every key. One that fails doesn't keep the others from running.",
        )
    if not isinstance(said, (list, tuple, set, frozenset)):
        raise Refused(
            f"returned {said!r}, not a list of keys", "Return the keys whose reply is an error."
        )
    check_names([text(key) for key in said])
    refuse_over(
        cost_of(seen),
        1,
        "right keys",
        "All the SADDs can leave together: queue them in one pipeline, then execute().",
        "pipe.execute(raise_on_error=False) returns a reply for each; a failed one's is an "
        "exception, not raised.",
    )
    return f"{len(KEYS)} keys in 1 round trip, and you know which {len(TEXTS)} refused"


def check_names(names):
    for name in names:
        if name not in KEYS:
            raise Refused(
                f"{shown(name)} is in your list, and is none of the keys",
                "zip(keys, replies) gives each key beside its reply.",
            )
        if name in SETS:
            there = ": 0 means that the member was there already" if name == THERE else ""
            raise Refused(
                f"{name!r} is in your list, and its SADD did not fail{there}",
                "A refusal is an error, not a number: isinstance(reply, redis.ResponseError).",
            )
    for key in TEXTS:
        if key not in names:
            raise Refused(
                f"{key!r} is not in your list, and its SADD failed: its value is a string"
            )
