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
KEYS = {
    f"exercise:{name}": kind
    for name, kind in (
        ("red", "set"),
        ("blue", "text"),
        ("green", "set with the member"),
        ("grey", "text"),
        ("white", "set"),
    )
}
WRONG_TYPE = [key for key, kind in KEYS.items() if kind == "text"]


def check(answer):
    with exercise_client() as client:
        prepare_keys(client)
        with Recording() as seen:
            said = answer(client, list(KEYS), MEMBER)
        check_refused(client, said, cost_of(seen))
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
        raise Refused(
            f"the member was not added to {' and '.join(missing)}, where nothing is in the way",
            "Queue an SADD for every key. One that fails doesn't keep the others from running.",
        )
    if not isinstance(said, (list, tuple, set, frozenset)):
        raise Refused(
            f"returned {said!r}, not a list of keys", "Return the keys whose reply is an error."
        )
    names = [text(key) for key in said]
    extra, lost = (
        [key for key in names if key not in WRONG_TYPE],
        [key for key in WRONG_TYPE if key not in names],
    )
    if extra and extra[0] not in KEYS:
        raise Refused(
            f"{shown(extra[0])} is in your list, and is none of the keys",
            "zip(keys, replies) gives each key beside its reply.",
        )
    if extra:
        raise Refused(
            f"{extra[0]!r} is in your list, and its SADD did not fail"
            + (
                ": 0 means that the member was there already"
                if KEYS.get(extra[0]) == "set with the member"
                else ""
            ),
            "A refusal is an error, not a number: isinstance(reply, redis.ResponseError).",
        )
    if lost:
        raise Refused(
            f"{lost[0]!r} is not in your list, and its SADD failed: its value is a string"
        )
    refuse_over(
        cost,
        1,
        "right keys",
        "All the SADDs can leave together: queue them in one pipeline, then execute().",
        "pipe.execute(raise_on_error=False) returns a reply for each; a failed one's is an "
        "exception, not raised.",
        "return [key for key, reply in zip(keys, replies) if isinstance(reply, "
        "redis.ResponseError)]",
    )
