"""A value that is read, and written back changed.

    hits = int(r.get("hits"))                   # another client writes 8 here …
    r.set("hits", hits + 1)                     # … and that is lost

    hits = r.incr("hits")                       # the server adds: nobody comes between

It saves one round trip, and the lost writes. Told where both stand near one another in a function,
or a loop does both for many keys. Left alone: WATCH, a lock, a cache that is filled, a form that is
shown and saved later. With an expiry it is worth a look: a cached value is made anew so.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ..callsites import CallSite
from ..commands import EXPIRY
from ..roundtrip import RoundTrip
from . import code
from .finding import Finding, Found
from .work import NOTHING, Trips, Work, guards, has_condition, item_of, pattern_of, single

RELEASES = ("EVALSHA", "EVAL", "DEL")  # of a lock
READ_BY = {"SET": "GET", "HSET": "HGET"}
MOST_LINES = 25  # between the two
ELSE = (
    "# Sent again after a lost reply it adds twice, as SET does not: then an id with each write.\n"
    "# For anything but a number, a script: it reads and writes with nobody between."
)
Pair = tuple[RoundTrip, RoundTrip]


def find(work: Work) -> Found:
    """Yield such pairs, by the two call sites."""
    for trips in work.stretches():
        found: dict[Any, list[Pair]] = defaultdict(list)
        for read, write in pairs(trips):
            found[read.site, write.site, write.commands[0].name].append((read, write))
        for (reads, writes, _), several in found.items():
            items = len({item_of(write) for _, write in several})
            near, itself = is_near(reads, writes), writes.through and reads.line == writes.line
            if (near or items >= work.min_loop) and not itself:
                yield changed(work, several, items, near)


def pairs(trips: Trips) -> Iterator[Pair]:
    """Yield (read, write) of one key or field, unless it is watched or a lock is held meanwhile."""
    if trips and guards(trips[0]):
        lock = trips[0].commands[0]
        later = [each for trip in trips for each in trip.commands if each.name in RELEASES]
        if lock.name == "WATCH" or any(each.key == lock.key for each in later):
            return
    read: dict[Any, RoundTrip] = {}
    for trip in trips:
        one = single(trip)
        if one and one.name in READ_BY.values():
            read[one.name, item_of(trip)] = trip
        elif one and one.name in READ_BY and not has_condition(one):
            before = read.pop((READ_BY[one.name], item_of(trip)), None)
            found = before and before.bytes_received > NOTHING
            if before and found and before.connection == trip.connection:
                yield before, trip


def is_near(one: CallSite, two: CallSite) -> bool:
    function = (one.file, one.function, one.through) == (two.file, two.function, two.through)
    return function and abs(one.line - two.line) <= MOST_LINES


def changed(work: Work, several: list[Pair], items: int, near: bool) -> Finding:
    read, write = (trip.commands[0] for trip in several[0])
    writes, site = [trip for _, trip in several], several[0][1].site
    client, saves = work.client(writes[0]), len(several)
    shows = f"{read.name} {pattern_of(writes)}, then {write.name}: "
    shows += "what another client writes in between is lost"
    call = code.call_of("HINCRBY" if write.name == "HSET" else "INCR")
    if site.through in ("django", "django_redis"):
        instead = "value = cache.incr(key, amount)  # a number that is there"
    elif items >= work.min_loop:
        work.taken |= {(several[0][0].site, read.name), (site, write.name)}
        shows, saves = f"{shows} ({saves:,} times)", saves + work.saved([writes])
        instead = f"{code.pipeline(call, client, len(writes))}\n{ELSE}"
    else:
        instead = f"value = {client.wait}r.{call}  # keeps the expiry, which SET takes away\n{ELSE}"
    sets = [trip.commands[0] for trip in writes if write.name == "SET"]
    expires = any(int(each.detail or 0) & EXPIRY for each in sets)
    sure = near and not expires and not site.through
    return Finding("read, then written", "a read, and a write of the same key", shows, saves, site,
                   instead, sure)  # fmt: skip
