"""Published claims on trial: what an article said, what was measured here, and the verdict that follows.

A judge is a plain function from measurements to a Verdict, in `course/verdicts/`, a module for each chapter.
It measures nothing itself, so it can be fed measurements that say the opposite, and then says the opposite.
A chapter measures and calls `lab.claim`.
"""

import functools
import importlib
import inspect
import math
import os
import pkgutil
import re
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import calm
from ..errors import LabError
from ..timing.ratio import SAME, TOO_FEW, Ratio
from . import state

HOLDS, DEPENDS, FAILS, UNTESTED = "holds", "depends", "does not hold here", "untested"
WORDS = (HOLDS, DEPENDS, FAILS, UNTESTED)
PLURAL = {HOLDS: "hold", DEPENDS: "depend", FAILS: "do not hold here", UNTESTED: "untested"}
PAGE = 100  # letters of a line that a page has room for, beside JupyterLab's file browser
GOES_ON = " " * 12  # before what continues a line; tests/nbval_sanitize.cfg joins the two

TURNS_WITH = ("the client", "a default of the client", "the distance", "the size", "the command", "the data",
              "the system")

ARTICLES = {
    "A": "Redis Pipeline, packet by packet (MicroAd developers' blog)",
    "B": "Using Redis efficiently from Python ([Dd]enzow(ill)? with DB and Python)",
    "C": "Redis Pipeline and the round trip (30 March 2023)",
    "D": "Can Redis pipelining overcome network latency? (Spring Data Redis on AWS)",
    "E": "Why was my Redis so slow? (Qiita, 17 April 2017)",
}


@dataclass(frozen=True)
class Verdict:
    """`word` is one of WORDS; `because` says why, with measured figures behind `~`.

    `addition` is what the lab found beyond the claim: one sentence for all words, only its figures differ; "" for none.
    "untested" is for what a machine cannot tell, never for what did not come out clearly.
    """

    word: str
    because: str
    addition: str = ""


@dataclass(frozen=True)
class Tried:
    """A claim, its verdict and the measurements behind it."""

    name: str
    text: str
    verdict: Verdict
    measured: dict

    def __repr__(self):
        return in_words(self.name, self.text, self.verdict)


def in_words(name, text, verdict, where=""):
    """A claim and its verdict as they are printed. The verdict has a line of its own that nbval passes over, by how it begins:
    what was measured decides it (see tests/nbval_sanitize.cfg). What the lab adds stands in the next: that it is there is a
    fact, its figures are not.
    """
    claimed = in_lines(f"{name}  “{text}”{where}", indent="")
    said = in_lines(f"verdict: {verdict.word}: {verdict.because}")
    adds = in_lines(f"addition: {verdict.addition}") if verdict.addition else []
    return "\n".join([*claimed, *said, *adds])


def in_lines(sentence, indent=" " * 4):
    """A sentence in lines that fit the page, the later ones further in: so nbval and `shown_in` know where one goes on."""
    return textwrap.wrap(sentence, PAGE, initial_indent=indent, subsequent_indent=GOES_ON, break_long_words=False,
                         break_on_hyphens=False)


SHOWN = re.compile(r"^([A-E]\d+)  “.*”.*\n    verdict: ([a-z ]+): ?(.*)$", re.MULTILINE)


def shown_in(text):
    """{claim: (word, because)} of all that `in_words` wrote into a text."""
    return {name: (word, because) for name, word, because in SHOWN.findall(text.replace(f"\n{GOES_ON}", " "))}


@dataclass(frozen=True)
class Claim:
    """`text` is what the author said, in short; `turns_with`, one of TURNS_WITH, what decides where it holds and by how much."""

    name: str
    text: str
    judge: object
    turns_with: str = ""

    @property
    def article(self):
        return ARTICLES[self.name[0]]

    @property
    def chapter(self):
        """The number of the chapter that tries it, "03" for one: its judge stands in that chapter's module."""
        return self.judge.__module__[-2:]


CLAIMS = {}


def order(name):
    """Sorts A2 before A10."""
    return name[0], int(name[1:])


def judge(name, text, turns_with=""):
    """Registers the decorated function as the judge of a Claim."""
    def register(function):
        CLAIMS[name] = Claim(name, text, function, turns_with)
        return function
    return register


@functools.cache
def load_all():
    from . import verdicts

    for module in pkgutil.iter_modules(verdicts.__path__):
        importlib.import_module(f"{verdicts.__name__}.{module.name}")


def claim(name, **measured):
    """Tries claim `name` on measurements and remembers the verdict for later chapters and the scoreboard.

    The measurements are the arguments of the claim's judge, seconds, counts and Ratios; returns a Tried, which shows the
    claim and its verdict. A Ratio of too few rounds makes that "untested", unless the word stays either way. Raises
    LabError for an unknown claim, or for measurements that the judge does not take.
    """
    load_all()
    known = CLAIMS.get(name) if isinstance(name, str) else None
    if known is None:
        raise LabError(f"There is no claim {name!r}. There are: {', '.join(sorted(CLAIMS))}.")
    try:
        inspect.signature(known.judge).bind(**measured)
    except TypeError as error:
        raise LabError(f"Claim {name} is judged from {', '.join(inspect.signature(known.judge).parameters)}: {error}. "
                       "Pass just these.") from None
    few = less_sure(measured)
    measured = plain(measured)
    if wrong := [str(path[0]) for path, value in figures(measured) if isinstance(value, float) and math.isnan(value)]:
        raise LabError(f"{wrong[0]} is not a number, so claim {name} cannot be judged. Measure it again, and pass that.")
    seen = calm.since_claim()
    try:
        tried = Tried(name, known.text, judged(known.judge, measured, seen, few), measured)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise LabError(f"Claim {name} cannot be judged from these measurements ({error}). "
                       f"Pass {inspect.getdoc(known.judge)}") from None
    enter(name, {**asdict(tried.verdict), "measured": measured, "taken_share": seen.taken_share}, chapter())
    return tried


def judged(judge, measured, seen, few=()):
    """The judge's Verdict; "untested" where the machine was busy and a measurement that is off would turn the word, or where
    the rounds were too few and what they leave possible would.

    `seen` is the Calm of what was measured, `few` the measurements that few rounds leave possible.
    """
    found = judge(**measured)
    if others := "” or “".join(sorted({judge(**other).word for other in few} - {found.word})):
        return Verdict(UNTESTED, f"{TOO_FEW}. What was measured says “{found.word}”; it may as well be “{others}”: "
                                 f"{found.because}", found.addition)
    turned = {judge(**other).word for other in nearby(measured, 1 + seen.doubt)} - {found.word} if seen.busy else ()
    if not turned:
        return found
    others = "” or “".join(sorted(turned))
    return Verdict(UNTESTED, f"{seen.sentence()}. What was measured says “{found.word}”; with a figure off by ~{seen.doubt:.0%} "
                             f"it would be “{others}”: {found.because}", found.addition)


def plain(measured, unsure=lambda ratio: ratio.value):
    """The measurements with a number for each Ratio: 1 where it says "no different", `unsure` of it where its rounds are few."""
    def number(value):
        if isinstance(value, dict):
            return plain(value, unsure)
        if not isinstance(value, Ratio):
            return value
        return unsure(value) if value.judgement == TOO_FEW else 1.0 if value.judgement == SAME else value.value

    return {name: number(value) for name, value in measured.items()}


def less_sure(measured):
    """What the Ratios of too few rounds leave possible: no difference, and either end of what was seen."""
    return [plain(measured, unsure) for unsure in (lambda ratio: 1.0, lambda ratio: ratio.low, lambda ratio: ratio.high)]


SETTINGS = ("rtt_ms", "near_ms", "far_ms", "default_bytes", "limit_bytes")  # how the names of what was set end
WHOLE_NUMBERS = ("_us", "_ns")  # how the names of times end that the server tells in whole numbers; bytes are not disturbed


def nearby(measured, factor):
    """The same measurements, each measured time in turn times `factor` and divided by it. Counts, bytes and settings stay."""
    for path, value in figures(measured):
        for changed in (value * factor, value / factor):
            yield replaced(measured, path, type(value)(changed))


def figures(measured, path=()):
    """(path, value) of every measured figure in a dict of figures and dicts: a float, or a whole number that is named so."""
    for name, value in measured.items():
        label = str((*path, name)[0])
        if isinstance(value, dict):
            yield from figures(value, (*path, name))
        elif not label.endswith(SETTINGS) and (isinstance(value, float) or label.endswith(WHOLE_NUMBERS)):
            yield (*path, name), value


def replaced(measured, path, value):
    """A copy of nested dicts with one value replaced."""
    first, *rest = path
    return {**measured, first: replaced(measured[first], rest, value) if rest else value}


def enter(name, verdict, chapter):
    """Writes a verdict into the ledger, as the latest of its claim and as that of the chapter that tried it."""
    with state.changing("claims") as ledger:
        before = ledger.get(name, {}).get("chapters", {})
        ledger[name] = {"text": CLAIMS[name].text, "article": CLAIMS[name].article, **verdict,
                        "chapters": {**before, chapter: verdict}}


def chapter():
    """The notebook that runs here, "03_loops_pipelines_mset" for one; "" where nobody says."""
    return os.environ.get("LAB_CHAPTER") or Path(os.environ.get("JPY_SESSION_NAME", "")).stem


def ledger():
    """The claims tried so far on this machine: {name: {"text", "article", "word", "because", "measured", "chapters", …}}.

    The verdict is the latest; `chapters` holds each chapter's own, since several try the same claim. "addition" is what the
    lab adds; what an older lab wrote has none.
    """
    return state.load("claims")
