"""Load a page whose second question needs the first one's answer."""

import random

from lab_utils.course.checking import (
    Refused,
    Recording,
    check_ran,
    commands_sent,
    cost_of,
    counted,
    exercise_client,
    first_difference,
    refuse_over,
    refuse_pipelines,
    text,
    trips_of,
)

USERS = 40
NO_CART = (3, 20)  # users without the field `cart`
BESIDE = (
    "Users without a cart queue no LRANGE, so there are fewer replies than users. Who gets "
    "the next one?"
)


def check(answer):
    ids = random.Random(3).sample(range(USERS), USERS)
    with exercise_client() as client:
        right = fill(client, ids)
        with Recording() as seen:
            got = check_ran(answer(client, list(ids)), "the check")
    refuse_pipelines(got)
    check_load(got, right, names_guessed(seen))
    cost = cost_of(seen)
    refuse_over(cost, 2)
    return (
        f"{USERS} users and their carts in {counted(trips_of(cost), 'round trip')}, "
        f"{counted(cost.commands, 'command')}"
    )


def names_guessed(seen):
    """Return the carts that were read and that no user has."""
    carts = {cart_of(i).encode() for i in range(USERS) if i not in NO_CART}
    read = [rest[0] for name, *rest in commands_sent(seen) if name.upper() == b"LRANGE"]
    return [text(key) for key in read if key not in carts]


def cart_of(i):
    return f"exercise:cart:{i * 7 + 1}"


def fill(client, ids):
    """Write the users and their carts; return what `load` must return for `ids`."""
    pipe, right = client.pipeline(transaction=False), []
    for i in ids:
        user, items = {"name": f"user {i}"}, []
        if i not in NO_CART:
            user["cart"], items = cart_of(i), [f"item {i}.{n}" for n in range(i % 3 + 1)]
            pipe.rpush(user["cart"], *items)
        pipe.hset(f"exercise:user:{i}", mapping=user)
        right.append((user["name"], items))
    pipe.execute()
    return right


def check_load(got, right, guessed):
    """Raise Refused unless `got` is [(name, [items]), ...] in the order of the ids."""
    try:
        said = [
            (text(name), [text(item) for item in items] if isinstance(items, list) else items)
            for name, items in got
        ]
    except (TypeError, ValueError):
        raise Refused(
            "return a list with one (name, items) for each user, as today's version does", BESIDE
        ) from None
    if said == right:
        return
    if guessed:
        raise Refused(
            f"you read {guessed[0]!r}, and no user's field `cart` names it: a cart's "
            "name is not made from the user's id",
            "A cart's name is only known once its user has been read: which commands can "
            "go first, all together?",
            "First turn: an HMGET of every user, in a pipeline. Second turn: an LRANGE "
            "of every cart that they name.",
        )
    if sorted(map(repr, said)) == sorted(map(repr, right)):
        raise Refused(
            "the right users and carts, but not in the order of ids",
            "Go through `ids` in both turns, in its order.",
        )
    if len(said) != len(right):
        raise Refused(
            f"{len(said)} users where {len(right)} were asked for: {len(NO_CART)} of "
            "them have no cart, and they count too",
            BESIDE,
        )
    first = first_difference(said, right)
    name, items = right[first]
    if said[first] == (name, None):
        raise Refused(
            f"{name} has no cart: today's version says [] and you returned None",
            "[] can be counted and gone through as any other cart: replies for those who "
            "have one, [] for those who don't.",
        )
    raise Refused(
        f"{name} has {items!r}, and you returned {said[first]!r}. Some users have no "
        "cart: do the replies still stand beside the right users?",
        BESIDE,
        "carts = iter(pipe.execute()), then next(carts) if the user has a cart, else [].",
    )
