"""What the learner said before it was measured, kept with what was measured then.

Remembered in `.lab/guesses.json` (see state.py), in the order in which they were made, is the guess at each question that stood
when its answer came:
{"01.cart": {"guess": 20.0, "unit": "ms", "measured": 202.1}}; "measured" is null until then. A guess made after its answer
was shown in this kernel is shown too, and not remembered.
"""

import math
import numbers
import random
import re
from io import BytesIO

from .. import setting
from ..arguments import check_number, discard, shown
from ..errors import LabError
from ..figures.canvas import busy_note
from ..words import factor_off, singular, three_figures, times
from . import reporting, state

TIMES = {"s": 1, "ms": 1e-3, "µs": 1e-6}
COUNTED = ("bytes", "round trips", "commands", "messages", "types", "replies", "threads", "connections", "visits", "writes",
           "claims", "tickets")
DISTURBED = (*TIMES, "x", "%")
UNITS = (*DISTURBED, "MB", *COUNTED)
NAME = re.compile(r"\d\d\.[a-z][a-z_]*")
SMALLEST, LARGEST = 1e-6, 1e12
CLOSE = 2  # a guess within this factor was good
FEWEST_TO_COMPARE = 16  # guesses, before the later half is held against the earlier one
SHUFFLES, RARELY = 2_000, 0.05

_units = {}  # {name: unit}, as the cells of this kernel asked
_answered = set()  # names whose answer this kernel has shown while no guess was made


class Guess(float):
    """The number that was said, in `unit`, for the question `name`. Where none was made: nan, false, and in no figure."""

    def __new__(cls, value, name, unit):
        made = super().__new__(cls, value)
        made.name, made.unit = name, unit
        return made

    def __getnewargs__(self):
        """So that a guess can be copied and pickled as any number can."""
        return float(self), self.name, self.unit

    @property
    def made(self):
        return not math.isnan(self)

    def __bool__(self):
        return self.made

    def __repr__(self):
        return quantity(self, self.unit) if self.made else "no guess yet"

    def against(self, measured, computed=False):
        """Holds the guess against what was measured, in its unit, and prints one line: what was measured, and what you said.

        `computed` is for a figure that follows from a rule and was not measured: the line says so. A figure that a busy machine
        may have disturbed, which counts are not, is followed by who disturbed this kernel, at worst.
        Raises LabError where `measured` is no number, or negative.
        """
        measured, found = check_number(measured, "measured", 0), "computed" if computed else "measured"
        note = busy_note() if self.unit in DISTURBED and not computed else ""
        busy = f" ({note})" if note else ""
        first = self.learns(measured)
        if not self.made:
            print(f"{found}: {quantity(measured, self.unit)}{busy}")
            return
        off = f", {factor_in_words(self, measured)}" if measured else ""
        kept = f" (remembered is your first guess, {quantity(first, self.unit)})" if first not in (None, float(self)) else ""
        print(f"{found}: you said {self}, {found} {quantity(measured, self.unit)}{off}{kept}{busy}")

    def hears(self, measured, unit):
        """What a figure draws: the guess in the figure's `unit`, or None where none was made. `measured` is in that unit too."""
        if unit != self.unit and not {unit, self.unit} <= set(TIMES):
            raise LabError(f"The guess {self.name} is in {self.unit}, and this figure measures in {unit}. "
                           "Write the guess's unit as the figure's, or compare it with guess.against(…).")
        scale = 1 if unit == self.unit else TIMES[unit] / TIMES[self.unit]
        self.learns(measured * scale)
        return float(self) / scale if self.made else None

    def learns(self, measured):
        """Remembers what was measured, once; the guess that is remembered with it, or None."""
        if not self.made:
            _answered.add(self.name)
        if comparable(measured):
            reporting.report("measured", self.name, unit=self.unit, value=float(measured))
        if not self.made or not setting.is_drawn() or not comparable(measured):
            return None
        with state.changing("guesses") as known:
            entry = known.get(self.name)
            if not entry or entry["unit"] != self.unit:
                return None
            if entry.get("measured") is None:
                entry["measured"] = measured
        return entry["guess"]


def guess(name, value, unit, *rest):
    """Your guess at the question `name`, such as "01.cart": a number above 0 in `unit`, or `...` as long as you make none.

    Returns it as a number that knows its unit: hand it to a figure as `said=guess`, or hold it against what was measured with
    `guess.against(measured)`. The last one made before its answer was shown is remembered for `lab.calibration()`. What
    cannot be a guess is said in a sentence, and counts as none. Raises LabError for a name that is not as `NN.word`, for a
    unit that is not of the lab's, and for a name that had another unit before.
    """
    if rest:  # 5,000 with a comma is two numbers
        value, unit = (value, unit, *rest[:-1]), rest[-1]
    check_question(name, unit)
    made = Guess(usable(value, unit), name, unit)
    if made and name not in _answered and setting.is_drawn():
        with state.changing("guesses") as known:
            if name not in known or known[name]["unit"] != unit:  # another unit is another question
                known.pop(name, None)  # so that it stands at the end, as the latest
                known[name] = {"guess": float(made), "unit": unit, "measured": None}
            elif known[name].get("measured") is None and known[name]["guess"] != made:  # a slip, mended in time
                known[name] |= {"guess": float(made), "revision": known[name].get("revision", 0) + 1}
            first, revision = known[name]["guess"], known[name].get("revision", 0)
        reporting.report("guess", name, revision=revision, unit=unit, value=first)
    return made


def check_question(name, unit):
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise LabError(f"{shown(name)} does not name a guess. Write the chapter's number and a word: \"01.cart\".")
    if unit not in UNITS:
        raise LabError(f"{shown(unit)} is not a unit of a guess. There are: {', '.join(UNITS)}.")
    if _units.setdefault(name, unit) != unit:
        raise LabError(f"The guess {name} was in {_units[name]} before, and is in {unit} now. Give it the same unit, or write "
                       "another name.")


def usable(value, unit):
    """The number that was said; nan where none was, and a sentence where what was said can be none."""
    if value is None or value is ...:
        return math.nan
    if comparable(value):
        return float(value)
    print(f"{shown(value)} cannot be held against a measurement, so it counts as none. Write one number above 0 in its place, "
          f"such as 20, 0.5 or 5000, without quotes and without a comma. The unit is {unit}.")
    discard(value)
    return math.nan


def comparable(value):
    """True for a number that can stand on a log scale beside a measurement."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and SMALLEST <= value <= LARGEST


def quantity(value, unit):
    """'20 ms', '4x', '80%', '1 round trip', '9,000 commands'."""
    number = f"{value:,.0f}" if float(value).is_integer() else three_figures(value)
    if unit in ("x", "%"):
        return f"{number}{unit}"
    return f"{number} {singular(unit) if value == 1 and unit in COUNTED else unit}"


def factor_in_words(said, measured):
    """'2.1x off', or how close it was."""
    factor = factor_off(said, measured)
    if factor == 1:
        return "the same"
    return "within 5%" if factor < 1.05 else f"{times(factor)} off"


class Calibration:
    """How well you guess: `pairs` are (name, guess, measured) in the order in which the guesses were made. It shows a figure."""

    def __init__(self, pairs):
        self.pairs = pairs

    @property
    def factors(self):
        return [factor_off(said, measured) for _, said, measured in self.pairs]

    @property
    def words(self):
        """'12 of your 20 guesses were within 2x', and whether the later half was closer, where the numbers support it."""
        if not self.pairs:
            return "none of your guesses has been measured yet"
        close = sum(factor <= CLOSE for factor in self.factors)
        of = f"{close} of your {len(self.pairs)} guesses were" if len(self.pairs) > 1 else \
            f"your one guess was{'' if close else ' not'}"
        change = half_against_half(self.factors)
        return f"{of} within {CLOSE}x{f'; {change}' if change else ''}"

    def plot(self):
        """Draws each guess against what was measured; None where there is nothing to draw."""
        from ..figures.calibrated import draw_calibration

        return draw_calibration(self.pairs, CLOSE, self.words) if self.pairs else None

    def __repr__(self):
        if not self.pairs:
            return "measured: nothing to draw yet. Replace the three dots of a guess, and run its cell and those below"
        counted = f"{len(self.pairs)} guesses" if len(self.pairs) > 1 else "1 guess"
        return f"measured: {counted}, the worst {times(max(self.factors))} off"

    def _repr_mimebundle_(self, include=None, exclude=None):
        figure = self.plot()
        if figure is None:
            return {"text/plain": repr(self)}
        out = BytesIO()
        figure.savefig(out, format="png")
        return {"text/plain": repr(self), "image/png": out.getvalue()}, {"image/png": {"alt": self.words}}


def half_against_half(factors):
    """Whether the later guesses were closer, or less close, than the earlier ones; "" where so many cannot tell.

    Held against what shuffling the same guesses brings about: a difference counts if that makes one as large only rarely.
    """
    if len(factors) < FEWEST_TO_COMPARE:
        return ""
    logs = [math.log(factor) for factor in factors]
    middle = len(logs) // 2

    def difference(values):
        return sum(values[:middle]) / middle - sum(values[middle:]) / (len(values) - middle)

    found, shuffled = difference(logs), random.Random(0)
    as_large = sum(abs(difference(shuffled.sample(logs, len(logs)))) >= abs(found) for _ in range(SHUFFLES))
    if as_large > RARELY * SHUFFLES:
        return ""
    before, after = (math.exp(sum(half) / len(half)) for half in (logs[:middle], logs[middle:]))
    return f"the later half was {'closer' if found > 0 else 'less close'}: {times(after)} off on average, {times(before)} before"


def calibration():
    """Your guesses, of all chapters, against what was measured: a Calibration, which shows a figure; prints one line."""
    known = state.load("guesses")
    pairs = [(name, entry["guess"], entry["measured"]) for name, entry in known.items()
             if comparable(entry["guess"]) and comparable(entry.get("measured"))]
    found = Calibration(pairs)
    print(f"measured: {found.words}")
    return found
