"""How long it should take: turns × (RTT + a) + commands × c.

`a` is what a turn costs beside the distance (building the request, the system calls, waking up) and
`c` what one more command in the same turn costs. `timing/fitting.py` fits both on this machine.
"""

from dataclasses import dataclass

from .arguments import check_number
from .words import duration


@dataclass(frozen=True)
class Model:
    """`turn_s` and `command_s`, a and c, in seconds; `residual` is how far off the worst fit is."""

    turn_s: float
    command_s: float
    residual: float = 0.0  # 0.1 for 10%
    server: "Model | None" = None  # how much of both is the server's CPU time

    def seconds(self, turns: float, commands: float, rtt_ms: float = 0) -> float:
        """Return the seconds that so many commands in so many turns should take at `rtt_ms`."""
        turns, commands, rtt_ms = (
            check_number(value, name, 0)
            for name, value in (("turns", turns), ("commands", commands), ("rtt_ms", rtt_ms))
        )
        return turns * (rtt_ms / 1000 + self.turn_s) + commands * self.command_s

    def __repr__(self):
        text = f"turns × (RTT + {duration(self.turn_s)}) + commands × {duration(self.command_s)}"
        off = f", ~{100 * self.residual:.0f}% off at most where it was fitted"
        return text + off if self.residual else text


def milliseconds(way: dict, commands: int, rtt_ms: float) -> float:
    """Return the ms that `way` should take; its keys are those of `explorables/model.js`."""
    costs = (way if rtt_ms else way.get("direct")) or way
    wait_ms, work_ms = rtt_ms + costs["turn_us"] / 1000, costs["command_us"] / 1000
    if not way["at_once"]:
        return wait_ms + commands * work_ms
    return side_by_side(commands, way["at_once"], wait_ms, work_ms)


def side_by_side(calls: int, connections: int, wait_ms: float, cpu_ms: float) -> float:
    """Return the milliseconds of calls over so many connections and one CPU, as model.js does.

    The CPU begins a call when it has begun all before and the call's connection is back.
    """
    turn, place = divmod(calls - 1, connections)
    begins = max((calls - 1) * cpu_ms, turn * (wait_ms + cpu_ms) + place * cpu_ms)
    return begins + cpu_ms + wait_ms
