"""Store an order as JSON and get back what it was."""

import copy
import itertools
import json
from datetime import UTC, datetime
from decimal import Decimal

from lab_utils.course.checking import Refused, clean, cost_and_result, exercise_client, stored

ORDERS = (
    {
        "id": 1,
        "customer": "Zoë",
        "placed": datetime(2025, 3, 4, 5, 6, 7, 800),
        "total": Decimal("19.90"),
        "paid": True,
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
READ_BACK = 'return json.loads(r.get("exercise:order"), …)'


def check(answer):
    with exercise_client() as r:
        for order in ORDERS:
            cost, got = cost_and_result(lambda c, order=order: answer(c, copy.deepcopy(order)), r)
            held = stored(r)
            if not held:
                raise Refused(
                    "nothing is stored under exercise:order.",
                    'r.set("exercise:order", …) stores it.',
                )
            refuse_what_is_not_json(next(iter(held.values())), order)
            if got is None:
                raise Refused(
                    "the order is stored as JSON, but the function returns None. Read it "
                    "back and return it.",
                    READ_BACK,
                )
            refuse_difference(order, got)
            if got is order or cost.bytes_received < min(map(len, held.values())):
                raise Refused(
                    "the values are right, but they are not what was read from Redis. "
                    "Return what GET replied, decoded.",
                    READ_BACK,
                )
            clean(r)
        refuse_mistaken_marks(answer, r, json.loads(next(iter(held.values()))), order)
    return (
        f"{len(ORDERS)} orders went through JSON and came back as they were, Decimal and "
        "datetime included"
    )


def refuse_mistaken_marks(answer, r, found, order):
    """Raise Refused if data that looks like the answer's mark for a Decimal becomes one."""
    mark = next((value for key, value in entries(found) if key == "price"), None)
    notes = (mark, {**mark, "other": 1}) if isinstance(mark, dict) else (mark,)
    line, *lines = order["lines"]
    for note, nested in itertools.product(notes, (False, True)):
        clean(r)
        added = {"lines": [{**line, "note": note}, *lines]} if nested else {"note": note}
        sent = {**order, **added}
        try:
            got = answer(r, copy.deepcopy(sent))
        except Exception as error:
            if not stored(r):
                continue
            raise Refused(
                f"an order with the note {note!r} was stored, and reading it back raised "
                f"{type(error).__name__}: refuse it before it is stored",
                *OWN_MARKS,
            ) from None
        where = difference(sent, got, "the order")
        if where:
            raise Refused(f"{where} That is data that looks like your own mark.", *OWN_MARKS)


def entries(found):
    """Yield (key, value) of all dicts, and (place, value) of all lists, in parsed JSON."""
    if isinstance(found, (dict, list)):
        for key, value in found.items() if isinstance(found, dict) else enumerate(found):
            yield key, value
            yield from entries(value)


def refuse_what_is_not_json(data, order):
    try:
        found = json.loads(data)
    except ValueError:
        raise Refused(
            f"what is stored is not JSON: it begins with {data[:8]!r}. Another language "
            "could not read it.",
            "json.dumps writes the order; it calls its `default` for what it does not know.",
        ) from None
    if order["customer"] not in (value for _, value in entries(found)):
        raise Refused(
            "what is stored is JSON outside and something else inside: the customer's "
            "name is not one of its strings. Another language could not read it.",
            "Let json.dumps write the order itself, its texts as texts.",
            "json.dumps calls its `default` for what it does not know: only a Decimal "
            "and a datetime need a mark.",
        )


def refuse_difference(order, got):
    where = difference(order, got, "the order")
    if where:
        guessed = "; it was str", " came back as Decimal ", " came back as datetime "
        raise Refused(where, *(GUESSED if any(sign in where for sign in guessed) else ()))


def difference(wanted, got, where):
    """Say where two values differ first in type or value; None if they are the same."""
    if type(wanted) is not type(got):
        return (
            f"{where} came back as {type(got).__name__} {got!r}; "
            f"it was {type(wanted).__name__} {wanted!r}."
        )
    if isinstance(wanted, list):
        wanted, got = (
            {f"{where}[{place}]": value for place, value in enumerate(values)}
            for values in (wanted, got)
        )
    if isinstance(wanted, dict):
        if wanted.keys() != got.keys():
            missing = sorted(map(str, wanted.keys() ^ got.keys()))
            return f"{where} differs in its keys: {', '.join(missing)}."
        return next(filter(None, (difference(wanted[key], got[key], key) for key in wanted)), None)
    return (
        None if repr(wanted) == repr(got) else f"{where} came back as {got!r}; it was {wanted!r}."
    )
