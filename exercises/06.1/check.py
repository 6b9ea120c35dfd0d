"""Check exercise 06.1: store an order as JSON, and read it back with the same types and values."""

import contextlib
import copy
import json
from datetime import UTC, datetime
from decimal import Decimal

from lab_utils.course.checking import Refused, clean, exercise_client

ORDERS = (
    {
        "id": 1,
        "customer": "Zoë",
        "placed": datetime(2025, 3, 4, 5, 6, 7, 800),
        "total": Decimal("19.90"),
        "paid": True,
    },
    {
        "id": -7,
        "customer": "",
        "placed": datetime(1969, 12, 31),
        "total": Decimal("-5.00"),
        "note": None,
        "lines": [],
    },
    {
        "id": 2,
        "customer": "19.90",
        "placed": datetime(2025, 3, 4, 5, 6, tzinfo=UTC),
        "note": "2025-03-04",
        "lines": [
            {"sku": "A-1", "price": Decimal("1.10"), "count": 3},
            {"sku": "B-2", "price": Decimal("0.00"), "count": 1},
        ],
    },
)
GUESSED = (
    "A value's looks do not tell its type: a text stays a text, and a number a number. The "
    "writer knows which was a Decimal: how does the reader hear of it?",
    'Write {"$decimal": "19.90"} for a Decimal and {"$datetime": value.isoformat()} for a '
    "datetime; texts as they are.",
)
OWN_MARKS = (
    "What you write for a Decimal may stand in an order as plain data, and must not be "
    "taken for a Decimal then. A text can begin with anything; a dict can have any key. "
    "Only the writer can tell: wrap it, or refuse it, when you write.",
    "Walk through the order before json.dumps: where a dict has your mark's key, wrap it "
    "in a mark of its own, or raise. When reading, turn a dict back only if your mark is "
    'all it holds: found.keys() == {"$decimal"}.',
)


def check(answer) -> str:
    with exercise_client() as r:
        for order in ORDERS:
            got = answer(r, copy.deepcopy(order))
            held = r.get("exercise:order")
            if held is None:
                raise Refused(
                    "nothing is stored under exercise:order.",
                    'r.set("exercise:order", …) stores it.',
                )
            json_in(held)
            where = difference(order, got, "the order")
            if where:
                raise Refused(where, *GUESSED)
            clean(r)
        refuse_mistaken_marks(answer, r, json_in(held), order)
    return (
        f"{len(ORDERS)} orders went through JSON and came back as they were, Decimal and "
        "datetime included"
    )


def json_in(data):
    try:
        return json.loads(data)
    except ValueError:
        raise Refused(
            f"what is stored is not JSON: it begins with {data[:8]!r}. Another language "
            "could not read it.",
            "json.dumps writes the order; it calls its `default` for what it does not know.",
        ) from None


def refuse_mistaken_marks(answer, r, found, order: dict) -> None:
    """Raise Refused if the learner's function reads an ordinary text back as a date or a Decimal.

    `answer(r, order)` is that function: it stores an order in Redis as JSON, and returns it as read
    back. JSON has neither type, so the function may mark such values, say as the text
    "date:2025-03-04". `found` is the decoded JSON that it stored for `order`. What it stored there
    for the date, and for a price, is tried as the note in another order. The note must come back as
    it was, unless the function refuses that order before it writes.
    """
    marks = []
    with contextlib.suppress(LookupError, TypeError):  # an answer may lay an order out otherwise
        marks += [found["placed"], found["lines"][0]["price"]]
    line, *lines = order["lines"]
    for mark in marks:
        clean(r)
        sent = {**order, "lines": [{**line, "note": mark}, *lines]}
        got = None
        with contextlib.suppress(Exception):
            got = answer(r, copy.deepcopy(sent))
        refused_in_time = got is None and not r.exists("exercise:order")
        where = None if refused_in_time else difference(sent, got, "the order")
        if where:
            raise Refused(
                f"an order with the note {mark!r}, which looks like your own mark: {where}",
                *OWN_MARKS,
            )


def difference(wanted, got, where: str) -> str | None:
    """Return a sentence on the first difference of two values in type or content; None if equal.

    `wanted` and `got` are dicts, lists, or single values such as a Decimal; dicts and lists are
    compared with all that is inside them. `where` is the value's name in the sentence.
    """
    if type(wanted) is not type(got):
        return (
            f"{where} came back as {type(got).__name__} {got!r}; "
            f"it was {type(wanted).__name__} {wanted!r}."
        )
    if isinstance(wanted, list):
        wanted, got = dict(enumerate(wanted)), dict(enumerate(got))
    if isinstance(wanted, dict):
        if wanted.keys() != got.keys():
            missing = sorted(map(str, wanted.keys() ^ got.keys()))
            return f"{where} differs in its keys: {', '.join(missing)}."
        parts = (difference(wanted[key], got[key], key) for key in wanted)
        return next(filter(None, parts), None)
    same = repr(wanted) == repr(got)
    return None if same else f"{where} came back as {got!r}; it was {wanted!r}."
