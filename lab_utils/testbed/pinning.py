"""CPU placement held steady while something is measured, and put back afterwards.

Client, private server and link share one CPU meanwhile, and the link keeps it awake (see
`_link_process.py`). On two CPUs, or on one that dozes off, the same call takes 30 or 120 µs from
one run to the next; on one CPU it is always the same, and the times of client and server add up.

Where many requests are in flight at once that is too strict: a distant server computes while the
client does. So there is a second placement, `parallel`: the client has one CPU to itself, server
and link share another. There the client's dozes off while it waits, as it would in earnest; nothing
keeps it awake, since a thread that has just started would have to wait behind that, up to 4 ms.

Kernels take turns on a core, and so do the threads of one kernel (see `turns`).
Linux only; elsewhere, and where the system forbids it, nothing happens and nothing is said.
"""

import contextlib
import os
import threading
import time

from ..interrupts import Whole
from . import event_loop, turns
from .cpus import cores, share_of_cpus

LOOK_S = 0.01  # how often a thread looks whether another one of this kernel has done measuring

one_thread = threading.RLock()  # held by the thread of this kernel that measures
_now = None  # the `steady` in force


class steady(Whole):
    """Hold this thread, the lab's event loop, the server and the link on one CPU in a `with` block.

    With `parallel`, server and link get another CPU than the client, where there is a link and a
    second core. `server_pid` and `link` may be None. Threads started inside inherit the CPU. Nested
    uses do nothing. Waits for its turn while another kernel, or another thread of this one, holds
    what it needs. So a thread that is waited for inside must not measure.

    `cpus` are the CPUs held, the client's first; () where the system knows no placement.
    """

    def __init__(self, server_pid: int | None = None, link=None, parallel: bool = False):
        self.server_pid, self.link, self.number = server_pid, link, 2 if parallel and link else 1
        self.cpus, self.turn, self.before = (), {}, {}
        self.mine = self.awake = False  # `one_thread` was taken here; the CPU is kept awake

    def enter(self):
        global _now
        now = _now  # which another thread may change meanwhile
        if now and self.thread in (now.thread, event_loop.thread_id()):
            self.cpus = now.cpus
            return
        while not one_thread.acquire(blocking=False):
            if self.signals.caught:
                return
            time.sleep(LOOK_S)
        self.mine, _now = True, self
        chosen = cores(affinity(0))
        if chosen:
            number = min(self.number, len(chosen))
            self.turn = turns.hold(list(chosen), number, lambda: self.signals.caught)
            self.cpus = tuple(chosen[core] for core in self.turn)
            if self.cpus:
                self.place()

    def place(self):
        far = [self.server_pid, *(self.link.pids() if self.link and self.link.alive() else ())]
        for pid in filter(None, [self.thread, event_loop.thread_id(), *far]):
            self.before[pid] = affinity(pid)
            place(pid, {self.cpus[-1] if pid in far else self.cpus[0]})
        # a group with no greater share would be stopped for having used it up
        if self.link and share_of_cpus() > len(self.cpus):
            self.awake = True
            self.link.keep_awake(True, self.server_pid)

    def leave(self):
        global _now
        while self.before:
            place(*self.before.popitem())
        if self.awake:
            self.link.keep_awake(False)
            self.awake = False
        turns.release(self.turn)
        self.turn = {}
        if self.mine:
            self.mine, _now = False, None
            one_thread.release()


class turn(steady):
    """Take a turn on so many cores, and leave to the system who runs where.

    For processes that must not share a CPU.
    """

    def __init__(self, number: int):
        super().__init__()
        self.number = number

    def place(self):
        """Place nothing."""


def affinity(pid: int) -> set:
    """Return the CPUs on which a thread may run; none where the system does not know."""
    try:
        return os.sched_getaffinity(pid)
    except (OSError, AttributeError):
        return set()


def place(pid: int, cpus: set):
    with contextlib.suppress(OSError, ValueError):
        os.sched_setaffinity(pid, cpus)


def _measure_nothing():
    """Let go, in a forked child, of what its parent may be measuring: it must not put that back."""
    global _now
    if _now:
        if cpus := _now.before.get(_now.thread):
            place(0, cpus)
        _now.before, _now.turn, _now.mine, _now.awake = {}, {}, False, False
    _now = None
    one_thread._at_fork_reinit()


os.register_at_fork(after_in_child=_measure_nothing)
