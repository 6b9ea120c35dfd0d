"""Count and date a visit in one step."""

import secrets

from lab_utils.course.checking import (Refused, Recording, cost_of, exercise_client, names_sent,
                                       refuse_over, shown)

VISITS = 3


def check(answer):
    with exercise_client(decode_responses=True) as client:
        for _ in range(VISITS):
            user, before = secrets.token_hex(4), None
            for number in range(1, VISITS + 1):
                now = secrets.token_hex(4)
                with Recording() as seen:
                    said = answer(client, user, now)
                check_visit(said, (before, number), f"visit {number} of {user}")
                check_kept(client, user, now, number)
                refuse_over(cost_of(seen), 1)
                names = names_sent(seen)
                if {"GET", "SET"} <= set(names) and "MULTI" not in names:
                    raise Refused("right values in one round trip, but GET and SET are two "
                                  "commands, and a plain pipeline lets others in between: two "
                                  "visits would both see the same one before")
                before = now
    return f"{VISITS * VISITS} visits, each counted and dated in one round trip"


def check_visit(said, expected, call):
    if not isinstance(said, (list, tuple)) or tuple(said) != expected:
        raise Refused(f"{call}: visit returned {shown(said)} and should return {expected!r}",
                      "The time of the visit before, None for the first, and the count, a number "
                      "that begins with 1.", "return before, count")


def check_kept(client, user, now, number):
    kept = client.get(f"exercise:seen:{user}"), client.get(f"exercise:visits:{user}")
    if kept != (now, str(number)):
        raise Refused(f"right values, but Redis now holds {kept!r} and should hold "
                      f"{(now, str(number))!r}",
                      "Write what slow_visit writes, under the same keys.")
