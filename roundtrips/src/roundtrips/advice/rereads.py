"""The same value, read again and again.

    for item in items:
        rate = float(r.get("settings:rate"))    # once, before the loop, is enough

It saves all round trips but one, and is only worth a look: another program may change the value
meanwhile. A poll is left alone: it reads nothing, or what it reads changes at last.
"""

from collections import defaultdict
from collections.abc import Hashable

from ..commands import named
from .code import call_of
from .finding import Finding, Found
from .work import NOTHING, Trips, Work, item_of, said_the_same, single

VALUES = named("""
    GET HGET HGETALL HMGET SMEMBERS LRANGE ZRANGE ZREVRANGE ZRANGEBYSCORE ZSCORE XRANGE JSON.GET
""")


def find(work: Work) -> Found:
    """Yield values that one call site reads again, that stay the same, and that nobody writes."""
    for trips in work.by_worker.values():
        groups: dict[Hashable, Trips] = defaultdict(list)
        read, written = set[int | None](), set[int | None]()  # written after it was read
        for trip in trips:
            command = single(trip)
            if command and command.name in VALUES and not trip.site.through:
                groups[trip.site, command.name, item_of(trip)].append(trip)
                read.add(command.key)
            else:
                written |= read & {each.key for each in trip.commands}
        for several in groups.values():
            first, site = several[0].commands[0], several[0].site
            same = all(said_the_same(trip, several[0]) for trip in several)
            no_poll = several[0].bytes_received > NOTHING and first.key not in written
            if len(several) >= work.min_loop and same and no_poll:
                shows = f"{first.name} {first.pattern}, {len(several):,} times, the same each time"
                call = f"{work.client(several[0]).wait}r.{call_of(first.name)}"
                instead = f"value = {call}  # before the loop, if nobody changes it meanwhile"
                yield Finding("again", "the same value is read again", shows, len(several) - 1,
                              site, instead, False)  # fmt: skip
