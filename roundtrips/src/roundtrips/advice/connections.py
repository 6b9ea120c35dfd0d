"""A new connection each time.

    def page(user):
        with redis.Redis() as r:                # three round trips before the first command
            return r.get(user)

    r = redis.Redis()                           # once; it keeps its connections

It saves the round trips of setting up: at a distance each call takes four times as long.
"""

from collections import defaultdict
from typing import Any

from ..callsites import NOWHERE
from ..roundtrip import LOST
from .finding import Finding, Found
from .work import Trips, Work

FEWEST = 3


def find(work: Work) -> Found:
    """Yield call sites that set up three connections or more to one server, one after the other."""
    opened: dict[Any, dict[int, Trips]] = defaultdict(lambda: defaultdict(list))
    for trip in work.record.log:
        if trip.setup and trip.site != NOWHERE:
            opened[trip.worker, work.client(trip).address, trip.site][trip.connection].append(trip)
    lost = sum(trip.outcome == LOST for trip in work.record.log)
    for (_, _, site), each in opened.items():
        if len(each) - lost < FEWEST:
            continue
        trips, number = sum(map(len, each.values())), len(each)
        client = work.client(next(iter(each.values()))[0])
        kind = "redis.asyncio.Redis" if client.asynchronous else "redis.Redis"
        kind += "Cluster" if client.cluster else ""
        each_at = f"at {trips // number} round trips each"
        shows = f"{number:,} connections, one after the other, {each_at}"
        instead = f"r = {kind}(**options)  # once, when the program starts; it keeps connections"
        yield Finding("connections", "a new connection each time", shows, trips - trips // number,
                      site, instead, not site.through)  # fmt: skip
