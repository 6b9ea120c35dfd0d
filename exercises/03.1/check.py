"""Read many keys in one round trip."""

import random

from lab_utils.course.checking import (
    Refused,
    cost_and_result,
    counted,
    exercise_client,
    first_difference,
    refuse_over,
    refuse_pipelines,
    shown,
    text,
)

READ = 50
MISSING = (7, 31)  # never written: their place in the answer is None


def check(answer):
    numbers = random.Random(3).sample(range(READ), READ)
    keys = [f"exercise:key:{i}" for i in numbers]
    right = [None if i in MISSING else f"value {i}" for i in numbers]
    with exercise_client() as client:
        client.mset(
            {key: value for key, value in zip(keys, right, strict=True) if value is not None}
        )
        cost, got = cost_and_result(lambda r: answer(r, list(keys)), client)
    refuse_pipelines(got)
    check_read(got, right)
    refuse_over(cost, 1)
    return (
        f"{READ} keys in 1 round trip, {counted(cost.commands, 'command')}, in the order asked for"
    )


def check_read(got, right):
    """Raise Refused unless `got` lists the values in the order of keys, None where missing."""
    if not isinstance(got, (list, tuple)):
        what = "a dict" if isinstance(got, dict) else shown(got)
        raise Refused(
            f"you returned {what}; return a list, the values in the order of keys",
            "Return what the server replied. Of a dict: [found[key] for key in keys].",
        )
    said = [text(value) for value in got]
    if said == right:
        return
    present = [value for value in right if value is not None]
    if said == present:
        raise Refused(
            f"{len(said)} values for {READ} keys: {len(MISSING)} keys do not exist, and "
            "their places must hold None, or nobody knows which value belongs to which "
            "key",
            "None says that there is no such key. Leave it where it stands in the reply.",
        )
    if sorted(map(str, said)) in (sorted(map(str, right)), sorted(map(str, present))):
        raise Refused(
            "the right values, but not in the order of keys",
            "The replies come in the order in which the keys were asked for. Ask in the "
            "order of `keys`.",
        )
    first = first_difference(said, right)
    raise Refused(
        f"{len(said)} values for {READ} keys"
        if len(said) != READ
        else f"place {first} holds {said[first]!r}; it should be {right[first]!r}"
    )
