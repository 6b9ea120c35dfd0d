"""Where is my time? What the map that one can drag computes from."""

from ..model import Model
from . import Explorable


def explore(figure, model: Model, runs: list[tuple]):
    """Return the map with runs of a page: (round trips, commands, RTT in ms, seconds that it took).

    You are the first. `figure` is the still one, None where figures are off.
    """
    dots = [
        {
            "rtt": rtt,
            "commands": commands / trips,
            "trips": trips,
            "ms": 1000 * took_s,
            "share": min(1, trips * rtt / 1000 / took_s),
        }
        for trips, commands, rtt, took_s in runs
    ]
    return figure and shown(figure, model, dots, dots[0])


def shown(figure, model: Model, dots: list[dict], you: dict) -> Explorable:
    """Return the map with these dots, and you."""
    way, server = (
        {"turn_us": 1e6 * of.turn_s, "command_us": 1e6 * of.command_s} if of else {}
        for of in (model, model.server)
    )
    return Explorable(
        "where",
        figure,
        {
            "way": {"at_once": None, **way},
            "server": server or None,
            "dots": dots,
            "you": you,
            "from": f"Fitted on this machine: {model!r}.",
        },
    )
