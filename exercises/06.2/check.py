"""Load a pickle that may be hostile."""

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
ran = []  # an entry for each hostile payload that ran
WITH_EXEC = f"from {__name__} import mark; mark()"
UNLISTED = {
    "datetime.timedelta": pickle.dumps(timedelta(days=1), 4),
    "datetime.datetime.now": b"\x80\x04\x8c\x08datetime\x8c\x0cdatetime.now\x93)R.",
    f"{__name__}.Decimal, which is Decimal by another address,":
        b"\x80\x02c" + __name__.encode() + b"\nDecimal\nX\x01\0\0\x001\x85R.",
    "os.system": b"\x80\x04cos\nsystem\n.",
    "builtins.getattr": b"\x80\x04cbuiltins\ngetattr\n.",
}
PAIRS = ("List pairs of module and name, and compare both whole.",
         'if (module, name) not in {("datetime", "datetime"), ("decimal", "Decimal")}: raise '
         'pickle.UnpicklingError(name)')
ONE_RAN = ("You refused another payload. A list of what is forbidden always lacks a name: list "
           "what you allow, and ask for it in find_class, which sees each name as it is looked up.",
           PAIRS[1])


def check(load):
    for number, value in enumerate(HARMLESS, 1):
        try:
            got = load(pickle.dumps(value, 4))
        except Exception as error:
            raise Refused(f"good value {number}, {value!r}, was refused: {type(error).__name__}: "
                          f"{error}",
                          "datetime.datetime and decimal.Decimal are to pass. Does find_class "
                          "return super().find_class(module, name) for these?",
                          'The pairs are ("datetime", "datetime") and ("decimal", '
                          '"Decimal").') from None
        if repr(got) != repr(value):
            raise Refused(f"good value {number} came back as {got!r}; it was {value!r}.",
                          "Return what YourUnpickler(io.BytesIO(data)).load() returns.")
    for place, (name, payload) in enumerate(HOSTILE.items()):
        refuse_execution(load, name, payload, ONE_RAN if place else ())
    for name, data in UNLISTED.items():
        if not raises(load, data):
            raise Refused(f"{name} was loaded; only datetime.datetime and decimal.Decimal are on "
                          "the list.", *PAIRS)
    return (f"{len(HARMLESS)} good values loaded, {len(HOSTILE)} hostile payloads refused before "
            "anything ran")


def mark():
    """Note that a payload ran, in place of something that hurts."""
    ran.append(True)


class Hostile:
    """What pickles into a call of exec."""

    def __reduce__(self):
        return exec, (WITH_EXEC,)


def refuse_execution(load, name, payload, hints):
    precision = decimal.getcontext().prec
    try:
        raised = raises(load, payload)
        if ran or decimal.getcontext().prec != precision:
            raise Refused(f"a payload ran inside this process: {name}."
                          + (" The error came too late." if raised else ""),
                          *(PAIRS if "decimal." in name else hints))
        if not raised:
            raise Refused(f"nothing ran, but a payload ({name}) was taken for a value. Raise an "
                          "error instead.",
                          "find_class raises pickle.UnpicklingError for what is not on the list; "
                          "let it through to the caller.")
    finally:
        decimal.getcontext().prec = precision
        ran.clear()


def raises(load, payload):
    try:
        load(payload)
    except Exception:
        return True
    return False


HOSTILE = {
    "builtins.exec": pickle.dumps(Hostile(), 4),
    "builtins.exec, under the name __builtin__ that Python 2 had for its module":
        pickle.dumps(Hostile(), 0),
    "decimal.setcontext, which changes this process's arithmetic":
        b"\x80\x02cdecimal\nsetcontext\ncdecimal\nContext\nK\x01\x85R\x85R.",
    "builtins.exec, its names taken from the memo": b"".join((
        b"\x80\x04\x8c\x08builtins\x940\x8c\x04exec\x940h\0h\x01",
        2 * b"\x8c\x08datetime", b"00\x93",
        pickle.dumps(WITH_EXEC, 4).partition(b"\x94")[0][11:], b"\x85R.")),
    "builtins.exec by the opcode INST": b"(V" + WITH_EXEC.encode() + b"\nibuiltins\nexec\n.",
}
