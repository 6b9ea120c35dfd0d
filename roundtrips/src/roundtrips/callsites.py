"""Find call sites: the line of the program's own code, and the library that it went through.

The module `ownership` decides whose code a line is. In three cases the call site is another line.
If all calls go through one short function of the program's own, it is that function's caller: see
`without_helpers`. If the stack has no line of the caller's own, as in a worker thread of a library,
it is the library's line. If a thread runs nothing but a function of redis-py, as in
`pool.map(r.get, keys)`, it is the line that submitted the function or started the thread.
"""

import functools
import os
import re
import sys
import threading
import weakref
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from .ownership import HERE, OWN, REDIS, SKIP, TASK, WRAPS, is_helper, kind_of, may_be_helper

UNNAMED = re.compile(r"(\.<locals>)?\.?<(?!module>|locals>)\w+>")
BLOCKS = HERE + "blocks.py"


@dataclass(frozen=True)
class CallSite:
    """A line of code from which Redis is called: `line` of `file`, in `function`.

    `through` is the name of the library between this line and redis-py, or None.
    """

    file: str
    line: int
    function: str
    through: str | None = None

    @property
    def outer(self) -> str:
        """The function's name without parts such as `<lambda>` or `<listcomp>`, which Python adds.

        It is 'View.show' for 'View.show.<locals>.<listcomp>', and '<module>' for code outside a
        function.
        """
        return UNNAMED.sub("", self.function) or "<module>"

    def __str__(self) -> str:
        if self == NOWHERE:
            return "a thread that runs no line of yours"
        through = f", through {self.through}" if self.through else ""
        function = self.function.rsplit(".", 1)[-1]  # without its class or outer function
        return f"{short_file(self.file)}:{self.line} in {function}{through}"


@dataclass(frozen=True)
class HelperSite(CallSite):
    """A call site in a function that may be a helper: a short one, through which others use Redis.

    `above` are the lines of the program's own code that called this function, at most three, the
    nearest first.
    """

    above: tuple[CallSite, ...] = ()

    def __str__(self) -> str:
        # The function right above is where it is called in a loop, or by a test.
        return ", from ".join([super().__str__(), *map(str, self.above * (len(self.above) == 1))])


NOWHERE = CallSite("?", 0, "?")
# They are made at each round trip: one that was made before takes less time, and room.
known, known_helper = map(functools.cache, (CallSite, HelperSite))


class HandedOver(threading.local):
    site = NOWHERE  # the line that submitted this executor worker's job


handed_over = HandedOver()
started_at: weakref.WeakKeyDictionary[threading.Thread, CallSite] = weakref.WeakKeyDictionary()
# The id of a coroutine that a method of redis-py returned -> the coroutine, where it was made. (A
# task may run it later, when no line of the program's is on the stack. A WeakKeyDictionary takes a
# tenth longer for a task with one GET.)
made_at: dict[int, tuple[weakref.ref[Any], CallSite]] = {}
DEEPEST = 3  # helpers that call one another
MOST = 2  # lines from which a helper sends
# Functions of redis-py that call the caller's own: another line of theirs may stand between.
CALL_BACK = ("transaction", "get_message", "handle_message", "listen", "run")


def short_file(name: str) -> str:
    """Return a file's path relative to the current folder, or else its last two parts.

    The made-up file of a notebook's cell is shown as 'In[5]', as in IPython's tracebacks.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    cell = shell.compile.format_code_name(name) if shell is not None else None
    if cell:
        return str(cell[1])
    try:
        return str(Path(name).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return os.sep.join(Path(name).parts[-2:])


class Finder:
    """Finds the line of the program's own code that led to the running call of redis-py."""

    def __init__(self) -> None:
        # Of calls of redis-py without anything between: (depth, id of code, instruction). The code
        # is kept with its call site, so that no id is used twice.
        self.direct: dict[tuple[int, int, int], tuple[CallSite, CodeType]] = {}
        self.depth = 6  # how many frames up the caller's own was the last time

    def find(self) -> CallSite:
        """Return the CallSite of the running call of redis-py.

        Lines that were found before are looked up in `direct`, without a search of the whole stack.
        """
        depth = self.depth
        try:
            own = sys._getframe(depth)
            found, _ = self.direct[depth, id(own.f_code), own.f_lasti]
            return with_callers(found, own) if type(found) is HelperSite else found
        except (ValueError, KeyError):
            return self.search()

    def search(self) -> CallSite:
        """Search up the stack for the first line of the program's own code; return its CallSite.

        Lines of helpers are skipped. If no other line is the program's own, the result is the
        line that submitted the running function to an executor, or else the lowest line of a helper
        or of a library. In a thread that runs nothing but redis-py, it is the line that started the
        thread. If there is none of these, it is NOWHERE.
        """
        frame: FrameType | None = sys._getframe(2)
        below: FrameType | None = None
        lowest: FrameType | None = None
        depth, library, only_threads = 1, None, True
        while frame is not None:
            file = frame.f_code.co_filename
            kind = kind_of(file)
            if kind is OWN and is_helper(file, function_of(frame.f_code)):
                lowest = lowest or frame  # the call site where nothing else is above
            elif kind is OWN:
                found = site_of(frame, library)
                if may_be_helper(frame.f_code):
                    found = with_callers(found, frame)
                code = below and below.f_code
                if code and kind_of(code.co_filename) is REDIS and code.co_name not in CALL_BACK:
                    self.depth = depth
                    self.direct[depth, id(frame.f_code), frame.f_lasti] = found, frame.f_code
                return found
            if kind is TASK:
                return site_of(lowest, library) if lowest else NOWHERE
            if file == BLOCKS and frame.f_code.co_name == "call":
                only_threads = False
                break  # it was handed over: this thread's own lines above are another matter
            if kind not in (OWN, REDIS, SKIP, WRAPS) and lowest is None:
                library, lowest = kind, frame
            # A thread started with a function of redis-py's runs nothing between; a pool's does.
            only_threads = kind is REDIS or (
                only_threads and (kind is WRAPS or file == threading.__file__)
            )
            frame, depth, below = frame.f_back, depth + 1, frame
        handed = handed_over.site
        if handed is not NOWHERE:
            return replace(handed, through=library) if library else handed
        if lowest:
            return site_of(lowest, library)
        return started_at.get(threading.current_thread(), NOWHERE) if only_threads else NOWHERE


def site_of(frame: FrameType, library: str | None) -> CallSite:
    """Return the CallSite of a stack frame.

    `library` is the library that the call goes through on its way to redis-py, or None.
    """
    code = frame.f_code
    return known(code.co_filename, frame.f_lineno, function_of(code), library)


def with_callers(site: CallSite, frame: FrameType) -> CallSite:
    """Return a HelperSite: the CallSite `site` together with the lines that called its function.

    `frame` is the stack frame of `site`. Its callers in the program's own code are collected, the
    nearest first. The first caller that can't be a helper itself is the last one; there are at most
    three. A library between them ends the search.
    """
    above: list[CallSite] = []
    caller = frame.f_back
    while caller is not None and len(above) < DEEPEST:
        kind = kind_of(caller.f_code.co_filename)
        if kind is OWN:
            above.append(site_of(caller, site.through))
        if kind not in (SKIP, WRAPS) and not (kind is OWN and may_be_helper(caller.f_code)):
            break
        caller = caller.f_back
    return known_helper(site.file, site.line, site.function, site.through, tuple(above))


def without_helpers(sites: Iterable[CallSite]) -> dict[CallSite, CallSite]:
    """Return {call site: the call site to show in its place, or itself}.

    If several lines call a helper, the call site in the helper is replaced by the line that called
    it. A function that sends from more than two of its lines is no helper.
    """
    shown = {
        site: (site, *site.above) if isinstance(site, HelperSite) else (site,) for site in sites
    }
    for _ in range(DEEPEST):
        callers, lines = defaultdict(set), defaultdict(set)
        for first, *above in shown.values():
            callers[first.file, first.line].add(tuple(above))
            lines[first.file, first.function].add(first.line)
        for site, (first, *above) in shown.items():
            if (
                above
                and len(callers[first.file, first.line]) > 1
                and len(lines[first.file, first.function]) <= MOST
            ):
                shown[site] = tuple(above)
    return {site: chain[0] for site, chain in shown.items()}


def function_of(code: CodeType) -> str:
    return str(getattr(code, "co_qualname", code.co_name))  # the former from Python 3.11 on


finder = Finder()
of_coroutines = Finder()  # a Finder of its own: it is called from another depth of the stack


def made_at_task(task: Any) -> CallSite | None:
    """Return the CallSite at which an asyncio task's coroutine was made, or None.

    It is None if no method of redis-py returned the coroutine, or if its call site is not known.
    The call site is deleted from `made_at`.
    """
    coroutine = task.get_coro()
    known = made_at.pop(id(coroutine), None)
    # Once a coroutine is gone, another one may have its id.
    return known[1] if known is not None and known[0]() is coroutine else None


def forget() -> None:
    """Delete all stored call sites: of started threads, of coroutines, and of calls found before.

    To be called when the last counting block has closed.
    """
    started_at.clear()
    made_at.clear()
    finder.direct.clear()
    of_coroutines.direct.clear()
