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
from ..key_table import words_of
from ..roundtrip import LOST
from ..words import counted
from .finding import Finding
from .work import Trips, Work

LISTENS = words_of("SUBSCRIBE PSUBSCRIBE SSUBSCRIBE MONITOR")  # and is not idle afterwards
FEWEST = 2  # connections that a client would have spared


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each call site that opened connections while it had idle ones.

    A connection is idle after its last round trip. A client that is kept, also for many tasks,
    takes an idle connection before it opens a new one. So at least two connections, and more than
    half of those of the call site, must have been opened after another one had become idle: of many
    tasks that begin at once, some connect late. Those that replace lost connections are left out.
    Threads and event loops are looked at one by one, since each may rightly have its own client.
    """
    uses: dict[int, Trips] = defaultdict(list)  # the round trips of each connection
    for trip in work.record.log:
        uses[trip.connection].append(trip)
    opened: dict[Any, list[Trips]] = defaultdict(list)
    for trips in uses.values():
        if trips[0].setup and not any(LISTENS & trip.names.keys() for trip in trips):
            place = work.client(trips[0])
            own = place.loop if place.asynchronous else trips[0].worker
            opened[own, place.address, place.database, trips[0].site].append(trips)
    lost = sum(trip.outcome == LOST for trip in work.record.log)
    for (*_, site), several in opened.items():
        first_idle = min(trips[-1].replied for trips in several)
        spared = sum(trips[0].sent >= first_idle for trips in several) - lost
        if site == NOWHERE or spared < FEWEST or 2 * spared <= len(several):
            continue
        each = sum(trip.setup for trips in several for trip in trips) // len(several)
        client = work.client(several[0][0])
        kind = f"redis{'.asyncio' * client.asynchronous}.Redis{'Cluster' * client.cluster}"
        shows = (
            f"{len(several):,} connections, {spared:,} of them while an earlier one was idle, "
            f"at {counted(each, 'round trip')} each"
        )
        instead = f"r = {kind}(**options)  # once, when the program starts; it keeps connections"
        yield Finding(
            "connections", "a new connection each time", shows, spared * each, site, instead
        )
