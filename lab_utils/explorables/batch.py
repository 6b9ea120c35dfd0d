"""How large a batch? What the figure that one can drag computes from."""

from collections.abc import Iterable
from math import ceil
from statistics import median

from ..model import Model
from . import Explorable


def explore(figure, sizes, model: Model, costs: Iterable):
    """Return the figure of a sweep over batches, to drag; as it is where the server is shared.

    `sizes` is the Sweep, with memory; what a turn costs is the `model`'s, what a command costs
    the sweep's own. `costs` are Costs of batches: how many commands the server found in a read.
    """
    reads = [
        [cost.commands // part for part in (cost.round_trips, cost.server_reads)]
        for cost in costs
        if cost.server_reads
    ]
    if figure is None or not reads:
        return figure
    total, rtt = int(sizes.comparison.ops), sizes.rtts[0]
    took = {size: sizes.seconds(size, rtt) for size in sizes.sizes}
    turns_s = {size: model.seconds(ceil(total / size), 0, rtt) for size in took}
    command_s = median((took[size] - turns_s[size]) / total for size in took)
    off = max(abs((turns_s[size] + total * command_s) / took[size] - 1) for size in took)
    return Explorable(
        "batch",
        figure,
        {
            "way": {"turn_us": 1e6 * model.turn_s, "command_us": 1e6 * command_s},
            "commands": total,
            "here": rtt,
            "points": [[size, 1000 * took[size]] for size in took],
            "memory": [[size, sizes.memory[size]] for size in took],
            "reads": reads,
            "from": f"The dots were measured on this machine, {rtt:g} ms away: the thin line, "
            f"{Model(model.turn_s, command_s, off)!r}. Dashed: the work alone. "
            "Shaded: a larger batch gains less than a tenth. TCP's slow start is left out.",
        },
    )
