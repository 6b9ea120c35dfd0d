"""How long it should take: turns × (RTT + a) + commands × c.

`a` is what a turn costs beside the distance (building the request, the system calls, waking up) and `c` what one more
command in the same turn costs. `timing/fitting.py` fits both on this machine.
"""

from dataclasses import dataclass

from .arguments import check_number
from .words import duration


@dataclass(frozen=True)
class Model:
    """`turn_s` and `command_s` are a and c, in seconds; `residual` how far off the worst point fitted is, 0.1 for 10%."""

    turn_s: float
    command_s: float
    residual: float = 0.0
    server: "Model | None" = None  # how much of both is the server's CPU time

    def seconds(self, turns: float, commands: float, rtt_ms: float = 0) -> float:
        """Return the seconds that so many commands in so many turns should take at `rtt_ms`."""
        turns, commands, rtt_ms = (check_number(value, name, 0) for name, value in
                                   (("turns", turns), ("commands", commands), ("rtt_ms", rtt_ms)))
        return turns * (rtt_ms / 1000 + self.turn_s) + commands * self.command_s

    def __repr__(self):
        off = f", ~{100 * self.residual:.0f}% off at most where it was fitted" if self.residual else ""
        return f"turns × (RTT + {duration(self.turn_s)}) + commands × {duration(self.command_s)}{off}"


def milliseconds(way: dict, commands: int, rtt_ms: float) -> float:
    """Return what a way of doing it should take; `explorables/model.js` says the same, and what a way is."""
    costs = (way if rtt_ms else way.get("direct")) or way
    model = Model(costs["turn_us"] / 1e6, costs["command_us"] / 1e6)
    at_once = way["at_once"] or commands
    waiting, work = model.seconds(-(-commands // at_once), 0, rtt_ms), model.seconds(0, commands)
    return 1000 * (max(waiting, work) if at_once == way["at_once"] != 1 else waiting + work)
