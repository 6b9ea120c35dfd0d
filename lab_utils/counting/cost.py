"""What code cost, exactly: round trips, commands, bytes, and the server's own account."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from roundtrips.resp import commands_in
from roundtrips.scope import blocks_here

from ..arguments import check_dict, check_ran, check_sent
from ..testbed import event_loop, guard
from ..testbed.pinning import one_thread
from ..words import counted
from .recording import Recording
from .server_counters import Meter, metered
from .watching import check_runs, opened


@dataclass(frozen=True)
class Cost:
    """What one run of a function cost.

    Counted at the client, exact: `round_trips` (a write followed by a wait for its reply),
    `commands`, `bytes_sent`, `bytes_received`. Counted by the server: `server_us` (microseconds
    inside commands), `server_reads` and `server_writes` (its read and write calls), `server_cpu_us`
    (the CPU time of its process meanwhile, its background work included, less what one INFO costs:
    it may come out a little below 0); None where other clients used the server meanwhile.
    `connections` were opened on the way and cost `handshake_trips` round trips more, which are not
    in `round_trips`. The SELECT by which a connection gets to the database that is reserved on
    REDIS_URL's server is not counted.
    """

    round_trips: int
    commands: int
    bytes_sent: int
    bytes_received: int
    server_us: int | None = None
    server_reads: int | None = None
    server_writes: int | None = None
    server_cpu_us: float | None = None
    connections: int = 0
    handshake_trips: int = 0

    def __repr__(self):
        server = (
            "server shared with other clients: not counted"
            if self.server_us is None
            else f"server ~{self.server_us:,} µs"
        )
        words = (
            f"{counted(self.round_trips, 'round trip')}   {counted(self.commands, 'command')}"
            f"   {self.bytes_sent:,} bytes sent   {self.bytes_received:,} received   {server}"
        )
        if not self.connections:
            return words
        return (
            f"{words}\n+ {counted(self.connections, 'new connection')}: "
            f"{counted(self.handshake_trips, 'round trip')}"
        )


class Costs(dict):
    """Costs by name, shown as a table that fits a page beside JupyterLab's file browser."""

    def __repr__(self):
        heads = ["", "round trips", "commands", "bytes sent", "received", "server µs"]
        lines = table(
            heads,
            [
                [
                    name,
                    f"{cost.round_trips:,}",
                    f"{cost.commands:,}",
                    f"{cost.bytes_sent:,}",
                    f"{cost.bytes_received:,}",
                    by_server(cost.server_us),
                ]
                for name, cost in self.items()
            ],
        )
        tails = [
            f"  +{cost.connections} opened: {counted(cost.handshake_trips, 'trip')}"
            if cost.connections
            else ""
            for cost in self.values()
        ]
        return "\n".join(line + tail for line, tail in zip(lines, ["", *tails], strict=True))

    def rest(self) -> "Table":
        """Return what the table leaves out: how often the server read and wrote."""
        rows = [
            [name, by_server(cost.server_reads), by_server(cost.server_writes)]
            for name, cost in self.items()
        ]
        return Table(table(["", "server's reads", "server's writes"], rows))


class Table(list):
    """Lines that are shown as they stand."""

    def __repr__(self):
        return "\n".join(self)


def by_server(number):
    return "shared" if number is None else f"~{number:,}"


def table(heads, rows):
    """Return lines: the first column to the left, the others to the right, three spaces between.

    A measured value gets only the width of its heading, so its size moves no other column.
    """
    first, *others = [
        max(len(each) for each in column if not each.startswith("~"))
        for column in zip(heads, *rows, strict=True)
    ]
    return [
        "   ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)])
        for row in [heads, *rows]
    ]


def count(fn: Callable | dict[str, Callable], client) -> Cost | Costs:
    """Run `fn(client)` once, with redis-py tapped, and return its Cost; of a dict, Costs by name.

    `fn` may be `async def`: it is given an asyncio client with the same address and options. One
    connection is opened beforehand; any further one is counted apart. A `redis.RedisCluster` gets
    one for each node, and the server's part is the sum over the nodes. Two threads that count take
    turns. Raises whatever `fn` raises, and LabError for anything but a function and a client, or
    where the function's work has not been done.
    """
    if isinstance(fn, dict):
        for each in check_dict(fn, "lab.count", '{"loop": loop, "pipeline": pipeline}').values():
            check_runs(each, client, "lab.count")
        return Costs({name: cost_and_result(each, client)[0] for name, each in fn.items()})
    return cost_and_result(fn, client)[0]


def cost_and_result(fn: Callable, client) -> tuple[Cost, object]:
    """Return the Cost of one run, and what the function returned."""
    check_runs(fn, client, "lab.count")
    event_loop.check_outside()
    guard.check(client)
    # a count within a count has the turn already
    turn = contextlib.nullcontext() if blocks_here() else one_thread
    with turn, opened(fn, client) as work, metered(client) as meter, Recording() as seen:
        result = check_ran(work()[0], "lab.count")
    cost = cost_of(seen, meter)
    if event_loop.is_async(fn):
        check_sent(cost.commands, "lab.count")
    return cost, result


def cost_of(seen: Recording, meter: Meter | None = None) -> Cost:
    """Return the Cost of a closed Recording, with the server's part if a meter ran around it."""
    trips, work = seen.round_trips, [write for write in seen.writes if not write.setup]
    return Cost(
        round_trips=sum(not trip.setup for trip in trips),
        commands=sum(1 for write in work for _ in commands_in([write.data])),
        bytes_sent=sum(len(write.data) for write in work),
        bytes_received=sum(len(read.data) for read in seen.reads if not read.setup),
        connections=seen.opened,
        handshake_trips=sum(trip.setup for trip in trips) - selects_of_reserved(seen),
        **(meter.spent(seen) if meter else {}),
    )


def selects_of_reserved(seen):
    """Return the round trips of handshakes that are only there for the reserved database.

    On REDIS_URL's server it is not number 0. The asyncio client sends that SELECT with other
    commands: there it costs none of its own.
    """
    alone = sum(trip.setup and trip.names == {"SELECT": 1} for trip in seen.round_trips)
    commands = [each for write in seen.writes if write.setup for each in commands_in([write.data])]
    return min(alone, sum(guard.is_select_of_reserved(each) for each in commands))
