"""Judge whether other programs disturbed a measurement that may use all CPUs."""

import contextlib
import os
import time
from pathlib import Path

from lab_utils import disturbance
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.cpu_times import CpuWatch
from lab_utils.testbed.cpus import text
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import affinity


@contextlib.contextmanager
def left_free():
    """In a `with` block that may use any CPU, record whether other programs disturbed it.

    They did if on average less than one CPU was idle. `disturbance.note` then gets the CPU seconds
    that programs other than client, server and link used, else 0, beside the seconds that the
    `with` block took. Nothing is recorded on a machine with one CPU, or if the system does not tell
    how long its CPUs idled.
    """
    watch = CpuWatch(server().pid, link())
    before, (idle, busy), started = watch.read(), idle_and_busy_s(), time.perf_counter()
    yield
    seconds, now = time.perf_counter() - started, watch.read()
    idle_now, busy_now = idle_and_busy_s()
    own = sum(now[one] - before[one] for one in ("client", "server", "link"))
    taken = busy_now - busy - own if idle_now - idle < seconds else 0.0
    if idle and len(affinity(0)) > 1:
        disturbance.note(disturbance.of_one_run(taken, seconds))


def idle_and_busy_s() -> tuple[float, float]:
    """Return (seconds idle, seconds at work), each summed over all CPUs since the system started.

    Both are 0 if the system does not tell.
    """
    ticks = list(map(int, text(Path("/proc/stat")).partition("\n")[0].split()[1:9]))
    idle, second = sum(ticks[3:5]), os.sysconf("SC_CLK_TCK")
    return idle / second, (sum(ticks) - idle) / second
