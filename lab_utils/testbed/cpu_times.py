"""Find out how much of a sample's time other programs took, from who ran and who waited.

Linux counts how long each thread ran, and how long it was ready to run and waited for a CPU
(/proc/PID/task/TID/schedstat). The link counts how late it passed bytes on, and how long it held
them on purpose. Two times are computed from these. Each is an upper bound on what other programs
took; the smaller one counts:

1. The time for which the lab's own processes waited for a CPU. This is too much in two cases: they
   also wait for each other (a client while its own server computes), and some waiting costs nothing
   (a client that has sent its request, while the link holds that request anyway). If work overlaps
   (threads, asyncio, large pipelines), several may have waited for the same program, so the longest
   wait counts instead of the sum.
2. The time in which none of the lab's processes ran. If steps follow one another, a sample lasts
   for the time that the link held bytes, plus the CPU time of client and server, plus the time of
   other programs. If they overlap, it lasts at least for the longer of the first two. The link's
   waker runs whenever no process of the lab does (see `pinning`) and rests while other programs
   want the CPU, so the CPU time of the waker is not time that other programs had.

The time that the hypervisor gave to other machines is added.

On a system that does not count these times, `waits_are_counted()` is False, nothing is subtracted,
and `lab.fingerprint` says so. All counters are read outside the timed call; a reading takes some 50
µs.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import disturbance
from ._link_process import AWAKE
from .cpus import text
from .link import NO_TIMES, Link
from .pinning import affinity

# One thing follows another if flights overlap for less than this share of the time held, and other
# threads use less than this share of the client's CPU (a kernel has some that wake now and then).
OVERLAP = 0.01
OTHER_THREADS = 0.2


@dataclass(frozen=True)
class Spent:
    """Where the time of a sample, a measured piece of work, went: five durations in seconds.

    - `client` and `server` are their CPU times
    - `waited` is how long the lab's processes were ready to run and waited for a CPU
    - `taken` is the part of `waited` in which other programs had the CPU
    - `asked` is how long at least one round trip was under way: no result can be shorter
    """

    client: float
    server: float
    waited: float
    taken: float
    asked: float


class CpuWatch:
    """Reads CPU times around a sample: `before = watch.read()`, then `watch.spent(before, …)`.

    The client is this process. `server_pid` is the server's process id; if it is None, the function
    `server_cpu_s()` returns the server's CPU seconds so far. `link` is the Link between them, or
    None. Make a CpuWatch inside the `with steady(…):` block, in the thread that measures.
    """

    def __init__(
        self,
        server_pid: int | None = None,
        link: Link | None = None,
        server_cpu_s: Callable[[], float] | None = None,
    ) -> None:
        self.server_pid = server_pid if server_pid and cpu_clock_s(server_pid) is not None else None
        self.ask_server = server_cpu_s or (lambda: 0.0)
        self.link = link
        self.link_pids = link.pids() if link else ()
        self.awake = bool(link and self.server_pid and link.memory[AWAKE])
        self.thread = threading.get_native_id()
        places = affinity(0), affinity(self.server_pid) if self.server_pid else set()
        held = {cpu for cpus in places if len(cpus) == 1 for cpu in cpus}
        self.apart = len(held) == 2
        self.cpus = {f"cpu{cpu}" for cpu in held}

    def read(self) -> dict:
        """Return all counters so far, {name: seconds}, to pass to `spent` later.

        The value of "client waits" is a dict, as `client_waits` returns it. The client's CPU time
        is read last, so that it excludes the reading of the other counters.
        """
        return {
            "stolen": stolen_s(self.cpus),
            "server waits": ran_and_waited_s(self.server_pid or 0)[1],
            "client waits": client_waits(),
            "server": cpu_clock_s(self.server_pid) if self.server_pid else self.ask_server(),
            **(self.link.times() if self.link else NO_TIMES)._asdict(),
            "link": sum(cpu_clock_s(pid) or 0.0 for pid in self.link_pids),
            "thread": time.thread_time(),
            "client": time.process_time(),
        }

    def spent(self, before: dict, seconds: float, thread: int | None = None) -> Spent:
        """Return where the time of a sample went, as a Spent; call this right after the sample.

        The sample took `seconds`. `before` is what `read` returned before it. `thread` is the id of
        the thread in which the sample ran, None for the current one.
        """
        own = {"client": time.process_time(), "thread": time.thread_time()}
        return self.account(before, self.read() | own, seconds, thread)

    def account(self, before: dict, now: dict, seconds: float, thread: int | None = None) -> Spent:
        """Compute from two readings where the time of a sample went; return a Spent.

        `before` and `now` are what `read` returned before and after the sample, which took
        `seconds`. `thread` is the id of the thread in which the sample ran, None for the current
        one.
        """
        since = {name: now[name] - before[name] for name in now if name != "client waits"}
        client = since["client"]
        server = since["server"]
        waits = before["client waits"], now["client waits"]
        near = client_waited(*waits, client, thread or self.thread)
        far = since["server waits"], since["late"]
        remote = server + since["link"]
        # without a waker, subtract the time that server and link may have waited for each other
        if not self.awake:
            far = max(0.0, since["server waits"] - since["link"]), max(0.0, since["late"] - remote)
        # what overlaps may have waited for the same program at the same time
        in_order = is_in_order(since, thread)
        together = sum if in_order else max
        if self.apart:
            near_s = between(together(near), seconds - client)
            waited = max(near_s, between(together(far), seconds - remote))
            needed = max(client, server)
        else:
            waited = between(together(near + far), seconds - client - remote)
            needed = client + server
        waited += since["stolen"]
        if in_order:  # a server that had to be asked may have computed for other clients too
            needed = max(needed, since["held"] + client + (server if self.server_pid else 0.0))
        else:
            needed = max(needed, since["asked"])
        taken = between(waited, seconds - needed)
        # Overlapping work waits for itself on a calm machine too: only others' time counts.
        return Spent(client, server, waited if in_order else taken, taken, since["asked"])


def is_in_order(since: dict, thread: int | None) -> bool:
    """Return whether a timed piece of work did one thing after another, none at the same time.

    That is so if one thread did the work and one message at a time was under way. `since` is
    {counter: difference of two readings, in seconds}; `thread` is the id of the thread that did the
    work, None for the current one.
    """
    others = since["client"] - since["thread"]
    overlap = since["flown"] - since["held"]
    few = others <= OTHER_THREADS * since["client"] and overlap <= OVERLAP * since["held"]
    return thread is None and few


def client_waited(before: dict, now: dict, client: float, thread: int) -> tuple[float, float]:
    """Return (seconds that `thread` waited for a CPU, the longest such wait of another thread).

    Both are in this process, and waits of its threads for each other are subtracted. `before` and
    `now` are what `client_waits` returned, `client` is the process's seconds of CPU in between, and
    `thread` a thread's id.
    """
    waits = {}
    for one, (ran, waited) in now.items():
        ran_before, waited_before = before.get(one, (0.0, 0.0))
        others_ran = max(0.0, client - (ran - ran_before))
        waits[one] = max(0.0, waited - waited_before - others_ran)
    return waits.pop(thread, 0.0), max(waits.values(), default=0.0)


@contextlib.contextmanager
def note_disturbance(server_pid: int | None = None, link: Link | None = None) -> Iterator[None]:
    """Measure by how much other programs disturb a `with` block, and store that for `lab.claim`.

    This is for work that is done only once. `server_pid` is a process id; it and `link` may be
    None. The result is a Disturbance, and is stored by `disturbance.note`.
    """
    watch = CpuWatch(server_pid, link)
    before, started = watch.read(), time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    disturbance.note(disturbance.of_one_run(watch.spent(before, seconds).taken, seconds))


def between(seconds: float, most: float) -> float:
    return max(0.0, min(seconds, most))


def waits_are_counted() -> bool:
    """Return whether this system counts how long threads waited for a CPU."""
    return ran_and_waited_s("self")[1] > 0


def ran_and_waited_s(thread: int | str) -> tuple[float, float]:
    """Return (seconds that a thread ran, seconds that it waited for a CPU), both 0 if unknown.

    `thread` is its path in /proc: "7/task/9", "thread-self", or a process's id for its first
    thread.
    """
    numbers = text(Path(f"/proc/{thread}/schedstat")).split()  # "" where it has just ended
    return (int(numbers[0]) / 1e9, int(numbers[1]) / 1e9) if len(numbers) == 3 else (0.0, 0.0)


def client_waits() -> dict[int, tuple[float, float]]:
    """Return {thread id: (seconds it ran, seconds it waited for a CPU)} of this process.

    The dict is empty if the system does not say.
    """
    try:
        threads = os.listdir("/proc/self/task")
    except OSError:
        return {}
    return {int(thread): ran_and_waited_s(f"self/task/{thread}") for thread in threads}


def stolen_s(cpus: set[str]) -> float:
    """Return for how many seconds so far the hypervisor ran other machines on these CPUs.

    `cpus` are names as in /proc/stat, such as "cpu0".
    """
    rows = [line.split() for line in text(Path("/proc/stat")).splitlines()]
    ticks = sum(int(row[8]) for row in rows if row[0] in cpus and len(row) > 8)
    return ticks / os.sysconf("SC_CLK_TCK")


def cpu_clock_s(pid: int) -> float | None:
    """Return the seconds of CPU that process `pid` has used, None if the system does not say."""
    if not os.path.isdir("/proc/self/task"):
        return None
    try:
        return time.clock_gettime(~pid << 3 | 2)  # its CPU clock: see clock_getcpuclockid(3)
    except OSError:
        return None
