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

FEWEST = 3


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each call site that set up three connections or more to one server.

    Connections are counted for each thread or task, less those that replace lost connections.
    """
    opened: dict[Any, Trips] = defaultdict(list)
    for trip in work.record.log:
        if trip.setup and trip.site != NOWHERE:
            place = work.client(trip)
            opened[trip.worker, place.address, place.database, trip.site].append(trip)
    lost = sum(trip.outcome == LOST for trip in work.record.log)
    for (*_, site), several in opened.items():
        number = len({trip.connection for trip in several})
        if number - lost < FEWEST:
            continue
        trips = len(several)
        client = work.client(several[0])
        kind = "redis.asyncio.Redis" if client.asynchronous else "redis.Redis"
        kind += "Cluster" if client.cluster else ""
        each_at = f"at {trips // number} round trips each"
        shows = f"{number:,} connections, one after the other, {each_at}"
        instead = f"r = {kind}(**options)  # once, when the program starts; it keeps connections"
        what = "a new connection each time"
        yield Finding("connections", what, shows, trips - trips // number, site, instead)
