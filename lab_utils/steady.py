"""CPU placement held steady while something is measured, and put back afterwards.

Client, private server and link share one CPU meanwhile, and the link keeps it awake (see `_link_process.py`).
On two CPUs, or on one that dozes off, the same call takes 30 or 120 µs from one run to the next; on one CPU
it is always the same, and the times of client and server add up instead of overlapping.

Where many requests are in flight at once that is too strict: a distant server computes while the client does. So there is
a second placement, `parallel`: the client has one CPU to itself, server and link share another. There the client's dozes
off while it waits, as it would in earnest; nothing keeps it awake, since a thread that has just started would have to wait
behind that, up to 4 ms.
Linux only; elsewhere, and where the system forbids it, nothing happens and nothing is said.
"""

import contextlib
import os
import threading

from . import aio

_held = threading.local()


@contextlib.contextmanager
def steady(server_pid=None, link=None, parallel=False):
    """Holds this thread, the lab's event loop, the server and the link on one CPU; restores them on leaving.

    With `parallel`, server and link get another CPU than the client, where there is a link and a second CPU.
    `server_pid` and `link` may be None. Threads started inside inherit the CPU. Nested uses do nothing.
    """
    if getattr(_held, "active", False) or not hasattr(os, "sched_setaffinity") or not affinity(0):
        yield
        return
    far = list(filter(None, [server_pid, link.pid if link else None]))
    before = {pid: affinity(pid) for pid in [0, *filter(None, [aio.thread_id()]), *far]}
    cpu, other = max(before[0]), min(before[0])
    apart = parallel and link is not None and other != cpu
    _held.active = True
    try:
        for pid in before:
            place(pid, {other if apart and pid in far else cpu})
        if link:
            link.ask("poll", on=True)
        yield
    finally:
        _held.active = False
        if link:
            link.ask("poll", on=False)
        for pid, cpus in before.items():
            place(pid, cpus)


def affinity(pid):
    try:
        return os.sched_getaffinity(pid)
    except OSError:
        return set()


def place(pid, cpus):
    with contextlib.suppress(OSError, ValueError):
        os.sched_setaffinity(pid, cpus)
