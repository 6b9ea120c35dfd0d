"""Check exercise 03.3: load a page whose second question needs the reply to the first one."""

import random

from lab_utils.course.checking import (
    Attempt,
    Refused,
    counted,
    exercise_client,
    of_kind,
    refuse_other_list,
    refuse_over,
    text,
    trips_of,
)

USERS = 40
NO_CART = (3, 20)  # users without the field `cart`
LARGE_CART = 7  # whose cart holds more than a page shows
LARGE = 150
BESIDE = (
    "A user without a cart counts too, with []. Users without a cart queue no LRANGE, "
    "so there are fewer replies than users. Who gets the next one?"
)


def check(answer) -> str:
    ids = random.Random(3).sample(range(USERS), USERS)
    with exercise_client() as client:
        right = fill(client, ids)
        attempt = Attempt(answer, client, list(ids))
        check_load(attempt.reply, right)
        refuse_over(attempt.cost, 2)
        check_load(answer(client, []), [])
    return (
        f"{USERS} users and their carts in {counted(trips_of(attempt.cost), 'round trip')}, "
        f"{counted(attempt.cost.commands, 'command')}"
    )


def fill(client, ids: list[int]) -> list[tuple]:
    """Write users with the numbers `ids`, and their carts; return what the learner must return.

    The learner's function is called as `load(r, ids)`. What it must return is a list of (name,
    [items]) for each user, all bytes. `client` is a redis.Redis.
    """
    pipe, right = client.pipeline(transaction=False), []
    for i in ids:
        user, items = {"name": f"user {i}"}, []
        if i not in NO_CART:
            user["cart"] = f"exercise:cart:{i * 7 + 1}"
            items = [f"item {i}.{n}" for n in range(LARGE if i == LARGE_CART else i % 3 + 1)]
            pipe.rpush(user["cart"], *items)
        pipe.hset(f"exercise:user:{i}", mapping=user)
        right.append((user["name"].encode(), [item.encode() for item in items]))
    pipe.execute()
    return right


def check_load(got, right: list[tuple]) -> None:
    """Raise Refused unless `got`, which the learner's `load` returned, equals `right`.

    `right` is [(name, [items])], all bytes; a list in place of a tuple is accepted.
    """
    of_kind(list, got, "load", "a list with one (name, items) for each user", BESIDE)
    said = [tuple(each) if isinstance(each, list) else each for each in got]
    for each, (name, items) in zip(said, right, strict=False):
        if each in [(name, items[:number]) for number in range(1, len(items))]:
            raise Refused(
                f"{text(name)} has {len(items)} items, and you returned {len(each[1])} of them: "
                "today's version returns all",
                "LRANGE key 0 -1 reads to the end. A page that shows a hundred is another task: it "
                "would say so, and today's version would have the limit too.",
            )
    refuse_other_list(
        said,
        right,
        "load",
        BESIDE,
        "carts = iter(pipe.execute()), then next(carts) if the user has a cart, else [].",
    )
