"""Watch functions at work: every request of one run, with its times, and draw them as lanes."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from redis.cluster import RedisCluster
from roundtrips.traces import Trace

from .. import setting
from ..arguments import check_client, check_dict, check_function, check_ran, check_title
from ..errors import LabError
from ..runs import Run
from ..scale import scale
from ..testbed import event_loop, guard
from ..testbed.chosen_server import distance_of, server
from ..testbed.guard import nodes_of
from ..testbed.link import link
from ..testbed.pinning import steady
from ..words import counted, plain_duration
from .recording import Recording

RUNS = 5  # at most, of which the fastest is shown: what else the machine does makes one longer


def plot_lanes(
    ways: dict[str, Callable] | Trace, client=None, title: str | None = None, parallel: bool = False
):
    """Draw each of {name: function of a client} on one axis of time, a lane for each connection.

    A box is a request on its way, from when it was handed to the system until the last of its reply
    was read: pale, since it is waiting. Orange is when nothing at all was on its way, so the client
    worked. Opening connections, requests without an answer, and those that a cluster sent elsewhere
    are marked apart; a cluster's lanes stand by node. Many narrow boxes are drawn as the share of
    time waiting, many connections as how many of them wait.

    Functions may be `async def`. Each runs once unseen, so that its connections are open, then five
    times with redis-py tapped, which costs some µs a request (fewer times if that takes over a
    second); the fastest run is drawn. `parallel` is as in `lab.compare`. Prints one line in words,
    returns the Figure. Raises LabError for anything but functions and a client, or where a function
    sends nothing; and whatever the functions raise.

    `lab.plot_lanes(t)` draws a Trace of `roundtrips`: what its block did, as far as it was kept.
    """
    check_title(title, "lab.plot_lanes")
    if not setting.is_drawn():
        return None
    from ..figures.lanes import draw_lanes

    if not isinstance(ways, Trace):
        return draw_lanes(watch(ways, client, parallel), title)
    if not ways.log:
        raise LabError(
            "Nothing was sent to Redis in this block, so there is nothing to draw. "
            "Let it use a client."
        )
    found = (
        f"{counted(ways.round_trips, 'round trip')} in {plain_duration(ways.seconds)}, "
        f"{min(1, ways.waiting / ways.seconds):.0%} of it waiting"
    )
    return draw_lanes({"what the block did": run_of_trace(ways)}, title or found)


def watch(ways: dict[str, Callable], client, parallel: bool = False) -> dict[str, Run]:
    """Return {name: Run} of functions of a client, plain or async, each run a few times.

    As in `lab.compare`, each function runs once before, so that its connections are open, and CPUs
    are held, but for a client that the lab does not know. Of five runs, or fewer long ones, the
    fastest is kept. Raises LabError for anything but functions and a client of redis-py, and
    whatever the functions raise.
    """
    for fn in check_dict(ways, "This figure", '{"loop": loop, "pipeline": pipeline}').values():
        check_runs(fn, client, "This figure", "ways, r")
    guard.check(client)
    known = distance_of(client) is not None
    with steady(server().pid, link.known(), parallel) if known else contextlib.nullcontext():
        return {name: watched(fn, client) for name, fn in ways.items()}


def check_runs(fn, client, helper, call="loop, r"):
    """Raise LabError unless `fn`, plain or async, can be run with the client."""
    check_function(fn, helper, call, may_be_async=True)
    check_client(client, helper, cluster=True)
    if event_loop.is_async(fn) and isinstance(client, RedisCluster):
        raise LabError(
            f"{helper} takes a function of a cluster as plain `def`, not `async def`. "
            "Write it with RedisCluster."
        )


def watched(fn, client):
    """Return the fastest Run of a function of a client."""
    with opened(fn, client) as work:
        check_ran(work()[0], "This figure")  # opens the connections that it needs
        runs = [one_run(work, client)]
        while len(runs) < RUNS and sum(run.seconds for run in runs) < scale().seconds / 2:
            runs.append(one_run(work, client))
    if not runs[0].trips:
        raise LabError(
            "This function sent nothing to Redis. Let it use the client that it is given."
        )
    return min(runs, key=lambda run: run.seconds)


@contextlib.contextmanager
def opened(fn, client) -> Iterator[Callable]:
    """Yield a function that runs `fn`, plain or async, with one connection open.

    It returns what `fn` returned, and when that began and ended, by time.perf_counter().
    """
    for node in nodes_of(client):
        node.ping()
    if not event_loop.is_async(fn):
        yield lambda: timed(fn, client)
        return
    with event_loop.like(client) as own:
        event_loop.run(own.ping)
        yield lambda: event_loop.run(timed_async, fn, own)


def timed(fn, client):
    started = time.perf_counter()
    return fn(client), started, time.perf_counter()


async def timed_async(fn, client):
    started = time.perf_counter()
    return await fn(client), started, time.perf_counter()


def one_run(work, client) -> Run:
    """Return the Run of work(), which returns (its result, when it began, when it ended)."""
    with Recording() as seen:
        _, started, ended = work()
    began = started - seen.began
    trips = [
        replace(trip, sent=trip.sent - began, replied=trip.replied - began)
        for trip in seen.round_trips
    ]
    return Run(trips, ended - started, nodes_by_connection(seen, client), distance_of(client))


def run_of_trace(trace: Trace) -> Run:
    """Return the Run of a Trace of roundtrips: its round trips that were kept whole."""
    record = trace.record
    addresses = list(dict.fromkeys(place.address for place in record.places))
    nodes = {number: addresses.index(place.address) for number, place in enumerate(record.places)}
    seconds, several = max(record.seconds, record.log[-1].replied), len(addresses) > 1
    return Run(record.log, seconds, nodes if several else {}, None)


def nodes_by_connection(seen, client):
    """Return {connection: its node, from 0 by slots}; {} for a client of one server."""
    if not isinstance(client, RedisCluster):
        return {}
    nodes = {}
    for slot in sorted(client.nodes_manager.slots_cache):
        node = client.nodes_manager.slots_cache[slot][0]
        nodes.setdefault((node.host, node.port), len(nodes))
    return {
        number: nodes.setdefault((connection.host, connection.port), len(nodes))
        for number, connection in enumerate(seen.clients)
    }
