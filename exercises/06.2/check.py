"""Load a pickle that may be hostile."""

import builtins
import decimal
import functools
import importlib
import io
import operator
import os
import pickle
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from decimal import Decimal

from lab_utils.course.checking import Refused

HARMLESS = (
    {"id": 7, "tags": ["a", "b"], "note": None},
    {"placed": datetime(2025, 3, 4, 5, 6, 7), "total": Decimal("19.90")},
    [Decimal("1"), Decimal("-0.5"), {1, 2, 3}, (b"\xff", 2.5)],
)
ran = []  # what a hostile payload did, if it ran
WITH_EXEC = f"from {__name__} import mark; mark('exec')"
WITH_EVAL = f"__import__('{__name__}', fromlist=['mark']).mark('eval')"
PLAIN = (
    bool,
    bytearray,
    bytes,
    complex,
    dict,
    float,
    frozenset,
    int,
    list,
    range,
    set,
    slice,
    str,
    tuple,
)
# what attacks begin with
REACHABLE = (builtins, functools, importlib, io, operator, os, pickle, shutil, subprocess, sys)
UNLISTED = {
    "datetime.timedelta": pickle.dumps(timedelta(days=1), 4),
    "datetime.datetime.now": b"\x80\x04\x8c\x08datetime\x8c\x0cdatetime.now\x93)R.",
    f"{__name__}.Decimal, which is Decimal by another address,": b"\x80\x02c"
    + __name__.encode()
    + b"\nDecimal\nX\x01\0\0\x001\x85R.",
}
PAIRS = (
    "List pairs of module and name, and compare both whole.",
    'if (module, name) not in {("datetime", "datetime"), ("decimal", "Decimal")}: raise '
    "pickle.UnpicklingError(name)",
)
ONE_RAN = (
    "You refused another payload. A list of what is forbidden always lacks a name: list "
    "what you allow, and ask for it in find_class, which sees each name as it is looked up.",
    PAIRS[1],
)


def check(load):
    for number, value in enumerate(HARMLESS, 1):
        try:
            got = load(pickle.dumps(value, 4))
        except Exception as error:
            raise Refused(
                f"good value {number}, {value!r}, was refused: {type(error).__name__}: {error}",
                "datetime.datetime and decimal.Decimal are to pass. Does find_class "
                "return super().find_class(module, name) for these?",
                'The pairs are ("datetime", "datetime") and ("decimal", "Decimal").',
            ) from None
        if repr(got) != repr(value):
            raise Refused(
                f"good value {number} came back as {got!r}; it was {value!r}.",
                "Return what YourUnpickler(io.BytesIO(data)).load() returns.",
            )
    refused = 0
    for name, payload in HOSTILE.items():
        refuse_execution(load, name, payload, () if refused == 0 else ONE_RAN)
        refused += 1
    for name, data in UNLISTED.items():
        if not raises(load, data):
            raise Refused(
                f"{name} was loaded; only datetime.datetime and decimal.Decimal are on the list.",
                *PAIRS,
            )
    for name, data in references():
        if not raises(load, data):
            raise Refused(
                f"{name} was found for a value that asked for it; only datetime.datetime "
                "and decimal.Decimal are on the list.",
                *PAIRS,
            )
    return (
        f"{len(HARMLESS)} good values loaded, {refused} hostile payloads refused before "
        "anything ran"
    )


def mark(how):
    """Note that a payload ran, in place of something that hurts."""
    ran.append(how)


class Calls:
    """What pickles into a call of any function with any arguments."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def references():
    """Yield (name, a pickle that asks for it) of all that an attack could begin with."""
    for module in REACHABLE:
        for name in dir(module):
            if callable(each := getattr(module, name)) and each not in PLAIN and name.isascii():
                words = b"".join(by_reference(module.__name__, name))
                yield f"{module.__name__}.{name}", b"\x80\x04" + words + b"\x93."


def refuse_execution(load, name, payload, hints):
    before, precision = len(ran), decimal.getcontext().prec
    try:
        raised = raises(load, payload)
        if len(ran) > before or decimal.getcontext().prec != precision:
            raise Refused(
                f"a payload ran inside this process: {name}."
                + (" The error came too late." if raised else ""),
                *(PAIRS if "decimal." in name else hints),
            )
        if not raised:
            raise Refused(
                f"nothing ran, but a payload ({name}) was taken for a value. Raise an "
                "error instead.",
                "find_class raises pickle.UnpicklingError for what is not on the list; "
                "let it through to the caller.",
            )
    finally:
        decimal.getcontext().prec = precision
        ran.clear()


def raises(load, payload):
    try:
        load(payload)
    except Exception:
        return True
    return False


def by_reference(*words):
    """Return the pickle opcodes that push each of `words` as a text."""
    return (b"\x8c" + bytes([len(word)]) + word.encode() for word in words)


HOSTILE = {
    "builtins.exec": pickle.dumps(Calls(exec, WITH_EXEC), 4),
    "builtins.exec, under the name __builtin__ that Python 2 had for its module": pickle.dumps(
        Calls(exec, WITH_EXEC), 0
    ),
    "builtins.eval inside a dict": pickle.dumps({"id": 7, "items": [Calls(eval, WITH_EVAL)]}, 4),
    "a function of an installed package": pickle.dumps(
        Calls(mark, "a function of an installed package"), 4
    ),
    "decimal.setcontext, which changes this process's arithmetic": b"\x80\x02cdecimal\nsetcontext\ncdecimal\nContext\nK\x01\x85R\x85R.",
    "builtins.exec, its names taken from the memo": b"".join(
        (
            b"\x80\x04",
            *(word + b"\x940" for word in by_reference("builtins", "exec")),
            b"h\0h\x01",
            2 * b"\x8c\x08datetime",
            b"00\x93",
            pickle.dumps(WITH_EXEC, 4).partition(b"\x94")[0][11:],
            b"\x85R.",
        )
    ),
    "builtins.exec by the opcode INST": b"(V" + WITH_EXEC.encode() + b"\nibuiltins\nexec\n.",
}
