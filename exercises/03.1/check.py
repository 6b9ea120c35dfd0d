"""Check exercise 03.1: read many keys in one round trip."""

import random

from lab_utils.course.checking import (
    Attempt,
    counted,
    exercise_client,
    refuse_other_list,
    refuse_over,
)

READ = 150
MISSING = (7, 31)  # never written: their place in the answer is None


def check(answer) -> str:
    numbers = random.Random(3).sample(range(READ), READ)
    keys = [f"exercise:key:{i}" for i in numbers]
    right = [None if i in MISSING else f"value {i}" for i in numbers]
    with exercise_client() as client:
        client.mset(
            {key: value for key, value in zip(keys, right, strict=True) if value is not None}
        )
        attempt = Attempt(answer, client, list(keys))
        refuse_other_list(
            attempt.reply,
            right,
            f"read_all of {READ} keys, of which {len(MISSING)} do not exist,",
            "The replies come in the order in which the keys were asked for, with None for a key "
            "that does not exist. Return what the server replied. Of a dict: [found[key] for key "
            "in keys].",
        )
        refuse_over(attempt.cost, 1)
        refuse_other_list(answer(client, []), [], "read_all of no keys")
    return (
        f"{READ} keys in 1 round trip, {counted(attempt.cost.commands, 'command')}, in the order "
        "asked for; and of no keys nothing"
    )
