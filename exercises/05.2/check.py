"""Search by two conditions with two indexes."""

from collections import Counter

from lab_utils.course.checking import (
    Refused,
    Recording,
    commands_sent,
    cost_of,
    counted,
    exercise_client,
    names_sent,
    refuse_over,
    refuse_walks,
    shown,
    text,
)

CUSTOMERS = 60
CITIES, PLANS = ("Lima", "Oslo", "Pune"), ("free", "paid")
GHOST = 61  # in the indexes, but its record is gone


def check(answer):
    with exercise_client() as client:
        records = write_customers(client)
        wanted = [
            record
            for record in records.values()
            if record["city"] == "Oslo" and record["plan"] == "paid"
        ]
        cost = checked(answer, client, "Oslo", "paid", wanted)
        checked(answer, client, "Rome", "paid", [])
    return (
        f"{len(wanted)} records of {CUSTOMERS} by two conditions in "
        f"{counted(cost.round_trips, 'round trip')}, {counted(cost.commands, 'command')}"
    )


def write_customers(client):
    """Write the records and both indexes, a ghost in the indexes; return {id: record}."""
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


def checked(answer, client, city, plan, wanted):
    with Recording() as seen:
        got = list(answer(client, city, plan) or ())
    cost, sent = cost_of(seen), Counter(names_sent(seen))
    refuse_bytes_in_names(commands_sent(seen))
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
    refuse_walks(sent)
    refuse_over(cost, 2, "right records")
    if sent["HGETALL"] + sent["HMGET"] > len(wanted) + 1:
        raise Refused(
            f"right records, but {sent['HGETALL'] + sent['HMGET']} were read to return "
            f"{len(wanted)}: let the server apply both conditions",
            "Which members do the two sets have in common? A command of its own tells.",
            'r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}")',
        )
    return cost


def refuse_bytes_in_names(commands):
    """Raise Refused if a name holds b'…': a set's member is bytes, as it stands."""
    for name in (part.decode(errors="replace") for command in commands for part in command[1:]):
        if name.startswith("exercise:") and "b'" in name:
            raise Refused(
                f"you ask for {name!r}, and no key has that name: redis-py returns the "
                "members of a set as bytes, and an f-string writes b'…' for them",
                "int(…) or .decode() makes a number or a text of the bytes.",
            )
