"""Find SET and then EXPIRE for each key, where SET takes the expiry along.

    for key in keys:                            # two round trips for each
        r.set(key, values[key])
        r.expire(key, 3600)

    pipe.set(key, values[key], ex=3600)         # one round trip, in a pipeline of all

A pipeline saves all round trips but one, and no key is ever without its expiry. A SET that is not
followed by its EXPIRE, and a cache or a worker (see `loops.is_no_loop`), give no finding.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from . import code, loops
from .finding import Finding
from .work import Trips, Work, item_of, pattern_of, runs, single

FOLLOWS = {
    ("SET", "EXPIRE"): "ex=seconds",
    ("SET", "PEXPIRE"): "px=milliseconds",
}


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each loop that sends SET, and then EXPIRE or PEXPIRE for the same key."""
    stretches = [(trips, pairs_in(trips)) for trips in work.stretches()]
    followed = sum(
        (Counter({key[0]: n}) for _, found in stretches for key, n in found.items()), Counter()
    )
    sets = Counter(trip.site for trip in work.trips if "SET" in trip.names)
    for trips, found in stretches:
        for (site, name, second, then), number in found.items():
            firsts = [trip for trip in trips if trip.site == site and name in trip.names]
            few = (
                len(set(map(item_of, firsts))) < work.min_loop
                or followed[site] < sets[site]  # a SET without an EXPIRE, whose key is to stay
                or loops.is_no_loop(firsts, trips)
                or len(work.by_database(firsts)) > 1
            )
            if not (few or site.through or second.through):
                work.explained |= {(site, name), (second, then)}
                yield pair(work, firsts, runs(firsts), then, number)


def pairs_in(trips: Trips) -> Counter[Any]:
    """Return how often EXPIRE or PEXPIRE follows a SET of the same key, in one list of round trips.

    The keys of the Counter are (call site of the SET, "SET", call site of the other, its name).
    """
    found: Counter[Any] = Counter()
    for trip, after in pairwise(trips):
        one = single(trip)
        two = single(after)
        if one is None or two is None or (one.name == "SET" and one.detail):
            continue
        if (one.name, two.name) in FOLLOWS and one.key == two.key:
            found[trip.site, one.name, after.site, two.name] += 1
    return found


def pair(work: Work, firsts: Trips, pieces: list[Trips], then: str, number: int) -> Finding:
    client = work.client(firsts[0])
    call = f"set(key, values[key], {FOLLOWS['SET', then]})  # as in its {then}"
    instead = f"{code.IF_KNOWN}\n{code.pipeline(call, client, max(map(len, pieces)))}"
    shows = f"SET {pattern_of(firsts)}, then {then}, {len(firsts):,} times one after the other"
    saves = work.saved(pieces) + number
    return Finding("loop", "SET takes the expiry along", shows, saves, firsts[0].site, instead)
