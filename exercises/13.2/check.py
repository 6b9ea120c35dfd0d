"""Take a hidden connection out of somebody's benchmark."""

import random

from lab_utils.course.checking import (
    Refused,
    Recording,
    cost_of,
    counted,
    exercise_client,
    first_difference,
    names_sent,
    refuse_over,
    shown,
    text,
)

GETS, BY_THE_TABLE = 10, 5
LINE_MS, A_GET_MS = 20, 101.6  # 5.08 s for 50
TURNS_HINTS = (
    "Divide the seconds by the GETs, and that by what one turn takes on this line.",
    "5.08 s / 50 is about 102 ms a GET, and a turn is 20 ms. How many turns fit into 102 ms?",
)


def check(answer):
    turns, answer = answer
    check_turns(turns)
    numbers = random.Random(13).sample(range(GETS), GETS)
    keys, right = [f"exercise:key:{i}" for i in numbers], [f"value {i}" for i in numbers]
    with exercise_client() as client:
        client.mset(dict(zip(keys, right, strict=True)))
        with Recording() as seen:
            got = answer(client, list(keys))
    check_values(got, right)
    cost, names = cost_of(seen), names_sent(seen)
    if cost.connections:
        raise Refused(
            f"right values, but {counted(cost.connections, 'connection')} for {GETS} "
            "GETs: the benchmark would time "
            f"{'that' if cost.connections == 1 else 'those'} again"
        )
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


def check_turns(turns):
    """Raise Refused unless the table's turns a GET are named."""
    if isinstance(turns, bool) or not isinstance(turns, (int, float)):
        raise Refused(
            f"turns_by_the_table is a number of turns for one GET, not {type(turns).__name__}",
            *TURNS_HINTS,
        )
    if abs(turns - A_GET_MS / LINE_MS) < 0.2:
        return
    make = f"turn of {LINE_MS} ms makes" if turns == 1 else f"turns of {LINE_MS} ms make"
    said = f"{turns:g} {make} {turns * LINE_MS:g} ms"
    if turns == BY_THE_TABLE - 1:
        raise Refused(
            f"{said}: that is what opens the connection. The GET itself is a turn too", *TURNS_HINTS
        )
    raise Refused(f"{said}, and by the table a GET takes about {A_GET_MS:.0f} ms", *TURNS_HINTS)


def check_values(got, right):
    """Raise Refused unless `got` lists the values in the order of the keys."""
    if not isinstance(got, (list, tuple)) or len(got) != len(right):
        raise Refused(
            f"read_all returned {shown(got)}; a list with one value for each of "
            f"{len(right)} keys was expected",
            "As the colleague's program does.",
        )
    said = [text(value) for value in got]
    place = first_difference(said, right)
    if place is not None:
        raise Refused(
            f"place {place} holds {said[place]!r}; it should be {right[place]!r}",
            "The values in the order of keys.",
        )
