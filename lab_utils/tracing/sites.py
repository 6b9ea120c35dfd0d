"""Where a turn came from: the line of the caller's own code, and the library that it went through.

A caller's own code is what stands neither in redis-py, nor in an installed package, nor in Python's own library. Where no such
line is on the stack, as in a worker of a library's, the library's own line is the place. Where a thread runs nothing but
redis-py's own function, as in `pool.map(r.get, keys)`, the place is where that was handed over: the line that submitted it, or
that started the thread.
"""

import asyncio
import contextvars
import os
import sys
import sysconfig
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path

import redis

OWN, REDIS, SKIP, TASK = "own", "redis", "skip", "task"  # kinds of file; any other is the name of a library
INSTALLED = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))
REDIS_FOLDER = os.path.dirname(redis.__file__) + os.sep
HERE = os.path.dirname(__file__) + os.sep
EVENTS = asyncio.events.__file__  # what runs a task: further down the stack is whoever runs the loop
PYTHONS = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})

started_at = weakref.WeakKeyDictionary()  # thread -> the Site where it was started
called_from = contextvars.ContextVar("called_from", default=None)  # the Site where a coroutine of redis-py was made
THREADS, THIS_TAP = threading.__file__, HERE + "tap.py"
kinds = {}  # file name of a code object -> its kind


@dataclass(frozen=True)
class Site:
    """`function` in line `line` of `file`; `through` is the library between it and redis-py, or None."""

    file: str
    line: int
    function: str
    through: str | None = None

    def __str__(self):
        if self == NOWHERE:
            return "a thread that runs no line of yours"
        through = f", through {self.through}" if self.through else ""
        return f"{short_file(self.file)}:{self.line} in {self.function.rsplit('.', 1)[-1]}{through}"


NOWHERE = Site("?", 0, "?")


class HandedOver(threading.local):
    site = NOWHERE  # of the line that submitted what this worker of a pool is doing


handed_over = HandedOver()


def short_file(name):
    """A file name as a report shows it: from the current folder if it lies there, its last two parts otherwise.

    A notebook's cell, whose code has a made-up file, is "In[5]", as IPython's own tracebacks say.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None and (cell := shell.compile.format_code_name(name)):
        return cell[1]
    try:
        return str(Path(name).relative_to(Path.cwd()))
    except ValueError:
        return os.sep.join(Path(name).parts[-2:])


def kind_of(file):
    known = kinds.get(file)
    if known is None:
        known = kinds[file] = find_kind(file)
    return known


def find_kind(file):
    if file == EVENTS:
        return TASK
    if file.startswith(REDIS_FOLDER):
        return REDIS
    if file.startswith(HERE) or file.startswith("<frozen"):
        return SKIP
    for folder in INSTALLED:
        if folder in file:
            return file.split(folder, 1)[1].split(os.sep)[0].removesuffix(".py")
    return SKIP if file.startswith(PYTHONS) else OWN


class Finder:
    """Finds the place that the present call came from, and hands out one Site for each place."""

    def __init__(self):
        self.known = {}  # (id of a code object, instruction, library) -> Site
        self.direct = {}  # (depth, id of a code object, instruction) -> Site, for calls of redis-py without anything between
        self.codes = []  # kept, so that no id is used twice
        self.depth = 6  # how far up the caller's own frame stood the last time

    def find(self):
        """The Site of whoever called redis-py, as seen from a function that is called by the tapped one."""
        try:
            depth = self.depth
            own = sys._getframe(depth)
            return self.direct[depth, id(own.f_code), own.f_lasti]
        except (ValueError, KeyError):
            return self.search()

    def forget(self):
        self.known.clear()
        self.direct.clear()
        self.codes.clear()

    def search(self):
        """Goes up the stack. In a task that only runs redis-py's own coroutine, the place is where that was made;
        in a thread that only runs a function of redis-py's, where that was handed over."""
        frame, depth, library, lowest, below, only_threads = sys._getframe(2), 1, None, None, None, True
        while frame is not None:
            kind = kind_of(frame.f_code.co_filename)
            if kind is OWN:
                found = self.site(frame, library)
                if below is not None and kind_of(below.f_code.co_filename) is REDIS:
                    self.depth = depth
                    self.direct[depth, id(frame.f_code), frame.f_lasti] = found
                return found
            if kind is TASK:
                return called_from.get() or (self.site(lowest, library) if lowest else NOWHERE)
            if kind is not REDIS and kind is not SKIP and library is None:
                library, lowest = kind, frame
            # A thread that was started with a function of redis-py's runs nothing between; a pool's worker does.
            only_threads = kind is REDIS or (only_threads and frame.f_code.co_filename in (THREADS, THIS_TAP))
            frame, depth, below = frame.f_back, depth + 1, frame
        if lowest:
            return self.site(lowest, library)
        started = started_at.get(threading.current_thread(), NOWHERE) if only_threads else NOWHERE
        return handed_over.site if handed_over.site is not NOWHERE else started

    def site(self, frame, library):
        code, instruction = frame.f_code, frame.f_lasti
        known = self.known.get((id(code), instruction, library))
        if known is None:
            self.codes.append(code)
            known = self.known[id(code), instruction, library] = Site(code.co_filename, frame.f_lineno, code.co_qualname, library)
        return known
