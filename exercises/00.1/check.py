"""Write two keys with one command and read them with another."""

from lab_utils.course.checking import (
    SCRIPTS,
    Refused,
    Recording,
    commands_sent,
    cost_of,
    counted,
    exercise_client,
    refuse_over,
    shown,
)

READS = {b"GET", b"MGET"} | SCRIPTS


def check(answer):
    with exercise_client() as client:
        with Recording() as seen:
            reply = answer(client)
        written = client.mget("exercise:a", "exercise:b")
    if written != [b"1", b"2"]:
        raise Refused(
            f"afterwards exercise:a and exercise:b hold {written}, not [b'1', b'2']",
            'r.mset({"exercise:a": 1, "exercise:b": 2}) writes both.',
        )
    if not isinstance(reply, (list, tuple)) or list(reply) != [b"1", b"2"]:
        raise Refused(
            f"the values are stored, but the function returned {shown(reply)}, not "
            "[b'1', b'2'] as read back",
            "Return the reply of r.mget as it is: a list, and the values in it are bytes."
            if reply is not None
            else "What the last command of your function replies is the answer: put a "
            "return before it.",
        )
    cost = cost_of(seen)
    refuse_over(cost, 2)
    if READS.isdisjoint(command[0].upper() for command in commands_sent(seen)):
        raise Refused(
            "both values are stored and returned, but nothing was read",
            'return r.mget(["exercise:a", "exercise:b"]) reads both.',
        )
    return f"both values written and read in {counted(cost.round_trips, 'round trip')}"
