"""The server's own counters around a piece of work, and what they say of it."""

import contextlib
from collections import Counter
from dataclasses import dataclass, field

from roundtrips.resp import commands_in

from ..testbed.guard import admin_of, nodes_of
from .recording import Recording

TOTALS = {
    "bytes_in": "total_net_input_bytes",
    "reads": "total_reads_processed",
    "writes": "total_writes_processed",
    "user_s": "used_cpu_user",
    "sys_s": "used_cpu_sys",
}
CONTAINERS = frozenset({"exec", "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro"})


@contextlib.contextmanager
def metered(client):
    """Yield a Meter of the block, whose readings go through connections of their own.

    A reading is a command too: two before the block tell what one costs. Of a cluster, they are
    the sum over its nodes.
    """
    with contextlib.ExitStack() as stack:
        admins = [stack.enter_context(admin_of(node)) for node in nodes_of(client)]
        meter = Meter(reading(admins), reading(admins))
        yield meter
        meter.after = reading(admins)


def reading(admins):
    """Return the TOTALS, and "calls" and "usec" of each command."""
    found = {"calls": Counter(), "usec": Counter(), **dict.fromkeys(TOTALS, 0)}
    for info in (admin.info("all") for admin in admins):
        for name, key in TOTALS.items():
            found[name] += info[key]
        for key, stat in info.items():
            command = key.removeprefix("cmdstat_")
            if key != command and command != "info":
                found["calls"][command] += stat["calls"]
                found["usec"][command] += stat["usec"]
    return found


@dataclass
class Meter:
    """Readings of the server's counters: `first` and `before` a block, then `after` it."""

    first: dict
    before: dict
    after: dict = field(default_factory=dict)

    def spent(self, seen: Recording) -> dict[str, int]:
        """Return a Cost's server fields; {} if the server also read bytes of others."""
        of_reading = {name: self.before[name] - self.first[name] for name in TOTALS}
        total = {name: self.after[name] - self.before[name] - of_reading[name] for name in TOTALS}
        if total["bytes_in"] != sum(len(write.data) for write in seen.writes):
            return {}
        return {
            "server_us": self.microseconds(seen),
            "server_reads": total["reads"],
            "server_writes": total["writes"],
            "server_cpu_us": 1e6 * (total["user_s"] + total["sys_s"]),
        }

    def microseconds(self, seen):
        """Return the time inside commands.

        The time of EXEC and EVAL includes what they ran, so other commands count by the share of
        their calls sent outside.
        """
        calls, usec = (
            {name: number - self.before[kind][name] for name, number in self.after[kind].items()}
            for kind in ("calls", "usec")
        )
        if not any(calls[name] for name in calls if name in CONTAINERS):
            return sum(usec.values())
        outside = sent_outside_transactions(seen)
        return round(
            sum(
                us if name in CONTAINERS else us * min(1, outside[name.split("|")[0]] / calls[name])
                for name, us in usec.items()
                if calls[name]
            )
        )


def sent_outside_transactions(seen):
    """Return {name in lower case: how often it was sent, not queued after a MULTI}."""
    sent, queueing = Counter(), set()
    for write in seen.writes:
        for command in commands_in([write.data]):
            name = command[0].decode().lower()
            if name in ("exec", "discard"):
                queueing.discard(write.connection)
            if write.connection not in queueing:
                sent[name] += 1
            if name == "multi":
                queueing.add(write.connection)
    return sent
