"""Exercises: checked by counting, so the same answer always gets the same verdict.

Each chapter's checks are in `course/checks/`, what they share in `checking.py`. A check is a function of the
learner's answer that returns what was achieved, in words, or raises Refused with what is wrong. `lab.check` prints and never
raises, so that Run All goes on.
"""

import functools
import importlib
import pkgutil
import sysconfig
import textwrap
import traceback
from dataclasses import dataclass
from pathlib import Path

import redis

from ..errors import LabError
from . import reporting, state
from .checking import Refused
from .claims import PAGE


@dataclass(frozen=True)
class Exercise:
    """`task` says what is missing while unsolved; `hints`, to its main idea, go from a nudge to nearly the answer."""

    name: str
    task: str
    hints: tuple
    check: object


EXERCISES = {}
# Where code stands that is not the learner's.
LIBRARIES = (*map(sysconfig.get_paths().get, ("stdlib", "platstdlib", "purelib", "platlib")), str(Path(__file__).parents[1]))
MISTAKES = (
    (redis.DataError, "Redis takes bytes, text and numbers, and was given something else, such as None. Is there a case in which "
                      "there is nothing to ask for?"),
    (NameError, "Python knows no such name here. Is it spelled as where it is defined, and was the cell run that defines or "
                "imports it?"),
    (AttributeError, "That object has no such name. Its type and dir() tell what it has: print(type(x), dir(x))."),
    (TypeError, "Something got other arguments, or a value of another type, than it takes. Print the values just before that "
                "line."),
    ((KeyError, IndexError), "Something is looked up that is not there. Print the key and what it is looked up in, just before."),
    (Exception, "Call your function in a cell of its own, with r and a value or two: the whole traceback shows the way there."),
)
UNPACKED = ("There are other values on the right side than names on the left. In a pipeline, a call returns the pipeline and not "
            "a reply: the replies come from pipe.execute().")


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
        tell(f"{name} open: {known.task}")
    else:
        judge(known, answer)


def judge(known, answer):
    try:
        achieved = known.check(answer)
    except Refused as why:
        refuse(known, str(why), why.hints or known.hints)
    except LabError as why:  # a helper that the check uses says what the answer lacks, such as an `await`, and what to do
        refuse(known, str(why), ())
    except Exception as error:  # whatever the learner's code raises is a finding, not a crash
        refuse(known, what_was_raised(error), hints_for(error) or known.hints)
    else:
        with state.changing("progress") as progress:
            progress[known.name] = {"solved": True, "tries": progress.get(known.name, {}).get("tries", 0)}
        reporting.report("check", known.name, solved=True)
        tell(f"{known.name} solved: {achieved}")


def tell(sentence):
    """Prints a sentence in lines that fit the page, which would break a longer one in mid-word; the later ones further in."""
    for line in sentence.splitlines():
        print(textwrap.fill(line, PAGE, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False))


def what_was_raised(error):
    """An error in words: the learner's code raised it, or the check did when it used what that code returned."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if is_the_learners(frame.filename)]
    if not lines:
        return f"the check used your answer, and met {type(error).__name__}: {error}"
    return f"your code raised {type(error).__name__} in line {lines[-1]}: {error}"


def is_the_learners(filename):
    return not filename.startswith(("<frozen", *LIBRARIES))


def hints_for(error):
    """A hint where the mistake is one of Python's, which no hint of the exercise fits. () for an error about Redis."""
    if isinstance(error, redis.RedisError) and not isinstance(error, redis.DataError):
        return ()
    if isinstance(error, ValueError) and "unpack" in str(error):
        return (UNPACKED,)
    return next((hint,) for kinds, hint in MISTAKES if isinstance(error, kinds))


def refuse(known, why, hints):
    """Prints the diagnosis, and of its hints the next one: each kind of mistake has its own, which say more each time."""
    with state.changing("progress") as progress:
        entry = progress.setdefault(known.name, {"solved": False, "tries": 0})
        entry["tries"] += 1
        if not isinstance(entry.get("shown"), dict):  # remembered before mistakes were told apart
            entry["shown"] = {}
        told = entry["shown"].get(hints[0], 0) if hints else 0
        if hints:
            entry["shown"][hints[0]] = told + 1
    reporting.report("check", known.name, once=False, solved=False)
    tell(f"{known.name} not yet: {why}")
    if hints:
        tell(f"Hint: {hints[min(told, len(hints) - 1)]}")


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
