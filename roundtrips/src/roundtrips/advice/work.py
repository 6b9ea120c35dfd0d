"""Arrange the round trips of a trace for the rules: in order, by thread or task, by call site."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator

from ..callsites import NOWHERE, CallSite
from ..commands import CONDITION, FIELDS, Command
from ..key_table import words_of
from ..keys import general
from ..ownership import OWN, kind_of
from ..record import Record
from ..recorder import Place
from ..roundtrip import ANSWERED, RoundTrip
from .code import SLICE

NOTHING = 5  # bytes of a reply that is nil; one with a value is longer
TAKES_A_JOB = words_of("""
    LPOP RPOP BLPOP BRPOP LMOVE BLMOVE RPOPLPUSH BRPOPLPUSH SPOP ZPOPMIN ZPOPMAX BZPOPMIN BZPOPMAX
    XREADGROUP XREAD XAUTOCLAIM LMPOP BLMPOP ZMPOP BZMPOP
""")
# Commands that change the data once more when they are sent a second time.
ADDS_UP = (TAKES_A_JOB - {"XREAD"}) | words_of("""
    INCR INCRBY INCRBYFLOAT DECR DECRBY HINCRBY HINCRBYFLOAT ZINCRBY APPEND LPUSH RPUSH LPUSHX
    RPUSHX LINSERT XADD GETDEL HGETDEL PUBLISH SPUBLISH EVAL EVALSHA FCALL
""")
Trips = list[RoundTrip]


class Work:
    """The round trips of a trace, arranged for the rules.

    `record` is the trace's Record, `min_loop` the fewest calls that make a loop. `trips` lists all
    round trips except those that set connections up. `by_worker` is {number of a thread or task:
    list of its round trips}; round trips whose call site is a library's line are left out.
    `explained` is a set of the (call site, command name) that a rule has reported: later rules skip
    these.
    """

    def __init__(self, record: Record, min_loop: int) -> None:
        self.record = record
        self.min_loop = min_loop
        self.trips = [trip for trip in record.log if not trip.setup]
        self.by_worker: dict[int, Trips] = defaultdict(list)
        for trip in self.trips:
            if trip.site != NOWHERE and kind_of(trip.site.file) is OWN:
                self.by_worker[trip.worker].append(trip)
        self.explained: set[tuple[CallSite, str]] = set()

    def stretches(self) -> Iterator[Trips]:
        """Yield lists of the round trips of each thread or task, cut before a WATCH or a lock.

        Commands after a WATCH or a lock can't be sent together with commands before it. A list may
        be empty.
        """
        for trips in self.by_worker.values():
            piece: Trips = []
            for trip in trips:
                # Several SET NX in a row from one line are a loop, and no lock.
                row = piece and guards(piece[-1]) and piece[-1].site == trip.site
                if guards(trip) and not row:
                    yield piece
                    piece = []
                piece.append(trip)
            yield piece

    def with_command(self, wanted: Callable[[Command], bool]) -> list[Trips]:
        """Return the round trips that have a Command for which wanted(command) is true.

        The result has one list of round trips for each call site. Round trips that went through a
        library are left out.
        """
        own = [trip for trip in self.trips if not trip.site.through]
        return by_call_site(own, lambda trip: any(map(wanted, trip.commands)))

    def by_database(self, several: Trips) -> list[Trips]:
        """Return the round trips `several` as lists, one for each database.

        No command or pipeline is for two databases. A cluster is one database: its client sends to
        each node what belongs to that node.
        """
        groups: dict[Hashable, Trips] = defaultdict(list)
        for trip in several:
            place = self.client(trip)
            groups[place.cluster or (place.address, place.database)].append(trip)
        return list(groups.values())

    def client(self, trip: RoundTrip) -> Place:
        """Return the Place of a round trip's connection: server address and kind of client.

        If the connection is not known, the result is a Place whose address is "?".
        """
        known = trip.connection < len(self.record.places)
        return self.record.places[trip.connection] if known else Place("?")

    def saved(self, pieces: list[Trips]) -> int:
        """Return how many round trips are saved if each list in `pieces` is sent as one pipeline.

        `pieces` are lists of round trips. A list of more than 1,000 is sent in several pipelines,
        and a cluster gets one pipeline for each node.
        """
        batches = {
            (number, at // SLICE, self.client(trip).address)
            for number, piece in enumerate(pieces)
            for at, trip in enumerate(piece)
        }
        return sum(map(len, pieces)) - len(batches)


def pattern_of(several: Iterable[RoundTrip]) -> str:
    """Return one pattern for the first key of each round trip, with `{…}` where the keys differ."""
    return general({trip.commands[0].pattern or "" for trip in several})


def by_call_site(trips: Iterable[RoundTrip], wanted: Callable[[RoundTrip], bool]) -> list[Trips]:
    """Return the round trips for which wanted(trip) is true, as one list for each call site."""
    groups: dict[CallSite, Trips] = defaultdict(list)
    for trip in filter(wanted, trips):
        groups[trip.site].append(trip)
    return list(groups.values())


def single(trip: RoundTrip) -> Command | None:
    """Return the Command of a round trip that sent just one and got no error; else None."""
    alone = len(trip.commands) == 1 and sum(trip.names.values()) == 1
    return trip.commands[0] if alone and trip.outcome == ANSWERED else None


def item_of(trip: RoundTrip) -> Hashable:
    """Return what distinguishes a loop's round trips: (number of key, number of field or member).

    Equal keys have equal numbers, and so have equal fields or members. The second number is None
    for commands without a field or member.
    """
    command = trip.commands[0]
    return command.key, command.detail if command.name in FIELDS else None


def has_condition(command: Command) -> bool:
    """Return whether a Command is conditional, such as SET with NX: it may have done nothing.

    Its reply says whether it did.
    """
    sets = command.name == "SET" and bool(int(command.detail or 0) & CONDITION)
    return sets or command.name in ("SETNX", "HSETNX")


def guards(trip: RoundTrip) -> bool:
    """Return whether a round trip may take a lock (SET NX …) or sends WATCH.

    Commands after it must not be moved before it.
    """
    return any(each.name == "WATCH" or has_condition(each) for each in trip.commands)


def runs(several: Trips) -> list[Trips]:
    """Cut a call site's round trips into lists, one for each time that its loop ran.

    A key that was seen before begins a new list: the same page was made again, for instance.
    """
    pieces: list[Trips] = [[]]
    seen: set[Hashable] = set()
    last: Hashable = None
    for trip in several:
        item = item_of(trip)
        if item in seen and item != last:
            pieces.append([])
            seen = set()
        pieces[-1].append(trip)
        seen.add(item)
        last = item
    return pieces
