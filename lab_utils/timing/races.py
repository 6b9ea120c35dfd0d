"""Play several functions that do the same work side by side, for lab.race, at any distance.

The times at distances other than the measured one are computed.
"""

from collections.abc import Callable
from dataclasses import replace

from ..arguments import Client
from ..counting.watching import watch
from ..explorables import Explorable
from ..model import Model, milliseconds
from ..runs import HANDSHAKE, Run, kind_of
from .fitting import fit_model

MOST_PLAYED = 1_000  # of a way with more only their number is kept


def race(ways: dict[str, Callable], client: Client) -> Explorable:
    """Call functions as `lab.plot_lanes` does, and play them side by side, slowed down.

    `ways` is {name: function of a client}. In the figure readers can drag the distance, for which
    the times are then computed. They can also change the number of commands, if all functions send
    the same commands, one by one or all at once. A function with over 1,000 round trips is played
    with all of them equally long. Returns an Explorable; where no script runs, it shows the figure
    of `lab.plot_lanes`. Prints one line in words. Raises the errors of `lab.plot_lanes`.
    """
    from ..figures.lanes import draw_lanes

    runs = watch(ways, client)
    return Explorable("race", draw_lanes(runs), constants(runs))


def constants(runs: dict[str, Run]) -> dict:
    """Return the data for `explorables/race.js`: what to play, and costs for other settings.

    `runs` is {name of the function: Run}. The result is a dict for JSON.
    """
    from ..figures.style import COUNT, WAY_OF, phrase

    names = sorted(runs, key=lambda name: -runs[name].seconds)
    slowest = runs[names[0]]
    model = model_of(runs) if scales(runs) else None
    direct = fit_model() if model and slowest.rtt_ms else None  # for distance 0, without the link
    what = next(iter(slowest.commands)) if len(slowest.commands) == 1 else "command"
    return {
        "ways": {
            name: {
                **way_of(run, model),
                "direct": direct and way_of(run, direct),
                "words": phrase(name) or f"by {name}",
                "run": as_played(run),
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


def scales(runs: dict[str, Run]) -> bool:
    """Return whether the times of `runs` can be computed for other numbers of commands, too.

    `runs` is {name: Run}, with a recorded call of each function. The result is True if all send the
    same commands, more than one, and each function sends them one by one or all in one request.
    """
    first, *others = (run.commands for run in runs.values())
    total = first.total()
    return (
        total > 1
        and all(commands == first for commands in others)
        and all(len(run.requests) in (1, total) for run in runs.values())
    )


def model_of(runs: dict[str, Run]) -> Model:
    """Return a Model for `runs`, {name: Run}, with the largest error over them as `residual`.

    The cost of a command is that of `lab.fit_model`. So is the cost of a round trip, unless a Run
    sends its commands one by one on one connection: then it is computed from that Run.
    """
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


def way_of(run: Run, model: Model | None) -> dict:
    """Return what a recorded call costs for each round trip and command, a dict for model.js.

    "turn_us" and "command_us" are µs for each round trip and for each command. "at_once" is how
    many requests are under way at the same time, None if there is a single request. Without a
    `model`, only other distances can be computed from the costs: "command_us" is 0, and "commands"
    is how many round trips had to follow each other.
    """
    if not model:
        waits = one_after_another(run)
        turn_us = 1e6 * run.seconds / waits - 1000 * (run.rtt_ms or 0)
        return {"at_once": 1, "commands": waits, "turn_us": turn_us, "command_us": 0}
    # the most that were on their way at one moment
    trips = run.requests
    together = max(sum(one.sent <= each.sent < one.replied for one in trips) for each in trips)
    at_once = together if len(trips) > 1 else None
    turn_us, command_us = 1e6 * model.turn_s, 1e6 * model.command_s
    if together > 1:  # requests under way at once share the CPU: a turn costs CPU time only
        turn_us, command_us = 0.0, turn_us + command_us
    return {"at_once": at_once, "turn_us": turn_us, "command_us": command_us}


def one_after_another(run: Run) -> int:
    """Return how many of a Run's round trips, at most, follow each other without any overlap.

    So many waits add up; other round trips were under way at the same time. Round trips that open
    connections are included.
    """
    count = 0
    free = 0.0
    for trip in sorted(run.trips, key=lambda trip: trip.replied):
        if trip.sent >= free:
            count += 1
            free = trip.replied
    return count


def as_played(run: Run) -> dict:
    """Return a recorded call of a function as the data that race.js plays, a dict for JSON.

    "ms" is the time of the call, "trips" and "connections" are how many it used. "flights" is one
    text with four numbers for each round trip: when it was sent and replied (ms), how many commands
    it had, and the number, from 0, of its connection's row. "flights" is "" if there are more than
    1,000.
    """
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
