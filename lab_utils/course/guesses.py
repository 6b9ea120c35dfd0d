"""Store the learner's guesses, made before measuring, and the measured values that answer them.

Both are in `.lab/state.json` (see state.py), in the order in which guesses were made: {"01.cart":
{"guess": 20.0, "unit": "ms", "measured": 202.1}}. "guess" is the last one made before the answer
was shown, "measured" is null until the answer comes; "busy" is true if other programs disturbed the
measurement. A guess made after this Jupyter kernel has shown the answer is printed, but not stored.
"""

import math
import numbers
from typing import Any

from .. import disturbance
from ..arguments import check_number, shown
from ..errors import LabError
from ..words import factor_off, singular, three_figures, times
from . import reporting, state
from .claims import in_lines

TIMES = {"s": 1, "ms": 1e-3, "µs": 1e-6}
DISTURBED = (*TIMES, "x", "%")  # units of what other programs disturb; they leave counts alone
SMALLEST, LARGEST = 1e-6, 1e12
CLOSE = 2  # a guess within this factor was good
BUSY = "other programs ran beside the lab"
# Said once in a kernel, in place of the former.
WHAT_BUSY_MEANS = (
    "other programs ran beside the lab, such as a browser or an IDE, so times may be too long; "
    "counts are exact"
)

answered: set[str] = set()  # names whose answer this kernel has shown while no guess was made


class Guess(float):
    """The learner's guess at the question `name`: a float, in `unit`, such as "ms".

    If the learner made no guess it is nan, counts as false, and no figure shows it.
    """

    name: str
    unit: str
    mark: int  # measurements after this one answer the guess

    def __new__(cls, value: float, name: str, unit: str) -> "Guess":
        made = super().__new__(cls, value)
        made.name = name
        made.unit = unit
        made.mark = disturbance.mark()
        return made

    def __bool__(self) -> bool:
        return not math.isnan(self)

    def __repr__(self) -> str:
        return quantity(self, self.unit) if self else "no guess yet"

    def against(self, measured: float, computed: bool = False) -> None:
        """Print the measured value, in the guess's unit, and how far off the guess is.

        With `computed` the line says that `measured` follows from a rule and was not measured. A
        value that other programs disturbed is not scored (counts are never disturbed); the line
        says so, and the first time in a Jupyter kernel what that means. Raises LabError if
        `measured` is no number, or negative.
        """
        measured = check_number(measured, "measured", 0)
        busy = self.disturbed and not computed
        kept = self.learns(measured, busy)
        how = "computed" if computed else "measured"
        found = quantity(measured, self.unit)
        told = f"{how}: {found}"
        if self:
            off = ""
            if measured:
                factor = times(factor_off(self, measured))
                off = ", the same" if factor == "1.00x" else f", {factor} off"
            told = f"{how}: you said {self}, {how} {found}{off}{earlier_in_words(kept, self)}"
        if busy:
            score = "not scored: " if self else ""
            why = BUSY if WHAT_BUSY_MEANS in state.said else WHAT_BUSY_MEANS
            state.said.add(WHAT_BUSY_MEANS)
            told += f" ({score}{why})"
        print("\n".join(in_lines(told, indent="")))

    @property
    def disturbed(self) -> bool:
        """True if other programs disturbed a measurement made since the guess; False for counts."""
        return self.unit in DISTURBED and disturbance.since(self.mark).busy

    def hears(self, measured: float, unit: str) -> float | None:
        """Store `measured` as the answer to the question; return the guess as a number in `unit`.

        `measured` is a number in `unit`, too. Returns None if the learner made no guess. Raises
        LabError if the guess's own unit can't be converted to `unit`.
        """
        if unit != self.unit and not {unit, self.unit} <= set(TIMES):
            raise LabError(
                f"The guess {self.name} is in {self.unit}, and this figure measures in "
                f"{unit}. Write the guess's unit as the figure's, or compare it with "
                "guess.against(…)."
            )
        scale = 1 if unit == self.unit else TIMES[unit] / TIMES[self.unit]
        self.learns(measured * scale, self.disturbed)
        return float(self) / scale if self else None

    def learns(self, measured: float, busy: bool) -> float | None:
        """Store the measured value in `.lab/state.json` with the guess; return the stored guess.

        That is a number, the last guess made before the answer was shown. Returns None if no guess
        was stored for this question in this unit, or if `measured` can't be compared with one.
        `measured` is in the guess's unit, and `busy` is True if other programs disturbed it. A
        value stored before is replaced only if other programs had disturbed that one.
        """
        if not self:
            answered.add(self.name)
        if not comparable(measured):
            return None
        reporting.report("measured", self.name, unit=self.unit, value=float(measured))
        if not self:
            return None
        with state.changing("guesses") as known:
            entry = known.get(self.name)
            if not entry or entry["unit"] != self.unit:
                return None
            if entry.get("measured") is None or entry.get("busy"):
                entry["measured"] = measured
                entry["busy"] = busy
        return entry["guess"]


def guess(name: str, value: Any, unit: str) -> Guess:
    """Record your guess at the question `name`, such as "01.cart": a number above 0 in `unit`.

    Pass `...` as `value` if you have no guess yet. `unit` is a text such as "ms", "x" or "round
    trips". Returns a Guess: pass it to a figure as `said=guess`, or compare it with a measurement
    by `guess.against(measured)`. The last guess made before the answer was shown is stored for
    `lab.calibration()`. Prints that the guess was noted; for a value that can't be a guess, prints
    why, and goes on as if there were none.
    """
    made = Guess(value if comparable(value) else math.nan, name, unit)
    if not made and value not in (None, ...):
        print(
            f"{shown(value)} was not noted. Write one number above 0 in its place, such as 20, "
            f"0.5 or 5000, without quotes and without a comma. The unit is {unit}."
        )
    if made:
        kept = made if name in answered else remember(made)
        print(f"noted: {made}{earlier_in_words(kept, made)}")
    return made


def remember(made: Guess) -> float:
    """Store a Guess in `.lab/state.json`; return the number that counts as the learner's guess.

    That number is this guess, or the earlier one if the question has its measured answer already.
    """
    with state.changing("guesses") as known:
        entry = known.get(made.name)
        # A guess in another unit belongs to another question.
        if not entry or entry["unit"] != made.unit:
            known[made.name] = entry = {"unit": made.unit, "measured": None}
        if entry.get("measured") is None:
            entry["guess"] = float(made)
    reporting.report("guess", made.name, unit=made.unit, value=entry["guess"])
    return entry["guess"]


def earlier_in_words(kept: float | None, made: Guess) -> str:
    """Return the end of a printed line that names an earlier guess, if that one counts; else "".

    `kept` is the guess that counts, or None, `made` the Guess that was made last.
    """
    if kept in (None, float(made)):
        return ""
    return f" (remembered is your earlier guess, {quantity(kept, made.unit)})"


def comparable(value: Any) -> bool:
    """Return whether a value is a number from 1e-6 to 1e12, which a log scale can show."""
    return (
        issubclass(type(value), numbers.Real)
        and not isinstance(value, bool)
        and SMALLEST <= value <= LARGEST
    )


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit as text: '20 ms', '4x', '80%' or '9,000 commands'.

    `unit` is the plural or an abbreviation; for 1 it becomes singular: '1 round trip'.
    """
    number = f"{value:,.0f}" if float(value).is_integer() else three_figures(value)
    if unit in ("x", "%"):
        return f"{number}{unit}"
    return f"{number} {singular(unit) if value == 1 and unit not in TIMES else unit}"


def calibration() -> Any:
    """Print how close your guesses of all chapters were; return a matplotlib Figure of them.

    Returns None if there is no guess to score. Guesses whose measurement other programs disturbed
    are counted apart, and not scored.
    """
    from ..figures.calibrated import draw_calibration

    known = {
        name: entry
        for name, entry in state.load("guesses").items()
        if comparable(entry.get("guess")) and comparable(entry.get("measured"))
    }
    scored = [
        (name, entry["guess"], entry["measured"])
        for name, entry in known.items()
        if not entry.get("busy")
    ]
    if not known:
        print(
            "measured: none of your guesses has been measured yet. Replace the three dots of a "
            "guess, and run its cell and those below"
        )
        return None
    close = sum(factor_off(said, measured) <= CLOSE for _, said, measured in scored)
    words = f"{close} of your {len(scored)} guesses within {CLOSE}x"
    if busy := len(known) - len(scored):
        words += f"; {busy} not scored, since {BUSY}"
    print(f"measured: {words}")
    return draw_calibration(scored, CLOSE, words) if scored else None
