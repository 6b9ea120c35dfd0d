"""Check exercises by counting, so that the same answer always gets the same verdict.

An exercise is a folder of exercises/: `task.md` has the task and its hints, `check.py` a function
`check(answer)`, which returns in words what was achieved, or raises Refused with what is wrong.
`answer` is the learner's function throughout. `lab.check` prints and never raises, so that Run All
goes on.
"""

import functools
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import redis

from ..errors import LabError
from . import reporting, state
from .checking import QUEUED, Refused
from .claims import in_lines, load_file

FOLDER = Path(__file__).resolve().parents[2] / "exercises"
# A script's error where something is nil.
IS_NIL = re.compile(r"\bnil\b|command arguments must be strings or integers")
# A TypeError's words where a method of redis-py was called with other arguments than it takes.
CALLED = re.compile(r"\w+Commands\.(\w+)\(\)")
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
NOTHING_TO_ASK = (
    "That command came without what it works on. The check also asks for nothing, such as an empty "
    "list: what is the answer then?"
)
LUA_COUNTS = (
    "Lua counts from 1: the first key is KEYS[1], the first argument ARGV[1]; KEYS[0] and ARGV[0] "
    "are nil."
)
LOOK = (
    "Print what you have just before that line, and run this cell again. What the check asks "
    "with is gone when it ends; the reply to a key that is not there is None."
)


@dataclass(frozen=True)
class Exercise:
    """An exercise of the folder exercises/, with its `name`, such as "03.2".

    `task` says what to write, `hints` are sentences that lead from a nudge to nearly the answer.
    `check(answer)` returns in words what the learner's answer achieved, or raises Refused.
    """

    name: str
    task: str
    hints: tuple[str, ...]
    check: Callable[..., str]


def names() -> list[str]:
    """Return the names of all exercises, in order: "00.1", "01.1" and so on."""
    return sorted(path.parent.name for path in FOLDER.glob("[0-9][0-9].[0-9]/check.py"))


@functools.cache
def load(name: str) -> Exercise:
    """Return the Exercise in the folder exercises/`name`; `name` is such as "03.2"."""
    folder = FOLDER / name
    task, *rest = (folder / "task.md").read_text(encoding="utf-8").strip().splitlines()
    module = load_file(f"exercise_{name.replace('.', '_')}", folder / "check.py")
    hints = tuple(line.removeprefix("- ") for line in rest if line)
    return Exercise(name, task, hints, module.check)


def check(name: str, answer: object) -> None:
    """Check an answer to exercise `name`, such as "03.2", and print the verdict.

    `answer` is the learner's function, or what else the task asks for. The verdict is "solved", or
    what is wrong and a hint. If the learner has not begun, the task is printed instead.
    """
    known = names()
    if name not in known:
        print(f"There is no exercise {name!r}. There are: {', '.join(known)}.")
    elif unsolved(answer):
        tell(f"{name} open: {load(name).task}")
    else:
        judge(load(name), answer)


def judge(known: Exercise, answer: object) -> None:
    """Run the check of the Exercise `known` on the learner's `answer`; print the result.

    If the answer is right, `.lab/state.json` says from then on that the exercise is solved.
    """
    try:
        achieved = known.check(answer)
    except Refused as why:
        refuse(known, str(why), why.hints or known.hints)
    except LabError as why:  # a helper says what the answer lacks, such as an `await`
        refuse(known, str(why), ())
    except Exception as error:  # whatever the learner's code raises is a finding, not a crash
        refuse(known, what_was_raised(error), hints_for(error, known.hints))
    else:
        with state.changing("progress") as progress:
            progress[known.name] = {"solved": True}
        reporting.report("check", known.name, solved=True)
        tell(f"{known.name} solved: {achieved}")
        left = open_in(known.name[:2])
        here = f"Open in this chapter: {', '.join(left)}" if left else "This chapter is solved"
        tell(f"{here}. {len(names()) - len(open_in(''))} of {len(names())} solved in all.")


def open_in(chapter: str) -> list[str]:
    """Return the names of unsolved exercises, of a chapter ("03") or of all chapters ("").

    They are in order, such as ["03.2", "03.3"].
    """
    progress = state.load("progress")
    return [
        name
        for name in names()
        if name.startswith(chapter) and not progress.get(name, {}).get("solved")
    ]


def refuse(known: Exercise, why: str, hints: tuple[str, ...]) -> None:
    """Print the diagnosis `why` and one of the sentences `hints`; report "not solved" to the board.

    `known` is the Exercise. The first hint is printed at first, and the next one each time the same
    mistake is made again, up to the last; how often that was is stored in `.lab/state.json`.
    Without `hints` only the diagnosis is printed.
    """
    with state.changing("progress") as progress:
        shown = progress.setdefault(known.name, {"solved": False}).setdefault("shown", {})
        told = shown.get(hints[0], 0) if hints else 0
        if hints:
            shown[hints[0]] = told + 1
    reporting.report("check", known.name, solved=False)
    tell(f"{known.name} not yet: {why}")
    if hints:
        tell(f"Hint: {hints[min(told, len(hints) - 1)]}")


def tell(sentence: str) -> None:
    """Print each line of `sentence`, wrapped to 100 characters.

    Where a line is wrapped, its second and further parts are indented.
    """
    for line in sentence.splitlines():
        print("\n".join(in_lines(line, indent="", goes_on=" " * 6)))


def what_was_raised(error: Exception) -> str:
    """Return a sentence about an exception that the check of a learner's function met.

    It says what was raised, and whether by the learner's code or by the check.
    """
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(OTHERS)
    ]
    if not lines:
        return f"the check used your answer, and met {type(error).__name__}: {error}"
    return f"your code raised {type(error).__name__} in line {lines[-1]}: {error}"


def hints_for(error: Exception, own: tuple[str, ...]) -> tuple[str, ...]:
    """Return a tuple of hints, in sentences, for an exception that a learner's function raised.

    `own` are the exercise's own hints, which are returned if no others fit the exception better.
    """
    said = str(error)
    if isinstance(error, redis.DataError):
        return (NO_VALUE,)
    if "wrong number of arguments" in said:
        return (NOTHING_TO_ASK,)
    if isinstance(error, redis.ResponseError) and IS_NIL.search(said):
        return (LUA_COUNTS,)
    if "'Pipeline'" in said:  # asked for what only a reply has
        return (QUEUED,)
    if called := CALLED.match(said):
        return (f"{signature(called[1])} {own[0]}", *own[1:])
    # Other calls with wrong arguments, and what Redis says itself: the exercise knows better.
    of_the_call = isinstance(error, (redis.RedisError, TypeError)) and "NoneType" not in said
    return own if of_the_call else (LOOK,)


def signature(name: str) -> str:
    """Return a sentence with the arguments, without types, of the redis.Redis method `name`."""
    _, *parameters = inspect.signature(getattr(redis.Redis, name)).parameters.values()
    plain = ", ".join(str(each.replace(annotation=each.empty)) for each in parameters)
    return f"redis-py has it as r.{name}({plain})."


def unsolved(answer: object) -> bool:
    """Return whether a learner has not begun: `answer` is `...`, None or an empty function.

    A tuple that contains one of these counts too.
    """
    if isinstance(answer, tuple):
        return any(unsolved(part) for part in answer)
    if answer is None or answer is ...:
        return True
    code = getattr(answer, "__code__", None)
    if code is None or code.co_names or code.co_code not in EMPTY_BODIES:
        return False
    # `return 1` may have the same bytecode as a docstring and `...`
    return set(code.co_consts) <= {None, answer.__doc__}


def bytecode(source: str) -> bytes:
    space = {}
    exec(source, space)
    return space["f"].__code__.co_code


EMPTY_BODIES = {
    bytecode(f"{kind} f(): {body}")
    for kind in ("def", "async def")
    for body in ("...", "'What to do.'")
}
