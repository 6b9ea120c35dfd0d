"""Exercises: checked by counting, so the same answer always gets the same verdict.

Each chapter's checks are in `course/checks/`, what they share in `checking.py`. A check is a function of the
learner's answer that returns what was achieved, in words, or raises Refused with what is wrong. `lab.check` prints and never
raises, so that Run All goes on.
"""

import functools
import importlib
import pkgutil
import traceback
from dataclasses import dataclass

from ..errors import LabError
from . import state
from .checking import Refused


@dataclass(frozen=True)
class Exercise:
    """`task` says what is missing while unsolved; `hints` go from a nudge to nearly the answer."""

    name: str
    task: str
    hints: tuple
    check: object


EXERCISES = {}


def exercise(name, task, hints):
    """Registers the decorated function as the check of exercise `name`, such as "03.1"."""
    def register(check):
        EXERCISES[name] = Exercise(name, task, tuple(hints), check)
        return check
    return register


@functools.cache
def load_all():
    """Imports every module of `course/checks/`, so that all exercises are known."""
    from . import checks

    for module in pkgutil.iter_modules(checks.__path__):
        importlib.import_module(f"{checks.__name__}.{module.name}")


def check(name, answer):
    """Checks an answer to exercise `name` and prints the verdict: solved, what is wrong with a hint, or what is missing."""
    load_all()
    known = EXERCISES.get(name) if isinstance(name, str) else None
    if known is None:
        print(f"There is no exercise {name!r}. There are: {', '.join(sorted(EXERCISES))}.")
    elif unsolved(answer):
        print(f"{name} open: {known.task}")
    else:
        judge(known, answer)


def judge(known, answer):
    try:
        achieved = known.check(answer)
    except Refused as why:
        refuse(known, str(why))
    except LabError as why:  # a helper that the check uses says what the answer lacks, such as an `await`
        refuse(known, str(why))
    except Exception as error:  # whatever the learner's code raises is a finding, not a crash
        line = next((f" in line {frame.lineno}" for frame in reversed(traceback.extract_tb(error.__traceback__))
                     if frame.filename.startswith("<") or "ipykernel" in frame.filename), "")
        refuse(known, f"your code raised {type(error).__name__}{line}: {error}")
    else:
        with state.changing("progress") as progress:
            progress[known.name] = {"solved": True, "tries": progress.get(known.name, {}).get("tries", 0)}
        print(f"{known.name} solved: {achieved}")


def refuse(known, why):
    """Prints the diagnosis with a hint that says more at each try."""
    with state.changing("progress") as progress:
        entry = progress.setdefault(known.name, {"solved": False, "tries": 0})
        hint = known.hints[max(0, min(entry["tries"], len(known.hints) - 1))]
        entry["tries"] += 1
    print(f"{known.name} not yet: {why}\nHint: {hint}")


def unsolved(answer):
    """True for `...`, None, a function whose body is still `...`, and several answers of which one is."""
    if isinstance(answer, tuple):
        return any(unsolved(part) for part in answer)
    if answer is None or answer is ...:
        return True
    code = getattr(answer, "__code__", None)
    if code is None or code.co_names or code.co_code not in EMPTY_BODIES:
        return False
    return set(code.co_consts) <= {None, answer.__doc__}  # `return 1` may have the same bytecode as a docstring and `...`


def _empty():
    ...


def _empty_but_for_a_docstring():
    """What to do."""


async def _empty_async():
    ...


async def _empty_async_but_for_a_docstring():
    """What to do."""


EMPTY_BODIES = {body.__code__.co_code for body in (_empty, _empty_but_for_a_docstring, _empty_async,
                                                   _empty_async_but_for_a_docstring)}


def progress():
    """Prints which exercises are solved, chapter by chapter."""
    load_all()
    known = state.load("progress")
    for chapter in sorted({name.split(".")[0] for name in EXERCISES}):
        names = sorted(name for name in EXERCISES if name.startswith(chapter + "."))
        marks = "  ".join(f"{name} {'solved' if known.get(name, {}).get('solved') else 'open'}" for name in names)
        print(f"chapter {chapter}   {marks}")
