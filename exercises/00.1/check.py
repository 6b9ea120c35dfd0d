"""Chapter 00: the first exercise."""

from ...arguments import shown
from ...tracing.cost import cost_and_result
from ...words import counted
from ..checking import Refused, exercise_client, refuse_over
from ..exercises import exercise


@exercise(
    "00.1",
    task="write exercise:a and exercise:b with one command, read them with another, and return the list",
    hints=(
        "r.mset takes a dict, r.mget a list of names. Each is one command.",
        'Two lines: r.mset({"exercise:a": 1, "exercise:b": 2}), then return r.mget(["exercise:a", "exercise:b"]).',
    ),
)
def two_turns(answer):
    with exercise_client() as client:
        cost, reply = cost_and_result(answer, client)
        written = client.mget("exercise:a", "exercise:b")
    if written != [b"1", b"2"]:
        raise Refused(f"afterwards exercise:a and exercise:b hold {written}, not [b'1', b'2']",
                      'r.mset({"exercise:a": 1, "exercise:b": 2}) writes both.')
    if not isinstance(reply, (list, tuple)) or list(reply) != [b"1", b"2"]:
        raise Refused(f"the values are stored, but the function returned {shown(reply)}, not [b'1', b'2'] as read back",
                      "Return the reply of r.mget as it is: a list, and the values in it are bytes." if reply is not None else
                      "What the last command of your function replies is the answer: put a return before it.")
    refuse_over(cost, 2)
    return f"both values written and read in {counted(cost.round_trips, 'round trip')}"
