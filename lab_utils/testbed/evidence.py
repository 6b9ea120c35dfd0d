"""The evidence of whether other programs disturbed a sample: who waited for a CPU, how long.

Linux counts how long each thread ran, and stood ready and waited for a CPU
(/proc/PID/task/TID/schedstat), and the link how late it passed bytes on. Some waiting is inherent:
on one CPU a client waits while its own server computes, a thread while its process's others do, the
link while it or the server does. So others took at most what these waited, and at most the time in
which none of them ran. The waker runs whenever they don't (see `pinning`), so the second is exact,
to 4 ms where the far side has another CPU; while it rests, others were there a moment ago, and all
waiting counts. Where there is no waker, or the server's process is not known, what server and link
may have waited for each other does not. What the hypervisor gave to other machines is added.

A system that does not count this gives no evidence: `is_told()` is False, and `lab.fingerprint`
says so. Everything is read outside the timed call; a reading takes some 50 µs.
"""

import contextlib
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from .. import calm
from ..calm import Calm, quiet
from ._link_process import AWAKE
from .cpus import text
from .pinning import affinity


@dataclass(frozen=True)
class Spent:
    """Seconds of a sample: CPU of `client` and `server`, and `taken` by other programs."""

    client: float
    server: float
    taken: float


class Watch:
    """Reads the evidence around a sample: `before = watch.read()`, then `watch.spent(before, s)`.

    The client is this process; `server_pid` and `link` (a `link.Link`) may be None. Where the
    server's process is not known, `server_cpu_s` asks it for the seconds of CPU it has used so far.
    To be made where CPUs are held already (see `steady`), in the thread that measures.
    """

    def __init__(self, server_pid: int | None = None, link=None, server_cpu_s=None):
        self.server_pid = server_pid if server_pid and cpu_clock_s(server_pid) is not None else None
        self.ask_server = server_cpu_s or (lambda: 0.0)
        self.link, self.link_pids = link, link.pids() if link else ()
        self.awake = bool(link and self.server_pid and link.memory[AWAKE])
        self.thread = threading.get_native_id()
        places = affinity(0), affinity(self.server_pid) if self.server_pid else set()
        held = {cpu for cpus in places if len(cpus) == 1 for cpu in cpus}
        self.apart, self.cpus = len(held) == 2, {f"cpu{cpu}" for cpu in held}
        self.asking = 0.0  # what it costs a server to answer how much CPU it has used
        if not self.server_pid:
            self.asking = min(-self.ask_server() + self.ask_server() for _ in range(5))

    def read(self) -> dict:
        """Read all counters, in seconds; the client's CPU last, so that reading is not in it."""
        return {
            "stolen": stolen_s(self.cpus),
            "server waits": waited_s(self.server_pid) if self.server_pid else 0.0,
            "client waits": client_waits(),
            "server": cpu_clock_s(self.server_pid) if self.server_pid else self.ask_server(),
            "late": self.link.late_s() if self.link else 0.0,
            "held": self.link.held_s() if self.link else 0.0,
            "link": sum(cpu_clock_s(pid) or 0.0 for pid in self.link_pids),
            "client": time.process_time(),
        }

    def spent(self, before: dict, seconds: float, thread: int | None = None) -> Spent:
        """Return what a sample of `seconds` cost, from the reading made before it.

        `thread` is the one in which it ran, if that was not this one.
        """
        client = time.process_time() - before["client"]
        now = self.read()
        since = {name: now[name] - before[name] for name in now if name != "client waits"}
        server = max(0.0, since["server"] - self.asking)
        waits = {}
        for one, (ran, waited) in now["client waits"].items():
            ran_before, waited_before = before["client waits"].get(one, (0.0, 0.0))
            others_ran = client - (ran - ran_before)
            waits[one] = max(0.0, waited - waited_before - max(0.0, others_ran))
        near = waits.pop(thread or self.thread, 0.0) + max(waits.values(), default=0.0)
        remote, far = server + since["link"], since["server waits"] + since["late"]
        if not self.awake:
            far = max(0.0, since["server waits"] - since["link"]) + max(0.0, since["late"] - remote)
        if self.apart:
            taken = max(
                between(near, seconds - client),  # they may have waited at the same time
                between(far, seconds - remote),
            )
        else:
            taken = between(near + far, seconds - client - remote)
        needed = max(since["held"], client, server, 0.0 if self.apart else client + server)
        return Spent(client, server, between(taken + since["stolen"], seconds - needed))


@contextlib.contextmanager
def watched(server_pid: int | None = None, link=None):
    """Note whether what runs inside, once, was disturbed: for what can't be run again."""
    watch = Watch(server_pid, link)
    before, started = watch.read(), time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    taken = watch.spent(before, seconds).taken
    calm.note(Calm(1, 1) if quiet(taken, seconds) else Calm(0, 1, taken / seconds))


def between(seconds: float, most: float) -> float:
    return max(0.0, min(seconds, most))


def is_told() -> bool:
    """Return whether this system tells who waited for a CPU."""
    return waited_s("self") > 0


def waited_s(thread: int | str) -> float:
    """Return the seconds for which a thread stood ready and waited for a CPU; 0 where not told."""
    return ran_and_waited_s(thread)[1]


def ran_and_waited_s(thread: int | str) -> tuple[float, float]:
    """Return the seconds for which a thread ran, and waited for a CPU; 0 where not told.

    `thread` is its place in /proc: "7/task/9", "thread-self", or a process's id for its first
    thread.
    """
    numbers = text(Path(f"/proc/{thread}/schedstat")).split()  # "" where it has just ended
    return (int(numbers[0]) / 1e9, int(numbers[1]) / 1e9) if len(numbers) == 3 else (0.0, 0.0)


def client_waits() -> dict[int, tuple[float, float]]:
    """Return {thread: seconds that it ran and waited} of this process."""
    try:
        threads = os.listdir("/proc/self/task")
    except OSError:
        return {}
    return {int(thread): ran_and_waited_s(f"self/task/{thread}") for thread in threads}


def stolen_s(cpus: set) -> float:
    """Return the seconds so far in which the hypervisor ran another machine on these CPUs."""
    rows = [line.split() for line in text(Path("/proc/stat")).splitlines()]
    ticks = sum(int(row[8]) for row in rows if row[0] in cpus and len(row) > 8)
    return ticks / os.sysconf("SC_CLK_TCK")


def cpu_clock_s(pid: int) -> float | None:
    """Return the seconds of CPU that a process has used; None where the system does not tell."""
    if not os.path.isdir("/proc/self/task"):
        return None
    try:
        return time.clock_gettime(~pid << 3 | 2)  # its CPU clock: see clock_getcpuclockid(3)
    except OSError:
        return None
