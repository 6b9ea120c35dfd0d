"""Prepare the data of the map “where is my time”, which readers can drag."""

from ..model import Model
from . import Explorable


def explore(figure: object, model: Model, runs: list[tuple]) -> Explorable:
    """Return the map “where is my time”, an Explorable with a dot for each measured page.

    Readers can drag the map. `runs` is [(round trips, commands, RTT in ms, seconds)], one for each
    page; the first one is marked as the reader's own. `figure` is the plain picture, a matplotlib
    Figure, `model` the fitted Model.
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
    return shown(figure, model, dots, dots[0])


def shown(figure: object, model: Model, dots: list[dict], you: dict) -> Explorable:
    """Return the map “where is my time”, an Explorable that readers can drag, with `dots`.

    A dot is a dict: "rtt" in ms, "commands" in each round trip, and "share", the share of time
    spent waiting, 0 to 1. A dot of a measured page also has "ms" and "trips". `you` is the dot that
    is marked as the reader's own. `figure` is the plain picture, a matplotlib Figure, `model` the
    fitted Model.
    """
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
