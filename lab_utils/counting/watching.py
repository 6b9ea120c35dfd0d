"""Watches functions at work: every request of one run, from the tap's timestamps, as a Run of Flights."""

import contextlib
import time
from collections import Counter

import redis.asyncio.connection
import redis.connection
from redis.cluster import RedisCluster
from roundtrips.roundtrip import ELSEWHERE, LOST

from ..arguments import check_client, check_function, check_ran
from ..errors import LabError
from ..flights import HANDSHAKE, REDIRECTED, REQUEST, UNANSWERED, Flight, Run
from ..interrupts import restorer
from ..scale import scale
from ..testbed import event_loop, guard
from ..testbed.chosen_server import distance_of, server
from ..testbed.guard import nodes_of
from ..testbed.link import link
from ..testbed.pinning import steady
from .recording import Recording

RUNS = 5  # at most, of which the fastest is shown: what else the machine does can only make one longer


def watch(ways, client, parallel=False):
    """{name: Run} of {name: function of a client}, each run a few times; the fastest run is kept.

    As in `lab.compare`, each function runs once before, so that its connections are open; CPUs are held as there. Then it
    runs until `enough`. Raises LabError for anything but functions and a
    client of redis-py, and whatever the functions raise.
    """
    check_ways(ways, client)
    with held(client, parallel):
        return {name: watched(fn, client) for name, fn in ways.items()}


def check_ways(ways, client):
    if not isinstance(ways, dict) or not ways or not all(callable(fn) for fn in ways.values()):
        raise LabError('This needs a dict of functions of a client, such as {"loop": loop, "pipeline": pipeline}: the functions '
                       "themselves, not what they return. Pass them without calling them.")
    for fn in ways.values():
        check_function(fn, "This figure", "ways, r", may_be_async=True)
    check_client(client, "This figure", cluster=True)
    if isinstance(client, RedisCluster) and any(event_loop.is_async(fn) for fn in ways.values()):
        raise LabError("Functions of a cluster have to be plain `def` here, not `async def`. Write them with RedisCluster.")
    guard.check(client)


def watched(fn, client):
    """The fastest Run of a function of a client, plain or async."""
    for node in nodes_of(client):
        node.ping()  # opens the connection
    runs = event_loop.run(runs_async, fn, client) if event_loop.is_async(fn) else runs_plain(fn, client)
    if not runs[0].flights:
        raise LabError("This function sent nothing to Redis. Let it use the client that it is given.")
    return min(runs, key=lambda run: run.seconds)


def runs_plain(fn, client):
    check_ran(fn(client), "This figure")  # and opens the connections it needs
    runs = [one_run(fn, client)]
    while not enough(runs):
        runs.append(one_run(fn, client))
    return runs


async def runs_async(fn, client):
    async with event_loop.client_like(client) as own:
        check_ran(await fn(own), "This figure")
        runs = [await one_async_run(fn, own, client)]
        while not enough(runs):
            runs.append(await one_async_run(fn, own, client))
    return runs


def enough(runs):
    """Five, or fewer long ones: together half of what LAB_SCALE gives a comparison, a second at the workshop scale."""
    return len(runs) == RUNS or sum(run.seconds for run in runs) >= scale().seconds / 2


def one_run(fn, client):
    with Recording() as seen, Queueing() as queueing:
        started = time.perf_counter()
        fn(client)
        ended = time.perf_counter()
    return run_of(seen, queueing, started, ended, client)


async def one_async_run(fn, own, client):
    with Recording() as seen, Queueing() as queueing:
        started = time.perf_counter()
        await fn(own)
        ended = time.perf_counter()
    return run_of(seen, queueing, started, ended, client)


def run_of(seen, queueing, started, ended, client):
    flights = flights_of(seen.round_trips, started - seen.began)
    nodes = nodes_by_connection(seen, client)
    return Run(flights, ended - started, queueing.spans(seen, started), nodes, distance_of(client))


def flights_of(round_trips, began=0.0):
    """Return RoundTrips as the Flights that figures draw, in seconds after `began`."""
    return [
        Flight(trip.connection, trip.sent - began, trip.replied - began, kind_of(trip), Counter(trip.names))
        for trip in round_trips
    ]


def kind_of(trip):
    if trip.outcome == LOST:
        return UNANSWERED
    return HANDSHAKE if trip.setup else REDIRECTED if trip.outcome == ELSEWHERE else REQUEST


def run_of_trace(trace):
    """Return the Run of a Trace of roundtrips: its round trips that were kept whole."""
    record = trace.record
    addresses = list(dict.fromkeys(place.address for place in record.places))
    nodes = {number: addresses.index(place.address) for number, place in enumerate(record.places)}
    flights = flights_of(record.log)
    nodes = nodes if len(addresses) > 1 else {}
    return Run(flights, max(record.seconds, flights[-1].end), [], nodes, None)


def nodes_by_connection(seen, client):
    """{connection number: the node it leads to, from 0 in the order of their slots}; {} for a client of one server."""
    if not isinstance(client, RedisCluster):
        return {}
    nodes = {}
    for slot in sorted(client.nodes_manager.slots_cache):
        node = client.nodes_manager.slots_cache[slot][0]
        nodes.setdefault((node.host, node.port), len(nodes))
    return {number: nodes.setdefault((connection.host, connection.port), len(nodes))
            for number, connection in enumerate(seen.clients)}


def held(client, parallel):
    """CPUs held as `lab.compare` holds them; nothing for a client that the lab knows nothing of."""
    if distance_of(client) is None:
        return contextlib.nullcontext()
    return steady(server().pid, link.known(), parallel)


POOLS = {pool: pool.get_connection for pool in (redis.connection.BlockingConnectionPool,
                                               redis.asyncio.connection.BlockingConnectionPool)}


@restorer
def put_pools_back():
    for pool, original in POOLS.items():
        pool.get_connection = original


class Queueing:
    """Who waited for a connection while it was open: redis-py's blocking pools, sync and async, tell it."""

    def __enter__(self):
        self.seen = []  # (when asked, when given, which) of those who found the pool empty
        seen, (plain, asynchronous) = self.seen, POOLS

        def get(pool, *args, **kwargs):
            asked, empty = time.perf_counter(), pool.pool.empty()
            connection = POOLS[plain](pool, *args, **kwargs)
            if empty:
                seen.append((asked, time.perf_counter(), connection))
            return connection

        async def get_async(pool, *args, **kwargs):
            asked, empty = time.perf_counter(), not pool.can_get_connection()
            connection = await POOLS[asynchronous](pool, *args, **kwargs)
            if empty:
                seen.append((asked, time.perf_counter(), connection))
            return connection

        plain.get_connection, asynchronous.get_connection = get, get_async
        return self

    def __exit__(self, *_):
        put_pools_back()

    def spans(self, seen, started):
        """(start, end) of those who had to wait, in seconds after `started`; opening the connection is not part of it."""
        numbers, writes, found = {id(client): number for number, client in enumerate(seen.clients)}, seen.writes, []
        for asked, given, connection in self.seen:
            number = numbers.get(id(connection))
            opened = [seen.began + write.at for write in writes if write.setup and write.connection == number]
            opened = [at for at in opened if asked <= at <= given]
            found.append((asked - started, min([given, *opened]) - started))
        return found
