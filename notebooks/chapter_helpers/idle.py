"""Whether other programs left a CPU idle, for work that may use all of them."""

import contextlib
import os
import time
from pathlib import Path

from lab_utils import calm
from lab_utils.calm import Calm, quiet
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.cpus import text
from lab_utils.testbed.evidence import Watch
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import affinity


@contextlib.contextmanager
def left_free():
    """Note whether other programs left a CPU idle for a block that is held on none.

    Such a block hardly waits: the system moves it. So it was disturbed if less than one CPU was
    idle, by the CPU that neither client nor server nor link used. Nothing is noted where there is
    one CPU, or where that is not told.
    """
    watch = Watch(server().pid, link())
    before, (idle, busy), started = watch.read(), idle_and_busy_s(), time.perf_counter()
    yield
    seconds, now = time.perf_counter() - started, watch.read()
    idle_now, busy_now = idle_and_busy_s()
    own = sum(now[one] - before[one] for one in ("client", "server", "link"))
    taken = busy_now - busy - own if idle_now - idle < seconds else 0.0
    if idle and len(affinity(0)) > 1:
        calm.note(Calm(1, 1) if quiet(taken, seconds) else Calm(0, 1, min(1.0, taken / seconds)))


def idle_and_busy_s() -> tuple[float, float]:
    """Return the seconds so far in which all CPUs idled, and worked; 0 where that is not told."""
    ticks = list(map(int, text(Path("/proc/stat")).partition("\n")[0].split()[1:9]))
    idle, second = sum(ticks[3:5]), os.sysconf("SC_CLK_TCK")
    return idle / second, (sum(ticks) - idle) / second
