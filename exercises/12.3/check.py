"""Check exercise 12.3: count a visit and store its time in one atomic step."""

import secrets

from lab_utils.course.checking import (
    Attempt,
    Refused,
    exercise_client,
    refuse_over,
    shown,
    steps_of,
)

VISITS = 3


def check(answer) -> str:
    with exercise_client(decode_responses=True) as client:
        answer(client, "nobody", "now")  # a script's first call sends its text
        for _ in range(VISITS):
            user, before = secrets.token_hex(4), None
            for number in range(1, VISITS + 1):
                now = secrets.token_hex(4)
                attempt = Attempt(answer, client, user, now)
                check_visit(attempt.reply, (before, number), f"visit {number} of {user}")
                check_kept(client, user, now, number)
                refuse_over(attempt.cost, 1)
                refuse_two_steps(attempt.names)
                before = now
    return f"{VISITS * VISITS} visits, each counted and dated in one round trip"


def refuse_two_steps(names: list[str]) -> None:
    """Raise Refused if the time of the last visit is read by a GET outside the atomic step.

    `names` are the names of the commands that the learner's function sent, in order.
    """
    if len(steps_of(names)) > 1 and {"GET", "MGET"} & set(names):
        raise Refused(
            f"right values in one round trip, but {' and '.join(names)} let others in between: "
            "two visits would both see the same one before",
            "r.pipeline(), as it comes, lets nobody in between. Or one command that reads and "
            "writes: SET with get=True.",
        )


def check_visit(said, expected, call: str) -> None:
    if not isinstance(said, (list, tuple)) or tuple(said) != expected:
        raise Refused(
            f"{call}: visit returned {shown(said)} and should return {expected!r}",
            "The time of the visit before, None for the first, and the count, a number "
            "that begins with 1.",
            "return before, count",
        )


def check_kept(client, user: str, now: str, number: int) -> None:
    kept = client.get(f"exercise:seen:{user}"), client.get(f"exercise:visits:{user}")
    if kept != (now, str(number)):
        raise Refused(
            f"right values, but Redis now holds {kept!r} and should hold {(now, str(number))!r}",
            "Write what slow_visit writes, under the same keys.",
        )
