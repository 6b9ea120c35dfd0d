"""Exercises: checked by counting, so the same answer always gets the same verdict.

Each chapter's checks are in `lab_utils/checks/`. A check is a function of the learner's answer that returns what was
achieved, in words, or raises Refused with what is wrong. `lab.check` prints and never raises, so that Run All goes on.
"""

import functools
import importlib
import pkgutil
import traceback
from dataclasses import dataclass

from . import state


class Refused(Exception):
    """The answer is not right; the message says what was right, what was not, and by how much."""


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
    """Imports every module of lab_utils.checks, so that all exercises are known."""
    from . import checks

    for module in pkgutil.iter_modules(checks.__path__):
        importlib.import_module(f"{checks.__name__}.{module.name}")


def check(name, answer):
    """Checks an answer to exercise `name` and prints the verdict: solved, what is wrong with a hint, or what is missing."""
    load_all()
    known = EXERCISES.get(name)
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
    except Exception as error:  # whatever the learner's code raises is a finding, not a crash
        line = next((f" in line {frame.lineno}" for frame in reversed(traceback.extract_tb(error.__traceback__))
                     if frame.filename.startswith("<") or "ipykernel" in frame.filename), "")
        refuse(known, f"your code raised {type(error).__name__}{line}: {error}")
    else:
        progress = state.load("progress")
        progress[known.name] = {"solved": True, "tries": progress.get(known.name, {}).get("tries", 0)}
        state.save("progress", progress)
        print(f"{known.name} solved: {achieved}")


def refuse(known, why):
    """Prints the diagnosis with a hint that says more at each try."""
    progress = state.load("progress")
    entry = progress.setdefault(known.name, {"solved": False, "tries": 0})
    hint = known.hints[min(entry["tries"], len(known.hints) - 1)]
    entry["tries"] += 1
    state.save("progress", progress)
    print(f"{known.name} not yet: {why}\nHint: {hint}")


def unsolved(answer):
    """True for `...`, None, and a function whose body is still `...`."""
    if answer is None or answer is ...:
        return True
    code = getattr(answer, "__code__", None)
    return code is not None and code.co_code in EMPTY_BODIES and not code.co_names


def _empty():
    ...


async def _empty_async():
    ...


EMPTY_BODIES = {_empty.__code__.co_code, _empty_async.__code__.co_code}


def progress():
    """Prints which exercises are solved, chapter by chapter."""
    load_all()
    known = state.load("progress")
    for chapter in sorted({name.split(".")[0] for name in EXERCISES}):
        names = sorted(name for name in EXERCISES if name.startswith(chapter + "."))
        marks = "  ".join(f"{name} {'solved' if known.get(name, {}).get('solved') else 'open'}" for name in names)
        print(f"chapter {chapter}   {marks}")
