"""Read the server's own counters before and after a piece of work."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from roundtrips.resp import commands_in

from ..arguments import Client
from ..testbed.ownership import admin_of, nodes_of
from .recording import Recording

TOTALS = {
    "bytes_in": "total_net_input_bytes",
    "reads": "total_reads_processed",
    "writes": "total_writes_processed",
}
CONTAINERS = frozenset({"exec", "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro"})


@contextlib.contextmanager
def server_meter(client: Client) -> Iterator["Meter"]:
    """Yield a Meter, which reads the server's counters before and after a `with` block.

    `client` is a redis.Redis or RedisCluster. The counters are read over connections of their own.
    A reading is itself a command that the server counts, so there are two before the `with` block:
    their difference is the cost of one reading. For a cluster the readings are sums over its nodes.
    """
    with contextlib.ExitStack() as stack:
        admins = [stack.enter_context(admin_of(node)) for node in nodes_of(client)]
        meter = Meter(reading(admins), reading(admins))
        yield meter
        meter.after = reading(admins)


def reading(admins: list) -> dict:
    """Read the counters of several servers with INFO, and return the sums over the servers.

    `admins` are redis.Redis, one for each server. The result is {key of TOTALS: number}, with
    "calls" and "usec" (microseconds) as {command: number}.
    """
    found: dict = {"calls": Counter(), "usec": Counter(), **dict.fromkeys(TOTALS, 0)}
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
    """Readings of the server's counters, dicts as `reading` returns them.

    `first` and `before` were read before the `with` block, one right after the other: their
    difference is what a reading itself adds. `after` was read after the block.
    """

    first: dict
    before: dict
    after: dict = field(default_factory=dict)

    def spent(self, seen: Recording) -> dict[str, int]:
        """Return what the server did during the `with` block, {name of a field of Cost: number}.

        The names are "server_us" (microseconds inside commands), "server_reads" and "server_writes"
        (calls of read and write). `seen` is the Recording of the same `with` block. The result is
        {} if other clients used the server meanwhile.
        """
        of_reading = {name: self.before[name] - self.first[name] for name in TOTALS}
        total = {name: self.after[name] - self.before[name] - of_reading[name] for name in TOTALS}
        if total["bytes_in"] != sum(len(write.data) for write in seen.writes):
            return {}
        return {
            "server_us": self.microseconds(seen),
            "server_reads": total["reads"],
            "server_writes": total["writes"],
        }

    def microseconds(self, seen: Recording) -> int:
        """Return the microseconds that the server spent inside commands during the `with` block.

        `seen` is the Recording of that `with` block. The time of EXEC and EVAL includes the
        commands that they ran, and Redis also counts these under their own names. So the time of
        other commands is counted only for calls outside of EXEC and EVAL.
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


def sent_outside_transactions(seen: Recording) -> Counter[str]:
    """Return {command in lower case: how often it was sent outside of MULTI … EXEC}.

    `seen` is a Recording.
    """
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
