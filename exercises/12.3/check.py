"""Count and date a visit in one step."""

import secrets

from lab_utils.course.checking import (
    Refused,
    Recording,
    commands_sent,
    cost_of,
    counted,
    exercise_client,
    refuse_over,
    shown,
)

VISITS = 3


def check(answer):
    with exercise_client(decode_responses=True) as client:
        answer(client, "nobody", "now")  # a script's first call sends its text
        for _ in range(VISITS):
            user, before = secrets.token_hex(4), None
            for number in range(1, VISITS + 1):
                now = secrets.token_hex(4)
                with Recording() as seen:
                    said = answer(client, user, now)
                check_visit(said, (before, number), f"visit {number} of {user}")
                check_kept(client, user, now, number)
                refuse_over(cost_of(seen), 1)
                refuse_two_steps(commands_sent(seen), f"exercise:seen:{user}".encode())
                before = now
    return f"{VISITS * VISITS} visits, each counted and dated in one round trip"


def refuse_two_steps(sent, key):
    """Raise Refused if the time of the last visit is read and written in more than one step."""
    names, queued = [], False
    for name, *rest in sent:
        queued = name == b"MULTI" or (queued and name != b"EXEC")
        step = "MULTI" if queued else name.decode().upper()
        if key in rest and b"EXPIRE" not in name.upper() and names[-1:] != [step]:
            names.append(step)
    if len(names) > 1:
        raise Refused(
            f"right values in one round trip, but {' and '.join(names)} are "
            f"{counted(len(names), 'command')}, and a plain pipeline lets others in "
            "between: two visits would both see the same one before"
        )


def check_visit(said, expected, call):
    if not isinstance(said, (list, tuple)) or tuple(said) != expected:
        raise Refused(
            f"{call}: visit returned {shown(said)} and should return {expected!r}",
            "The time of the visit before, None for the first, and the count, a number "
            "that begins with 1.",
            "return before, count",
        )


def check_kept(client, user, now, number):
    kept = client.get(f"exercise:seen:{user}"), client.get(f"exercise:visits:{user}")
    if kept != (now, str(number)):
        raise Refused(
            f"right values, but Redis now holds {kept!r} and should hold {(now, str(number))!r}",
            "Write what slow_visit writes, under the same keys.",
        )
