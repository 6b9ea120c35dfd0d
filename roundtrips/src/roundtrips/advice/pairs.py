"""Two commands for each key where one would do.

    for key in keys:                            # two round trips for each
        r.set(key, values[key])
        r.expire(key, 3600)

    pipe.set(key, values[key], ex=3600)         # one round trip, in a pipeline of all

It saves all but one, and there is no moment without an expiry. Likewise `if r.exists(key)` and
`r.get(key)` are one MGET, whose None says that it was not there.
"""

from collections import defaultdict
from itertools import pairwise
from typing import Any

from . import code
from .finding import Finding, Found
from .work import Trips, Work, item_of, pattern_of, runs, single

FOLLOWS = {
    ("SET", "EXPIRE"): "ex=seconds",
    ("SET", "PEXPIRE"): "px=milliseconds",
    ("EXISTS", "GET"): "",
}


def find(work: Work) -> Found:
    """Yield the loops of such pairs."""
    for trips in work.stretches():
        found: dict[Any, int] = defaultdict(int)
        for trip, after in pairwise(trips):
            one, two = single(trip), single(after)
            plain = one and not (one.name == "SET" and one.detail)
            if one and two and plain and (one.name, two.name) in FOLLOWS and one.key == two.key:
                found[trip.site, one.name, after.site, two.name] += 1
        for (site, name, second, then), number in found.items():
            firsts = [trip for trip in trips if trip.site == site and name in trip.names]
            few = len(set(map(item_of, firsts))) < work.min_loop or 2 * number < len(firsts)
            if not few and not site.through and not second.through:
                work.taken |= {(site, name), (second, then)}
                yield pair(work, firsts, runs(firsts, trips), then, number)


def pair(work: Work, firsts: Trips, pieces: list[Trips], then: str, number: int) -> Finding:
    first, client, longest = firsts[0].commands[0], work.client(firsts[0]), max(map(len, pieces))
    sets = first.name == "SET"
    call = f"set(key, values[key], {FOLLOWS[first.name, then]})"
    instead = code.many_of("GET", client, longest, "  # None: it is not there")
    if sets:
        instead = code.pipeline(call, client, longest)
    what = "SET takes the expiry along" if sets else "GET says as well whether a key is there"
    shows = f"{first.name} {pattern_of(firsts)}, then {then}, {len(firsts):,} times"
    shows += " one after the other"
    sure = sets or work.foreseen(firsts)
    return Finding("loop", what, shows, work.saved(pieces) + number, firsts[0].site,
                   instead if sure else f"{code.IF_KNOWN}\n{instead}", sure)  # fmt: skip
