"""Exercises: checked by counting, so the same answer always gets the same verdict.

An exercise is a folder of exercises/: `task.md` says what is missing and its hints, `check.py` has
`check(answer)`, which returns what was achieved, in words, or raises Refused with what is wrong.
`lab.check` prints and never raises, so that Run All goes on.
"""

import functools
import sys
import textwrap
import traceback
from dataclasses import dataclass
from pathlib import Path

import redis

from ..errors import LabError
from . import reporting, state
from .checking import QUEUED, Refused
from .claims import PAGE, check_clone, load_file

FOLDER = Path(__file__).resolve().parents[2] / "exercises"
# Where code stands that is not the learner's.
OTHERS = (
    "<frozen",
    sys.prefix,
    sys.base_prefix,
    *(str(FOLDER.parent / room) for room in ("exercises", "lab_utils", "roundtrips")),
)
NO_VALUE = (
    "Redis takes bytes, text and numbers, and was given something else, such as None. Is "
    "there a case in which there is nothing to ask for?"
)
LOOK = (
    "Print what you have just before that line, and run this cell again. What the check asks "
    "with is gone when it ends; the reply to a key that is not there is None."
)


@dataclass(frozen=True)
class Exercise:
    """`task` says what is missing; `hints`, to its main idea, go from a nudge to nearly all."""

    name: str
    task: str
    hints: tuple
    check: object


def names() -> list[str]:
    """Return the names of all exercises, in order: "00.1", "01.1" and so on."""
    return sorted(path.parent.name for path in FOLDER.glob("[0-9][0-9].[0-9]/check.py"))


@functools.cache
def load(name: str) -> Exercise:
    """Return the Exercise that stands in the folder of that name."""
    folder = FOLDER / name
    task, *rest = (folder / "task.md").read_text(encoding="utf-8").strip().splitlines()
    module = load_file(f"exercise_{name.replace('.', '_')}", folder / "check.py")
    hints = tuple(line.removeprefix("- ") for line in rest if line)
    return Exercise(name, task, hints, module.check)


def check(name: str, answer) -> None:
    """Check an answer to exercise `name`, "03.2" for one, and print the verdict.

    It is solved, or not yet: then what is wrong is said, with a hint. While nothing is written,
    what is missing is said. Raises LabError where lab_utils was installed without the exercises.
    """
    known = names()
    check_clone(known, f"exercises in {FOLDER}")
    if name not in known:
        print(f"There is no exercise {name!r}. There are: {', '.join(known)}.")
    elif unsolved(answer):
        tell(f"{name} open: {load(name).task}")
    else:
        judge(load(name), answer)


def judge(known, answer):
    """Print what the check of an Exercise says of an answer, and remember it."""
    try:
        achieved = known.check(answer)
    except Refused as why:
        refuse(known, str(why), why.hints or known.hints)
    except LabError as why:  # a helper says what the answer lacks, such as an `await`
        refuse(known, str(why), ())
    except Exception as error:  # whatever the learner's code raises is a finding, not a crash
        refuse(known, what_was_raised(error), hints_for(error) or known.hints)
    else:
        with state.changing("progress") as progress:
            tries = progress.get(known.name, {}).get("tries", 0)
            progress[known.name] = {"solved": True, "tries": tries}
        reporting.report("check", known.name, solved=True)
        tell(f"{known.name} solved: {achieved}")
        left = open_in(known.name[:2])
        tell(
            f"Open in this chapter: {', '.join(left)}"
            if left
            else "Every exercise of this chapter is solved."
        )


def open_in(chapter: str) -> list[str]:
    """Return the names of the exercises of a chapter, "03" for one, that are not solved yet."""
    progress = state.load("progress")
    return [
        name
        for name in names()
        if name.startswith(chapter) and not progress.get(name, {}).get("solved")
    ]


def refuse(known, why, hints):
    """Print the diagnosis and its next hint: each kind of mistake has its own, ever clearer."""
    with state.changing("progress") as progress:
        entry = progress.setdefault(known.name, {"solved": False, "tries": 0})
        entry["tries"] = entry.get("tries", 0) + 1
        shown = entry.get("shown") if isinstance(entry.get("shown"), dict) else {}
        told = shown.get(hints[0], 0) if hints else 0
        entry["shown"] = {**shown, **({hints[0]: told + 1} if hints else {})}
    reporting.report("check", known.name, once=False, solved=False)
    tell(f"{known.name} not yet: {why}")
    if hints:
        tell(f"Hint: {hints[min(told, len(hints) - 1)]}")


def tell(sentence):
    """Print a sentence in lines that fit the page, the later ones further in."""
    for line in sentence.splitlines():
        print(
            textwrap.fill(
                line,
                PAGE,
                subsequent_indent=" " * 6,
                break_long_words=False,
                break_on_hyphens=False,
            )
        )


def what_was_raised(error):
    """Say who raised an error: the learner's code, or the check with what that returned."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(OTHERS)
    ]
    if not lines:
        return f"the check used your answer, and met {type(error).__name__}: {error}"
    return f"your code raised {type(error).__name__} in line {lines[-1]}: {error}"


def hints_for(error):
    """Return a hint to a mistake of Python's, which no hint of the exercise fits, or ()."""
    no_value = isinstance(error, redis.DataError)
    if isinstance(error, redis.RedisError) and not no_value:
        return ()
    if "'Pipeline'" in str(error):  # asked for what only a reply has
        return (QUEUED,)
    return (NO_VALUE if no_value else LOOK,)


def unsolved(answer):
    """Tell whether an answer is `...`, None, an empty function, or several of which one is."""
    if isinstance(answer, tuple):
        return any(unsolved(part) for part in answer)
    if answer is None or answer is ...:
        return True
    code = getattr(answer, "__code__", None)
    if code is None or code.co_names or code.co_code not in EMPTY_BODIES:
        return False
    # `return 1` may have the same bytecode as a docstring and `...`
    return set(code.co_consts) <= {None, answer.__doc__}


def bytecode(source):
    """Return the bytecode of the function `f` that a source defines."""
    space = {}
    exec(source, space)
    return space["f"].__code__.co_code


EMPTY_BODIES = {
    bytecode(f"{kind} f(): {body}")
    for kind in ("def", "async def")
    for body in ("...", "'What to do.'")
}
