"""The machine's cores, the fastest first, as far as this process may use them."""

import contextlib
import math
from pathlib import Path

SYSTEM = Path("/sys/devices/system/cpu")  # https://docs.kernel.org/admin-guide/cputopology.html
CGROUPS, OWN_CGROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def cores(allowed: set) -> dict:
    """Return {name of a core: the CPU to use of it} for the CPUs of a set, the fastest core first.

    Two threads of one core are not two CPUs. Of cores that are equally fast the last comes first,
    since the first ones are where a machine's interrupts arrive. No more cores than the process has
    a share of, where its group has one (cgroups).
    """
    found = {}
    for cpu in sorted(allowed, key=lambda cpu: (speed(cpu), cpu), reverse=True):
        found.setdefault(core_of(cpu), cpu)
    share = share_of_cpus()
    return dict(list(found.items())[: max(1, math.floor(share))] if share < len(found) else found)


def speed(cpu: int) -> tuple[int, int]:
    """Return what the system says of how fast a CPU is: only comparable on one machine."""
    return number(cpu, "cpu_capacity"), number(cpu, "cpufreq/cpuinfo_max_freq")


def core_of(cpu: int) -> int:
    """Return the lowest CPU of the core that a CPU belongs to, whether it may be used or not."""
    siblings = text(SYSTEM / f"cpu{cpu}/topology/thread_siblings_list")  # "0-1", or "0,4"
    first = siblings.replace("-", ",").split(",")[0]
    return int(first) if first.isdecimal() else cpu


def share_of_cpus() -> float:
    """Return how many CPUs' worth of time this process's group may use; infinity without a limit.

    `docker run --cpus` sets it. It is told in one file in version 2 of cgroups, in two in version
    1.
    """
    shares = [math.inf]
    for group in own_groups():
        shares.append(limit(text(group / "cpu.max")))
        quota, period = text(group / "cpu.cfs_quota_us"), text(group / "cpu.cfs_period_us")
        shares.append(limit(f"{quota} {period}"))
    return min(shares)


def own_groups():
    """Yield the folders of the groups around this process; a container may not see them all."""
    for line in text(OWN_CGROUP).splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers or "cpu" in controllers.split(","):  # version 2, version 1
            yield from groups(CGROUPS / "cpu" if controllers else CGROUPS, path)


def groups(root: Path, path: str) -> list[Path]:
    """Return the folder of a group, and those of the groups around it."""
    parts = [part for part in path.split("/") if part]
    return [root.joinpath(*parts[:size]) for size in range(len(parts) + 1)]


def limit(quota_and_period: str) -> float:
    """Return 1.5 for '150000 100000'; infinity for 'max 100000' and '-1 100000'."""
    with contextlib.suppress(ValueError):
        quota, period = (int(part) for part in quota_and_period.split())
        if quota > 0 and period > 0:
            return quota / period
    return math.inf


def number(cpu, name):
    found = text(SYSTEM / f"cpu{cpu}" / name)
    return int(found) if found.isdecimal() else 0


def text(path):
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text().strip()
    return ""
