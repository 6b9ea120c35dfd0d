"""Check exercise 05.2: find the customers that fulfil two conditions, with two indexes."""

from lab_utils.course.checking import (
    Attempt,
    Refused,
    counted,
    exercise_client,
    refuse_bytes_in_names,
    refuse_over,
    refuse_walks,
    shown,
    text,
)

CUSTOMERS = 700
CITIES, PLANS = ("Lima", "Oslo", "Pune"), ("free", "paid")
GHOST = CUSTOMERS + 1  # in the indexes, but its record is gone


def check(answer) -> str:
    with exercise_client() as client:
        records = write_customers(client)
        wanted = [
            record
            for record in records.values()
            if record["city"] == "Oslo" and record["plan"] == "paid"
        ]
        cost = cost_of_find(answer, client, "Oslo", "paid", wanted)
        cost_of_find(answer, client, "Rome", "paid", [])
    return (
        f"{len(wanted)} records of {CUSTOMERS} by two conditions in "
        f"{counted(cost.round_trips, 'round trip')}, {counted(cost.commands, 'command')}"
    )


def write_customers(client) -> dict[str, dict]:
    """Write customers and the indexes by city and by plan; return {customer's number: record}.

    A record is a dict with "name", "city" and "plan". Both indexes also name one customer who has
    no record. `client` is a redis.Redis.
    """
    records = {
        number: {
            "name": f"customer {number}",
            "city": CITIES[number % 3],
            "plan": PLANS[number % 2],
        }
        for number in range(1, CUSTOMERS + 1)
    }
    pipe = client.pipeline(transaction=False)
    for number, record in records.items():
        pipe.hset(f"exercise:customer:{number}", mapping=record)
        pipe.sadd(f"exercise:city:{record['city']}", number)
        pipe.sadd(f"exercise:plan:{record['plan']}", number)
    pipe.sadd("exercise:city:Oslo", GHOST)
    pipe.sadd("exercise:plan:paid", GHOST)
    pipe.execute()
    return records


def cost_of_find(answer, client, city, plan, wanted):
    attempt = Attempt(lambda: list(answer(client, city, plan) or ()))
    got = attempt.reply
    refuse_bytes_in_names(attempt)
    if not all(isinstance(record, dict) for record in got):
        raise Refused(
            f"find(r, {city!r}, {plan!r}) returned {shown(got[0])} where a record was to stand",
            "The sets hold ids. HGETALL of exercise:customer:<id> replies with the "
            "record, as a dict.",
        )
    got = [
        {str(text(field)): str(text(value)) for field, value in record.items()} for record in got
    ]
    if any(not record for record in got):
        raise Refused(
            "right records, but an empty one among them: the index names a customer "
            "whose record is gone",
            "HGETALL of a key that is gone replies with an empty dict. Leave those out.",
        )
    right = sum(record in got for record in wanted)
    if not len(got) == len(wanted) == right:
        raise Refused(
            f"find(r, {city!r}, {plan!r}) returned {counted(len(got), 'record')}, "
            f"{right} of them right; there are {len(wanted)} to find"
        )
    refuse_walks(attempt)
    refuse_over(attempt.cost, 2, "right records")
    read = attempt.names.count("HGETALL") + attempt.names.count("HMGET")
    if read > len(wanted) + 1:
        raise Refused(
            f"right records, but {read} were read to return "
            f"{len(wanted)}: let the server apply both conditions",
            "Which members do the two sets have in common? A command of its own tells.",
            'r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}")',
        )
    return attempt.cost
