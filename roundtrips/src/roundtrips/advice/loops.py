"""One command after another, for each of many keys, fields or members.

    for user in users:                          # a round trip for each
        names.append(r.hget(f"user:{user}", "name"))

    pipe = r.pipeline(transaction=False)        # one round trip
    for user in users:
        pipe.hget(f"user:{user}", "name")
    names = pipe.execute()

It saves all round trips but one for each run of the loop, at any pace. It is sure where the wire
proves that the keys were known beforehand (see Work.foreseen), or where no key can come of the
replies. Left alone: a worker that takes job after job, a cache that is filled as it is read, a walk
whose keys come one from the other, what a queue's or a lock's library sends.
"""

from collections import defaultdict
from typing import Any

from ..commands import ANOTHER, BLOCKING, KEY_FIRST, SCANS, SCRIPTED, SEVERAL, named
from ..keys import SEPARATORS
from ..roundtrip import RoundTrip
from . import code
from .finding import Finding, Found
from .work import (
    ADDS_UP,
    NOTHING,
    TAKES_A_JOB,
    Trips,
    Work,
    has_condition,
    item_of,
    pattern_of,
    runs,
    single,
)

NEVER = TAKES_A_JOB | BLOCKING | SCANS.keys() | named("""
    WATCH RENAME RENAMENX SORT MOVE COPY MGET MSET MSETNX SUNION SINTER SDIFF PFCOUNT
""")  # fmt: skip
DRAINS = named("LPOP RPOP SPOP ZPOPMIN ZPOPMAX")
LOOPED = ((KEY_FIRST | SCRIPTED | named("PUBLISH JSON.GET JSON.SET")) - NEVER) | DRAINS
# Their replies say that it was done, or how many there were: no key can come of that.
QUIET = named("""
    SET SETEX PSETEX HSET EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST TOUCH DEL UNLINK HDEL SADD SREM
    ZADD ZREM LTRIM LSET PFADD SETRANGE
""")
FILLS = named("SET SETEX PSETEX SETNX")
# In a pipeline receivers get them later, and the sender may not have the next one yet.
FED = ("PUBLISH", "XADD", "LPUSH", "RPUSH")
# Of one key, and of many, in one command with one reply for all.
OF_ONE = {
    "SADD": "sadd(key, *members)", "SREM": "srem(key, *members)", "ZREM": "zrem(key, *members)",
    "HDEL": "hdel(key, *fields)", "LPUSH": "lpush(key, *items)", "RPUSH": "rpush(key, *items)",
    "PFADD": "pfadd(key, *items)", "ZADD": "zadd(key, scores)",
    "HSET": "hset(key, mapping=values)",
}  # fmt: skip
OF_MANY = {"DEL": "delete(*keys)", "UNLINK": "unlink(*keys)", "EXISTS": "", "TOUCH": ""}


def find(work: Work) -> Found:
    """Yield what loops there are."""
    for trips in work.stretches():
        for (site, name, _), several in groups(trips).items():
            left = site.through in code.LEFT_ALONE or (site, name) in work.taken
            if len(several) >= work.min_loop and not left and not is_no_loop(several, trips):
                yield from loop(work, name, several, trips)


def groups(trips: Trips) -> dict[Any, Trips]:
    """Return those of one command from one call site, for keys of one shape.

    Many loops may share one line, of a library or helper: they differ by their keys' number of
    parts and first part.
    """
    found: dict[Any, Trips] = defaultdict(list)
    for trip in trips:
        command = single(trip)
        several = command and command.detail == SEVERAL and command.name in OF_MANY
        if command and command.name in LOOPED and not several:
            parts = SEPARATORS.split(command.pattern or "")
            shape = len(parts), parts[0] if len(parts) > 1 else None
            found[trip.site, command.name, shape].append(trip)
    return found


def is_no_loop(several: Trips, trips: Trips) -> bool:
    """Return whether a worker takes jobs meanwhile, or a cache is filled with most of these."""
    first = several[0]
    if first.commands[0].name in DRAINS:
        return first.site.through is not None or in_a_row(several, trips) < len(several)
    jobs = sum(not TAKES_A_JOB.isdisjoint(trip.names) for trip in trips)
    gets = [trip for trip in trips if {"GET", "MGET"} & trip.names.keys() and is_nil(trip)]
    fills = {trip.commands[0].key for trip in trips if not FILLS.isdisjoint(trip.names)}
    filled = fills & {trip.commands[0].key for trip in gets}
    cached = sum(trip.commands[0].key in filled for trip in several)
    is_cache = first.commands[0].name in FILLS | {"GET"}
    return 2 * max(jobs, is_cache * cached) >= len(several)


def is_nil(trip: RoundTrip) -> bool:
    """Return whether there was nothing: an MGET of one key says *1 before that."""
    return trip.bytes_received <= NOTHING + len("*1\r\n") * ("MGET" in trip.names)


def loop(work: Work, name: str, several: Trips, trips: Trips) -> Found:
    site, number = several[0].site, len(several)
    keys, items = {trip.commands[0].key for trip in several}, set(map(item_of, several))
    one_key, scripted = len(keys) == 1 and name not in SCRIPTED, name in SCRIPTED
    details = {trip.commands[0].detail for trip in several}
    by_field = name not in ("SET", "ZADD") and not details <= {None, SEVERAL}
    if one_key and name in DRAINS:
        yield from drained(work, name, several)
        return
    has_items = code.item_of(name) or name in code.SEVERAL
    if one_key and (not has_items or SEVERAL in details or (len(items) == 1 and by_field)):
        return  # a poll, a counter, pages of one list, slices
    if not one_key and not scripted and len(items) < work.min_loop:
        return
    if one_key and site.through and in_a_row(several, trips) < work.min_loop:
        return  # places in a library that happen to use the same key
    pieces = runs(several, trips, by_item=not scripted and (not one_key or by_field))
    saves = work.saved(pieces) - scripted  # a pipeline first asks whether the script is known
    if saves < work.min_loop - 1 - scripted:
        return  # runs of two or three are no loop
    what, instead, known = in_one(work, name, several, one_key, max(map(len, pieces)))
    decides = scripted or has_condition(several[0].commands[0])
    holds = work.condition(pieces, trips)
    sure = known and not decides and not holds and (name in QUIET or work.foreseen(several))
    if known and not sure:
        instead = f"{holds or code.IF_KNOWN}\n{instead}"
    if one_key and name in FED:
        sure, instead = False, f"# if all are there when the first one is sent:\n{instead}"
    label = f"{name} {pattern_of(several)}".rstrip()
    in_runs = f", in {len(pieces)} runs" if len(pieces) > 1 else ""
    shows = f"{label}, {number:,} times one after the other{in_runs}"
    yield Finding("loop", what, shows, saves, site, instead, sure)


def in_one(
    work: Work, name: str, several: Trips, one_key: bool, longest: int
) -> tuple[str, str, bool]:
    """Return (what it is, the code to write instead, whether that is known to be possible)."""
    client, library = work.client(several[0]), several[0].site.through
    details = {trip.commands[0].detail for trip in several}
    sums = [int(each or 0) for each in details - {SEVERAL}]
    options = name in ("SET", "ZADD") and any(sums)
    item = code.item_of(name) if one_key else "key"
    what = f"one round trip for each of many {item}s"
    if library:
        own = code.LIBRARIES.get(library, {}).get(code.SAME.get(name, name))
        return what, own or f"# see whether {library} has a call for many keys", own is not None
    if one_key and name in code.SEVERAL:
        what, call = code.SEVERAL[name]
        return f"{what} at once", call.format(client.wait), True
    if not one_key and name in ("GET", "SET") and not options:
        return what, code.many_of(name, client, longest), True
    call = OF_ONE[name] if SEVERAL in details else code.call_of(name, options)
    if name in SCRIPTED:
        item, given = "key", "keys=[key], args=args"
        if several[0].commands[0].key is None:
            item, given = "argument", "args=[argument]"
        call = f"script({given}, client=pipe)  # script = r.register_script(TEXT)"
    lines = [code.pipeline(call, client, longest, item or "key")]
    at_once = (OF_ONE if one_key else OF_MANY).get(name)
    if "**options" in call:
        lines.append("# options: those of the loop, if it has any")
    elif at_once and longest <= code.SLICE:
        lines.append(f"# If you don't use the replies: {client.wait}r.{at_once}")
    if name == "GETDEL":
        lines.append(code.IS_GONE)
    elif name in ADDS_UP or any(each & ANOTHER for each in sums if name == "ZADD"):
        lines.append(code.COUNTS_TWICE)
    elif at_once or has_condition(several[0].commands[0]):
        lines.append(code.SAYS_DONE)
    return what, "\n".join(lines), True


def drained(work: Work, name: str, several: Trips) -> Found:
    """Yield what there is for jobs that are taken one by one, with nothing of Redis' between.

    Who finds nothing to take is polling, which is left alone.
    """
    number = sum(trip.bytes_received > NOTHING for trip in several)
    if number < work.min_loop:
        return
    shows = f"{name} {pattern_of(several)}, {number:,} times with nothing between"
    few = number == len(several) and number <= code.SLICE  # and there may be more
    take = f"{work.client(several[0]).wait}r.{name.lower()}(key, {number if few else code.SLICE:_})"
    instead = f"while items := {take}:\n    print(*items)  # or what is to be done with them"
    instead = f"items = {take} or []\n{code.ARE_GONE}" if few else f"{instead}\n{code.IS_GONE}"
    saves, what = number - number // code.SLICE - 1, f"{name} takes several at once"
    yield Finding("loop", what, shows, saves, several[0].site, instead, False)


def in_a_row(several: Trips, trips: Trips) -> int:
    """Return how many of these follow one another at most, with none of another kind between."""
    known, longest, here = set(map(id, several)), 0, 0
    for trip in trips:
        here = here + 1 if id(trip) in known else 0
        longest = max(longest, here)
    return longest
