"""Check exercise 01.2: send the many small questions of a page in one round trip."""

from lab_utils.course.checking import (
    Attempt,
    counted,
    exercise_client,
    refuse_other_list,
    refuse_over,
)

USERS = range(101)
NEW = 50  # a user of whom nothing is stored yet
PAIRING = (
    "Today's version returns a list with a tuple (name, visits) for each user, in the order of "
    "users: what a GET of the name replied, and what an INCR of the visits replied.",
    "The replies alternate: name, visits, name, visits. replies[::2] is every other one, from the "
    "first.",
    "list(zip(replies[::2], replies[1::2])) puts each name beside its visits.",
)


def check(answer) -> str:
    right = [(f"user {i}", 10 * i + 1) for i in USERS]
    right[NEW] = (None, 1)
    names = [f"exercise:name:{user}" for user in USERS]
    visits = [f"exercise:visits:{user}" for user in USERS]
    with exercise_client(decode_responses=True) as client:
        client.mset(
            {key: f"user {i}" for i, key in enumerate(names)}
            | {key: 10 * i for i, key in enumerate(visits)}
        )
        client.delete(names[NEW], visits[NEW])
        attempt = Attempt(answer, client, list(USERS))
        refuse_other_list(attempt.reply, right, "page", *PAIRING)
        refuse_over(attempt.cost, 1)
        refuse_other_list(answer(client, []), [], "page of no users")
    return f"{len(USERS)} users in 1 round trip, {counted(attempt.cost.commands, 'command')}"
