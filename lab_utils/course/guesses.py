"""Keep what the learner said before it was measured, with what was measured then.

Remembered (see state.py), in the order in which they were made, is the guess at each question that
stood when its answer came: {"01.cart": {"guess": 20.0, "unit": "ms", "measured": 202.1}};
"measured" is null until then. A guess made after its answer was shown in this kernel is shown too,
and not remembered.
"""

import math
import numbers
import re

from .. import setting
from ..arguments import check_number, shown
from ..errors import LabError
from ..figures.canvas import busy_note
from ..words import factor_off, singular, three_figures, times
from . import reporting, state

TIMES = {"s": 1, "ms": 1e-3, "µs": 1e-6}
COUNTED = (
    "bytes",
    "round trips",
    "commands",
    "messages",
    "types",
    "replies",
    "threads",
    "connections",
    "visits",
    "writes",
    "claims",
    "tickets",
)
DISTURBED = (*TIMES, "x", "%")
UNITS = (*DISTURBED, "MB", *COUNTED)
NAME = re.compile(r"\d\d\.[a-z][a-z_]*")
SMALLEST, LARGEST = 1e-6, 1e12
CLOSE = 2  # a guess within this factor was good

_units: dict[str, str] = {}  # {name: unit}, as the cells of this kernel asked
_answered: set[str] = set()  # names whose answer this kernel has shown while no guess was made


class Guess(float):
    """The number that was said, in `unit`, for the question `name`.

    Where none was made it is nan, false, and in no figure.
    """

    name: str
    unit: str

    def __new__(cls, value: float, name: str, unit: str) -> "Guess":
        made = super().__new__(cls, value)
        made.name, made.unit = name, unit
        return made

    def __bool__(self):
        return not math.isnan(self)

    made = property(__bool__)

    def __repr__(self):
        return quantity(self, self.unit) if self else "no guess yet"

    def against(self, measured: float, computed: bool = False) -> None:
        """Print what was measured, in the guess's unit, and what you said.

        `computed` is for a figure that follows from a rule and was not measured: the line says so.
        A figure that a busy machine may have disturbed, which counts are not, is followed by who
        disturbed this kernel, at worst. Raises LabError where `measured` is no number, or negative.
        """
        measured = check_number(measured, "measured", 0)
        found = "computed" if computed else "measured"
        note = busy_note() if self.unit in DISTURBED and not computed else ""
        busy = f" ({note})" if note else ""
        first = self.learns(measured)
        if not self:
            print(f"{found}: {quantity(measured, self.unit)}{busy}")
            return
        off = f", {factor_in_words(self, measured)}" if measured else ""
        kept = remembered(first, self)
        print(f"{found}: you said {self}, {found} {quantity(measured, self.unit)}{off}{kept}{busy}")

    def hears(self, measured: float, unit: str) -> float | None:
        """Return the guess in a figure's `unit`, as `measured` is; None where none was made."""
        if unit != self.unit and not {unit, self.unit} <= set(TIMES):
            raise LabError(
                f"The guess {self.name} is in {self.unit}, and this figure measures in "
                f"{unit}. Write the guess's unit as the figure's, or compare it with "
                "guess.against(…)."
            )
        scale = 1 if unit == self.unit else TIMES[unit] / TIMES[self.unit]
        self.learns(measured * scale)
        return float(self) / scale if self else None

    def learns(self, measured):
        """Remember what was measured, once; return the guess remembered with it, or None."""
        if not self:
            _answered.add(self.name)
        if comparable(measured):
            reporting.report("measured", self.name, unit=self.unit, value=float(measured))
        if not self or not setting.is_drawn() or not comparable(measured):
            return None
        with state.changing("guesses") as known:
            entry = known.get(self.name)
            if not entry or entry["unit"] != self.unit:
                return None
            if entry.get("measured") is None:
                entry["measured"] = measured
        return entry["guess"]


def guess(name: str, value, unit: str, *rest) -> Guess:
    """Take your guess at the question `name`, "01.cart" for one: a number above 0 in `unit`.

    It is `...` as long as you make none. Prints that it was noted, and returns a number that knows
    its unit: hand it to a figure as `said=guess`, or hold it against what was measured with
    `guess.against(measured)`. The last one made before its answer was shown is remembered for
    `lab.calibration()`. What cannot be a guess is said in a sentence, and counts as none. Raises
    LabError for a name that is not as `NN.word`, for a unit that is not of the lab's, and for a
    name that had another unit before.
    """
    if rest:  # 5,000 with a comma is two numbers
        value, unit = (value, unit, *rest[:-1]), rest[-1]
    check_question(name, unit)
    made = Guess(usable(value, unit), name, unit)
    kept = float(made)
    if made and name not in _answered and setting.is_drawn():
        with state.changing("guesses") as known:
            if name not in known or known[name]["unit"] != unit:  # another unit is another question
                known.pop(name, None)  # so that it stands at the end, as the latest
                known[name] = {"guess": float(made), "unit": unit, "measured": None}
            elif known[name].get("measured") is None and known[name]["guess"] != made:
                revision = known[name].get("revision", 0) + 1  # a slip, mended in time
                known[name] |= {"guess": float(made), "revision": revision}
            kept, revision = known[name]["guess"], known[name].get("revision", 0)
        reporting.report("guess", name, revision=revision, unit=unit, value=kept)
    if made:
        print(f"noted: {made}{remembered(kept, made)}")
    return made


def remembered(first, made):
    """Return what to say where an earlier guess is kept in the place of `made`, or ""."""
    if first in (None, float(made)):
        return ""
    return f" (remembered is your earlier guess, {quantity(first, made.unit)})"


def check_question(name, unit):
    """Raise LabError for a name or a unit that no guess has."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise LabError(
            f"{shown(name)} does not name a guess. Write the chapter's number and a "
            'word: "01.cart".'
        )
    if unit not in UNITS:
        raise LabError(f"{shown(unit)} is not a unit of a guess. There are: {', '.join(UNITS)}.")
    if _units.setdefault(name, unit) != unit:
        raise LabError(
            f"The guess {name} was in {_units[name]} before, and is in {unit} now. Give "
            "it the same unit, or write another name."
        )


def usable(value, unit):
    """Return the number that was said; nan, and a sentence, where what was said is none."""
    if value is None or value is ...:
        return math.nan
    if comparable(value):
        return float(value)
    print(
        f"{shown(value)} was not noted. Write one number above 0 in its place, such as 20, 0.5 "
        f"or 5000, without quotes and without a comma. The unit is {unit}."
    )
    return math.nan


def comparable(value):
    """Tell whether a value is a number that can stand on a log scale beside a measurement."""
    return (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool)
        and SMALLEST <= value <= LARGEST
    )


def quantity(value, unit):
    """Return '20 ms', '4x', '80%', '1 round trip', '9,000 commands'."""
    number = f"{value:,.0f}" if float(value).is_integer() else three_figures(value)
    if unit in ("x", "%"):
        return f"{number}{unit}"
    return f"{number} {singular(unit) if value == 1 and unit in COUNTED else unit}"


def factor_in_words(said, measured):
    """Return '2.1x off', or how close it was."""
    factor = factor_off(said, measured)
    if factor == 1:
        return "the same"
    return "within 5%" if factor < 1.05 else f"{times(factor)} off"


def calibration():
    """Print how close your guesses of all chapters were; return a figure of them, None of none."""
    from ..figures.calibrated import draw_calibration

    pairs = [
        (name, entry["guess"], entry["measured"])
        for name, entry in state.load("guesses").items()
        if comparable(entry.get("guess")) and comparable(entry.get("measured"))
    ]
    words = how_close([factor_off(said, measured) for _, said, measured in pairs])
    print(f"measured: {words}")
    return draw_calibration(pairs, CLOSE, words) if pairs else None


def how_close(factors: list[float]) -> str:
    """Return '12 of your 20 guesses were within 2x', of the factors by which they were off."""
    if not factors:
        return (
            "none of your guesses has been measured yet. Replace the three dots of a guess, "
            "and run its cell and those below"
        )
    close = sum(factor <= CLOSE for factor in factors)
    if len(factors) == 1:
        return f"your one guess was{'' if close else ' not'} within {CLOSE}x"
    return f"{close} of your {len(factors)} guesses were within {CLOSE}x"
