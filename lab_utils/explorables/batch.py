"""Prepare the data of the figure “how large a batch”, which readers can drag."""

from collections.abc import Iterable
from math import ceil
from statistics import median
from typing import Any

from ..model import Model
from . import Explorable


def explore(figure: Any, sizes: Any, model: Model, costs: Iterable[Any]) -> Any:
    """Return the figure “how large a batch”, an Explorable, which readers can drag.

    `figure` is its plain picture, a matplotlib Figure. `sizes` is the Sweep that `lab.sweep`
    returned, with memory. The cost of a round trip comes from `model`, a fitted Model, that of a
    command from the sweep. `costs` are the Costs of several batches: their `server_reads` tell how
    many commands the server found in one read. If none has them, since other clients used the
    server, `figure` itself is returned.
    """
    reads = [
        [cost.commands // part for part in (cost.round_trips, cost.server_reads)]
        for cost in costs
        if cost.server_reads
    ]
    if not reads:
        return figure
    total = int(sizes.comparison.ops)
    rtt = sizes.rtt_ms
    took = {size: sizes.seconds(size) for size in sizes.sizes}
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
            "Shaded: a larger batch gains less than a tenth. After a silence the first batch takes "
            "further round trips if it is larger than 14 KB: see lab.predict.",
        },
    )
