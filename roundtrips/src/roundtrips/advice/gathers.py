"""Coroutines that each ask for one key, all at once: each takes a connection of its own.

    await asyncio.gather(*(r.get(key) for key in keys))     # 100 connections for 100 keys

    values = await r.mget(keys)                             # one connection, one round trip

It waits no longer than one GET, but sets up a connection for each that is on its way, at some three
round trips. Only worth a look: requests of many users at once look the same.
"""

from collections import defaultdict
from typing import Any

from ..words import counted
from . import code
from .finding import Finding, Found
from .loops import groups, in_one
from .work import Trips, Work, pattern_of

FEWEST = 10  # tasks, connections and keys at once


def find(work: Work) -> Found:
    """Yield call sites of an asyncio client's that were on their way many times at once."""
    own = [trip for trips in work.by_worker.values() for trip in trips]
    for (site, name, _), several in groups([t for t in own if work.client(t).asynchronous]).items():
        waves: dict[Any, Trips] = defaultdict(list)
        for trip in several:
            waves[trip.depth].append(trip)
        wide = [wave for wave in waves.values() if is_wide(wave)]
        if not wide or site.through in code.LEFT_ALONE:
            continue
        widest, used = max(wide, key=len), {trip.connection for wave in wide for trip in wave}
        setup = sum(trip.setup and trip.connection in used for trip in work.record.log)
        made = f", set up in {counted(setup, 'round trip')}" if setup else ""
        label = f"{name} {pattern_of(widest)}"
        shows = f"{label}, {len(widest):,} at once on {len(used):,} connections{made}"
        _, instead, _ = in_one(work, name, widest, False, len(widest))
        yield Finding("gather", "a connection for each of many keys", shows, work.saved(wide), site,
                      f"# if they are one piece of work, not requests of many users:\n{instead}",
                      False)  # fmt: skip


def is_wide(wave: Trips) -> bool:
    """Return whether these, as deep as one another, were made by many tasks on many connections."""
    tasks, used = {trip.worker for trip in wave}, {trip.connection for trip in wave}
    return min(len(tasks), len(used), len({trip.commands[0].key for trip in wave})) >= FEWEST
