"""The machine's cores, the fastest first, as far as this process may use them."""

import contextlib
import math
from pathlib import Path

SYSTEM = Path("/sys/devices/system/cpu")  # https://docs.kernel.org/admin-guide/cputopology.html
CGROUPS, OWN_CGROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def cores(allowed):
    """{name of a core: the CPU to use of it} for the CPUs of a set, the fastest core first.

    Two threads of one core are not two CPUs. Of cores that are equally fast the last comes first, since the first ones are
    where a machine's interrupts arrive. No more cores than the process has a share of, where its group has one (cgroups).
    """
    found = {}
    for cpu in sorted(allowed, key=lambda cpu: (speed(cpu), cpu), reverse=True):
        found.setdefault(core_of(cpu), cpu)
    share = share_of_cpus()
    return dict(list(found.items())[:max(1, math.floor(share))] if share < len(found) else found)


def speed(cpu):
    """What the system says of how fast a CPU is: larger is faster, and only comparable on one machine."""
    return number(cpu, "cpu_capacity"), number(cpu, "cpufreq/cpuinfo_max_freq")


def core_of(cpu):
    """A name for the core that a CPU belongs to: its lowest CPU, whether this process may use that one or not."""
    siblings = text(SYSTEM / f"cpu{cpu}/topology/thread_siblings_list")  # "0-1", or "0,4"
    first = siblings.replace("-", ",").split(",")[0]
    return int(first) if first.isdecimal() else cpu


def share_of_cpus():
    """How many CPUs' worth of time this process's group may use, as `docker run --cpus` sets it; infinite without a limit."""
    return min(map(share_of, own_groups()), default=math.inf)


def limited_groups():
    """The folders of those groups around this process that have a limit."""
    return [group for group in own_groups() if share_of(group) < math.inf]


def stopped_s(group):
    """Seconds so far for which a group had used up its share and was stopped; 0 where the system does not tell."""
    told = dict(line.split(" ", 1) for line in text(group / "cpu.stat").splitlines() if " " in line)
    return int(told.get("throttled_usec", 0)) / 1e6 + int(told.get("throttled_time", 0)) / 1e9  # version 2, version 1


def own_groups():
    """The folders of the groups that this process is in, where they may have a share of the CPUs."""
    for line in text(OWN_CGROUP).splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:  # version 2
            yield from groups(CGROUPS, path)
        elif "cpu" in controllers.split(","):
            yield from groups(CGROUPS / "cpu", path)


def share_of(group):
    """How many CPUs' worth of time a group may use: it is told in one file in version 2, in two in version 1."""
    return min(limit(text(group / "cpu.max")), limit(f"{text(group / 'cpu.cfs_quota_us')} {text(group / 'cpu.cfs_period_us')}"))


def groups(root, path):
    """A group's folder and those of the groups around it; the path that a container sees may not exist inside it."""
    parts = [part for part in path.split("/") if part]
    return [root.joinpath(*parts[:number]) for number in range(len(parts) + 1)]


def limit(quota_and_period):
    """'150000 100000' is one and a half CPUs; 'max 100000' and '-1 100000' are no limit."""
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
