"""Check exercise 06.2: load pickles that may come from an attacker."""

import decimal
import pickle
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
PAIRS = (
    "A list of what is forbidden always lacks a name: list what you allow, in pairs of module and "
    "name, and ask for both whole in find_class, which sees each name as it is looked up.",
    'if (module, name) not in {("datetime", "datetime"), ("decimal", "Decimal")}: raise '
    "pickle.UnpicklingError(name)",
)


def check(load) -> str:
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
            raise Refused(f"good value {number} came back as {got!r}; it was {value!r}.")
    for name, payload in HOSTILE.items():
        refuse_execution(load, name, payload)
    return (
        f"{len(HARMLESS)} good values loaded, {len(HOSTILE)} hostile payloads refused before "
        "anything ran"
    )


def mark(how: str) -> None:
    """Append the text `how` to the module's list `ran`, which tells that a pickle ran code.

    Hostile pickles call this function instead of doing harm.
    """
    ran.append(how)


class Calls:
    """An object whose pickle, when it is loaded, calls `function(*arguments)`."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def refuse_execution(load, name: str, payload: bytes) -> None:
    precision = decimal.getcontext().prec
    raised = False
    try:
        load(payload)
    except Exception:
        raised = True
    did_something = bool(ran) or decimal.getcontext().prec != precision
    decimal.getcontext().prec = precision
    ran.clear()
    if did_something:
        late = " The error came too late." if raised else ""
        raise Refused(f"a payload ran inside this process: {name}.{late}", *PAIRS)
    if not raised:
        raise Refused(
            f"nothing ran, but {name} was loaded; only datetime.datetime and decimal.Decimal are "
            "on the list. Raise an error instead",
            *PAIRS,
        )


HOSTILE = {
    "builtins.exec": pickle.dumps(Calls(exec, WITH_EXEC), 4),
    "builtins.exec, under the name __builtin__ that Python 2 had for its module": pickle.dumps(
        Calls(exec, WITH_EXEC), 0
    ),
    "builtins.eval inside a dict": pickle.dumps({"id": 7, "items": [Calls(eval, WITH_EVAL)]}, 4),
    "a function of an installed package": pickle.dumps(
        Calls(mark, "a function of an installed package"), 4
    ),
    "decimal.setcontext, which changes this process's arithmetic": (
        b"\x80\x02cdecimal\nsetcontext\ncdecimal\nContext\nK\x01\x85R\x85R."
    ),
    "datetime.timedelta": pickle.dumps(timedelta(days=1), 4),
    "datetime.datetime.now": b"\x80\x04\x8c\x08datetime\x8c\x0cdatetime.now\x93)R.",
    f"{__name__}.Decimal, which is Decimal by another address,": b"\x80\x02c"
    + __name__.encode()
    + b"\nDecimal\nX\x01\0\0\x001\x85R.",
}
