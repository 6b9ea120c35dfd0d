"""Threads or a pipeline, to drag: it computes from what the chapter measured."""

from ..words import counted, milliseconds
from . import Explorable

CALLS = 64


def side_by_side(calls: int, connections: int, rtt_ms: float, cpu_ms: float) -> float:
    """Return the milliseconds of calls over so many connections and one CPU, as model.js does."""
    turn, place = divmod(calls - 1, connections)
    begins = max((calls - 1) * cpu_ms, turn * (rtt_ms + cpu_ms) + place * cpu_ms)
    return begins + cpu_ms + rtt_ms


def explore(still, took: dict[int, float], pipeline: float, rtt: float) -> Explorable:
    """Return the figure, from milliseconds that were measured `rtt` away.

    `took` is what the calls took, by the number of connections, `pipeline` a pipeline of them. The
    fastest hardly waits any more: its time, shared by the calls, is about the CPU of one.
    """
    cpu = float(f"{min(took.values()) / CALLS:.3g}")
    off = {size: abs(side_by_side(CALLS, size, rtt, cpu) / ms - 1) for size, ms in took.items()}
    worst = max(off, key=lambda size: off[size])
    return Explorable("threads", still, {
        "rtt": rtt, "cpu_us": round(1000 * cpu, 1), "pipeline_work": round(pipeline - rtt, 3),
        "took": [[size, round(ms, 3)] for size, ms in took.items()],
        "from": f"Measured on this machine, {milliseconds(rtt)} away: {1000 * cpu:.3g} µs of CPU a "
                f"call (the fastest ring ÷ {CALLS}). The line misses a ring by {off[worst]:.0%} "
                f"at most, with {counted(worst, 'connection')}."})
