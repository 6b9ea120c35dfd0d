"""Find out to which counting blocks a write belongs, and which thread or asyncio task made it.

A counting block is the code inside a `with trace()`. These writes belong to it:
- what the code inside sends, in the same context (a context in the sense of `contextvars`)
- what asyncio tasks and `asyncio.to_thread` send, if started inside: they copy the context
- what threads and greenlets of gevent send, if started inside
- what a ThreadPoolExecutor's worker sends for a function that was submitted inside

A thread that was started before, and takes its work from a queue, belongs to no counting block.

In this package a counting block is represented by its Recorder, whose type is called Block here.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import sys
import threading
import weakref
from asyncio import _get_running_loop, current_task
from collections.abc import Callable, Collection
from fnmatch import fnmatch
from threading import get_ident
from typing import Any

from . import callsites
from .own_errors import fenced

DEEPEST = 16  # how many of the workers above a worker are known


Block = Any  # a recorder.Recorder; that module imports this one
# The blocks to which this context belongs, the outermost first; None: not yet looked up.
blocks: contextvars.ContextVar[tuple[Block, ...] | None] = contextvars.ContextVar(
    "roundtrips_blocks", default=None
)
here: contextvars.ContextVar[Worker | None] = contextvars.ContextVar(
    "roundtrips_worker", default=None
)
# In what growth() runs, and in the tasks that this starts: the blocks around the call of growth(),
# which neither count nor miss it.
around_growth: contextvars.ContextVar[Collection[Block]] = contextvars.ContextVar(
    "roundtrips_around_growth", default=()
)
of_process: tuple[Block, ...] = ()  # recorders with scope="process"
ignored_threads: tuple[str, ...] = ()  # patterns of names, as the settings say
# A thread -> the blocks in which it was started, and by which worker.
started_in: weakref.WeakKeyDictionary[Any, tuple[tuple[Block, ...], Worker | None]]
started_in = weakref.WeakKeyDictionary()


def blocks_here() -> tuple[Block, ...]:
    """Return the open counting blocks to which the running code belongs, the outermost first.

    They are Recorders.
    """
    known = blocks.get()
    if known is None:
        known = starters_blocks()[0]
        blocks.set(known)
    return tuple([each for each in known if each.is_open])


def listeners_here() -> tuple[Block, ...]:
    """Return the Recorders that count a write made by the running code, the outermost first.

    Last come those that record the whole process, unless the setting `ignore_threads` names this
    thread or task.
    """
    taken = blocks_here()
    if not taken and ignored_threads and is_ignored():
        return ()
    return (*taken, *of_process)


def starters_blocks() -> tuple[tuple[Block, ...], Worker | None]:
    """Return where this thread or greenlet was started: (counting blocks, Worker).

    The counting blocks are Recorders, the outermost first. The Worker is the one that started it,
    or None if that is not known.
    """
    known = started_in.get(threading.current_thread()) if started_in else None
    greenlets = sys.modules.get("greenlet")
    if known is not None or greenlets is None:
        return known or ((), None)
    one = greenlets.getcurrent()
    for _ in range(DEEPEST):
        # A greenlet of gevent's has a weak reference to the greenlet that spawned it.
        spawned_by = getattr(one, "spawning_greenlet", None)
        one = spawned_by() if spawned_by else None
        if one is None:
            break
        if one.gr_context is not None and blocks in one.gr_context:
            return one.gr_context[blocks] or (), one.gr_context.get(here)
    return (), None


class Turns(threading.local):
    """What sends in this thread: an event loop, another one, the thread itself.

    Each time that this changes, `number` becomes the next of the process.
    """

    number = 0
    loop: Callable[[], Any] = bool  # returns the loop that sent last, or False if none did


turns = Turns()
next_turn = itertools.count(1)


class Worker:
    """A thread or an asyncio task; `above` are the Workers that started it, the nearest first.

    Round trips of one Worker follow each other; those of two Workers may overlap, unless they had
    different turns in one thread, as two calls of asyncio.run have. `thread` is that thread, `turn`
    the number of the turn in it. `task` is the asyncio task, or None for a
    thread; `ident` is the thread's id, `parent` the Worker that started this one, or None.
    """

    __slots__ = ("__weakref__", "above", "ident", "site", "task", "thread", "turn")

    def __init__(self, task: Any, ident: int, parent: Worker | None) -> None:
        self.ident = ident
        self.thread = threading.current_thread()
        self.turn = turns.number
        self.task = None if task is None else weakref.ref(task)
        # Of a task that is nothing but a call of redis-py.
        self.site = None if task is None else callsites.made_at_task(task)
        self.above: tuple[Worker, ...] = (parent, *parent.above[:DEEPEST]) if parent else ()


def worker_here(thread: int) -> Worker:
    """Return the Worker of the running asyncio task or, without a task, of the current thread.

    `thread` is the current thread's id.
    """
    loop = _get_running_loop()
    task = None if loop is None else current_task(loop)
    worker = here.get()
    if worker is not None and worker.ident == thread:
        known = worker.task
        if task is None if known is None else known() is task:
            return worker
    if turns.loop is not bool if loop is None else loop is not turns.loop():
        turns.number = next(next_turn)
        turns.loop = bool if loop is None else weakref.ref(loop)
    worker = Worker(task, thread, starters_blocks()[1] if worker is None else worker)
    here.set(worker)
    return worker


# The replacements of Thread.start, and of what hands a function over: ThreadPoolExecutor.submit,
# and Future.add_done_callback, whose function runs after the work is done


def make_thread_start(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: threading.Thread) -> Any:
        fenced(note_start, self)
        return original(self)

    return start


def note_start(thread: threading.Thread) -> None:
    """Store in `started_in` and `callsites.started_at` where a thread is being started.

    That is in which counting blocks, by which Worker, and at which call site.
    """
    started_in[thread] = blocks_here(), worker_here(get_ident())
    callsites.started_at[thread] = callsites.finder.find()


def make_submit(original: Callable[..., Any]) -> Callable[..., Any]:
    def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return original(self, fenced(in_these_blocks, fn) or fn, *args, **kwargs)

    return submit


def in_these_blocks(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` wrapped, so that its round trips belong to the counting blocks open now.

    Another thread may call it later. Round trips without a line of the program's own code get as
    call site the line of the program that handed the function over.
    """
    taken = blocks_here()
    site = callsites.finder.find()
    worker = worker_here(get_ident())

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        before = fenced(stand_in, taken, site, worker)
        try:
            return function(*args, **kwargs)
        finally:
            if before is not None:
                fenced(blocks.reset, before[0])
                callsites.handed_over.site = before[1]

    return call


def stand_in(
    taken: tuple[Block, ...], site: callsites.CallSite, worker: Worker | None
) -> tuple[contextvars.Token[Any], callsites.CallSite]:
    """Make this thread part of the counting blocks `taken`, before it runs a submitted function.

    `site` is the CallSite at which the function was submitted, `worker` the Worker that did so, or
    None. Returns (context token, former call site), from which the caller restores the state
    before.
    """
    own = worker_here(get_ident())
    # What this does comes after what that worker did.
    if worker is not None and worker is not own:
        own.above = (worker, *worker.above[:DEEPEST])
    before = callsites.handed_over.site
    callsites.handed_over.site = site
    return blocks.set(taken), before


class Nobody:
    """A counting block that counts nothing."""

    is_open = False


NOBODYS: tuple[Block, ...] = (Nobody(),)  # what redis-py's finalisers send: counted nowhere


def make_finaliser(original: Callable[..., Any]) -> Callable[..., Any]:
    # A pipeline that is left watching sends UNWATCH whenever Python collects it.
    def __del__(self: Any) -> None:
        before = blocks.set(NOBODYS)
        try:
            original(self)
        finally:
            blocks.reset(before)

    return __del__


def name_here() -> str:
    """Return the name of the running asyncio task's function, or else of the current thread.

    A function's name is such as 'lifespan.<locals>.beat'.
    """
    loop = _get_running_loop()
    task = None if loop is None else current_task(loop)
    if task is None:
        return threading.current_thread().name
    return str(getattr(task.get_coro(), "__qualname__", ""))


def is_ignored() -> bool:
    """Return whether the setting `ignore_threads` names this thread, or this task's function.

    The main thread is never ignored, but a task in it may be.
    """
    name = name_here()
    names = {name, name.rpartition(".")[2], threading.current_thread().name}
    return any(
        fnmatch(name, each)
        for name in names - {threading.main_thread().name}
        for each in ignored_threads
    )


def forget() -> None:
    """Delete from `started_in` where threads were started.

    To be called when the last counting block has closed.
    """
    started_in.clear()
