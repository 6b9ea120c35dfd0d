"""Measures for the map of where the time goes: the model's surface, and a few dots."""

import functools
import statistics

from .. import setting
from ..arguments import check_client, check_number
from ..explorables import where
from ..testbed import guard
from ..testbed.chosen_server import distance_of
from ..testbed.link import ping_times
from .comparison import compare
from .fitting import fit_model, turn

NEAREST_MS, MOST_COMMANDS = 0.01, 10_000
MEASURED_MS, MEASURED_COMMANDS = (0.25, 1, 5, 20), (1, 10, 100, 1_000)
PINGS = 15


def plot_map(client, commands: int = 1):
    """Draw which share of the time is waiting, by distance (ms, log) and commands a turn (log).

    The colours are the fitted model's: RTT / (RTT + a + commands × c), see `lab.fit_model`. The
    dots were measured here, each filled with its own share: where one melts into the ground, the
    model is right. The line is half and half. "You" are at the client's distance (the one set by
    the lab; else that of its PING), with `commands` commands a turn. Returns a figure that can be
    dragged. Prints one line in words. Raises LabError for anything but a client, or commands that
    are no whole number from 1 to 10,000.
    """
    if not setting.is_drawn():
        return None
    from ..figures.waiting_map import draw_map

    check_client(client, "lab.plot_map", cluster=True)
    guard.check(client)
    check_number(commands, "commands", 1, MOST_COMMANDS, whole=True)
    model = fit_model()
    dots, rtt = measured(), distance_to(client, model)
    points = [{"rtt": ms, "commands": count, "share": share} for (ms, count), share in dots.items()]
    return where.shown(draw_map(model, dots, rtt, commands), model, points,
                       {"rtt": float(f"{rtt:.2g}"), "commands": commands})


@functools.cache
def measured():
    """Measure {(RTT in ms, commands a turn): share of the time that was distance}, once."""
    variants = {str(count): turn("SET", count) for count in MEASURED_COMMANDS}
    times = compare(variants, rtt_ms=MEASURED_MS, same=False)
    return {(rtt, count): min(1.0, rtt / 1000 / times.seconds(str(count), rtt))
            for rtt in MEASURED_MS for count in MEASURED_COMMANDS}


def distance_to(client, model):
    """Return a client's RTT in ms: as the lab set it, or what its PING takes beside the work."""
    return distance_of(client) or max(
        NEAREST_MS, 1000 * (statistics.median(ping_times(client, PINGS)) - model.seconds(1, 1)))
