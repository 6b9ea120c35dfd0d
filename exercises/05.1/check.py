"""Check exercise 05.1: store orders so that all orders of one customer can be read at once."""

from lab_utils.course.checking import (
    NO_WALKS,
    Attempt,
    Refused,
    counted,
    exercise_client,
    refuse_bytes_in_names,
    refuse_over,
    refuse_walks,
    text,
)

# orders by customer; one name begins with the other, as names do
ORDERS = {"anna": 25, "anna:lena": 25, "bo": 200}
MOST_BYTES = 150  # read for each order, and 500 more: room for its number and what surrounds it


def check(answer) -> str:
    save, find = answer
    with exercise_client() as client:
        before = names(client)
        right = save_all(save, client)
        foreign = [key for key in names(client) - before if not key.startswith(b"exercise:")]
        if foreign:
            client.delete(*foreign)  # or the next try would find them there and say nothing
            raise Refused(
                f"every order is saved, but {counted(len(foreign), 'key')} of yours did not begin "
                "with exercise:",
                'f"exercise:…:{customer}" keeps them apart from everybody else\'s.',
            )
        costs = [
            trips_to_find(find, client, customer, texts, right) for customer, texts in right.items()
        ]
    return (
        f"{sum(ORDERS.values())} orders saved, each in 1 round trip; found in "
        f"{counted(max(costs), 'round trip')}, without KEYS or SCAN"
    )


def names(client):
    return set(client.scan_iter(count=10_000))


def save_all(save, client) -> dict[str, list[str]]:
    """Save orders of several customers by the learner's `save`; return {customer: [order texts]}.

    The texts are those that the learner's `find` must return. `save(client, customer, number,
    text)` is called for one customer after another, and for one order a second time, with another
    text. `client` is a redis.Redis. Raises Refused if saving one order takes more than one round
    trip.
    """
    right = {customer: [] for customer in ORDERS}
    in_turn = [
        customer
        for turn in range(max(ORDERS.values()))
        for customer, count in ORDERS.items()
        if turn < count
    ]
    for number, customer in enumerate(in_turn, 1):
        right[customer].append(f"order {number} of {customer}")
        refuse_over(
            Attempt(save, client, customer, number, right[customer][-1]).cost,
            1,
            "each order is saved",
            "What belongs to one order can leave together.",
            "pipe = r.pipeline(); queue both commands; pipe.execute()",
        )
    save(client, "bo", number, "the last order of bo, changed")
    right["bo"][-1] = "the last order of bo, changed"
    return {**right, "nobody": []}


def trips_to_find(
    find, client, customer: str, texts: list[str], right: dict[str, list[str]]
) -> int:
    # Read inside, since a generator asks when it is read.
    attempt = Attempt(lambda: [str(text(each)) for each in find(client, customer) or ()])
    got = attempt.reply
    refuse_bytes_in_names(attempt)
    if sorted(got) != sorted(texts):
        raise Refused(*wrong_orders(got, customer, texts, right))
    refuse_walks(attempt)
    refuse_over(attempt.cost, 2, "right answer")
    if attempt.cost.bytes_received > MOST_BYTES * len(texts) + 500:
        raise Refused(
            f"right answer, but {attempt.cost.bytes_received:,} bytes were read for {len(texts)} "
            "orders: other customers' orders came along",
            "Give each customer a key of their own, and read that alone.",
        )
    return attempt.cost.round_trips


def wrong_orders(
    got: list[str], customer: str, texts: list[str], right: dict[str, list[str]]
) -> tuple[str, ...]:
    """Return what is wrong with the orders that the learner's `find` returned: (sentence, hints…).

    `got` are those orders, as texts, `texts` are the right ones of `customer`, and `right` is
    {customer: [texts]} for all customers.
    """
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
        alike = ", whose name only begins the same" if others[0].startswith(customer) else ""
        return (
            f"find(r, {customer!r}) returned orders of {others[0]!r} too: that is another "
            f"customer{alike}",
            *NO_WALKS,
        )
    return (
        f"find(r, {customer!r}) returned {counted(len(got), 'text')}, of which "
        f"{len(set(got) & set(texts)):,} are right; {customer} has "
        f"{counted(len(texts), 'order')}",
    )
