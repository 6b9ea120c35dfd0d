"""Judge published claims: what an article said, what was measured here, and the verdict.

Each article has a file in claims/: its claims, the chapter that tries each, a judge, and cases for
and against. A judge is a plain function from measurements to a Verdict. A judge measures nothing
itself: for the opposite measurements, it must return the opposite verdict. A chapter measures and
calls `lab.claim`, which writes the verdict into "claims" in `.lab/state.json`.
"""

import functools
import importlib.util
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType

from .. import disturbance
from ..errors import LabError
from ..timing.ratio import SAME, TOO_FEW, Ratio
from . import state

FOLDER = Path(__file__).resolve().parents[2] / "claims"
HOLDS = "holds"
DEPENDS = "depends"
FAILS = "does not hold here"
UNTESTED = "untested"
WORDS = (HOLDS, DEPENDS, FAILS, UNTESTED)
PAGE = 100  # letters of a line that a page has room for, beside JupyterLab's file browser
GOES_ON = " " * 12  # before what continues a line; tests/nbval_sanitize.cfg joins the two
SHOWN = re.compile(
    r"^([A-E]\d+)  .*\n    verdict: ([a-z ]+): ?(.*)(?:\n    addition: (.*))?", re.MULTILINE
)
SETTINGS = ("rtt_ms", "near_ms", "far_ms", "default_bytes", "limit_bytes")  # name endings
WHOLE_NUMBERS = ("_us", "_ns")  # name endings of times that the server gives as integers
NEVER_EARLY = ("request_s",)  # times that the link holds up: a reply may be late, never early

ARTICLES: dict[str, str] = {}  # {letter: the article's title and where it appeared}
CLAIMS: dict[str, "Claim"] = {}  # in the order of the articles


@dataclass(frozen=True)
class Verdict:
    """The result of judging a claim: `word` is one of WORDS, `because` says why in a sentence.

    WORDS are "holds", "depends", "does not hold here" and "untested". Each measured figure in
    `because` has a `~` before it. `addition` is one sentence on what the lab found beyond the
    claim, "" for none; only its figures may differ from run to run. A judge says "untested" only of
    what one machine cannot show; `lab.claim` also says it if the measurements leave another verdict
    possible.
    """

    word: str
    because: str
    addition: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of an author, in our short words, and how the lab tries it.

    - `name` is such as "A1", and `text` the sentence
    - `chapter` is the number of the chapter that tries it, such as "03"
    - `judge` is a function from measurements, its keyword arguments, to a Verdict
    - `turns_with` names what the verdict depends on, such as "the distance" or "the client"
    - `after` names the page whose words the article repeats, "" if they are its own
    - `margin` is the factor by which one measurement may be wrong without another verdict: 1.5, or
      less if the author's words are more precise
    - `watched` is False if some cells measure without the lab's helpers, which would not notice a
      disturbance
    - `cases` are test cases of the judge: pairs (word of the verdict, measurements)
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


@dataclass(frozen=True)
class Tried:
    """What `lab.claim` returns: the claim's `name`, its `text` and its `verdict`, a Verdict.

    A notebook shows the repr: name, text and verdict as printed lines.
    """

    name: str
    text: str
    verdict: Verdict

    def __repr__(self) -> str:
        return in_words(self.name, self.text, self.verdict)


# What the files of claims/ call


def by_degree(wholly: object, partly: object, on: str, seen: str, adds: str = "") -> Verdict:
    """Return a Verdict: "holds" if `wholly`, else "depends" if `partly`, else "does not hold here".

    `wholly` and `partly` are conditions, taken as true or false. `on` names what the verdict
    depends on, such as "the distance". `seen` says in a sentence what was measured, and `adds` what
    was found beyond the claim, "" for nothing.
    """
    if wholly:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on {on}: {seen}", adds) if partly else Verdict(FAILS, seen, adds)


def judge(
    name: str,
    chapter: str,
    text: str,
    turns_with: str = "",
    after: str = "",
    margin: float = 1.5,
    watched: bool = True,
) -> Callable:
    """Decorate the judge of a claim, a function that returns a Verdict: register a Claim with it.

    The arguments are the other fields of that Claim. `name` is such as "A1", `chapter` such as
    "03", `text` is the claim in short words. `turns_with` says what the verdict depends on, and
    `after` whose words the article repeats; both may be "". `margin` is the factor by which a
    measurement may be wrong. `watched` is False if some cells measure without the lab's helpers.
    The judge is returned unchanged.
    """

    def register(function: Callable[..., Verdict]) -> Callable[..., Verdict]:
        CLAIMS[name] = Claim(name, chapter, text, function, turns_with, after, margin, watched)
        return function

    return register


def cases(name: str, *told: tuple[str, dict]) -> None:
    """Add test cases for the judge of a claim: pairs (expected word, {measurement's name: value}).

    `name` is the claim's, such as "A1". The word is that of the verdict, such as "holds"; the
    measurements are arguments of the judge. The second and later pairs need only the measurements
    that differ from those of the first pair.
    """
    first = told[0][1]
    CLAIMS[name].cases.extend((word, {**first, **measured}) for word, measured in told)


# Finding them


def load_file(name: str, path: Path) -> ModuleType:
    """Import the file `path`, outside of lab_utils, as the module `name`, and return the module."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader  # as of any file that ends in .py
    sys.modules[name] = loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@functools.cache
def load_all() -> None:
    """Import every article's file in claims/, once, which fills the dicts CLAIMS and ARTICLES."""
    for path in sorted(FOLDER.glob("article*.py")):
        ARTICLES[path.stem[-1]] = load_file(f"claims_{path.stem}", path).ARTICLE


def judge_of(name: str) -> Callable[..., Verdict]:
    """Return the judge of a claim such as "C14": a function from its measurements to a Verdict."""
    load_all()
    return CLAIMS[name].judge


# The printed form of a claim, and the pattern that reads it again


def in_words(name: str, text: str, verdict: Verdict, where: str = "") -> str:
    """Return a claim and its verdict as printed text; `where`, if any, follows the claim's text.

    `name` is such as "A1", `text` is the claim's. The verdict is on a line of its own. nbval does
    not compare that line, recognized by its first word, since it depends on measurements (see
    tests/nbval_sanitize.cfg). The Verdict's addition is on the next line: nbval compares its words
    but not its figures.
    """
    claimed = in_lines(f"{name}  {text}{where}", indent="")
    said = in_lines(f"verdict: {verdict.word}: {verdict.because}")
    adds = in_lines(f"addition: {verdict.addition}") if verdict.addition else []
    return "\n".join([*claimed, *said, *adds])


def in_lines(sentence: str, indent: str = " " * 4, goes_on: str = GOES_ON) -> list[str]:
    """Wrap a sentence into lines of at most 100 characters, and return these.

    The first line begins with the text `indent`, every further one with `goes_on`.
    """
    return textwrap.wrap(
        sentence,
        PAGE,
        initial_indent=indent,
        subsequent_indent=goes_on,
        break_long_words=False,
        break_on_hyphens=False,
    )


def shown_in(text: str) -> dict[str, Verdict]:
    """Return {claim's name: Verdict} for all claims in a text that `in_words` made for printing."""
    found = SHOWN.findall(text.replace(f"\n{GOES_ON}", " "))
    return {name: Verdict(*verdict) for name, *verdict in found}


# Judging


def claim(name: str, **measured: object) -> Tried:
    """Judge claim `name` by measurements, and store the verdict in `.lab/state.json`.

    `measured` are the arguments of the claim's judge: seconds, counts and Ratios. Returns a Tried,
    which shows the claim and its verdict. The verdict is "untested" if the measurements leave
    another one possible: because a Ratio has too few rounds, or because other programs disturbed
    the machine. Raises LabError for an unknown claim, and for measurements that the judge cannot
    use.
    """
    load_all()
    known = CLAIMS.get(name) if isinstance(name, str) else None
    if known is None:
        raise LabError(f"There is no claim {name!r}. There are: {', '.join(CLAIMS)}.")
    numbers = plain(measured)
    seen = disturbance.since_claim()
    try:
        # What is no number is no measurement: it would pass every comparison, or none.
        json.dumps(numbers, allow_nan=False)
        verdict = verdict_on(known, measured, numbers, seen)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        what = " ".join((inspect.getdoc(known.judge) or "as they were measured.").split())
        raise LabError(
            f"Claim {name} cannot be judged from these measurements ({error}). "
            f"Pass {', '.join(inspect.signature(known.judge).parameters)}: {what}"
        ) from None
    with state.changing("claims") as ledger:
        ledger[name] = {**asdict(verdict), "measured": numbers, "taken_share": seen.taken_share}
    return Tried(name, known.text + (f" After {known.after}." if known.after else ""), verdict)


def verdict_on(
    known: Claim, measured: dict, numbers: dict, seen: disturbance.Disturbance
) -> Verdict:
    """Return the Verdict on a claim, "untested" if the measurements allow more than one verdict.

    They may if a Ratio has too few rounds, or if other programs disturbed the machine. `known` is
    the Claim, and `measured` are the arguments of its judge, {name: value}. `numbers` is the same
    dict with a number in place of each Ratio, and `seen` the Disturbance of the measurements.
    """
    found = known.judge(**numbers)

    def other_words(possible: Iterable[dict]) -> str:
        words = {known.judge(**other).word for other in possible} - {found.word}
        return " or ".join(f"“{word}”" for word in sorted(words))

    def untested(why: str, doubt: str) -> Verdict:
        return Verdict(
            UNTESTED,
            f"{why}. What was measured says “{found.word}”{doubt}: {found.because}",
            found.addition,
        )

    # Ratios of few rounds leave possible that there is no difference, and either end.
    ends = (lambda ratio: 1.0, lambda ratio: ratio.low, lambda ratio: ratio.high)
    if others := other_words(plain(measured, end) for end in ends):
        return untested(TOO_FEW, f"; it may as well be {others}")
    if seen.busy and not known.watched:
        return untested(seen.sentence(), ", in part without the lab's hand")
    if seen.busy and (others := other_words(nearby(numbers, 1 + seen.doubt))):
        return untested(
            seen.sentence(), f"; with a figure off by ~{seen.doubt:.0%} it would be {others}"
        )
    return found


def plain(measured: dict, of_few: Callable[[Ratio], float] = lambda ratio: ratio.value) -> dict:
    """Return a copy of the measurements for a claim, with a number in place of each Ratio.

    `measured` is {name: measurement, or a dict of measurements}. The number is `of_few(ratio)` for
    a Ratio with too few rounds, 1 for one that says "no different", and else the Ratio's value.
    """

    def number(value: object) -> object:
        if isinstance(value, dict):
            return plain(value, of_few)
        if not isinstance(value, Ratio):
            return float(value) if isinstance(value, float) else value
        if value.judgement == TOO_FEW:
            return of_few(value)
        return 1.0 if value.judgement == SAME else value.value

    return {name: number(value) for name, value in measured.items()}


def nearby(measured: dict, factor: float) -> Iterator[dict]:
    """Yield copies of the measurements for a claim, each with a single time changed.

    `measured` is {name: measurement, or a dict of measurements}. For each time there is a copy with
    that time multiplied by `factor`, and one with it divided; times in NEVER_EARLY are only
    multiplied. The caller judges each copy, to see whether an error of that size would change the
    verdict.
    """
    for path, value in figures(measured):
        shorter = () if path[0] in NEVER_EARLY else (value / factor,)
        for changed in (value * factor, *shorter):
            yield replaced(measured, path, type(value)(changed))


def figures(
    measured: dict, path: tuple = (), whole_numbers: tuple[str, ...] = WHOLE_NUMBERS
) -> Iterator[tuple[tuple, float]]:
    """Yield (path, value) for each measured time in a dict of measurements, which may be nested.

    A path is the tuple of keys that leads to the value, and begins with the argument `path`. Times
    are all floats, and whole numbers whose name has one of the endings `whole_numbers`. Settings,
    such as a distance, and counts of bytes are left out: no disturbance changes them.
    """
    for name, value in measured.items():
        label = str((*path, name)[0])
        if isinstance(value, dict):
            yield from figures(value, (*path, name), whole_numbers)
        elif not label.endswith(SETTINGS) and (
            isinstance(value, float) or label.endswith(whole_numbers)
        ):
            yield (*path, name), value


def replaced(measured: dict, path: Sequence, value: object) -> dict:
    """Return a copy of nested dicts with `value` at `path`, a sequence of keys.

    The first key is that of the outermost dict.
    """
    first, *rest = path
    return {**measured, first: replaced(measured[first], rest, value) if rest else value}
