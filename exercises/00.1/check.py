"""Check exercise 00.1: write two keys with one command, and read both with one other command."""

from lab_utils.course.checking import (
    Attempt,
    Refused,
    counted,
    exercise_client,
    refuse_over,
    shown,
)


def check(answer) -> str:
    with exercise_client() as client:
        attempt = Attempt(answer, client)
        written = client.mget("exercise:a", "exercise:b")
    if written != [b"1", b"2"]:
        raise Refused(
            f"afterwards exercise:a and exercise:b hold {written}, not [b'1', b'2']",
            'r.mset({"exercise:a": 1, "exercise:b": 2}) writes both.',
        )
    reply = attempt.reply
    if not isinstance(reply, (list, tuple)) or list(reply) != [b"1", b"2"]:
        raise Refused(
            f"the values are stored, but the function returned {shown(reply)}, not "
            "[b'1', b'2'] as read back",
            "Return the reply of r.mget as it is: a list, and the values in it are bytes."
            if reply is not None
            else "What the last command of your function replies is the answer: put a "
            "return before it.",
        )
    refuse_over(attempt.cost, 2)
    return f"both values written and read in {counted(attempt.cost.round_trips, 'round trip')}"
