"""Check exercise 13.2: remove the hidden opening of connections from a published benchmark."""

import random

from lab_utils.course.checking import (
    NUMBER,
    Attempt,
    Refused,
    counted,
    exercise_client,
    of_kind,
    refuse_other_list,
    refuse_over,
)

GETS, BY_THE_TABLE = 120, 5
LINE_MS, A_GET_MS = 20, 101.6  # 5.08 s for 50
TURNS_HINTS = (
    "Divide the seconds by the GETs, and that by what one turn takes on this line.",
    "5.08 s / 50 is about 102 ms a GET, and a turn is 20 ms. How many turns fit into 102 ms?",
)


def check(answer) -> str:
    turns, answer = answer
    check_turns(turns)
    numbers = random.Random(13).sample(range(GETS), GETS)
    keys, right = [f"exercise:key:{i}" for i in numbers], [f"value {i}" for i in numbers]
    with exercise_client() as client:
        client.mset(dict(zip(keys, right, strict=True)))
        attempt = Attempt(answer, client, list(keys))
    refuse_other_list(
        attempt.reply,
        right,
        "read_all",
        "The values in the order of keys, as the colleague's program does.",
    )
    cost, names = attempt.cost, attempt.names
    if names != ["GET"] * GETS or cost.round_trips < GETS:
        raise Refused(
            f"right values, but in {counted(cost.round_trips, 'round trip')}, by "
            f"{' and '.join(sorted(set(names)))}: the question is what a GET costs that "
            "is sent alone, so this would be another benchmark",
            "Change one thing only: the connection.",
            "return [r.get(key) for key in keys]",
        )
    refuse_over(cost, GETS)
    return (
        f"{BY_THE_TABLE} turns a GET in the table, {BY_THE_TABLE - 1} of them to open a "
        f"connection; now {GETS} GETs are {counted(cost.round_trips, 'round trip')}"
    )


def check_turns(turns: float) -> None:
    """Raise Refused unless `turns` is how many round trips one GET takes by the exercise's table.

    That table has published times, and the right number is about 5; a difference of less than 0.2
    is accepted.
    """
    of_kind(NUMBER, turns, "turns_by_the_table", "a number of turns for one GET", *TURNS_HINTS)
    if abs(turns - A_GET_MS / LINE_MS) < 0.2:
        return
    missed = ". The GET itself is a turn too" if turns == BY_THE_TABLE - 1 else ""
    raise Refused(
        f"{turns:g} at {LINE_MS} ms a turn make {turns * LINE_MS:g} ms, and by the table a GET "
        f"takes about {A_GET_MS:.0f} ms{missed}",
        *TURNS_HINTS,
    )
