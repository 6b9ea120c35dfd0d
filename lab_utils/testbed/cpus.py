"""The machine's cores, the fastest first, as far as this process may use them."""

import math
from pathlib import Path

SYSTEM = Path("/sys/devices/system/cpu")  # https://docs.kernel.org/admin-guide/cputopology.html
LIMIT = Path("/sys/fs/cgroup/cpu.max")  # of a container (cgroup v2): "150000 100000", or "max …"


def cores(allowed: set[int]) -> dict[int, int]:
    """Return {name of a core: the CPU to use of it} for the CPUs of a set, the fastest core first.

    Two threads of one core are not two CPUs. Of cores that are equally fast the last comes first,
    since the first ones are where a machine's interrupts arrive. No more cores than the container
    has a share of.
    """
    found: dict[int, int] = {}
    for cpu in sorted(allowed, key=lambda cpu: (speed(cpu), cpu), reverse=True):
        found.setdefault(core_of(cpu), cpu)
    most = max(1, math.floor(min(share_of_cpus(), len(found))))
    return dict(list(found.items())[:most])


def speed(cpu: int) -> tuple[int, ...]:
    """Return what the system says of how fast a CPU is: only comparable on one machine."""
    files = "cpu_capacity", "cpufreq/cpuinfo_max_freq"
    told = (text(SYSTEM / f"cpu{cpu}" / name) for name in files)
    return tuple(int(number) if number.isdecimal() else 0 for number in told)


def core_of(cpu: int) -> int:
    """Return the lowest CPU of the core that a CPU belongs to, whether it may be used or not."""
    siblings = text(SYSTEM / f"cpu{cpu}/topology/thread_siblings_list")  # "0-1", or "0,4"
    first = siblings.replace("-", ",").split(",")[0]
    return int(first) if first.isdecimal() else cpu


def share_of_cpus() -> float:
    """Return how many CPUs' worth of time `docker run --cpus` gives; infinity without a limit."""
    quota, _, period = text(LIMIT).partition(" ")
    return int(quota) / int(period) if quota.isdecimal() else math.inf


def text(path: Path) -> str:
    """Return what a file of the system's says; "" where there is none."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
