"""Whose a write is: the blocks that it belongs to, and the thread or asyncio task that made it.

A block is the inside of a `with trace()`. To it belongs what its own context does (a context in the
sense of `contextvars`), and all that is started or submitted there: asyncio tasks and
`asyncio.to_thread`, which copy the context by themselves; threads, which here take over the blocks
of who started them; and what is given to a ThreadPoolExecutor, whose worker stands meanwhile in the
blocks of who submitted it, however old it is. A greenlet, whose context is empty at first, stands
where the one stands that spawned it. What stands in no block, such as a thread of before that takes
its work from a queue, can't be attributed.
"""

from __future__ import annotations

import contextvars
import functools
import sys
import threading
import weakref
from asyncio import _get_running_loop, current_task
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

from . import callsites
from .faults import fenced

if TYPE_CHECKING:
    from .recorder import Recorder

DEEPEST = 16  # tasks that start tasks that start tasks: further up nobody asks

# The blocks in which this context stands, the outermost first; None: nobody has asked yet.
blocks: contextvars.ContextVar[tuple[Recorder, ...] | None] = contextvars.ContextVar(
    "roundtrips_blocks", default=None
)
here: contextvars.ContextVar[Worker | None] = contextvars.ContextVar(
    "roundtrips_worker", default=None
)
# A thread, or a greenlet of eventlet's -> the blocks in which it was started, and by which worker.
started_in: weakref.WeakKeyDictionary[Any, tuple[tuple[Recorder, ...], Worker | None]]
started_in = weakref.WeakKeyDictionary()


def blocks_here() -> tuple[Recorder, ...]:
    """Return the open blocks in which this code stands, the outermost first."""
    found = blocks.get()
    if found is None:
        found = inherited()[0]
        blocks.set(found)
    return tuple([each for each in found if each.is_open])


def inherited() -> tuple[tuple[Recorder, ...], Worker | None]:
    """Return the blocks in which this thread or greenlet was started, and the worker that did."""
    known = started_in.get(threading.current_thread()) if started_in else None
    greenlets = sys.modules.get("greenlet")
    if known is not None or greenlets is None:
        return known or ((), None)
    one = greenlets.getcurrent()
    for _ in range(DEEPEST):
        if one in started_in:
            return started_in[one]
        spawned_by = getattr(one, "spawning_greenlet", None)  # of gevent's: a weak reference
        one = spawned_by() if spawned_by else None
        if one is None:
            break
        if one.gr_context is not None and blocks in one.gr_context:
            return one.gr_context[blocks] or (), one.gr_context.get(here)
    return (), None


class Worker:
    """A thread or an asyncio task; `above` are those that started it, the nearest first.

    What one worker does happens in order; what two do may overlap, whatever the clock said once.
    """

    __slots__ = ("above", "depths", "ident", "name", "site", "task", "token")

    def __init__(self, task: Any, ident: int, parent: Worker | None) -> None:
        self.ident, self.token = ident, object()  # which keeps nothing alive
        if task is None:
            self.task, self.site, self.name = None, None, threading.current_thread().name
        else:
            self.task, self.name = weakref.ref(task), task.get_name()
            self.site = callsites.made_at_task(task)  # of what is nothing but a call of redis-py
        self.above: tuple[Worker, ...] = (parent, *parent.above[:DEEPEST]) if parent else ()
        self.depths: dict[object, list[int]] = {}  # for the critical path of each block


def worker_here(thread: int) -> Worker:
    """Return the Worker of this thread, whose number is `thread`, or of the task that it runs."""
    loop = _get_running_loop()
    task = None if loop is None else current_task(loop)
    worker = here.get()
    if worker is not None and worker.ident == thread:
        known = worker.task
        if task is None if known is None else known() is task:
            return worker
    made = Worker(task, thread, inherited()[1] if worker is None else worker)
    here.set(made)
    return made


# What takes the place of Thread.start and ThreadPoolExecutor.submit while a block is open


def thread_start(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: threading.Thread) -> Any:
        fenced(starts, self)
        return original(self)

    return start


def starts(thread: threading.Thread) -> None:
    started_in[thread] = blocks_here(), here.get()
    callsites.started_at[thread] = callsites.finder.find()


def greenthread_made(original: Callable[..., Any]) -> Callable[..., Any]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        fenced(lambda: started_in.update({self: (blocks_here(), here.get())}))

    return __init__


def executor_submit(original: Callable[..., Any]) -> Callable[..., Any]:
    def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return original(self, fenced(handed_over, fn) or fn, *args, **kwargs)

    return submit


def handed_over(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as one that runs in this code's blocks, on behalf of this line."""
    taken, site, worker = blocks_here(), callsites.finder.find(), here.get()

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
    taken: tuple[Recorder, ...], site: callsites.CallSite, worker: Worker | None
) -> tuple[contextvars.Token[Any], callsites.CallSite]:
    """Have this thread stand in these blocks; return what it takes to leave them."""
    own = worker_here(get_ident())
    if worker is not None and worker is not own:  # what this does comes after what that did
        own.above = (worker, *worker.above[:DEEPEST])
    before, callsites.handed_over.site = callsites.handed_over.site, site
    return blocks.set(taken), before


def forget() -> None:
    """Forget which thread was started where: the last block has closed."""
    if started_in:
        started_in.clear()
