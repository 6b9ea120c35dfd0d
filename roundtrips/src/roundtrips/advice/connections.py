"""Find new connections that a program opens for each call, instead of keeping one.

    def page(user):
        with redis.Redis() as r:                # three round trips before the first command
            return r.get(user)

    r = redis.Redis()                           # once; it keeps its connections

One client saves the round trips of setting up: at a distance each call above takes four times as
long as its command.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ..callsites import NOWHERE
from ..roundtrip import LOST
from .finding import Finding
from .work import Trips, Work

FEWEST = 2  # connections that a client would have spared


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each call site that opened connections while it had idle ones.

    A connection is idle after its last round trip. A client that is kept, also for many tasks,
    takes an idle connection before it opens a new one. So at least two connections, and more than
    half of those of the call site, must have been opened after another one had become idle: of many
    tasks that begin at once, some connect late. Those that replace lost connections are left out.
    Threads are looked at one by one, since each may rightly have a client of its own.
    """
    opened: dict[Any, list[Trips]] = defaultdict(list)
    latest: dict[int, Trips] = defaultdict(list)  # of each connection, since it was opened last
    for trip in work.record.log:
        if trip.setup and not any(each.setup for each in latest[trip.connection][-1:]):
            latest[trip.connection] = []
            place = work.client(trip)
            worker = None if place.asynchronous else trip.worker
            opened[worker, place.address, place.database, trip.site].append(latest[trip.connection])
        latest[trip.connection].append(trip)
    lost = sum(trip.outcome == LOST for trip in work.record.log)
    for (*_, site), uses in opened.items():
        first_idle = min(trips[-1].replied for trips in uses)
        spared = sum(trips[0].sent >= first_idle for trips in uses) - lost
        if site == NOWHERE or spared < FEWEST or 2 * spared <= len(uses):
            continue
        each = sum(trip.setup for trips in uses for trip in trips) // len(uses)
        client = work.client(uses[0][0])
        module = "redis.asyncio" if client.asynchronous else "redis"
        kind = f"{module}.Redis{'Cluster' * client.cluster}"
        shows = (
            f"{len(uses):,} connections, {spared:,} of them while an earlier one was idle, "
            f"at {each} round trips each"
        )
        instead = f"r = {kind}(**options)  # once, when the program starts; it keeps connections"
        yield Finding(
            "connections", "a new connection each time", shows, spared * each, site, instead
        )
