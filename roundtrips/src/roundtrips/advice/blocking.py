"""A command that blocks as long as its connection waits, or longer.

    r = redis.Redis(socket_timeout=5)           # or redis-py 8, whose default that is
    r.blpop("jobs")                             # TimeoutError after 5 s without a job

    while (job := r.blpop("jobs", timeout=2)) is None:
        ...                                     # nothing came: ask again

It saves the error, the connection, and the job that comes as the socket gives up. A limit there has
to be: without one the client waits for ever for a machine that is gone.
"""

from collections import defaultdict
from typing import Any

from ..commands import blocks
from .finding import Finding, Found
from .work import Trips, Work

CALLS = {
    "BLPOP": "blpop(key, timeout={0:g})", "BRPOP": "brpop(key, timeout={0:g})",
    "BLMOVE": "blmove(first, second, timeout={0:g})",
    "BRPOPLPUSH": "brpoplpush(first, second, timeout={0:g})",
    "BZPOPMIN": "bzpopmin(key, timeout={0:g})", "BZPOPMAX": "bzpopmax(key, timeout={0:g})",
    "XREAD": "xread(streams, block={1:.0f})",
    "XREADGROUP": "xreadgroup(group, consumer, streams, block={1:.0f})",
}  # fmt: skip


def find(work: Work) -> Found:
    """Yield call sites that did so twice or more."""
    groups: dict[Any, Trips] = defaultdict(list)
    for trip in work.trips:
        if len(trip.commands) == 1 and blocks(trip.commands[0]):
            limit, asked = work.place(trip).timeout, trip.commands[0].detail or 0
            if limit and (asked == 0 or asked >= limit):
                groups[trip.site, trip.commands[0].name, asked, limit].append(trip)
    for (site, name, asked, limit), several in groups.items():
        if len(several) > 1:
            waits = f"waits up to {asked:g} s" if asked else "waits for ever"
            call = work.client(several[0]).wait + "r." + CALLS[name].format(limit / 2, limit * 500)
            instead = f"while not (reply := {call}):\n    print('nothing yet')"
            if site.through:
                instead = f"# give {site.through} a client with a longer socket_timeout"
            yield Finding("blocking", "it blocks as long as its connection waits, or longer",
                          f"{name} {waits}, the socket gives up after {limit:g} s", 0, site,
                          instead, not site.through)  # fmt: skip
