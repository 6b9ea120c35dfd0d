"""The server's own counters around a piece of work, and what they say of it."""

from collections import Counter

from roundtrips.resp import commands_in

from ..testbed.guard import admin_of, nodes_of


class Meter:
    """The server's own counters around a piece of work, read through a connection of its own.

    Reading them is a command too; two readings in a row before the work tell what one costs, and that is taken off.
    """

    def __init__(self, client):
        self.admins = [admin_of(node) for node in nodes_of(client)]

    def __enter__(self):
        try:
            first = self.read()
            self.before = self.read()
        except BaseException:
            self.close()
            raise
        self.of_reading = {name: self.before[name] - first[name] for name in ("bytes_in", "reads", "writes")}
        return self

    def __exit__(self, failed, *_):
        try:
            if not failed:
                self.after = self.read()
        finally:
            self.close()

    def close(self):
        for admin in self.admins:
            admin.close()

    def read(self):
        """The counters of the server, or of all the nodes together."""
        infos = [admin.info("all") for admin in self.admins]
        names = {name for info in infos for name in info if name.startswith("cmdstat_") and name != "cmdstat_info"}
        stats = {name: [info.get(name, {"calls": 0, "usec": 0}) for info in infos] for name in names}
        return {
            "bytes_in": sum(info["total_net_input_bytes"] for info in infos),
            "reads": sum(info["total_reads_processed"] for info in infos),
            "writes": sum(info["total_writes_processed"] for info in infos),
            "stats": {name.removeprefix("cmdstat_"): (sum(stat["calls"] for stat in each), sum(stat["usec"] for stat in each))
                      for name, each in stats.items()},
        }

    def spent(self, seen):
        """The server's fields of a Cost; {} if the server read other bytes than this Recording saw written."""
        bytes_in, reads, writes = (self.after[name] - self.before[name] - self.of_reading[name]
                                   for name in ("bytes_in", "reads", "writes"))
        if bytes_in != sum(len(write.data) for write in seen.writes):
            return {}
        return {"server_us": self.microseconds(seen), "server_reads": reads, "server_writes": writes}

    def microseconds(self, seen):
        """Time inside commands. EXEC's and EVAL's own time holds that of what they ran, so those are not added again."""
        stats = {name: (calls - self.before["stats"].get(name, (0, 0))[0], us - self.before["stats"].get(name, (0, 0))[1])
                 for name, (calls, us) in self.after["stats"].items()}
        if not any(calls for name, (calls, _) in stats.items() if name in CONTAINERS):
            return sum(us for _, us in stats.values())
        outside = sent_outside_transactions(seen)
        total = 0
        for name, (calls, us) in stats.items():
            if name in CONTAINERS:
                total += us
            elif calls:
                total += us * min(1, outside.get(name.split("|")[0], 0) / calls)
        return round(total)


CONTAINERS = frozenset({"exec", "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro"})


def sent_outside_transactions(seen):
    """How often each command was sent by the client itself, not queued after a MULTI: {name in lower case: times}."""
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
