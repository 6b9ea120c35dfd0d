"""List the machine's cores, the fastest first, as far as this process may use them."""

import math
from pathlib import Path

SYSTEM = Path("/sys/devices/system/cpu")  # https://docs.kernel.org/admin-guide/cputopology.html
LIMIT = Path("/sys/fs/cgroup/cpu.max")  # of a container (cgroup v2): "150000 100000", or "max …"


def cores(allowed: set[int]) -> dict[int, int]:
    """Return {number of a core: the CPU to use on it}, the fastest core first.

    A core's number is that of its lowest CPU. `allowed` are the numbers of the CPUs that this
    process may use. Two threads of one core are not two CPUs. Of equally fast cores the last comes
    first, since a machine's interrupts arrive at the first ones. There are at most as many cores as
    the container's share of CPUs.
    """
    found: dict[int, int] = {}
    for cpu in sorted(allowed, key=lambda cpu: (speed(cpu), cpu), reverse=True):
        found.setdefault(core_of(cpu), cpu)
    most = max(1, math.floor(min(share_of_cpus(), len(found))))
    return dict(list(found.items())[:most])


def speed(cpu: int) -> tuple[int, ...]:
    """Return how fast a CPU is, a tuple of numbers to compare with that of another CPU.

    The tuple is larger for a faster CPU of this machine; its numbers have no unit. `cpu` is the
    CPU's number.
    """
    told = (
        text(SYSTEM / f"cpu{cpu}" / name) for name in ("cpu_capacity", "cpufreq/cpuinfo_max_freq")
    )
    return tuple(int(number) if number.isdecimal() else 0 for number in told)


def core_of(cpu: int) -> int:
    """Return the number of the lowest CPU on the same core as `cpu`, a CPU's number as in /sys.

    It may be a CPU that this process may not use. If the system does not say, the result is `cpu`.
    """
    siblings = text(SYSTEM / f"cpu{cpu}/topology/thread_siblings_list")  # "0-1", or "0,4"
    first = siblings.replace("-", ",").split(",")[0]
    return int(first) if first.isdecimal() else cpu


def share_of_cpus() -> float:
    """Return the number of CPUs whose time `docker run --cpus` allows; infinity without a limit."""
    quota, _, period = text(LIMIT).partition(" ")
    return int(quota) / int(period) if quota.isdecimal() else math.inf


def text(path: Path) -> str:
    """Return the content of a system file, without white space around it; "" if there is none."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
