"""A race: ways of doing the same work as they ran here; other settings are computed from that."""

from collections.abc import Callable
from dataclasses import replace

from .. import setting
from ..counting.watching import watch
from ..explorables import Explorable
from ..model import Model, milliseconds
from ..runs import HANDSHAKE, Run, kind_of
from .fitting import fit_model

MOST_PLAYED = 1_000  # of a way with more only their number is kept


def race(ways: dict[str, Callable], client, parallel: bool = False):
    """Run functions as `lab.plot_lanes` does, and show the runs side by side, slowed down, to drag.

    Each way plays as it ran; of one with over 1,000 round trips each is as long. Other distances
    are computed, and other numbers of commands where all ways send the same commands, each by
    itself or all at once. Returns a figure that can be dragged; where no script runs it is that of
    `lab.plot_lanes`. Prints one line in words. Raises what `lab.plot_lanes` raises.
    """
    if not setting.is_drawn():
        return None
    from ..figures.lanes import draw_lanes

    runs = watch(ways, client, parallel)
    return Explorable("race", draw_lanes(runs), constants(runs))


def constants(runs: dict[str, Run]) -> dict:
    """Return what the race to drag plays, and what it computes other settings from."""
    from ..figures.style import COUNT, WAY_OF, phrase

    names = sorted(runs, key=lambda name: -runs[name].seconds)
    slowest = runs[names[0]]
    model = fitted(runs) if scales(runs) else None
    direct = fit_model() if model and slowest.rtt_ms else None  # for distance 0, without the link
    what = next(iter(slowest.commands)) if len(slowest.commands) == 1 else "command"
    return {
        "ways": {
            name: {
                **way_of(run, model),
                "direct": direct and way_of(run, direct),
                "words": phrase(name) or f"by {name}",
                "run": told(run),
                "role": WAY_OF.get(COUNT.sub("", name.lower()), name),
            }
            for name, run in runs.items()
        },
        "compared": list(dict.fromkeys((names[0], names[-1]))),
        "setting": {"rtt": slowest.rtt_ms or 0, "commands": slowest.commands.total()},
        "what": what if model else None,
        "away": "farther" if slowest.rtt_ms is None else "away",
        "from": "Measured on this machine, the fastest run of each way. "
        "Other settings are computed from them: "
        + (f"{model!r}." if model else "each wait gets as much longer as the distance.")
        + (f" At 0 ms, without the simulated link: {direct!r}." if direct else ""),
    }


def scales(runs):
    """Return whether all ways send the same commands, each by itself or all at once."""
    first, *others = (run.commands for run in runs.values())
    total = first.total()
    return (
        total > 1
        and all(commands == first for commands in others)
        and all(len(run.requests) in (1, total) for run in runs.values())
    )


def fitted(runs):
    """Return the Model: c of `lab.fit_model`; a from the run one by one, at its distance."""
    model = fit_model()
    for run in runs.values():
        if len(run.requests) > len(run.connections) == 1:
            turn_s = run.seconds / len(run.requests) - (run.rtt_ms or 0) / 1000
            model = Model(turn_s - model.command_s, model.command_s)
    said_ms = [
        milliseconds(way_of(run, model), run.commands.total(), run.rtt_ms or 0)
        for run in runs.values()
    ]
    off = [abs(ms / 1000 / run.seconds - 1) for ms, run in zip(said_ms, runs.values(), strict=True)]
    return replace(model, residual=max(off))


def way_of(run, model):
    """Return a way as `explorables/model.js` has it; without a model only its waits get longer."""
    if not model:
        waits = one_after_another(run)
        turn_us = 1e6 * run.seconds / waits - 1000 * (run.rtt_ms or 0)
        return {"at_once": 1, "commands": waits, "turn_us": turn_us, "command_us": 0}
    # the most that were on their way at one moment
    trips = run.requests
    together = max(sum(one.sent <= each.sent < one.replied for one in trips) for each in trips)
    at_once = together if len(trips) > 1 else None
    turn_us, command_us = 1e6 * model.turn_s, 1e6 * model.command_s
    if together > 1:  # all of it is the CPU's, which they share
        turn_us, command_us = 0.0, turn_us + command_us
    return {"at_once": at_once, "turn_us": turn_us, "command_us": command_us}


def one_after_another(run):
    """Return the most round trips of a run, handshakes too, of which no two overlap."""
    count, free = 0, 0.0
    for trip in sorted(run.trips, key=lambda trip: trip.replied):
        if trip.sent >= free:
            count, free = count + 1, trip.replied
    return count


def told(run):
    """Return a run as the figure plays it: "sent answered commands connection, …", in ms."""
    lane = {number: place for place, number in enumerate(run.connections)}
    flights = [
        f"{1000 * trip.sent:.3f} {1000 * trip.replied:.3f} "
        f"{sum(trip.names.values()) if kind_of(trip) != HANDSHAKE else 0} "
        f"{lane[trip.connection]}"
        for trip in run.trips
        if len(run.trips) <= MOST_PLAYED
    ]
    return {
        "ms": round(1000 * run.seconds, 3),
        "trips": len(run.requests),
        "connections": len(lane),
        "flights": ", ".join(flights),
    }
