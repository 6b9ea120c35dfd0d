"""Send a page's many small questions in one round trip."""

from collections.abc import Iterator

from lab_utils.course.checking import (
    Refused,
    Recording,
    cost_of,
    counted,
    exercise_client,
    first_difference,
    refuse_over,
    refuse_pipelines,
    shown,
)

USERS = range(20)
PAIRING = (
    "Each user needs what a GET of the name replied and what an INCR of the visits replied, "
    "in the order of users."
)


def check(answer):
    names = [f"exercise:name:{user}" for user in USERS]
    visits = [f"exercise:visits:{user}" for user in USERS]
    with exercise_client(decode_responses=True) as client:
        client.mset(
            {key: f"user {i}" for i, key in enumerate(names)}
            | {key: 10 * i for i, key in enumerate(visits)}
        )
        with Recording() as seen:
            got = answer(client, list(USERS))
        after = [int(value) for value in client.mget(visits)]
    check_page(got, after)
    cost = cost_of(seen)
    refuse_over(cost, 1)
    return f"{len(USERS)} users in 1 round trip, {counted(cost.commands, 'command')}"


def check_page(got, after):
    """Raise Refused unless `got` lists (name, visits) a user, and each visit counted once."""
    right = [(f"user {i}", 10 * i + 1) for i in USERS]
    refuse_pipelines(got)
    flat = [each for pair in right for each in pair]
    if not isinstance(got, list):
        what = (
            f"a {type(got).__name__}, which can be read once only"
            if isinstance(got, Iterator)
            else shown(got)
        )
        raise Refused(
            f"page returned {what}; today's version returns a list with one (name, "
            "visits) for each user",
            "list(...) makes a list of whatever can be read in order; return that.",
        )
    if got == flat:
        raise Refused(
            "one flat list of replies; the page wants a (name, visits) pair for each user",
            "The replies alternate: name, visits, name, visits. replies[::2] is every "
            "other one, from the first.",
            "list(zip(replies[::2], replies[1::2])) puts each name beside its visits.",
        )
    if any(isinstance(pair, list) for pair in got):
        raise Refused(
            f"page returned {shown(got[0])} for a user where today's version returns a tuple",
            "zip makes tuples: list(zip(names, visits)). Or tuple(pair) for each pair.",
        )
    if got != right:
        first = first_difference(got, right)
        if first is None:
            raise Refused(f"{len(got)} entries for {len(right)} users", PAIRING)
        raise Refused(
            f"user {first}: returned {shown(got[first])} where today's version returns "
            f"{right[first]!r}",
            PAIRING,
        )
    if after != [visit for _, visit in right]:
        raise Refused(
            "right values, but the visit counters in Redis are not what INCR would have left",
            "Today's version sends one INCR a user, no more and no less. Queue just that.",
        )
