"""Lines of execution: the threads and asyncio tasks that turns are made in, and who started whom.

What one line does happens in order; what two lines do may overlap, whatever the clock said this once. So of two turns the second
surely had to wait for the first only where they share a line or a connection, or where one's line started the other's.
"""

import asyncio
import contextvars
import itertools
import threading
import weakref
from asyncio import _get_running_loop
from collections import namedtuple
from threading import get_ident

DEEPEST = 16  # tasks that start tasks that start tasks: further up nobody asks

here = contextvars.ContextVar("line", default=None)  # the line of this context; a task inherits its starter's
started_by = weakref.WeakKeyDictionary()  # thread -> its Start
lines_of = weakref.WeakKeyDictionary()  # thread -> its Line
tokens = itertools.count()

# How a thread was started: by which Line, which had used `cpu` seconds by then; the tokens of those that it had joined since it
# had started one before.
Start = namedtuple("Start", "line cpu after")
UNKNOWN = Start(None, None, ())


class Line:
    """A thread or a task; `above` are the lines that started it, the nearest first. `start` is the Start of a thread."""

    __slots__ = ("__weakref__", "above", "ident", "joined", "name", "own", "start", "task", "token")

    def __init__(self, task, ident, parent, start=UNKNOWN):
        self.task, self.ident, self.start = task, ident, start
        self.token = next(tokens)  # numbers, since a line that knew others would keep them, and those that they know
        self.joined = []  # tokens of those whose end it has waited for since it started one
        self.own = 0.0  # seconds of CPU that the trace took of it when it started threads or gave them work
        self.name = task().get_name() if task else threading.current_thread().name
        self.above = (parent, *parent.above[:DEEPEST]) if parent else ()


def line_here():
    """The Line of this thread or task."""
    line, loop = here.get(), _get_running_loop()
    if loop is None and line is not None and line.task is None and line.ident == get_ident():
        return line
    task = asyncio.current_task(loop) if loop is not None else None
    if line is not None and task is not None and line.task is not None and line.task() is task:
        return line
    start = started_by.get(threading.current_thread(), UNKNOWN)
    made = Line(weakref.ref(task) if task else None, get_ident(), line or start.line, start if line is None else UNKNOWN)
    here.set(made)
    if line is None:
        lines_of[threading.current_thread()] = made
    return made


def starts(thread, cpu):
    """This line, whose thread has used `cpu` seconds, starts a thread."""
    line, joined = here.get(), ()
    if line is not None:
        joined, line.joined = tuple(line.joined), []
    started_by[thread] = Start(line, cpu, joined)


def joins(thread):
    """This line has waited for the end of a thread: what it starts from now on comes after that."""
    line = here.get()
    if line is not None and thread in lines_of:
        line.joined.append(lines_of[thread].token)


def forget():
    started_by.clear()
    lines_of.clear()


def took(seconds):
    """The trace took so many seconds of CPU of this line, beside its turns."""
    line = here.get()
    if line is not None:
        line.own += seconds
