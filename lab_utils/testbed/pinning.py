"""Hold client, server and link on certain CPUs during a measurement.

Client, private server and link share one CPU, and the link keeps it awake (see `_link_process.py`).
On two CPUs, or on one that dozes off, the same call takes 30 or 120 µs from one measurement to the
next; on one CPU it always takes the same, and the times of client and server add up.

For many requests in flight at once that is too strict: a distant server computes while the client
does. So there is a second placement, `parallel`: the client has one CPU to itself, server and link
share another. The client's CPU then dozes off while the client waits, as it would in earnest.
Nothing keeps it awake, since a thread that has just started would wait up to 4 ms behind the
process that spins.

Only one Jupyter kernel at a time uses a core, and only one of its threads (see `cpu_locks`). This
works on Linux only; on other systems, and where the system forbids it, nothing happens and nothing
is said.
"""

import contextlib
import os
import threading
from typing import Any

from ..interrupts import Whole
from . import cpu_locks, event_loop
from .cpus import cores, share_of_cpus

one_thread = threading.RLock()  # held by the thread of this kernel that measures
_now: "steady | None" = None  # the `steady` in force


class steady(Whole):
    """Hold this thread, the lab's event loop, server and link on one CPU during a `with` block.

    `server_pid` is the server's process id, `link` a link.Link; both may be None. With `parallel`,
    server and link get another CPU than the client, if there is a link and a second core. Threads
    started inside inherit the CPU. A `steady` inside another does nothing. Entering waits while
    another process of the lab has the cores, or another thread of this one measures; so don't wait
    inside for a thread that measures. The attribute `cpus` is a tuple of the CPUs' numbers, the
    client's first; it is () if the system can't hold processes on CPUs.
    """

    def __init__(
        self, server_pid: int | None = None, link: Any = None, parallel: bool = False
    ) -> None:
        self.server_pid = server_pid
        self.link = link
        self.number = 2 if parallel and link else 1  # of cores
        self.cpus: tuple[int, ...] = ()
        self.turn = {}  # the cores' locks
        self.before = {}  # where each process was allowed to run
        self.mine = False  # whether this object holds the lock `one_thread`
        self.awake = False  # whether the CPU is kept awake

    def enter(self) -> None:
        global _now
        now = _now  # which another thread may change meanwhile
        if now and self.thread in (now.thread, event_loop.thread_id()):
            self.cpus = now.cpus
            return
        one_thread.acquire()
        self.mine = True
        _now = self
        chosen = cores(affinity(0))
        if chosen:
            self.turn = cpu_locks.hold(list(chosen), min(self.number, len(chosen)))
            self.cpus = tuple(chosen[core] for core in self.turn)
            self.place()

    def place(self) -> None:
        far = [self.server_pid, *(self.link.pids() if self.link and self.link.alive() else ())]
        for pid in filter(None, [self.thread, event_loop.thread_id(), *far]):
            self.before[pid] = affinity(pid)
            place(pid, {self.cpus[-1] if pid in far else self.cpus[0]})
        # a group with no greater share would be stopped for having used it up
        if self.link and share_of_cpus() > len(self.cpus):
            self.awake = True
            self.link.keep_awake(True, self.server_pid)

    def leave(self) -> None:
        global _now
        while self.before:
            place(*self.before.popitem())
        if self.awake:
            self.link.keep_awake(False)
            self.awake = False
        cpu_locks.release(self.turn)
        self.turn = {}
        if self.mine:
            self.mine = False
            _now = None
            one_thread.release()


class turn(steady):
    """In a `with` block, lock `number` cores against other processes of the lab; move no process.

    This is for processes that must not share a CPU: the system places them. Entering waits until
    the cores are free.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def place(self) -> None:
        """Move no process, unlike `steady.place`: the system decides on which CPU each one runs."""


def affinity(pid: int) -> set[int]:
    """Return the numbers of the CPUs on which a thread may run; empty if the system does not say.

    `pid` is the thread's id, 0 for the current thread.
    """
    try:
        return os.sched_getaffinity(pid)
    except (OSError, AttributeError):
        return set()


def place(pid: int, cpus: set[int]) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.sched_setaffinity(pid, cpus)
