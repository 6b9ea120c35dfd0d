"""The evidence of whether other programs disturbed a sample: what the operating system and the link know of it.

Linux counts how long each thread stood ready and waited for a CPU (/proc/PID/task/TID/schedstat), and the link how late it
passed bytes on. Some of that is inherent: on one CPU a client waits while its own server computes. But of the CPU that is
held, what the lab's own processes did not use, and what was not idle, others used. What was taken from the sample is at most
the one and at most the other. (Idle while a container had used up its share of the CPUs is not idle.) To that comes what the
hypervisor gave to other machines, in ticks of 10 ms.
Elsewhere a short loop, timed before and after each sample, tells whether the CPU has something else to do.

Everything is read outside the timed call; a reading takes some 50 µs.
"""

import contextlib
import functools
import itertools
import os
import threading
import time
from dataclasses import dataclass

from .. import calm
from ..calm import Calm, quiet
from .cpus import limited_groups, stopped_s

CRON_HZ = 10  # so often the server wakes for itself; what it waits then, no client feels
SPIN_TURNS = 2_000  # about 50 µs
SPIN_NOISE = 1.3  # so much longer than the best a spin may take where nothing else runs
GONE_SHARE = 0.05  # of the sample; threads that used more and are gone took the evidence of their waiting with them


@dataclass(frozen=True)
class Spent:
    """What a sample cost, in seconds: CPU of `client` and `server`, and `taken`, by which other programs made it longer."""

    client: float
    server: float
    taken: float


class Watch:
    """Reads the evidence around a sample: `before = watch.read()`, the sample, `watch.spent(before, seconds)`.

    The client is this process; `server_pid` and `link` (a `link.Link`) may be None. Where the server's process is not known,
    `server_cpu_s` is a function that asks it for the seconds of CPU it has used so far.
    To be made where CPUs are held already (see `steady`), in the thread that measures.
    """

    def __init__(self, server_pid=None, link=None, server_cpu_s=None):
        self.server_pid = server_pid if server_pid and cpu_clock_s(server_pid) is not None else None
        self.ask_server = server_cpu_s or nothing
        self.link_pids = pids_of(link)
        self.late_s, self.held_s, self.alone_s = (link.late_s, link.held_s, link.alone_s) if link else (nothing,) * 3
        self.thread = threading.get_native_id()
        self.others = set(schedstats("self")) - {self.thread}  # there before: Jupyter's, and the loop
        self.tells_waiting = bool(schedstats("self"))
        self.near, self.far = held_cpu(0), held_cpu(self.server_pid) if self.server_pid else None
        self.cpus = {cpu for cpu in (self.near, self.far) if cpu is not None}
        self.limited = limited_groups()
        self.best_spin = 0.0 if self.tells_waiting else min(spin_s() for _ in range(20))
        self.asking = self.cost_of_asking()

    def cost_of_asking(self):
        """Seconds of CPU with which a server that is asked how much it used answers that."""
        if self.server_pid:
            return 0.0
        told = [self.ask_server() for _ in range(6)]
        return min(later - earlier for earlier, later in itertools.pairwise(told))

    @functools.cached_property
    def counters(self):
        """{name: function}, those of the client last."""
        return {
            "spin": nothing if self.tells_waiting else spin_s,
            "stolen": lambda: stolen_s(self.cpus),
            "stopped": lambda: sum(map(stopped_s, self.limited)),
            "server waits": lambda: schedstats(self.server_pid) if self.server_pid else {},
            "client waits": lambda: schedstats("self"),
            "server": (lambda: cpu_clock_s(self.server_pid)) if self.server_pid else self.ask_server,
            "late": self.late_s,
            "held": self.held_s,
            "alone": self.alone_s,
            "link": lambda: sum(cpu_clock_s(pid) or 0.0 for pid in self.link_pids),
            **{cpu: lambda cpu=cpu: idle_s(cpu) for cpu in self.cpus},
            "thread": time.thread_time,
            "client": time.process_time,
        }

    def read(self):
        """All counters at the moment before a sample."""
        return {name: read() for name, read in self.counters.items()}

    def spent(self, before, seconds, thread=None):
        """The Spent of a sample that took `seconds` by the clock, from the reading made before it.

        `thread` is the one in which the sample ran, if it was not this one; this one only waited for it then.
        """
        now = {name: read() for name, read in reversed(self.counters.items())}  # so that reading is in no difference
        since = {name: now[name] - before[name] for name in now if not isinstance(now[name], dict)}
        since["server"] = max(0.0, since["server"] - self.asking)
        clients, servers = waits(before["client waits"], now["client waits"]), waits(before["server waits"], now["server waits"])
        helpers = [waited for one, waited in clients.items() if one not in self.others and one != self.thread]
        # threads that wait for a CPU wait at the same time, so the longest counts
        since["client waits"] = clients.get(thread or self.thread, 0.0) + max(helpers, default=0.0)
        since["server waits"] = sum(servers.values()) * self.for_clients(before["server waits"], now["server waits"], seconds)
        since["client waits"] += self.gone(before, now, since, seconds)
        taken = min(seconds - self.needed(since), self.taken(before, now, since, seconds))
        return Spent(since["client"], since["server"], max(0.0, taken))

    def needed(self, since):
        """Seconds that the sample needed at least: others took nothing of what was on its way, or computed.

        On one CPU nobody computes while another does, and where a single chunk is on its way, nobody computes for it.
        """
        computed = max(since["client"], since["server"])
        if self.far is None or self.far == self.near:
            computed = since["client"] + since["server"]
        return max(since["held"], since["alone"] + computed)

    def for_clients(self, before, now, seconds):
        """The share of the times that the server got the CPU in which it was for its clients' sake."""
        times = sum(turns - before.get(thread, (0, 0, 0))[2] for thread, (_, _, turns) in now.items())
        return max(0.0, 1 - CRON_HZ * seconds / times) if times else 1.0

    def gone(self, before, now, since, seconds):
        """Threads that have ended took their waiting with them; they are taken to have waited as long as they ran."""
        others = sum(run - before["client waits"].get(thread, (0, 0, 0))[0]
                     for thread, (run, _, _) in now["client waits"].items() if thread != self.thread)
        ran = since["client"] - since["thread"] - others
        return ran if ran > GONE_SHARE * seconds else 0.0

    def taken(self, before, now, since, seconds):
        if not self.tells_waiting:
            slowest = max(before["spin"], now["spin"])
            return seconds * (1 - self.best_spin / slowest) if slowest > SPIN_NOISE * self.best_spin else 0.0

        def by_others(cpu, own):
            if cpu is None:
                return float("inf")
            return max(0.0, seconds - own - max(0.0, since[cpu] - since["stopped"]))

        near, far = since["client waits"], since["server waits"] + since["late"]
        if self.far is None or self.far == self.near:
            waited = min(near + far, by_others(self.near, since["client"] + since["server"] + since["link"]))
        else:
            waited = (min(near, by_others(self.near, since["client"]))
                      + min(far, by_others(self.far, since["server"] + since["link"])))
        return waited + since["stolen"]


@contextlib.contextmanager
def watched(server_pid=None, link=None):
    """Notes whether what runs inside, once, was disturbed: for what can't be run again, such as a capture."""
    watch = Watch(server_pid, link)
    before, started = watch.read(), time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    taken = watch.spent(before, seconds).taken
    calm.note(Calm(1, 1) if quiet(taken, seconds) else Calm(0, 1, taken / seconds))


def nothing():
    return 0.0


def pids_of(link):
    """The link's processes, of those that can be asked for their CPU time."""
    if link is None:
        return []
    pids = link.pids() if hasattr(link, "pids") else [link.pid]
    return [pid for pid in pids if cpu_clock_s(pid) is not None]


def cpu_clock_s(pid):
    """Seconds of CPU that a process has used so far, to the microsecond; None where the system does not tell."""
    if not os.path.isdir("/proc/self/task"):
        return None
    try:
        return time.clock_gettime(~pid << 3 | 2)  # a process's CPU clock has this number: clock_getcpuclockid(3)
    except OSError:
        return None


def held_cpu(pid):
    """The one CPU on which a process is held, or None."""
    try:
        cpus = os.sched_getaffinity(pid)
    except (OSError, AttributeError):
        return None
    return next(iter(cpus)) if len(cpus) == 1 else None


def schedstats(pid):
    """{thread: (seconds it ran, seconds it stood ready and waited, times it got a CPU)} of a process; empty where not told."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return {}
    return {int(thread): told for thread in threads if (told := schedstat(f"{pid}/task/{thread}"))}


def schedstat(thread):
    """(seconds that it ran, seconds it stood ready and waited, times it got a CPU) of a thread; None where not told.

    `thread` is its place in /proc: "7/task/9", "thread-self", or a process's id, for its first thread.
    """
    numbers = contents(f"/proc/{thread}/schedstat").split()
    return (int(numbers[0]) / 1e9, int(numbers[1]) / 1e9, int(numbers[2])) if len(numbers) == 3 else None


def waited_s(thread):
    """Seconds for which a thread has stood ready and waited for the CPU; 0 where the system does not tell."""
    told = schedstat(thread)
    return told[1] if told else 0.0


def waits(before, now):
    """{thread: seconds that it waited} between two answers of `schedstats`."""
    return {thread: waited - before.get(thread, (0, 0, 0))[1] for thread, (_, waited, _) in now.items()}


def idle_s(cpu):
    """Seconds in which nobody used this CPU so far: in every state of idling that it has. 0 where the system does not tell."""
    states = range(idle_states(cpu))
    return sum(int(contents(f"/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{state}/time") or 0) for state in states) / 1e6


@functools.cache
def idle_states(cpu):
    try:
        return len(os.listdir(f"/sys/devices/system/cpu/cpu{cpu}/cpuidle"))
    except OSError:
        return 0


def stolen_s(cpus):
    """Seconds so far in which the hypervisor ran another machine on one of these CPUs."""
    rows = [line.split() for line in contents("/proc/stat").split(b"\n") if line.startswith(b"cpu")]
    wanted = {f"cpu{cpu}".encode() for cpu in cpus}
    return sum(int(row[8]) for row in rows if row[0] in wanted and len(row) > 8) / os.sysconf("SC_CLK_TCK")


def contents(path):
    """What stands in a file of /proc or /sys; nothing where there is none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, 16384)
    except OSError:
        return b""  # the thread has just ended
    finally:
        os.close(file)


def spin_s():
    """Seconds that a short loop takes."""
    started = time.perf_counter()
    for _ in range(SPIN_TURNS):
        pass
    return time.perf_counter() - started
