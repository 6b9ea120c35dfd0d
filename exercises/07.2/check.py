"""Check exercise 07.2: limit the number of calls in a fixed window of time."""

import redis

from lab_utils.course.checking import Refused, exercise_client, in_one_turn

OPENS = (
    "Which call opens the window? Only that one sets the expiry.",
    "SET key 0 NX PX does it where there is no key and does nothing where there is one; or "
    "look whether INCR replied with 1.",
)
HALF = (
    "EX and EXPIRE take whole seconds. Which options count in milliseconds?",
    "PX and PEXPIRE, with int(seconds * 1000).",
)


def check(answer) -> str:
    with exercise_client() as client:
        for limit in (1, 3, 101, 0):
            check_limit(answer, client, f"exercise:calls:{limit}", limit)
        check_window(answer, client, "exercise:window")
        in_one_turn(answer, client, "exercise:first", 3, 100)
        in_one_turn(answer, client, "exercise:first", 3, 100)
        check_half_a_second(answer, client, "exercise:short")
    return "lets through what the limit allows, opens the window once, in 1 round trip"


def check_limit(answer, client, key, limit):
    answers = [bool(answer(client, key, limit, 100)) for _ in range(limit + 2)]
    if answers != [True] * limit + [False] * 2:
        said = ", ".join(str(each) for each in answers)
        raise Refused(
            f"with a limit of {limit}, {limit + 2} calls got {said}",
            "INCR replies with the count, this call included. Which counts are let through?",
            "calls <= limit",
        )
    if client.ttl(key) == -1:
        raise Refused(
            "the key has no expiry: whoever reaches the limit is locked out for good", *OPENS
        )
    if not 0 < client.ttl(key) <= 100:
        raise Refused(
            f"the calls are to be counted in {key} for 100 s, and it expires in "
            f"~{client.ttl(key)} s",
            "INCR key counts. EX and EXPIRE take seconds, PX and PEXPIRE milliseconds.",
        )


def check_window(answer, client, key):
    answer(client, key, 2, 100)
    client.expire(key, 40)
    for which in ("the second", "a refused"):
        answer(client, key, 2, 100)
        if client.ttl(key) > 40:
            raise Refused(
                f"{which} call began the window anew: whoever keeps calling is never let in again",
                *OPENS,
            )
    client.delete(key)
    if not answer(client, key, 2, 100):
        raise Refused("the window was over, and the next call was refused", *OPENS)


def check_half_a_second(answer, client, key):
    try:
        answer(client, key, 2, 0.5)
    except redis.RedisError as error:
        raise Refused(
            f"a window of 0.5 s ended in {type(error).__name__} ({error})", *HALF
        ) from None
    if not 0 < client.pttl(key) <= 500:
        raise Refused(
            f"a window of 0.5 s is to last 500 ms, and the key expires in ~{client.pttl(key)} ms",
            *HALF,
        )
