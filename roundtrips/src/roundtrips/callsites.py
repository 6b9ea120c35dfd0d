"""Call sites: the line of the caller's own code, and the library that it went through.

A caller's own code is what stands neither in redis-py, nor in an installed package, nor in Python's
own library. Where no such line is on the stack, as in a worker of a library's, the library's own
line is the call site. Where a thread runs nothing but redis-py's own function, as in
`pool.map(r.get, keys)`, it is where that was handed over: the line that submitted it, or that
started the thread.
"""

from __future__ import annotations

import asyncio
import functools
import os
import sys
import sysconfig
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import redis

OWN, REDIS, SKIP, TASK = "own", "redis", "skip", "task"  # kinds of file; else a library's name
INSTALLED = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))
REDIS_FOLDER = os.path.dirname(redis.__file__) + os.sep
HERE = os.path.dirname(__file__) + os.sep
EVENTS = asyncio.events.__file__  # what runs a task: further down the stack is who runs the loop
PYTHONS = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
OF_THREADS = (threading.__file__, HERE + "scope.py")


@dataclass(frozen=True)
class CallSite:
    """`function` in line `line` of `file`; `through` is the library on the way, or None."""

    file: str
    line: int
    function: str
    through: str | None = None

    def __str__(self) -> str:
        if self == NOWHERE:
            return "a thread that runs no line of yours"
        through = f", through {self.through}" if self.through else ""
        function = self.function.rsplit(".", 1)[-1]  # without those that it stands in
        return f"{short_file(self.file)}:{self.line} in {function}{through}"


NOWHERE = CallSite("?", 0, "?")


class HandedOver(threading.local):
    site = NOWHERE  # the line that submitted this executor worker's job


handed_over = HandedOver()
started_at: weakref.WeakKeyDictionary[threading.Thread, CallSite] = weakref.WeakKeyDictionary()
# The id of a coroutine of redis-py's -> where it was made. An id may be used again, by another one
# of redis-py's, which is then noted here, or by one of somebody else's, which is no key.
made_at: dict[int, CallSite] = {}
MOST_MADE = 100_000
# Functions of redis-py that call the caller's own: another line of theirs may stand between.
CALL_BACK = ("transaction", "get_message", "handle_message", "listen", "run")


def short_file(name: str) -> str:
    """Return a file's name from the current folder, or else its last two parts.

    A notebook's cell, whose code has a made-up file, is 'In[5]', as IPython's tracebacks say.
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


@functools.cache
def kind_of(file: str) -> str:
    """Return the kind of a code object's file."""
    if file == EVENTS:
        return TASK
    if file.startswith(REDIS_FOLDER):
        return REDIS
    if file.startswith((HERE, "<frozen")):
        return SKIP
    for folder in INSTALLED:
        if folder in file:
            return file.split(folder, 1)[1].split(os.sep)[0].removesuffix(".py")
    return SKIP if file.startswith(PYTHONS) else OWN


class Finder:
    """Finds the place that the present call came from, and hands out one CallSite for each."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int, str | None], CallSite] = {}
        # Of calls of redis-py without anything between: (depth, id of code, instruction).
        self.direct: dict[tuple[int, int, int], CallSite] = {}
        self.codes: list[CodeType] = []  # kept, so that no id is used twice
        self.depth = 6  # how far up the caller's own frame stood the last time

    def find(self) -> CallSite:
        """Return the CallSite of whoever called redis-py."""
        depth = self.depth
        try:
            own = sys._getframe(depth)
            return self.direct[depth, id(own.f_code), own.f_lasti]
        except (ValueError, KeyError):
            return self.search()

    def forget(self) -> None:
        if self.codes:
            self.known.clear()
            self.direct.clear()
            self.codes.clear()

    def search(self) -> CallSite:
        """Go up the stack from what `find` was called by.

        In a thread that runs only a function of redis-py's it is where that was handed over.
        """
        frame: FrameType | None = sys._getframe(2)
        below: FrameType | None = None
        lowest: FrameType | None = None
        depth, library, only_threads = 1, None, True
        while frame is not None:
            file = frame.f_code.co_filename
            kind = kind_of(file)
            if kind is OWN:
                found = self.site(frame, library)
                code = below and below.f_code
                if code and kind_of(code.co_filename) is REDIS and code.co_name not in CALL_BACK:
                    self.depth = depth
                    self.direct[depth, id(frame.f_code), frame.f_lasti] = found
                return found
            if kind is TASK:
                return self.site(lowest, library) if lowest else NOWHERE
            if kind is not REDIS and kind is not SKIP and library is None:
                library, lowest = kind, frame
            # A thread started with a function of redis-py's runs nothing between; a pool's does.
            only_threads = kind is REDIS or (only_threads and file in OF_THREADS)
            frame, depth, below = frame.f_back, depth + 1, frame
        if lowest:
            return self.site(lowest, library)
        if handed_over.site is not NOWHERE:
            return handed_over.site
        return started_at.get(threading.current_thread(), NOWHERE) if only_threads else NOWHERE

    def site(self, frame: FrameType, library: str | None) -> CallSite:
        code, instruction = frame.f_code, frame.f_lasti
        known = self.known.get((id(code), instruction, library))
        if known is None:
            self.codes.append(code)
            function = getattr(code, "co_qualname", code.co_name)  # the former from Python 3.11 on
            known = CallSite(code.co_filename, frame.f_lineno, function, library)
            self.known[id(code), instruction, library] = known
        return known


finder = Finder()
of_coroutines = Finder()  # called at another depth


def made(coroutine: Any) -> None:
    """Note where a coroutine of redis-py's was made: it may become a task."""
    if len(made_at) >= MOST_MADE:
        made_at.clear()
    made_at[id(coroutine)] = of_coroutines.find()


def made_at_task(task: Any) -> CallSite | None:
    """Return where this task's coroutine was made, if it is one of redis-py's."""
    coroutine = task.get_coro()
    code = getattr(coroutine, "cr_code", None)
    if code is None or kind_of(code.co_filename) is not REDIS:
        return None
    return made_at.pop(id(coroutine), None)


def forget() -> None:
    """Forget what was noted: the last block has closed."""
    started_at.clear()
    made_at.clear()
    finder.forget()
    of_coroutines.forget()
