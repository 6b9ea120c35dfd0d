"""Checks of chapter 06: values that come back as they were, an unpickler that refuses, one field of many."""

import decimal
import json
import pickle
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from ...tracing.cost import cost_and_result
from ...words import many
from ..checking import Refused, clean, exercise_client
from ..exercises import exercise

KEYS = "exercise:*"


def stored(r):
    """{key: everything it holds, as bytes}, for the keys of the exercises."""
    held = {}
    for key in sorted(r.scan_iter(KEYS)):
        kind = r.type(key)
        if kind == b"string":
            held[key] = r.get(key)
        elif kind == b"hash":
            held[key] = b"\n".join(part for pair in r.hgetall(key).items() for part in pair)
        else:
            held[key] = r.dump(key)
    return held


# 06.1

ORDERS = (
    {"id": 1, "customer": "Zoë", "placed": datetime(2025, 3, 4, 5, 6, 7, 800), "total": Decimal("19.90"), "paid": True},
    {"id": 2, "customer": "19.90", "placed": datetime(2025, 3, 4, 5, 6, tzinfo=UTC), "note": "2025-03-04",
     "lines": [{"sku": "A-1", "price": Decimal("1.10"), "count": 3}, {"sku": "B-2", "price": Decimal("0.00"), "count": 1}]},
)


@exercise(
    "06.1",
    "store the order under exercise:order as JSON, read it back, and return it with its Decimal and datetime as they were.",
    ("json.dumps calls its `default` for what it does not know. Let it return something that a reader can recognise.",
     'Write {"$decimal": "19.90"} for a Decimal and {"$datetime": value.isoformat()} for a datetime.',
     "json.loads calls its `object_hook` for every dict it reads: turn the dicts with your marks back, return the others."),
)
def lossless(answer):
    with exercise_client() as r:
        for order in ORDERS:
            cost, got = cost_and_result(lambda c, order=order: answer(c, order), r)
            held = stored(r)
            if not held:
                raise Refused("nothing is stored under exercise:order.")
            refuse_what_is_not_json(next(iter(held.values())), order)
            if got is None:
                raise Refused("the order is stored as JSON, but the function returns None. Read it back and return it.")
            if got is order:
                raise Refused("you returned the order you were given. Read it back from Redis, decode it and return that.")
            refuse_difference(order, got)
            if cost.bytes_received < min(map(len, held.values())):
                raise Refused("the values are right, but nothing of that size was read from Redis. "
                              "Return what GET replied, decoded.")
            clean(r)
    return f"{len(ORDERS)} orders went through JSON and came back as they were, Decimal and datetime included"


def refuse_what_is_not_json(data, order):
    try:
        found = json.loads(data)
    except ValueError:
        raise Refused(f"what is stored is not JSON: it begins with {data[:8]!r}. Another language could not read it.") from None
    if order["customer"] not in texts(found):
        raise Refused("what is stored is JSON outside and something else inside: the customer's name is not one of its strings. "
                      "Another language could not read it.")


def texts(found):
    """Every string value in what json.loads returned, however deep."""
    if isinstance(found, str):
        return [found]
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return [text for part in parts for text in texts(part)]


def refuse_difference(order, got):
    where = difference(order, got, "the order")
    if where:
        raise Refused(where)


def difference(wanted, got, where):
    """The first place where two values differ in type or value, in words; None if they are the same."""
    if type(wanted) is not type(got):
        return (f"{where} came back as {type(got).__name__} {got!r}; "
                f"it was {type(wanted).__name__} {wanted!r}.")
    if isinstance(wanted, dict):
        if wanted.keys() != got.keys():
            missing = sorted(map(str, wanted.keys() ^ got.keys()))
            return f"{where} differs in its keys: {', '.join(missing)}."
        return next(filter(None, (difference(wanted[key], got[key], key) for key in wanted)), None)
    if isinstance(wanted, list):
        if len(wanted) != len(got):
            return f"{where} has {len(got)} entries; it had {len(wanted)}."
        pairs = zip(wanted, got, strict=True)
        return next(filter(None, (difference(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(pairs))), None)
    return None if repr(wanted) == repr(got) else f"{where} came back as {got!r}; it was {wanted!r}."


# 06.2

HARMLESS = (
    {"id": 7, "tags": ["a", "b"], "note": None},
    {"placed": datetime(2025, 3, 4, 5, 6, 7), "total": Decimal("19.90")},
    [Decimal("1"), Decimal("-0.5"), {1, 2, 3}, (b"\xff", 2.5)],
)
ran = []  # what a hostile payload did, if it ran


def mark(how):
    """What the payloads call in place of something that hurts."""
    ran.append(how)


class Calls:
    """Pickles into a call of any function with any arguments."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


WITH_EXEC = f"from {__name__} import mark; mark('exec')"
HOSTILE = {
    "builtins.exec": pickle.dumps(Calls(exec, WITH_EXEC), 4),
    "builtins.exec, in the words of Python 2": pickle.dumps(Calls(exec, WITH_EXEC), 0),
    "builtins.eval inside a dict": pickle.dumps({"id": 7, "items": [Calls(eval, f"__import__('{__name__}', "
                                                                        "fromlist=['mark']).mark('eval')")]}, 4),
    "a function of an installed package": pickle.dumps(Calls(mark, "a function of an installed package"), 4),
    "decimal.setcontext, which changes this process's arithmetic":
        b"\x80\x02cdecimal\nsetcontext\ncdecimal\nContext\nK\x01\x85R\x85R.",
}
UNLISTED = {
    "datetime.timedelta": pickle.dumps(timedelta(days=1), 4),
    "datetime.datetime.now": b"\x80\x04\x8c\x08datetime\x8c\x0cdatetime.now\x93)R.",
    f"{__name__}.Decimal, which is Decimal by another address,":
        b"\x80\x02c" + __name__.encode() + b"\nDecimal\nX\x01\0\0\x001\x85R.",
}


@exercise(
    "06.2",
    "load a pickle that holds plain values, datetime.datetime and decimal.Decimal; raise an error for anything else.",
    ("pickle.Unpickler asks its method find_class(module, name) for every class and function that a value names.",
     "Write a subclass whose find_class raises pickle.UnpicklingError unless the pair (module, name) is on your list.",
     'The list has two entries: ("datetime", "datetime") and ("decimal", "Decimal"). Then YourClass(io.BytesIO(data)).load().'),
)
def allow_list(load):
    for number, value in enumerate(HARMLESS, 1):
        got = load(pickle.dumps(value, 4))
        if repr(got) != repr(value):
            raise Refused(f"good value {number} came back as {got!r}; it was {value!r}.")
    refused = 0
    for name, payload in HOSTILE.items():
        refuse_execution(load, name, payload)
        refused += 1
    for name, data in UNLISTED.items():
        if not raises(load, data):
            raise Refused(f"{name} was loaded; only datetime.datetime and decimal.Decimal are on the list. "
                          "List pairs of module and name, and compare both whole.")
    return f"{len(HARMLESS)} good values loaded, {refused} hostile payloads refused before anything ran"


def refuse_execution(load, name, payload):
    before, precision = len(ran), decimal.getcontext().prec
    try:
        raised = raises(load, payload)
        if len(ran) > before or decimal.getcontext().prec != precision:
            raise Refused(f"a payload ran inside this process: {name}." + (" The error came too late." if raised else ""))
        if not raised:
            raise Refused(f"nothing ran, but a payload ({name}) was taken for a value. Raise an error instead.")
    finally:
        decimal.getcontext().prec = precision
        ran.clear()


def raises(load, payload):
    try:
        load(payload)
    except Exception:
        return True
    return False


# 06.3

BUDGET = 60  # bytes received
PRODUCT = {"sku": "A-1029", "title": "Espresso machine", "price": "249.00", "stock": 12, "colour": "red",
           "description": "Pumps, boils and froths, and does it every morning without complaint. " * 60}


@exercise(
    "06.3",
    f"store every field of the product under exercise:product, then read its stock alone, with at most {BUDGET} bytes received.",
    ("A string comes back whole. Which type of Redis keeps fields apart?",
     "HSET with mapping=product stores a hash; HGET fetches one field of it.",
     "What HGET returns is bytes: int() turns b'12' into 12."),
)
def one_field(answer):
    with exercise_client() as r:
        cost, got = cost_and_result(lambda c: answer(c, dict(PRODUCT)), r)
        held = b"\n".join(stored(r).values())
        missing = [name for name, value in PRODUCT.items() if str(value).encode() not in held]
        if missing:
            raise Refused(f"not every field is stored: {', '.join(missing)} cannot be found under exercise:product.")
        if isinstance(got, (bytes, str)) and got in (b"12", "12"):
            raise Refused(f"the right field, but as {type(got).__name__} {got!r}: Redis keeps bytes. Return the int 12.")
        if type(got) is not int or got != PRODUCT["stock"]:
            raise Refused(f"the function returned {got!r}; the stock is {PRODUCT['stock']}.")
        if cost.bytes_received > BUDGET:
            raise Refused(f"the right value, but {many(cost.bytes_received, 'byte')} received; the budget is {BUDGET}.")
        if cost.commands < 2:
            raise Refused("the right value, but nothing was read back from Redis.")
    return f"{many(cost.bytes_received, 'byte')} received for a product of {sum(len(str(v)) for v in PRODUCT.values()):,}"
