"""Threads, tasks or a pipeline, to drag: it computes from what the chapter measured."""

from ..model import side_by_side
from ..words import counted, milliseconds, singular
from . import Explorable

CALLS = 64


def fitted(took: dict[int, float], rtt: float) -> dict[str, float]:
    """Return what a call costs, in µs, from the milliseconds of all by the number of connections.

    A turn is a round of waiting: that of one connection, if nothing disturbed it. The `fastest`
    takes one turn and the CPU of all other calls; each connection beyond it, what its start costs.
    """
    most, fastest = max(took), min(took, key=took.__getitem__)
    turn = min(ms / -(-CALLS // connections) for connections, ms in took.items())
    cpu = (took[fastest] - turn) / (CALLS - 1)
    start = (took[most] - took[fastest]) / max(1, most - fastest)
    costs = {"cpu_us": cpu, "turn_us": max(0, turn - rtt - cpu), "start_us": start}
    return {"fastest": fastest} | {name: round(1000 * ms, 1) for name, ms in costs.items()}


def computed(cost: dict, connections: int, rtt: float, slower: float = 1) -> float:
    """Return the milliseconds that the calls should take, on a CPU so many times slower."""
    started = cost["start_us"] * max(0, connections - cost["fastest"])
    cpu = slower * (cost["cpu_us"] + started / CALLS) / 1000
    return side_by_side(CALLS, connections, rtt + slower * cost["turn_us"] / 1000, cpu)


def explore(still, took: dict[str, dict[int, float]], pipeline: float, rtt: float) -> Explorable:
    """Return the figure, from the milliseconds of each way by connections, and of a pipeline."""
    ways, off = {}, {}
    for way, times in took.items():
        ways[way] = fitted(times, rtt) | {"took": [[n, round(ms, 3)] for n, ms in times.items()]}
        off |= {
            counted(n, singular(way)): abs(computed(ways[way], n, rtt) / ms - 1)
            for n, ms in times.items()
        }
    cpu, turn, start = (
        " and ".join(f"{ways[way][part]:.3g} µs in {way}" for way in ways)
        for part in ("cpu_us", "turn_us", "start_us")
    )
    worst = max(off, key=off.__getitem__)
    return Explorable(
        "threads",
        still,
        {
            "rtt": rtt,
            "ways": ways,
            "pipeline_work": round(pipeline - rtt, 3),
            "from": f"Computed from the times measured on this machine, {milliseconds(rtt)} away. CPU "
            f"of a call: {cpu}; what a turn costs beside it and the RTT: {turn}; one "
            f"connection more: {start}. A line misses a ring by {off[worst]:.0%} at most, "
            f"with {worst}.",
        },
    )
