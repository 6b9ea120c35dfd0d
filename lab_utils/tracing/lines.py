"""Lines of execution: the threads and asyncio tasks that turns are made in, and who started whom.

What one line does happens in order; what two lines do may overlap, whatever the clock said this once. So of two turns the second
surely had to wait for the first only where they share a line or a connection, or where one's line started the other's.
"""

import asyncio
import contextvars
import threading
import weakref
from asyncio import _get_running_loop
from threading import get_ident

DEEPEST = 16  # tasks that start tasks that start tasks: further up nobody asks

here = contextvars.ContextVar("line", default=None)  # the line of this context; a task inherits its starter's
started_by = weakref.WeakKeyDictionary()  # thread -> the line that started it, and the CPU its thread had used by then


class Line:
    """A thread or a task; `above` are the lines that started it, the nearest first."""

    __slots__ = ("__weakref__", "above", "cpu_started", "ident", "name", "own", "task")

    def __init__(self, task, ident, parent, cpu_started=None):
        self.task, self.ident = task, ident
        self.cpu_started = cpu_started  # of a thread: the seconds of CPU that its starter's had used by then
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
    starter, cpu = started_by.get(threading.current_thread(), (None, None))
    made = Line(weakref.ref(task) if task else None, get_ident(), line or starter, cpu if line is None else None)
    here.set(made)
    return made


def took(seconds):
    """The trace took so many seconds of CPU of this line, beside its turns."""
    line = here.get()
    if line is not None:
        line.own += seconds
