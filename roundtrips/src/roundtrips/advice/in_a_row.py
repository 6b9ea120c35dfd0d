"""Calls whose reply decides something, with nothing of Redis' between one and the next.

    while (job := r.lpop("jobs")) is not None:  # a round trip for each
        print(job)

    while jobs := r.lpop("jobs", 1000):         # one for a thousand
        print(*jobs)

A pipeline of SETNX or SET NX answers each for itself. Both are only worth a look: a worker that
holds several jobs loses more when it dies, and a reply may decide whether there is a next.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ..callsites import CallSite
from ..roundtrip import RoundTrip
from . import code
from .finding import Finding
from .work import Trips, Work, has_condition, single

DRAINS = ("LPOP", "RPOP", "SPOP", "ZPOPMIN", "ZPOPMAX")


def find(work: Work) -> Iterator[Finding]:
    """Yield rows of such calls from one call site."""
    for trips in work.by_worker.values():
        for (site, name), row in groupby(trips, key=kind):
            several = list(row)
            items = {(trip.commands[0].key, trip.commands[0].detail) for trip in several}
            if name and len(several) >= work.min_loop and not site.through:
                if name not in DRAINS and len(items) >= work.min_loop:
                    yield conditional(work, name, several)
                elif name in DRAINS and len(items) == 1:
                    yield drained(work, name, several)


def kind(trip: RoundTrip) -> tuple[CallSite, str | None]:
    command = single(trip)
    is_one = command and (command.name in DRAINS or has_condition(command))
    return trip.site, command.name if command and is_one else None


def drained(work: Work, name: str, several: Trips) -> Finding:
    shows = f"{name} {several[0].commands[0].pattern}, {len(several):,} times with nothing between"
    instead = (
        f"while items := {work.client(several[0]).wait}r.{name.lower()}(key, {code.SLICE:_}):\n"
        f"    print(*items)  # or what is to be done with them\n{code.IS_GONE}"
    )
    saves = len(several) - len(several) // code.SLICE - 2
    what = f"{name} takes several at once"
    return Finding("loop", what, shows, saves, several[0].site, instead, False)


def conditional(work: Work, name: str, several: Trips) -> Finding:
    item, client = "field" if name == "HSETNX" else "key", work.client(several[0])
    shows = f"{name} {several[0].commands[0].pattern}, {len(several):,} times one after the other"
    made = code.pipeline(code.call_of(name, name == "SET"), client, len(several), item)
    instead = "\n".join([code.IF_KNOWN, made, code.SAYS_DONE])
    what = f"one round trip for each of many {item}s"
    return Finding("loop", what, shows, work.saved([several]), several[0].site, instead, False)
