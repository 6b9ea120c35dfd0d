"""Watches functions at work: every request of one run, from the tap's timestamps, as a Run of Flights."""

import contextlib
import re
import time
from collections import Counter

import redis.asyncio.connection
import redis.connection
from redis.cluster import RedisCluster

from ..arguments import check_client, check_flag, check_function, check_ran
from ..errors import LabError
from ..flights import HANDSHAKE, REDIRECTED, REQUEST, UNANSWERED, Flight, Run
from ..interrupts import restorer
from ..scale import scale
from ..testbed import event_loop, guard
from ..testbed.chosen_server import distance_of, server
from ..testbed.guard import nodes_of
from ..testbed.link import link
from ..testbed.pinning import steady
from .resp import commands_in
from .tap import Tap

REDIRECTION = re.compile(rb"(?:^|\r\n)-(?:MOVED|ASK|TRYAGAIN) ")
RUNS = 5  # at most, of which the fastest is shown: what else the machine does can only make one longer


def watch(ways, client, parallel=False):
    """{name: Run} of {name: function of a client}, each run a few times; the fastest run is kept.

    As in `lab.compare`, each function runs once before, so that its connections are open; CPUs are held as there. Then it
    runs until `enough`. Raises LabError for anything but functions and a
    client of redis-py, and whatever the functions raise.
    """
    check_ways(ways, client)
    check_flag(parallel, "parallel")
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
    with Tap(keep_replies=isinstance(client, RedisCluster)) as tap, Queueing() as queueing:
        started = time.perf_counter()
        fn(client)
        ended = time.perf_counter()
    return run_of(tap, queueing, started, ended, client)


async def one_async_run(fn, own, client):
    with Tap() as tap, Queueing() as queueing:
        started = time.perf_counter()
        await fn(own)
        ended = time.perf_counter()
    return run_of(tap, queueing, started, ended, client)


def run_of(tap, queueing, started, ended, client):
    flights = sorted(flights_of(tap, started, ended), key=lambda flight: flight.start)
    return Run(flights, ended - started, queueing.spans(tap, started), nodes_by_connection(tap, client), distance_of(client))


def flights_of(tap, started, ended):
    """The flights that a closed tap saw. A connection's writes in a row are one flight, which lasts until its last read."""
    gave_up = {(turn.connection, turn.sent): turn.replied for turn in tap.turns}
    events = [(write.ended, 0, write) for write in tap.writes] + [(read.at, 1, read) for read in tap.reads if read.size]
    events.sort(key=lambda event: event[:2])
    open_flights = {}
    for _, is_read, event in events:
        current = open_flights.get(event.connection)
        if is_read:
            if current:
                current["reads"].append(event)
        elif current and not current["reads"] and current["writes"][0].handshake == event.handshake:
            current["writes"].append(event)
        else:
            if current:
                yield flight_of(current, gave_up, started, ended)
            open_flights[event.connection] = {"writes": [event], "reads": []}
    for current in open_flights.values():
        yield flight_of(current, gave_up, started, ended)


def flight_of(current, gave_up, started, ended):
    first, last = current["writes"][0], current["writes"][-1]
    replies = b"".join(read.data or b"" for read in current["reads"])
    if not current["reads"]:
        kind, end = UNANSWERED, gave_up.get((last.connection, last.started), ended)
    else:
        kind = HANDSHAKE if first.handshake else REDIRECTED if REDIRECTION.search(replies) else REQUEST
        end = current["reads"][-1].at
    commands = Counter(command[0].decode(errors="replace").upper()
                       for write in current["writes"] for command in commands_in(write.chunks))
    return Flight(first.connection, first.ended - started, min(end, ended) - started, kind, commands)


def nodes_by_connection(tap, client):
    """{connection number: the node it leads to, from 0 in the order of their slots}; {} for a client of one server."""
    if not isinstance(client, RedisCluster):
        return {}
    nodes = {}
    for slot in sorted(client.nodes_manager.slots_cache):
        node = client.nodes_manager.slots_cache[slot][0]
        nodes.setdefault((node.host, node.port), len(nodes))
    return {number: nodes.setdefault((connection.host, connection.port), len(nodes))
            for number, connection in enumerate(tap.kept)}


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

    def spans(self, tap, started):
        """(start, end) of those who had to wait, in seconds after `started`; opening the connection is not part of it."""
        found = []
        for asked, given, connection in self.seen:
            number = tap.numbers.get(id(connection))
            opened = [write.started for write in tap.writes
                      if write.handshake and write.connection == number and asked <= write.started <= given]
            found.append((asked - started, min([given, *opened]) - started))
        return found
