"""Find loops that send one command after another, for each of many keys, fields or members.

    for user in users:                          # a round trip for each
        names.append(r.hget(f"user:{user}", "name"))

    pipe = r.pipeline(transaction=False)        # one round trip
    for user in users:
        pipe.hget(f"user:{user}", "name")
    names = pipe.execute()

One pipeline saves all round trips but one each time that the loop runs. These give no finding: a
worker that takes job after job, a cache that is filled as it is read, and commands that a library
sends (except Django's cache).
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import Any

from ..commands import ANOTHER, BLOCKING, PLACES, SCANS, SCRIPTED, SEVERAL
from ..key_table import words_of
from ..keys import SEPARATORS
from ..roundtrip import RoundTrip
from . import code
from .finding import Finding
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

NEVER = TAKES_A_JOB | BLOCKING | SCANS.keys() | words_of("""
    WATCH RENAME RENAMENX SORT MOVE COPY MGET MSET MSETNX SUNION SINTER SDIFF PFCOUNT
""")  # fmt: skip
LOOPED = (PLACES.keys() | words_of("PUBLISH SPUBLISH JSON.GET JSON.SET")) - NEVER
MANY_TRIPS, LONG = 20, 0.005  # between the calls other work is done: round trips, seconds
LARGE = 100_000  # bytes that one call sends and receives
FILLS = words_of("SET SETEX PSETEX SETNX")
# Commands that somebody waits for: in a pipeline each would wait for the last one.
FED = ("PUBLISH", "SPUBLISH", "XADD", "LPUSH", "RPUSH")
IF_THERE = "# if all are there when the first one is sent:"
# One command for many members of one key, and for many keys; it has one reply for all.
OF_ONE = {
    "SADD": "sadd(key, *members)", "SREM": "srem(key, *members)", "ZREM": "zrem(key, *members)",
    "HDEL": "hdel(key, *fields)", "LPUSH": "lpush(key, *items)", "RPUSH": "rpush(key, *items)",
    "PFADD": "pfadd(key, *items)", "ZADD": "zadd(key, scores)",
    "HSET": "hset(key, mapping=values)",
}  # fmt: skip
OF_MANY = {"DEL": "delete(*keys)", "UNLINK": "unlink(*keys)", "EXISTS": "", "TOUCH": ""}


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each loop: a line that sent one command many times, one after another."""
    for trips in work.stretches():
        for (site, name, _), at_place in groups(trips).items():
            if site.through not in code.ASKED or (site, name) in work.explained:
                continue
            for several in work.by_database(at_place):
                if len(several) >= work.min_loop and not is_no_loop(several, trips):
                    yield from loop(work, name, several)


def groups(trips: Trips) -> dict[Any, Trips]:
    """Return {(call site, command, shape of the key): its round trips} for a list of round trips.

    Many loops may go through one line of a helper. The shape tells them apart: how many parts the
    key has, and its first part ("user", "cart"). Round trips that cannot be a step of a loop, such
    as pipelines, are left out.
    """
    by_place: dict[Any, Trips] = defaultdict(list)
    for trip in trips:
        command = single(trip)
        if command is None or command.name not in LOOPED:
            continue
        if command.detail == SEVERAL and command.name in OF_MANY:
            continue
        parts = SEPARATORS.split(command.pattern or "")
        shape = len(parts), parts[0] if len(parts) > 1 else None
        by_place[trip.site, command.name, shape].append(trip)
    return by_place


def is_no_loop(several: Trips, trips: Trips) -> bool:
    """Return whether round trips are the work of a queue's worker or of a cache, not a loop.

    `several` are the round trips in question, `trips` all round trips of the same thread or task.
    True if `trips` took at least half as many jobs as `several` has round trips, or if at least
    half of `several` are for a key that a GET found missing and that is set as well.
    """
    jobs = sum(not TAKES_A_JOB.isdisjoint(trip.names) for trip in trips)
    gets = [trip for trip in trips if {"GET", "MGET"} & trip.names.keys() and is_nil(trip)]
    missed = {trip.commands[0].key for trip in gets}
    filled = {trip.commands[0].key for trip in trips if not FILLS.isdisjoint(trip.names)}
    cached = sum(trip.commands[0].key in missed & filled for trip in several)
    return 2 * max(jobs, cached) >= len(several)


def is_nil(trip: RoundTrip) -> bool:
    """Return whether a GET or MGET found no key, judged by the number of bytes of its reply."""
    return trip.bytes_received <= NOTHING + len("*1\r\n") * ("MGET" in trip.names)


def loop(work: Work, name: str, several: Trips) -> Iterator[Finding]:
    """Yield the Finding for one loop; nothing for a poll, a counter, or too few calls.

    `several` are the loop's round trips, each of the one command `name`.
    """
    site = several[0].site
    keys = {trip.commands[0].key for trip in several}
    items = set(map(item_of, several))
    scripted = name in SCRIPTED
    one_key = len(keys) == 1 and not scripted
    details = {trip.commands[0].detail for trip in several}
    by_field = name not in ("SET", "ZADD") and not details <= {None, SEVERAL}
    has_items = code.loop_word_of(name) or name in code.SEVERAL
    if one_key and (not has_items or SEVERAL in details or (len(items) == 1 and by_field)):
        return  # a poll, a counter, pages of one list, slices
    if not one_key and not scripted and len(items) < work.min_loop:
        return
    pieces = [several] if scripted or (one_key and not by_field) else runs(several)
    saves = work.saved(pieces) - scripted  # a pipeline first asks whether the script is known
    if saves < work.min_loop - 1 - scripted:
        return  # runs of two or three are no loop
    what, instead = what_and_instead(work, name, several, one_key, max(map(len, pieces)))
    if not site.through:
        instead = f"{IF_THERE if one_key and name in FED else code.IF_KNOWN}\n{instead}"
        instead = "\n".join([*reservations(several), instead])
    label = f"{name} {pattern_of(several)}".rstrip()
    in_runs = f", in {len(pieces)} runs" if len(pieces) > 1 else ""
    shows = f"{label}, {len(several):,} times one after the other{in_runs}"
    yield Finding("loop", what, shows, saves, site, instead)


def reservations(several: Trips) -> list[str]:
    """Return code comments, a list of texts, that speak against sending round trips together.

    The comments are that other work is done between the round trips in `several`, and that their
    values are large. The list is empty if neither is so.
    """
    gaps = [after.sent - trip.replied for trip, after in pairwise(several)]
    lasted = [trip.replied - trip.sent for trip in several]
    bytes_each = sum(trip.bytes_sent + trip.bytes_received for trip in several) / len(several)
    found = []
    if median(gaps) > max(MANY_TRIPS * median(lasted), LONG):
        found.append(code.AFTER_WORK)
    if bytes_each > LARGE:
        found.append(code.IF_LARGE)
    return found


def what_and_instead(
    work: Work, name: str, several: Trips, one_key: bool, longest: int
) -> tuple[str, str]:
    """Return (what could be changed, code to write instead) for a loop, two texts as in a Finding.

    `several` are the loop's round trips, each of the one command `name`. `one_key` says that all
    commands have the same key. `longest` is the most round trips that the loop made in one run.
    """
    client = work.client(several[0])
    library = several[0].site.through
    details = {trip.commands[0].detail for trip in several}
    sums = [int(each or 0) for each in details - {SEVERAL}]
    options = name in ("SET", "ZADD") and any(sums)
    item = code.loop_word_of(name) if one_key else "key"
    what = f"one round trip for each of many {item}s"
    if library:
        return what, f"# see whether {library} has a call for many keys"
    if one_key and name in code.SEVERAL:
        what, call = code.SEVERAL[name]
        return f"{what} at once", call.format(client.wait)
    if not one_key and name in ("GET", "SET") and not options:
        return what, code.many_of(name, client, longest)
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
    return what, "\n".join(lines)
