"""Predict how long work should take: turns × (RTT + a) + commands × c.

A turn is one round trip. `a` is what a turn takes besides the distance (building the request,
system calls, waking up), `c` what one more command in the same turn takes, both in seconds.
`timing/fitting.py` fits both on this machine.

A turn takes one RTT if it sends at most 14 KB each way. More bytes take further round trips on a
connection that is new or was silent: TCP's slow start, RFC 6928 and RFC 5681.
"""

import math
from dataclasses import dataclass

from .arguments import check_number
from .words import duration

FIRST_WINDOW = 10 * 1_448  # bytes: ten segments, as Ethernet carries them


def trips(size: float) -> int:
    """Return how many round trips it takes to send `size` bytes, on a new or a silent connection.

    TCP sends ten segments at first, and twice as many after each round trip. So 1 to 6 round trips
    carry up to 14, 43, 101, 217, 448 and 912 KB. Raises LabError for a negative size.
    """
    check_number(size, "size", 0)
    return max(1, math.ceil(math.log2(size / FIRST_WINDOW + 1)))


@dataclass(frozen=True)
class Model:
    """How long work takes on one machine: turns × (RTT + turn_s) + commands × command_s seconds.

    A turn is one round trip. `turn_s` is the seconds that a round trip takes besides the distance,
    `command_s` the seconds that each command takes. `residual` is the largest relative error of the
    formula over the measurements that it was fitted to, such as 0.1 for 10%. `server` is a second
    Model, of the server's CPU time alone; None if that is unknown.
    """

    turn_s: float
    command_s: float
    residual: float = 0.0
    server: "Model | None" = None

    def seconds(
        self,
        turns: float,
        commands: float,
        rtt_ms: float = 0,
        sent: float = 0,
        received: float = 0,
    ) -> float:
        """Return the seconds that `commands` commands in `turns` round trips should take.

        The distance is `rtt_ms` ms. `sent` and `received` are the bytes of the first round trip, on
        a connection that is new or was silent: if they are more than TCP sends at once, further
        round trips are added, see `trips`. The result is too long if a pipeline's own work takes
        longer than these further round trips, and so hides them. Raises LabError for negative
        numbers.
        """
        for value, name in (
            (turns, "turns"),
            (commands, "commands"),
            (rtt_ms, "rtt_ms"),
            (sent, "sent"),
            (received, "received"),
        ):
            check_number(value, name, 0)
        more = trips(sent) - 1, trips(received) - 1
        # Of a pipeline the replies flow while requests still do.
        further = max(more) if commands > turns else sum(more)
        waiting = turns * (rtt_ms / 1000 + self.turn_s) + further * rtt_ms / 1000
        return waiting + commands * self.command_s

    def __repr__(self) -> str:
        text = f"turns × (RTT + {duration(self.turn_s)}) + commands × {duration(self.command_s)}"
        off = f", ~{100 * self.residual:.0f}% off at most where it was fitted"
        return text + off if self.residual else text


def milliseconds(way: dict, commands: int, rtt_ms: float) -> float:
    """Return the milliseconds that `commands` commands should take at an RTT of `rtt_ms` ms.

    `way` is a dict of what one way of sending them costs, with the keys that model.js reads:
    "turn_us" and "command_us" are µs for each round trip and each command. "at_once" is how many
    commands are under way at the same time, None if a single round trip has all of them. "direct",
    if any, is a dict of the same costs for RTT 0.
    """
    costs = (way if rtt_ms else way.get("direct")) or way
    wait_ms, work_ms = rtt_ms + costs["turn_us"] / 1000, costs["command_us"] / 1000
    if not way["at_once"]:
        return wait_ms + commands * work_ms
    return side_by_side(commands, way["at_once"], wait_ms, work_ms)


def side_by_side(calls: int, connections: int, wait_ms: float, cpu_ms: float) -> float:
    """Return how many ms `calls` calls take in all, over `connections` connections, with one CPU.

    Each call takes `cpu_ms` ms of CPU time, then waits `wait_ms` ms. The CPU works on the calls one
    after another, and begins a call when the connection of that call is free. model.js computes the
    same.
    """
    turn, place = divmod(calls - 1, connections)
    begins = max((calls - 1) * cpu_ms, turn * (wait_ms + cpu_ms) + place * cpu_ms)
    return begins + cpu_ms + wait_ms
