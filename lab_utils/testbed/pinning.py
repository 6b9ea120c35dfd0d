"""CPU placement held steady while something is measured, and put back afterwards.

Client, private server and link share one CPU meanwhile, and the link keeps it awake (see `_link_process.py`).
On two CPUs, or on one that dozes off, the same call takes 30 or 120 µs from one run to the next; on one CPU
it is always the same, and the times of client and server add up instead of overlapping.

Where many requests are in flight at once that is too strict: a distant server computes while the client does. So there is
a second placement, `parallel`: the client has one CPU to itself, server and link share another. There the client's dozes
off while it waits, as it would in earnest; nothing keeps it awake, since a thread that has just started would have to wait
behind that, up to 4 ms.

All of them get short slices of time, so that beside busy programs they run when they wake up (see `slices`).
Kernels take turns on a core, and so do the threads of one kernel (see `turns`).
Linux only; elsewhere, and where the system forbids it, nothing happens and nothing is said.
"""

import contextlib
import os
import threading
import time

from ..whole import Whole
from . import event_loop, slices, turns
from .cpus import cores, share_of_cpus

LOOK_S = 0.01  # how often a thread looks whether another one of this kernel has done measuring

one_thread = threading.RLock()  # held by the thread of this kernel that measures
_now = None  # the Steady in force


def steady(server_pid=None, link=None, parallel=False):
    """Holds this thread, the lab's event loop, the server and the link on one CPU; restores them on leaving.

    With `parallel`, server and link get another CPU than the client, where there is a link and a second core.
    `server_pid` and `link` may be None. Threads started inside inherit the CPU. Nested uses do nothing.
    Waits for its turn while another kernel, or another thread of this one, holds what it needs. So a thread that
    is waited for inside must not measure.
    Yields an object whose `cpus` are the CPUs held, the client's first; () where the system knows no placement.
    """
    return Steady(server_pid, link, parallel)


def turn(number):
    """Takes a turn on as many cores, and leaves it to the system who runs where: for processes that must not share a CPU."""
    return Turn(number)


class Steady(Whole):
    """What `steady` holds: `cpus`, the numbers of the CPUs, and how everything was before."""

    def __init__(self, server_pid, link, parallel):
        self.server_pid, self.link, self.number = server_pid, link, 2 if parallel and link else 1
        self.cpus, self.turn, self.before = (), {}, {}
        self.mine = self.awake = False  # whether `one_thread` was taken here, and the link told to keep the CPU awake

    def enter(self):
        global _now
        now = _now  # which another thread may change meanwhile
        if now and threading.get_native_id() in (now.thread, event_loop.thread_id()):
            self.cpus = now.cpus
            return
        while not one_thread.acquire(blocking=False):
            with self.interruptible():
                time.sleep(LOOK_S)
        self.mine, self.thread, _now = True, threading.get_native_id(), self
        chosen = cores(affinity(0))
        if chosen:
            self.turn = turns.hold(list(chosen), min(self.number, len(chosen)), self.interruptible)
            self.cpus = tuple(chosen[core] for core in self.turn)
            self.place()

    def place(self):
        far = [self.server_pid, *(self.link.pids() if self.link and self.link.alive() else ())]
        for pid in filter(None, [self.thread, event_loop.thread_id(), *far]):
            self.before[pid] = affinity(pid), slices.shorten(pid)
            place(pid, {self.cpus[-1] if pid in far else self.cpus[0]})
        if self.link and share_of_cpus() > len(self.cpus):  # else the group would be stopped for having used its share
            self.awake = True
            self.link.keep_awake(True, self.server_pid)

    def leave(self):
        global _now
        while self.before:
            pid, (cpus, slice_before) = self.before.popitem()
            place(pid, cpus)
            slices.restore(pid, slice_before)
        if self.awake:
            self.link.keep_awake(False)
            self.awake = False
        turns.release(self.turn)
        self.turn = {}
        if self.mine:
            self.mine, _now = False, None
            one_thread.release()


class Turn(Steady):
    """A turn without a placement."""

    def __init__(self, number):
        super().__init__(None, None, False)
        self.number = number

    def place(self):
        """Nothing is placed."""


def affinity(pid):
    """The CPUs on which a thread may run; none where the system does not know."""
    try:
        return os.sched_getaffinity(pid)
    except (OSError, AttributeError):
        return set()


def place(pid, cpus):
    with contextlib.suppress(OSError, ValueError):
        os.sched_setaffinity(pid, cpus)


def _measure_nothing():
    """A forked child does not measure, though its parent may at that moment: what that holds, the child must not put back."""
    global _now
    if _now:
        cpus, _ = _now.before.get(_now.thread, (None, None))
        if cpus:
            place(0, cpus)
        _now.before, _now.turn, _now.mine, _now.awake = {}, {}, False, False
    _now = None
    one_thread._at_fork_reinit()


os.register_at_fork(after_in_child=_measure_nothing)
