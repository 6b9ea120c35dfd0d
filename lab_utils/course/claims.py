"""Published claims on trial: what an article said, what was measured here, and the verdict.

Each article has a file in claims/: its claims, the chapter that tries each, a judge, and cases for
and against. A judge is a plain function from measurements to a Verdict. It measures nothing itself,
so it can be fed measurements that say the opposite, and then says the opposite. A chapter measures
and calls `lab.claim`.
"""

import functools
import importlib.util
import inspect
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType

from .. import calm
from ..errors import LabError
from ..timing.ratio import SAME, TOO_FEW, Ratio
from . import state

FOLDER = Path(__file__).resolve().parents[2] / "claims"
HOLDS, DEPENDS, FAILS, UNTESTED = "holds", "depends", "does not hold here", "untested"
WORDS = (HOLDS, DEPENDS, FAILS, UNTESTED)
PLURAL = {HOLDS: "hold", DEPENDS: "depend", FAILS: "do not hold here", UNTESTED: "untested"}
TURNS_WITH = (
    "the client",
    "a default of the client",
    "the distance",
    "the size",
    "the command",
    "the data",
    "the system",
)
PAGE = 100  # letters of a line that a page has room for, beside JupyterLab's file browser
GOES_ON = " " * 12  # before what continues a line; tests/nbval_sanitize.cfg joins the two
SHOWN = re.compile(r"^([A-E]\d+)  .*\n    verdict: ([a-z ]+): ?(.*)$", re.MULTILINE)
SETTINGS = ("rtt_ms", "near_ms", "far_ms", "default_bytes", "limit_bytes")  # name endings
WHOLE_NUMBERS = ("_us", "_ns")  # name endings of times that the server gives as integers
NEVER_EARLY = ("request_s",)  # times that the link holds up: a reply may be late, never early

ARTICLES: dict[str, str] = {}  # {letter: the article's title and where it appeared}
CLAIMS: dict[str, "Claim"] = {}


@dataclass(frozen=True)
class Verdict:
    """`word` is one of WORDS; `because` says why, with measured figures behind `~`.

    `addition` is what the lab found beyond the claim: one sentence for all words, only its figures
    differ; "" for none. "untested" is for what a machine cannot tell, never for what did not come
    out clearly.
    """

    word: str
    because: str
    addition: str = ""


@dataclass(frozen=True)
class Claim:
    """What an author said, in our short words, and how it is tried.

    `chapter`, "03" for one, tries it. `turns_with`, one of TURNS_WITH, decides where it holds and
    by how much. `after` names the page whose words the article repeats. `margin` is by how much any
    one measurement may be off before the word turns: 1.5, and less where the author's own words are
    finer. `watched`: cells measure by lab helpers alone. `cases` are (word, measurements).
    """

    name: str
    chapter: str
    text: str
    judge: Callable[..., Verdict]
    turns_with: str = ""
    after: str = ""
    margin: float = 1.5
    watched: bool = True
    cases: list = field(default_factory=list)

    @property
    def article(self):
        return ARTICLES[self.name[0]]

    @property
    def credited(self):
        """The claim in words, and whose words it repeats."""
        return f"{self.text} After {self.after}." if self.after else self.text


@dataclass(frozen=True)
class Tried:
    """A claim, its verdict and the measurements behind it."""

    name: str
    text: str
    verdict: Verdict
    measured: dict

    def __repr__(self):
        return in_words(self.name, self.text, self.verdict)


@dataclass(frozen=True)
class Retried:
    """A claim and the verdict that it got just now: `word`, `because`, `addition`.

    `chapter` is the file name of the notebook that tells why, `section` "#its-section" there.
    """

    name: str
    text: str
    word: str
    because: str
    chapter: str
    addition: str = ""
    turns_with: str = ""
    section: str = ""

    @property
    def clause(self) -> str:
        """The verdict in one clause: 'depends on the client', for one."""
        if self.word == DEPENDS:
            return f"{self.word} {self.because.split(':')[0]}"
        if self.word == UNTESTED:
            return f"{self.word}: {self.because.split(', ')[0]}"
        turns = self.word == HOLDS and self.turns_with
        return f"{self.word}; the figures vary with {self.turns_with}" if turns else self.word


def by_degree(wholly, partly, on, seen, adds=""):
    """Return the Verdict of a claim that holds wholly, in part (`on` what), or not at all."""
    if wholly:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on {on}: {seen}", adds) if partly else Verdict(FAILS, seen, adds)


def judge(name, chapter, text, turns_with="", after="", margin=1.5, watched=True):
    """Register the decorated function as the judge of a Claim."""

    def register(function):
        CLAIMS[name] = Claim(name, chapter, text, function, turns_with, after, margin, watched)
        return function

    return register


def cases(name, *told):
    """Say what a claim's judge must say of measurements: (word, measurements) each.

    All but the first give only what differs from the first.
    """
    first = told[0][1]
    CLAIMS[name].cases.extend((word, {**first, **measured}) for word, measured in told)


def load_file(name: str, path: Path) -> ModuleType:
    """Return the module in a file outside of lab_utils, imported under this name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader  # as of any file that ends in .py
    sys.modules[name] = loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def check_clone(found, what: str):
    """Raise LabError if `found` is empty: lab_utils was installed without its clone."""
    if not found:
        raise LabError(
            f"There are no {what}. Run this from a clone of the lab, where lab_utils "
            "was installed with pip install -e."
        )


@functools.cache
def load_all() -> None:
    """Run every file of claims/, so that all claims are known."""
    for path in sorted(FOLDER.glob("article*.py")):
        ARTICLES[path.stem[-1]] = load_file(f"claims_{path.stem}", path).ARTICLE
    check_clone(CLAIMS, f"claims in {FOLDER}")


def judge_of(name: str) -> Callable[..., Verdict]:
    """Return the judge of a claim, "C14" for one: a function from measurements to a Verdict."""
    load_all()
    return CLAIMS[name].judge


def order(name):
    """Return what sorts A2 before A10."""
    return name[0], int(name[1:])


def in_words(name, text, verdict, where=""):
    """Return a claim and its verdict as they are printed.

    The verdict has a line of its own that nbval passes over, by how it begins: what was measured
    decides it (see tests/nbval_sanitize.cfg). What the lab adds stands in the next: that it is
    there is a fact, its figures are not.
    """
    claimed = in_lines(f"{name}  {text}{where}", indent="")
    said = in_lines(f"verdict: {verdict.word}: {verdict.because}")
    adds = in_lines(f"addition: {verdict.addition}") if verdict.addition else []
    return "\n".join([*claimed, *said, *adds])


def in_lines(sentence, indent=" " * 4):
    """Return a sentence in lines that fit the page, the later ones further in."""
    return textwrap.wrap(
        sentence,
        PAGE,
        initial_indent=indent,
        subsequent_indent=GOES_ON,
        break_long_words=False,
        break_on_hyphens=False,
    )


def shown_in(text: str) -> dict[str, tuple[str, str]]:
    """Return {claim: (word, because)} of all that `in_words` wrote into a text."""
    found = SHOWN.findall(text.replace(f"\n{GOES_ON}", " "))
    return {name: (word, because) for name, word, because in found}


def claim(name: str, **measured) -> Tried:
    """Try claim `name` on measurements, and remember the verdict for the scoreboard.

    The measurements are the arguments of the claim's judge: seconds, counts and Ratios. Returns a
    Tried, which shows the claim and its verdict. A Ratio of too few rounds makes that "untested",
    unless the word stays either way. Raises LabError for an unknown claim, or for measurements that
    the judge does not take.
    """
    load_all()
    known = CLAIMS.get(name) if isinstance(name, str) else None
    if known is None:
        raise LabError(f"There is no claim {name!r}. There are: {', '.join(sorted(CLAIMS))}.")
    taken = inspect.signature(known.judge)
    try:
        taken.bind(**measured)
    except TypeError as error:
        raise LabError(
            f"Claim {name} is judged from {', '.join(taken.parameters)}: {error}. Pass just these."
        ) from None
    # Ratios of few rounds leave possible that there is no difference, and either end.
    ends = (lambda ratio: 1.0, lambda ratio: ratio.low, lambda ratio: ratio.high)
    few, measured = [plain(measured, unsure) for unsure in ends], plain(measured)
    for path, value in figures(measured):
        if isinstance(value, float) and math.isnan(value):
            raise LabError(
                f"{path[0]} is not a number, so claim {name} cannot be judged. "
                "Measure it again, and pass that."
            )
    seen = calm.since_claim()
    try:
        verdict = judged(known.judge, measured, seen, few, known.watched)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        what = inspect.getdoc(known.judge) or f"{', '.join(taken.parameters)}, as measured."
        raise LabError(
            f"Claim {name} cannot be judged from these measurements ({error}). Pass {what}"
        ) from None
    entry = {**asdict(verdict), "measured": measured, "taken_share": seen.taken_share}
    enter(name, entry, chapter())
    return Tried(name, known.credited, verdict, measured)


def judged(judge, measured, seen, few=(), watched=True):
    """Return the judge's Verdict, or "untested" where a disturbance could have turned the word.

    `seen` is the Calm of what was measured, `few` the measurements that few rounds leave possible.
    """
    found = judge(**measured)

    def other_words(near):
        words = {judge(**other).word for other in near} - {found.word}
        return " or ".join(f"“{word}”" for word in sorted(words))

    def untested(why, doubt):
        because = f"{why}. What was measured says “{found.word}”{doubt}: {found.because}"
        return Verdict(UNTESTED, because, found.addition)

    if others := other_words(few):
        return untested(TOO_FEW, f"; it may as well be {others}")
    if seen.busy and not watched:
        return untested(seen.sentence(), ", in part without the lab's hand")
    if seen.busy and (others := other_words(nearby(measured, 1 + seen.doubt))):
        return untested(
            seen.sentence(), f"; with a figure off by ~{seen.doubt:.0%} it would be {others}"
        )
    return found


def plain(measured, unsure=lambda ratio: ratio.value):
    """Return the measurements with a number for each Ratio.

    It is 1 where the Ratio says "no different", and `unsure` of it where its rounds are few.
    """

    def number(value):
        if isinstance(value, dict):
            return plain(value, unsure)
        if not isinstance(value, Ratio):
            return float(value) if isinstance(value, float) else value
        if value.judgement == TOO_FEW:
            return unsure(value)
        return 1.0 if value.judgement == SAME else value.value

    return {name: number(value) for name, value in measured.items()}


def nearby(measured, factor):
    """Yield the measurements, each time in turn times `factor` and divided by it; counts stay."""
    for path, value in figures(measured):
        shorter = () if path[0] in NEVER_EARLY else (value / factor,)
        for changed in (value * factor, *shorter):
            yield replaced(measured, path, type(value)(changed))


def turning(name: str, stored: dict) -> list[dict]:
    """Return which measurements near the stored ones turn the claim's word: off by its margin."""
    load_all()
    known, measured = CLAIMS[name], numbered(stored)
    word = known.judge(**measured).word
    return [near for near in nearby(measured, known.margin) if known.judge(**near).word != word]


def numbered(stored):
    """Return measurements as they were: JSON turned the numbers that name them into strings."""
    return {
        int(name) if name.isdigit() else name: numbered(value) if isinstance(value, dict) else value
        for name, value in stored.items()
    }


def figures(measured, path=()):
    """Yield (path, value) of every measured figure in a dict of figures and dicts.

    That is a float, or a whole number whose name says that it is a time; bytes are not disturbed.
    """
    for name, value in measured.items():
        label = str((*path, name)[0])
        if isinstance(value, dict):
            yield from figures(value, (*path, name))
        elif not label.endswith(SETTINGS) and (
            isinstance(value, float) or label.endswith(WHOLE_NUMBERS)
        ):
            yield (*path, name), value


def replaced(measured, path, value):
    """Return a copy of nested dicts with one value replaced."""
    first, *rest = path
    return {**measured, first: replaced(measured[first], rest, value) if rest else value}


def enter(name, verdict, chapter):
    """Write a verdict into the ledger, as its claim's latest and as that of the chapter."""
    with state.changing("claims") as ledger:
        before = ledger.get(name, {}).get("chapters", {})
        ledger[name] = {
            "text": CLAIMS[name].text,
            "article": CLAIMS[name].article,
            **verdict,
            "chapters": {**before, chapter: verdict},
        }


def chapter():
    """Return the notebook that runs here, "04_multi_exec" for one; "" where nobody says."""
    return os.environ.get("LAB_CHAPTER") or Path(os.environ.get("JPY_SESSION_NAME", "")).stem
