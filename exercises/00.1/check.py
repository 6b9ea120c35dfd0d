"""Write two keys with one command and read them with another."""

from lab_utils.course.checking import (Refused, cost_and_result, counted, exercise_client,
                                       refuse_over, shown)


def check(answer):
    with exercise_client() as client:
        cost, reply = cost_and_result(answer, client)
        written = client.mget("exercise:a", "exercise:b")
    if written != [b"1", b"2"]:
        raise Refused(f"afterwards exercise:a and exercise:b hold {written}, not [b'1', b'2']",
                      'r.mset({"exercise:a": 1, "exercise:b": 2}) writes both.')
    if not isinstance(reply, (list, tuple)) or list(reply) != [b"1", b"2"]:
        raise Refused(f"the values are stored, but the function returned {shown(reply)}, not "
                      "[b'1', b'2'] as read back",
                      "Return the reply of r.mget as it is: a list, and the values in it are bytes."
                      if reply is not None
                      else "What the last command of your function replies is the answer: put a "
                           "return before it.")
    refuse_over(cost, 2)
    if cost.commands < 2:
        raise Refused("both values are stored and returned, but a single command was sent: nothing "
                      "was read", 'return r.mget(["exercise:a", "exercise:b"]) reads both.')
    return f"both values written and read in {counted(cost.round_trips, 'round trip')}"
