"""Checks of chapter 06: values that come back as they were, an unpickler that refuses, one field of many."""

import builtins
import contextlib
import decimal
import functools
import importlib
import io
import json
import operator
import os
import pickle
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from redis.connection import AbstractConnection

from ...testbed.chosen_server import connect
from ...tracing.cost import cost_and_result, cost_of
from ...tracing.tap import Tap
from ...words import counted
from ..checking import SCRIPTS, Refused, clean, commands_sent, exercise_client, names_sent, replaced
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
    "store the order under exercise:order as JSON, read it back, and return it as it was.",
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
                raise Refused("nothing is stored under exercise:order.", "r.set(\"exercise:order\", …) stores it.")
            refuse_what_is_not_json(next(iter(held.values())), order)
            if got is None:
                raise Refused("the order is stored as JSON, but the function returns None. Read it back and return it.",
                              "return json.loads(r.get(\"exercise:order\"), …)")
            if got is order:
                raise Refused("you returned the order you were given. Read it back from Redis, decode it and return that.",
                              "return json.loads(r.get(\"exercise:order\"), …)")
            refuse_difference(order, got)
            if cost.bytes_received < min(map(len, held.values())):
                raise Refused("the values are right, but nothing of that size was read from Redis. "
                              "Return what GET replied, decoded.", "return json.loads(r.get(\"exercise:order\"), …)")
            clean(r)
        refuse_mistaken_marks(answer, r, json.loads(next(iter(held.values()))), order)
    return f"{len(ORDERS)} orders went through JSON and came back as they were, Decimal and datetime included"


def refuse_mistaken_marks(answer, r, found, order):
    """Puts what stands in the stored JSON for a Decimal into an order as plain data: it must come back as that, or be refused."""
    mark = stands_for("price", found)
    for note in (mark, {**mark, "other": 1}) if isinstance(mark, dict) else (mark,):
        clean(r)
        sent = {**order, "note": note}
        try:
            got = answer(r, dict(sent))
        except Exception as error:
            if not stored(r):
                continue
            raise Refused(f"an order whose note is {note!r} was stored, and reading it back raised {type(error).__name__}: "
                          "refuse it "
                          "before it is stored", *OWN_MARKS) from None
        where = difference(sent, got, "the order")
        if where:
            raise Refused(f"{where} That is data that looks like your own mark.", *OWN_MARKS)


def stands_for(key, found):
    """What stands beside `key` in what json.loads returned, however deep; None where there is no such key."""
    if isinstance(found, dict) and key in found:
        return found[key]
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return next((value for part in parts if (value := stands_for(key, part)) is not None), None)


def refuse_what_is_not_json(data, order):
    try:
        found = json.loads(data)
    except ValueError:
        raise Refused(f"what is stored is not JSON: it begins with {data[:8]!r}. Another language could not read it.",
                      "json.dumps writes the order; it calls its `default` for what it does not know.") from None
    if order["customer"] not in texts(found):
        raise Refused("what is stored is JSON outside and something else inside: the customer's name is not one of its strings. "
                      "Another language could not read it.", "Let json.dumps write the order itself, its texts as texts.",
                      "json.dumps calls its `default` for what it does not know: only a Decimal and a datetime need a mark.")


def texts(found):
    """Every string value in what json.loads returned, however deep."""
    if isinstance(found, str):
        return [found]
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return [text for part in parts for text in texts(part)]


GUESSED = ("A value's looks do not tell its type: a text stays a text, and a number a number. The writer knows which was a "
           "Decimal: how does the reader hear of it?",
           'Write {"$decimal": "19.90"} for a Decimal and {"$datetime": value.isoformat()} for a datetime; texts as they are.')


def refuse_difference(order, got):
    where = difference(order, got, "the order")
    if where:
        guessed = any(sign in where for sign in ("; it was str", " came back as Decimal ", " came back as datetime "))
        raise Refused(where, *(GUESSED if guessed else ()))


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


OWN_MARKS = ("What you write for a Decimal may stand in an order as plain data, and must not be taken for a Decimal then. A "
             "text can "
             "begin with anything; a dict can have any key. Only the writer can tell: wrap it, or refuse it, when you write.",
             "Walk through the order before json.dumps: where a dict has your mark's key, wrap it in a mark of its own, or "
             "raise. When "
             "reading, turn a dict back only if your mark is all it holds: found.keys() == {\"$decimal\"}.")

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
    "builtins.exec, under the name __builtin__ that Python 2 had for its module": pickle.dumps(Calls(exec, WITH_EXEC), 0),
    "builtins.eval inside a dict": pickle.dumps({"id": 7, "items": [Calls(eval, f"__import__('{__name__}', "
                                                                        "fromlist=['mark']).mark('eval')")]}, 4),
    "a function of an installed package": pickle.dumps(Calls(mark, "a function of an installed package"), 4),
    "decimal.setcontext, which changes this process's arithmetic":
        b"\x80\x02cdecimal\nsetcontext\ncdecimal\nContext\nK\x01\x85R\x85R.",
}
HOSTILE["builtins.exec, its names taken from the memo"] = b"".join((
    b"\x80\x04", *(b"\x8c" + bytes([len(text)]) + text + b"\x940" for text in (b"builtins", b"exec")), b"h\0h\x01",
    2 * b"\x8c\x08datetime", b"00\x93", pickle.dumps(WITH_EXEC, 4).partition(b"\x94")[0][11:], b"\x85R."))
HOSTILE["builtins.exec by the opcode INST"] = b"(V" + WITH_EXEC.encode() + b"\nibuiltins\nexec\n."
PLAIN = (bool, bytearray, bytes, complex, dict, float, frozenset, int, list, range, set, slice, str, tuple)
REACHABLE = (builtins, functools, importlib, io, operator, os, pickle, shutil, subprocess, sys)  # what attacks begin with
UNLISTED = {
    "datetime.timedelta": pickle.dumps(timedelta(days=1), 4),
    "datetime.datetime.now": b"\x80\x04\x8c\x08datetime\x8c\x0cdatetime.now\x93)R.",
    f"{__name__}.Decimal, which is Decimal by another address,":
        b"\x80\x02c" + __name__.encode() + b"\nDecimal\nX\x01\0\0\x001\x85R.",
}


PAIRS = ("List pairs of module and name, and compare both whole.",
         'if (module, name) not in {("datetime", "datetime"), ("decimal", "Decimal")}: raise pickle.UnpicklingError(name)')
ONE_RAN = ("You refused another payload. A list of what is forbidden always lacks a name: list what you allow, and ask for it in "
           "find_class, which sees each name as it is looked up.", PAIRS[1])


@exercise(
    "06.2",
    "load plain values, datetime.datetime and decimal.Decimal from a pickle; refuse all else.",
    ("pickle.Unpickler asks its method find_class(module, name) for every class and function that a value names.",
     "Write a subclass whose find_class raises pickle.UnpicklingError unless the pair (module, name) is on your list.",
     'The list has two entries: ("datetime", "datetime") and ("decimal", "Decimal"). Then YourClass(io.BytesIO(data)).load().'),
)
def allow_list(load):
    for number, value in enumerate(HARMLESS, 1):
        try:
            got = load(pickle.dumps(value, 4))
        except Exception as error:
            raise Refused(f"good value {number}, {value!r}, was refused: {type(error).__name__}: {error}",
                          "datetime.datetime and decimal.Decimal are to pass. Does find_class return "
                          "super().find_class(module, name) "
                          "for these?", 'The pairs are ("datetime", "datetime") and ("decimal", "Decimal").') from None
        if repr(got) != repr(value):
            raise Refused(f"good value {number} came back as {got!r}; it was {value!r}.",
                          "Return what YourUnpickler(io.BytesIO(data)).load() returns.")
    refused = 0
    for name, payload in HOSTILE.items():
        refuse_execution(load, name, payload, () if refused == 0 else ONE_RAN)
        refused += 1
    for name, data in UNLISTED.items():
        if not raises(load, data):
            raise Refused(f"{name} was loaded; only datetime.datetime and decimal.Decimal are on the list.", *PAIRS)
    for name, data in references():
        if not raises(load, data):
            raise Refused(f"{name} was found for a value that asked for it; only datetime.datetime and decimal.Decimal are on "
                          "the list.",
                          *PAIRS)
    return f"{len(HARMLESS)} good values loaded, {refused} hostile payloads refused before anything ran"


def references():
    """(name, a pickle that asks for it and does not call it) of every function and class that an attack could begin with."""
    for module in REACHABLE:
        for name in dir(module):
            if callable(each := getattr(module, name)) and each not in PLAIN and name.isascii():
                words = (b"\x8c" + bytes([len(word)]) + word.encode() for word in (module.__name__, name))
                yield f"{module.__name__}.{name}", b"\x80\x04" + b"".join(words) + b"\x93."


def refuse_execution(load, name, payload, hints):
    before, precision = len(ran), decimal.getcontext().prec
    try:
        raised = raises(load, payload)
        if len(ran) > before or decimal.getcontext().prec != precision:
            raise Refused(f"a payload ran inside this process: {name}." + (" The error came too late." if raised else ""),
                          *(PAIRS if "decimal." in name else hints))
        if not raised:
            raise Refused(f"nothing ran, but a payload ({name}) was taken for a value. Raise an error instead.",
                          "find_class raises pickle.UnpicklingError for what is not on the list; let it through to the caller.")
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


IN_ONE_STEP = "pipe = r.pipeline(); pipe.delete(key); pipe.hset(key, mapping=product); pipe.execute()"
ONE_FIELD = "HGET fetches one field; int() makes a number of it."
TAKES_AWAY = {"DEL", "UNLINK", "HDEL"}
READS = frozenset({b"GET", b"MGET", b"GETRANGE", b"HGET", b"HMGET", b"HGETALL", b"JSON.GET"}) | SCRIPTS


@contextlib.contextmanager
def meddling():
    """Once the stock is stored, and before the answer sends anything more, somebody sells five. Gives a list: the stock then."""
    original, stock, busy = AbstractConnection.send_packed_command, [PRODUCT["stock"]], []

    @functools.wraps(original)
    def send(self, command, *args, **kwargs):
        if self.is_connected and not busy and len(stock) == 1:
            busy.append(True)
            stock.extend(sell(other))
            busy.clear()
        return original(self, command, *args, **kwargs)

    with connect() as other, replaced(AbstractConnection, send_packed_command=send):
        yield stock


def sell(client):
    """Takes five from the stock wherever it is stored as a number of its own; yields what is left, if it is."""
    left, whole = PRODUCT["stock"] - 5, str(PRODUCT["stock"]).encode()
    for key in client.scan_iter(KEYS):
        kind = client.type(key)
        if kind == b"hash" and client.hget(key, "stock") == whole:
            client.hset(key, "stock", left)
            yield left
        elif kind == b"string" and client.get(key) == whole:
            client.set(key, left)
            yield left


def refuse_half_a_product(names):
    """Raises Refused if the old product, or a field of it, was taken away by a command outside MULTI … EXEC."""
    queued = False
    for name in names:
        queued = name == "MULTI" or (queued and name != "EXEC")
        if name in TAKES_AWAY and not queued:
            raise Refused(f"the right value, but {name} was sent by itself: a reader who looks between it and the HSET finds no "
                          "product, or half of one", IN_ONE_STEP)


@exercise(
    "06.3",
    f"store every field under exercise:product, then read its stock in at most {BUDGET} bytes.",
    ("A string comes back whole. Which type of Redis keeps fields apart?",
     "HSET with mapping=product stores a hash; HGET fetches one field of it.",
     "What HGET returns is bytes: int() turns b'12' into 12."),
)
def one_field(answer):
    with exercise_client() as r:
        r.hset("exercise:product", mapping={"sku": "A-1028", "stock": 3, "discount": "1990.07"})
        with Tap() as tap:
            got = answer(r, dict(PRODUCT))
        cost, names, held = cost_of(tap), names_sent(tap), b"\n".join(stored(r).values())
        missing = [name for name, value in PRODUCT.items() if str(value).encode() not in held]
        if missing:
            raise Refused(f"not every field is stored: {', '.join(missing)} cannot be found under exercise:product.",
                          "HSET with mapping=product stores them all.")
        if isinstance(got, (bytes, str)) and got in (b"12", "12"):
            raise Refused(f"the right field, but as {type(got).__name__} {got!r}: Redis keeps bytes. Return the int 12.",
                          "What HGET returns is bytes: int() turns b'12' into 12.")
        if type(got) is not int or got != PRODUCT["stock"]:
            raise Refused(f"the function returned {got!r}; the stock is {PRODUCT['stock']}.", ONE_FIELD)
        if cost.bytes_received > BUDGET:
            raise Refused(f"the right value, but {counted(cost.bytes_received, 'byte')} received; the budget is {BUDGET}.")
        if not any(command[0].upper() in READS and command[1:2] != [b"0"] for command in commands_sent(tap)):
            raise Refused("the right value, but nothing was read back from Redis.", ONE_FIELD)
        if b"1990.07" in held:
            raise Refused("every field is stored, but the product that was there before had a `discount`, and it is there still: "
                          "HSET leaves alone what it isn't given",
                          "What was there must go, in the same step as the new comes, or a reader finds half a product.",
                          IN_ONE_STEP)
        clean(r)
        with meddling() as stock:
            got = answer(r, dict(PRODUCT))
        if got != stock[-1]:
            raise Refused(f"somebody sold five after you had stored the product: its stock is {stock[-1]}, and the function "
                          "returned "
                          f"{got!r}, which it did not read from there.", ONE_FIELD)
    refuse_half_a_product(names)
    return f"{counted(cost.bytes_received, 'byte')} received for a product of {sum(len(str(v)) for v in PRODUCT.values()):,}"
