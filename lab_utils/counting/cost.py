"""Count what code cost: round trips, commands, bytes, and the work of the server."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from roundtrips.blocks import blocks_here
from roundtrips.resp import commands_in

from ..arguments import Client, check_dict, check_ran, check_sent
from ..testbed import event_loop, ownership
from ..testbed.pinning import one_thread
from ..words import counted
from .recording import Recording
from .server_counters import Meter, server_meter
from .watching import check_runs, connected_call


@dataclass(frozen=True)
class Cost:
    """What one call of a function cost.

    Counted exactly, at the client: `round_trips` (a write followed by a wait for its reply),
    `commands`, `bytes_sent`, `bytes_received`. Counted by the server: `server_us` (microseconds
    inside commands), `server_reads` and `server_writes` (its read and write calls); None if other
    clients used the server meanwhile. The call opened `connections` connections, which cost
    `handshake_trips` further round trips; these are not in `round_trips`.
    """

    round_trips: int
    commands: int
    bytes_sent: int
    bytes_received: int
    server_us: int | None = None
    server_reads: int | None = None
    server_writes: int | None = None
    connections: int = 0
    handshake_trips: int = 0

    def __repr__(self) -> str:
        server = (
            "server not counted: it has other clients, or is in memory"
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
    """{name of a function: its Cost}; the repr is a table, narrow enough for a notebook's page."""

    def __repr__(self) -> str:
        lines = table(
            ["", "round trips", "commands", "bytes sent", "received", "server µs"],
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
        """Return a Table of how often the server called read and write for each function.

        The repr of the Costs has no room for these two columns.
        """
        rows = [
            [name, by_server(cost.server_reads), by_server(cost.server_writes)]
            for name, cost in self.items()
        ]
        return Table(table(["", "server's reads", "server's writes"], rows))


class Table(list):
    """A list of text lines; its repr is these lines, one below the other, for notebooks to show."""

    def __repr__(self) -> str:
        return "\n".join(self)


def by_server(number: int | None) -> str:
    return "unknown" if number is None else f"~{number:,}"


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a text table; the first column is aligned left, all others right.

    `heads` are the headings, and each of `rows` has a text for each column. Measured values, which
    begin with "~", don't decide a column's width: else a longer value would move the facts beside
    it.
    """
    first, *others = [
        max(len(each) for each in column if not each.startswith("~"))
        for column in zip(heads, *rows, strict=True)
    ]
    return [
        "   ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)])
        for row in [heads, *rows]
    ]


def count(fn: Callable | dict[str, Callable], client: Client) -> Cost | Costs:
    """Call `fn(client)` once, recorded, and return its Cost; for {name: function}, return Costs.

    `fn` may be `async def`: it then gets an asyncio client with the same address and options. One
    connection is opened beforehand; connections that `fn` opens are counted apart. For a
    `redis.RedisCluster` a connection to each node is opened beforehand, and the server's part of
    the Cost is the sum over the nodes. If two threads call `lab.count`, one waits for the other.
    Raises the errors of `fn`, and LabError for anything but a function and a client, or if the
    function returned before its work was done.
    """
    if isinstance(fn, dict):
        for each in check_dict(fn, "lab.count", '{"loop": loop, "pipeline": pipeline}').values():
            check_runs(each, client, "lab.count")
        return Costs({name: cost_and_result(each, client)[0] for name, each in fn.items()})
    return cost_and_result(fn, client)[0]


def cost_and_result(fn: Callable, client: Client) -> tuple[Cost, object]:
    """Call `fn(client)` once, recorded; return (its Cost, the value that `fn` returned).

    `client` is a redis.Redis or RedisCluster; for an `async def` the function gets an asyncio
    client like it. Raises the errors of `fn`, and LabError as `lab.count`.
    """
    check_runs(fn, client, "lab.count")
    event_loop.check_outside()
    ownership.check(client)
    # a count within a count has the turn already
    turn = contextlib.nullcontext() if blocks_here() else one_thread
    with (
        turn,
        connected_call(fn, client) as work,
        server_meter(client) as meter,
        Recording() as seen,
    ):
        result = check_ran(work()[0], "lab.count")
    cost = cost_of(seen, meter)
    if event_loop.is_async(fn):
        check_sent(cost.commands, "lab.count")
    return cost, result


def cost_of(seen: Recording, meter: Meter | None = None) -> Cost:
    """Return the Cost of a function, from `seen`, the closed Recording of its call.

    The server's numbers are read from `meter`, a Meter of the same `with` block; without one they
    are None.
    """
    trips, work = seen.round_trips, [write for write in seen.writes if not write.setup]
    return Cost(
        round_trips=sum(not trip.setup for trip in trips),
        commands=sum(1 for write in work for _ in commands_in([write.data])),
        bytes_sent=sum(len(write.data) for write in work),
        bytes_received=sum(len(read.data) for read in seen.reads if not read.setup),
        connections=seen.opened,
        handshake_trips=sum(trip.setup for trip in trips),
        **(meter.spent(seen) if meter else {}),
    )
