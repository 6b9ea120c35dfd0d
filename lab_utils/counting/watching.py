"""Call functions with each request recorded, with its times; draw the requests as lanes."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from redis.cluster import RedisCluster
from roundtrips.traces import Trace

from ..arguments import Client, check_client, check_dict, check_function, check_ran
from ..errors import LabError
from ..runs import Run
from ..scale import scale
from ..testbed import event_loop, ownership
from ..testbed.chosen_server import distance_of, server
from ..testbed.link import link
from ..testbed.ownership import nodes_of
from ..testbed.pinning import steady
from ..words import counted, plain_duration
from .recording import Recording

RUNS = 5  # at most, of which the fastest is shown: what else the machine does makes one longer


def plot_lanes(
    ways: dict[str, Callable] | Trace,
    client: Client | None = None,
    parallel: bool = False,
    title: str | None = None,
) -> Any:
    """Draw when each function waits for Redis: a row of boxes for each of its connections.

    `ways` is {name: function of a client}, and all are drawn on one axis of time. A pale box is a
    request under way, from when redis-py hands it to the system until the last byte of its reply is
    read: the client waits. Orange is time without any request under way: the client works. The
    opening of connections, requests without an answer, and requests that a cluster's node sent to
    another node have marks of their own; rows of a cluster are sorted by node. If there are too
    many narrow boxes, the share of time waiting is drawn instead; if too many connections, how many
    of them wait.

    Functions may be `async def`. Each is called once unrecorded, which opens its connections, then
    five times recorded, which costs some µs a request (fewer times if five take over a second); the
    fastest call is drawn. Client and server share one CPU meanwhile; with `parallel` the client has
    one to itself. `title` replaces the usual title. Prints one line in words and returns the
    Figure. Raises LabError for anything but functions and a client, and if a function sends
    nothing; also the errors of the functions.

    `lab.plot_lanes(t)` draws a Trace of `roundtrips`: the first 100,000 round trips of its counting
    block.
    """
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


def watch(ways: dict[str, Callable], client: Any, parallel: bool = False) -> dict[str, Run]:
    """Call each function a few times, recorded; return {name: Run of its fastest call}.

    `ways` is {name: function of a client}; the functions may be `async def`. Each is first called
    once to open its connections, then recorded five times, or fewer if it takes long. If the server
    is the lab's, client and server run on one CPU meanwhile; with `parallel` the client has one to
    itself. Raises LabError for anything but functions and a client of redis-py, and the errors of
    the functions.
    """
    for fn in check_dict(ways, "This figure", '{"loop": loop, "pipeline": pipeline}').values():
        check_runs(fn, client, "This figure", "ways, r")
    ownership.check(client)
    known = distance_of(client) is not None
    with steady(server().pid, link.known(), parallel) if known else contextlib.nullcontext():
        return {name: fastest_run(fn, client) for name, fn in ways.items()}


def check_runs(fn: Any, client: Any, helper: str, call: str = "loop, r") -> None:
    """Raise LabError unless `fn`, plain or async, is a function that can be called with `client`.

    An async function with a RedisCluster is refused too. In the message, `helper` is the name of
    the calling helper, and `call` the text of the arguments of a right call.
    """
    check_function(fn, helper, call, may_be_async=True)
    check_client(client, helper, cluster=True)
    if event_loop.is_async(fn) and isinstance(client, RedisCluster):
        raise LabError(
            f"{helper} takes a function of a cluster as plain `def`, not `async def`. "
            "Write it with RedisCluster."
        )


def fastest_run(fn: Callable, client: Client) -> Run:
    """Call `fn(client)` a few times, recorded; return the Run of the fastest call.

    A Run has the call's round trips and seconds. The first call, which opens connections, is not
    recorded. Raises LabError if `fn` sends nothing.
    """
    with connected_call(fn, client) as work:
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
def connected_call(fn: Callable, client: Client) -> Iterator[Callable]:
    """Open the connections of `client`, and yield a function without arguments that calls `fn`.

    `fn` may be plain or async, and `client` is a redis.Redis or RedisCluster; an async `fn` gets an
    asyncio client like it. Each call of the yielded function returns (result of `fn`, begin, end),
    with times in seconds of time.perf_counter().
    """
    for node in nodes_of(client):
        node.ping()
    if not event_loop.is_async(fn) or isinstance(client, RedisCluster):
        yield lambda: timed(fn, client)
        return
    with event_loop.like(client) as own:
        event_loop.run(own.ping)
        yield lambda: timed(fn, own)


def timed(fn: Callable, client: Any, calls: int = 1) -> tuple[Any, float, float]:
    """Call `fn(client)` `calls` times; return (last result, begin of first call, end of last).

    Both times are seconds of time.perf_counter(). An `async def` function runs in the lab's event
    loop; `client` must then be an asyncio client.
    """
    if event_loop.is_async(fn):
        return event_loop.run(timed_async, fn, client, calls)
    started = time.perf_counter()
    for _ in range(calls):
        reply = fn(client)
    return reply, started, time.perf_counter()


async def timed_async(fn: Callable, client: Any, calls: int) -> tuple[Any, float, float]:
    started = time.perf_counter()
    for _ in range(calls):
        reply = await fn(client)
    return reply, started, time.perf_counter()


def one_run(work: Callable, client: Client) -> Run:
    """Record one call of `work()` and return it as a Run, with times in seconds after its begin.

    `work()` returns (value, begin, end), with times of time.perf_counter(), as `timed` does;
    `client` is the redis.Redis or RedisCluster that it uses.
    """
    with Recording() as seen:
        _, started, ended = work()
    began = started - seen.began
    trips = [
        replace(trip, sent=trip.sent - began, replied=trip.replied - began)
        for trip in seen.round_trips
    ]
    return Run(trips, ended - started, nodes_by_connection(seen, client), distance_of(client))


def run_of_trace(trace: Trace) -> Run:
    """Return the recorded round trips of a Trace, which `roundtrips` made, as a Run.

    Its distance, `rtt_ms`, is None.
    """
    record = trace.record
    addresses = list(dict.fromkeys(place.address for place in record.places))
    nodes = {number: addresses.index(place.address) for number, place in enumerate(record.places)}
    seconds, several = max(record.seconds, record.log[-1].replied), len(addresses) > 1
    return Run(record.log, seconds, nodes if several else {}, None)


def nodes_by_connection(seen: Recording, client: Client) -> dict[int, int]:
    """Return {number of a connection: number of its node}, or {} unless `client` is of a cluster.

    Connections are numbered by their place in the Recording's `clients`, nodes from 0 in the order
    of their slots.
    """
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
