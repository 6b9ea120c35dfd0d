"""A Record as the rules look at it: its round trips in order, whose they are, what they knew."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from ..callsites import NOWHERE, OWN, CallSite, kind_of
from ..commands import CONDITION, FIELDS, Command, named
from ..keys import general
from ..recorder import Place
from ..roundtrip import ANSWERED, RoundTrip
from .code import SLICE

if TYPE_CHECKING:
    from ..traces import Record

NOTHING = 5  # bytes of a reply that says nil; a value takes more
TAKES_A_JOB = named("""
    LPOP RPOP BLPOP BRPOP LMOVE BLMOVE RPOPLPUSH BRPOPLPUSH SPOP ZPOPMIN ZPOPMAX BZPOPMIN BZPOPMAX
    XREADGROUP XREAD XAUTOCLAIM LMPOP BLMPOP ZMPOP BZMPOP
""")
# Done twice is not done once.
ADDS_UP = (TAKES_A_JOB - {"XREAD"}) | named("""
    INCR INCRBY INCRBYFLOAT DECR DECRBY HINCRBY HINCRBYFLOAT ZINCRBY APPEND LPUSH RPUSH LPUSHX
    RPUSHX LINSERT XADD GETDEL HGETDEL PUBLISH SPUBLISH EVAL EVALSHA FCALL
""")
READS = named("""
    GET HGET HGETALL HMGET MGET EXISTS TTL PTTL TYPE STRLEN LLEN SCARD ZCARD HLEN XLEN LRANGE
    SMEMBERS SISMEMBER SMISMEMBER ZSCORE ZMSCORE ZRANGE ZREVRANGE ZRANGEBYSCORE ZRANK ZREVRANK
    HEXISTS HKEYS HVALS HSTRLEN LINDEX GETRANGE GETBIT ZCOUNT BITCOUNT XRANGE XREVRANGE GEOPOS DUMP
""")
SHARED = "# if {}, which uses the same keys in between,\n# can come before or after all of these:"
NAMED = "# if {},\n# whose replies name these keys, can be asked for all of them first:"
Trips = list[RoundTrip]


class Work:
    """The round trips of the work, `by_worker` those that have a line of the caller's.

    `taken` holds (call site, command) of those that a rule has explained, for the rules after it.
    """

    def __init__(self, record: Record, min_loop: int) -> None:
        self.record, self.min_loop = record, min_loop
        self.trips = [trip for trip in record.log if not trip.setup]
        self.by_worker: dict[int, Trips] = defaultdict(list)
        for trip in self.trips:
            if trip.site != NOWHERE and kind_of(trip.site.file) is OWN:
                self.by_worker[trip.worker].append(trip)
        self.taken: set[tuple[CallSite, str]] = set()

    def stretches(self) -> Iterator[Trips]:
        """Yield each worker's round trips, in pieces that begin where a key is watched or locked.

        What is done then can't be sent together with what was done before.
        """
        for trips in self.by_worker.values():
            piece: Trips = []
            for trip in trips:
                row = piece and guards(piece[-1]) and piece[-1].site == trip.site  # of claims
                if guards(trip) and not row:
                    yield piece
                    piece = []
                piece.append(trip)
            yield piece

    def repeated(self, wanted: Callable[[Command], bool]) -> list[Trips]:
        """Return those that hold such a command, of each call site of yours that made several."""
        own = [trip for trip in self.trips if not trip.site.through]
        groups = by_site(own, lambda trip: any(map(wanted, trip.commands)))
        return [several for several in groups if len(several) > 1]

    def client(self, trip: RoundTrip) -> Place:
        """Return where its connection leads, and whose it is."""
        known = trip.connection < len(self.record.places)
        return self.record.places[trip.connection] if known else Place("?", None)

    def saved(self, pieces: list[Trips]) -> int:
        """Return how many round trips are saved where each piece is sent at once, in slices.

        A pipeline is one for each node that it goes to; in a walk, for each generation of keys.
        """
        walks = self.walks([trip for piece in pieces for trip in piece])
        batches = {
            (number, at // SLICE, self.client(trip).address, walks and trip.generation)
            for number, piece in enumerate(pieces)
            for at, trip in enumerate(piece)
        }
        return sum(map(len, pieces)) - len(batches)

    def walks(self, several: Trips) -> bool:
        """Return whether many of these learnt their key from the reply to one of them."""
        namers = [trip.named_by for trip in several if trip.named_by is not None]
        own = sum(self.record.log[namer].site == several[0].site for namer in namers)
        return 2 * max(own, len({trip.generation for trip in several})) >= len(several)

    def condition(self, pieces: list[Trips], trips: Trips) -> str:
        """Return what must hold for each piece to be sent at once, as a comment, or ''.

        Other call sites may use the same keys in between, or have replies that name the next ones.
        """
        places = {id(trip): at for at, trip in enumerate(trips)}
        for piece in pieces:
            between = trips[places[id(piece[0])] : places[id(piece[-1])] + 1]
            other = crossed_by(piece, between)
            if other is not None:
                return SHARED.format(other.site)
            if not in_steps(piece):
                inside = set(map(id, between)) - set(map(id, piece))
                namers = [self.record.log[trip.named_by] for trip in piece if trip.named_by]
                other = next((namer for namer in namers if id(namer) in inside), None)
                if other is not None and other.site != piece[0].site:
                    return NAMED.format(other.site)
        return ""

    def foreseen(self, several: Trips) -> bool:
        """Return whether the wire proves that the keys were known before the first was asked for.

        All replies were the same, so that no key can have been computed from them; or
        the keys come in a row; or other replies named them, and those not one after the other.
        """
        if all(said_the_same(trip, several[0]) for trip in several):
            return True
        if self.walks(several):
            return False
        if in_steps(several):
            return True
        named = sum(trip.named_by is not None for trip in several)
        generations = len({trip.generation for trip in several})
        return 4 * named >= 3 * len(several) and generations <= max(2, len(several) // 4)


def said_the_same(one: RoundTrip, other: RoundTrip) -> bool:
    known = one.reply is not None or one.bytes_received <= NOTHING
    return known and (one.reply, one.bytes_received) == (other.reply, other.bytes_received)


def in_steps(several: Trips) -> bool:
    """Return whether the keys come in a row, such as user:1, user:2: nobody has to name them."""
    return 4 * sum(trip.in_steps for trip in several) >= 3 * (len(several) - 2)


def crossed_by(piece: Trips, between: Trips) -> RoundTrip | None:
    """Return what stands in the way of sending a piece at once, where its first or its last is.

    That is another call site's command on the same key: where one of the two reads it and then the
    other writes it, what is written may come of what was read.
    """
    mine = set(map(id, piece))
    seen: dict[int, list[tuple[bool, bool, RoundTrip]]] = defaultdict(list)
    before = after = None  # what keeps it from being sent earlier, and later
    for trip in between:
        own, reads = id(trip) in mine, READS.issuperset(trip.names)
        for key in {each.key for each in trip.commands if each.key}:
            for other_own, other_reads, other in seen[key]:
                if own == other_own or (reads and other_reads):
                    continue
                elsewhere = other if own else trip
                if other_reads:
                    return elsewhere
                before, after = (other, after) if own else (before, trip)
            if not any(each[:2] == (own, reads) for each in seen[key]):
                seen[key].append((own, reads, trip))
    return before if before and after else None


def pattern_of(several: Iterable[RoundTrip]) -> str:
    """Return one pattern for the first keys of all: what differs between them is a hole."""
    return general({trip.commands[0].pattern or "" for trip in several})


def by_site(trips: Iterable[RoundTrip], wanted: Callable[[RoundTrip], bool]) -> list[Trips]:
    """Return those that are wanted, by call site."""
    groups: dict[CallSite, Trips] = defaultdict(list)
    for trip in filter(wanted, trips):
        groups[trip.site].append(trip)
    return list(groups.values())


def single(trip: RoundTrip) -> Command | None:
    """Return the only command of an answered round trip, or None."""
    alone = len(trip.commands) == 1 and sum(trip.names.values()) == 1
    return trip.commands[0] if alone and trip.outcome == ANSWERED else None


def item_of(trip: RoundTrip) -> Hashable:
    """Return what a round trip is about: a key, or one field of it."""
    command = trip.commands[0]
    return command.key, command.detail if command.name in FIELDS else None


def has_condition(command: Command) -> bool:
    """Return whether it sets only what is not there, or asks for what was: the reply decides."""
    sets = command.name == "SET" and bool(int(command.detail or 0) & CONDITION)
    return sets or command.name in ("SETNX", "HSETNX")


def guards(trip: RoundTrip) -> bool:
    """Return whether a key is watched here, or perhaps a lock taken."""
    return any(each.name == "WATCH" or has_condition(each) for each in trip.commands)


def runs(several: Trips, trips: Trips, by_item: bool = True) -> list[Trips]:
    """Return a place's round trips in the pieces that its loop ran in, as far as the wire tells.

    A piece ends before an item that was in it already (a page that is made twice), and where other
    call sites did something unusual between two of its round trips.
    """
    mine, gaps, between = set(map(id, several)), [], list[CallSite]()
    for trip in trips:
        if id(trip) in mine:
            gaps.append(tuple(between))
            between = []
        else:
            between.append(trip.site)
    usual = Counter(gaps[1:]).most_common(1)[0][0] if gaps[1:] else ()
    pieces: list[Trips] = []
    seen: set[Hashable] = set()
    last: Hashable = None
    for trip, gap in zip(several, gaps, strict=True):
        item = item_of(trip) if by_item else id(trip)
        if not pieces or gap != usual or (item in seen and item != last):
            pieces.append([])
            seen = set()
        pieces[-1].append(trip)
        seen.add(item)
        last = item
    return pieces
