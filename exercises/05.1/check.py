"""Lay data out for the question that will be asked."""

from collections import Counter

from lab_utils.course.checking import (
    NO_WALKS,
    WALKS,
    Refused,
    Recording,
    clean,
    cost_of,
    counted,
    exercise_client,
    names_sent,
    refuse_over,
    refuse_walks,
    text,
)

# orders by customer; one name begins with the other, as names do
ORDERS = {"anna": 25, "anna:lena": 25, "bo": 200}
MOST_BYTES = 150  # read for each order, and 500 more: room for its number and what surrounds it


def check(answer):
    save, find = answer
    with exercise_client() as client:
        before = names(client)
        try:
            right = save_all(save, client)
            costs = [
                found(find, client, customer, texts, right) for customer, texts in right.items()
            ]
        finally:
            clean(client)
            foreign = names(client) - before
            if foreign:
                client.delete(*foreign)  # or the next try would find them there and say nothing
    if foreign:
        raise Refused(
            f"right answer, but {counted(len(foreign), 'key')} of yours did not begin "
            "with exercise:",
            'f"exercise:…:{customer}" keeps them apart from everybody else\'s.',
        )
    return (
        f"{sum(ORDERS.values())} orders saved, each in 1 round trip; found in "
        f"{counted(max(costs), 'round trip')}, without KEYS or SCAN"
    )


def names(client):
    return set(client.scan_iter(count=10_000))


def save_all(save, client):
    """Save everybody's orders in turn, one of them twice; return {customer: [texts]}."""
    right = {customer: [] for customer in ORDERS}
    in_turn = [
        customer
        for turn in range(max(ORDERS.values()))
        for customer, count in ORDERS.items()
        if turn < count
    ]
    for number, customer in enumerate(in_turn, 1):
        right[customer].append(f"order {number} of {customer}")
        with Recording() as seen:
            save(client, customer, number, right[customer][-1])
        refuse_over(
            cost_of(seen),
            1,
            "each order is saved",
            "What belongs to one order can leave together.",
            "pipe = r.pipeline(); queue both commands; pipe.execute()",
        )
    save(client, "bo", number, "the last order of bo, changed")
    right["bo"][-1] = "the last order of bo, changed"
    return {**right, "nobody": []}


def found(find, client, customer, texts, right):
    with Recording() as seen:  # what a generator asks for when it is read counts as well
        got = find(client, customer) or ()
        got = [str(text(value)) for value in (got.values() if isinstance(got, dict) else got)]
    cost, sent = cost_of(seen), Counter(names_sent(seen))
    if sorted(got) != sorted(texts):
        raise Refused(
            *wrong_orders(got, customer, texts, right, [name for name in WALKS if sent[name]])
        )
    refuse_walks(sent)
    refuse_over(cost, 2, "right answer")
    if cost.bytes_received > MOST_BYTES * len(texts) + 500:
        raise Refused(
            f"right answer, but {cost.bytes_received:,} bytes were read for {len(texts)} "
            "orders: other customers' orders came along",
            "Give each customer a key of their own, and read that alone.",
        )
    return cost.round_trips


def wrong_orders(got, customer, texts, right, walks):
    """Return what is wrong with the orders that were found, and hints that fit."""
    if got and set(got) == {"None"}:
        return (
            f"find(r, {customer!r}) returned None {counted(len(got), 'time')}: the names that "
            "it asks for are not those that save writes",
            "Print a name that save writes and one that find asks for, and compare them.",
        )
    if customer == "bo" and len(got) > len(texts):
        return (
            f"an order of {customer} that was saved twice is found twice, as it was and as it is",
            "Saved again it must land in the same place. What of an order stays the same when "
            "its text changes?",
            "Its number: as the field of a hash it can stand there only once.",
        )
    others = [name for name, their in right.items() if name != customer and set(got) & set(their)]
    if others:
        by = f" {walks[0]} looks at every key, and finds whatever fits the pattern" if walks else ""
        alike = ", whose name only begins the same" if others[0].startswith(customer) else ""
        return (
            f"find(r, {customer!r}) returned orders of {others[0]!r} too: that is another "
            f"customer{alike}.{by}",
            *NO_WALKS,
        )
    return (
        f"find(r, {customer!r}) returned {counted(len(got), 'text')}, of which "
        f"{len(set(got) & set(texts)):,} are right; {customer} has "
        f"{counted(len(texts), 'order')}",
    )
