"""Watch functions at work: every request of one run, with its times, as a Run of Flights."""

import contextlib
import time
from collections import Counter
from collections.abc import Callable

from redis.cluster import RedisCluster
from roundtrips.roundtrip import ELSEWHERE, LOST
from roundtrips.traces import Trace

from ..arguments import check_client, check_dict, check_function, check_ran
from ..errors import LabError
from ..flights import HANDSHAKE, REDIRECTED, REQUEST, UNANSWERED, Flight, Run
from ..scale import scale
from ..testbed import event_loop, guard
from ..testbed.chosen_server import distance_of, server
from ..testbed.guard import nodes_of
from ..testbed.link import link
from ..testbed.pinning import steady
from .recording import Recording

RUNS = 5  # at most, of which the fastest is shown: what else the machine does makes one longer


def watch(ways: dict[str, Callable], client, parallel: bool = False) -> dict[str, Run]:
    """Return {name: Run} of functions of a client, plain or async, each run a few times.

    As in `lab.compare`, each function runs once before, so that its connections are open, and CPUs
    are held as there. Of five runs, or fewer long ones, the fastest is kept. Raises LabError for
    anything but functions and a client of redis-py, and whatever the functions raise.
    """
    for fn in check_dict(ways, "This figure", '{"loop": loop, "pipeline": pipeline}').values():
        check_function(fn, "This figure", "ways, r", may_be_async=True)
    check_client(client, "This figure", cluster=True)
    if isinstance(client, RedisCluster) and any(map(event_loop.is_async, ways.values())):
        raise LabError("Functions of a cluster have to be plain `def` here, not `async def`. "
                       "Write them with RedisCluster.")
    guard.check(client)
    with held(client, parallel):
        return {name: watched(fn, client) for name, fn in ways.items()}


def held(client, parallel):
    """Hold CPUs as `lab.compare` does; not for a client that the lab knows nothing of."""
    if distance_of(client) is None:
        return contextlib.nullcontext()
    return steady(server().pid, link.known(), parallel)


def watched(fn, client):
    """Return the fastest Run of a function of a client."""
    for node in nodes_of(client):
        node.ping()  # opens the connection
    with contextlib.ExitStack() as stack:
        if event_loop.is_async(fn):
            own = stack.enter_context(event_loop.like(client))

            def work():
                return event_loop.run(timed_async, fn, own)
        else:
            def work():
                return timed(fn, client)
        check_ran(work()[0], "This figure")  # opens the connections that it needs
        runs = [one_run(work, client)]
        while len(runs) < RUNS and sum(run.seconds for run in runs) < scale().seconds / 2:
            runs.append(one_run(work, client))
    if not runs[0].flights:
        raise LabError("This function sent nothing to Redis. Let it use the client that it is given.")
    return min(runs, key=lambda run: run.seconds)


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
    return Run(flights_of(seen.round_trips, started - seen.began), ended - started,
               nodes_by_connection(seen, client), distance_of(client))


def run_of_trace(trace: Trace) -> Run:
    """Return the Run of a Trace of roundtrips: its round trips that were kept whole."""
    record = trace.record
    addresses = list(dict.fromkeys(place.address for place in record.places))
    nodes = {number: addresses.index(place.address) for number, place in enumerate(record.places)}
    flights = flights_of(record.log)
    return Run(flights, max(record.seconds, flights[-1].end), nodes if len(addresses) > 1 else {}, None)


def flights_of(round_trips, began=0.0):
    """Return RoundTrips as the Flights that figures draw, in seconds after `began`."""
    return [Flight(trip.connection, trip.sent - began, trip.replied - began, kind_of(trip),
                   Counter(trip.names)) for trip in round_trips]


def kind_of(trip):
    if trip.outcome == LOST:
        return UNANSWERED
    return HANDSHAKE if trip.setup else REDIRECTED if trip.outcome == ELSEWHERE else REQUEST


def nodes_by_connection(seen, client):
    """Return {connection: its node, from 0 in the order of slots}; {} for a client of one server.
    """
    if not isinstance(client, RedisCluster):
        return {}
    nodes = {}
    for slot in sorted(client.nodes_manager.slots_cache):
        node = client.nodes_manager.slots_cache[slot][0]
        nodes.setdefault((node.host, node.port), len(nodes))
    return {number: nodes.setdefault((connection.host, connection.port), len(nodes))
            for number, connection in enumerate(seen.clients)}
