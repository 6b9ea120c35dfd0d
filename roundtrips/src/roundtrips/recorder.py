"""The recorder: is told of every write and reply inside its block, and keeps round trips.

The first 10,000 are kept whole; the others are added up by call site, so that a million of them
take no more room. One with `payloads` keeps the bytes of each write and read besides.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from operator import itemgetter
from time import perf_counter
from typing import Any, NamedTuple

from . import redis_py, scope, sockets
from .callsites import CallSite
from .commands import MOST_KEPT, NAMES, Command, Seen, packed_names, packed_seen, seen_in
from .critical_path import CriticalPath
from .faults import fenced
from .resp import commands_in, in_bytes
from .roundtrip import ANSWERED, ELSEWHERE, ELSEWHERE_ERRORS, FAILED, LOST, RoundTrip

WHOLE = 10_000
BATCH = 1_000  # notes that wait to be sorted in
MOST_FOLDS, MOST_PLACES, MOST_FLYING = 1_000, 10_000, 100_000
KEPT_RAW = 4_000  # bytes of a write that wait until somebody asks what they said
KEPT_UNREAD = 200  # bytes of a command that is kept as it was written
KEPT_REPLY, KEPT_REPLIES = 2_000, 1_000  # bytes of a reply that is kept for its words, and how many
FIRST_OF_PACKED = 3  # commands of a pipeline that are looked at, where redis-py says what it packs
# Nobody waits for the replies to these.
PARTING = frozenset({"UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE", "QUIT"})
CHANGEABLE = (list, dict, set)  # the caller gets the same one, and may change it

# A round trip is a note, a plain list, until somebody asks: a GET must not become much slower by
# being looked at. These are the places in it; WHAT is a Said, or the bytes of a short command;
# WORKER becomes its number once the note is kept.
(RECORDER, SENT, WHAT, SITE, WORKER, CONNECTION, SETUP, STREAM, RECEIVED, MISSING, REPLIED, FAILURE,
 WAS_LOST, REPLY, HEARD, DEPTH) = range(16)  # fmt: skip


class Said(NamedTuple):
    """What a write said, in place of its bytes: its first commands, all names, its bytes."""

    first: list[Seen]
    names: dict[str, int]
    size: int

    def __add__(self, other: Any) -> Said:
        names = dict(self.names)
        for name, times in other.names.items():
            names[name] = names.get(name, 0) + times
        return Said([*self.first, *other.first][:MOST_KEPT], names, self.size + other.size)


class Message(NamedTuple):
    """Bytes that were written or read, for a recorder with `payloads`.

    `at` and `ended` are seconds of time.perf_counter(): when the write began and was over; of a
    read both are when the bytes came. A write goes to the system in one chunk or several.
    `connection` is a number; `setup` marks a handshake.
    """

    connection: int
    at: float
    ended: float
    chunks: tuple[bytes, ...]
    written: bool
    setup: bool

    @property
    def data(self) -> bytes:
        """The chunks as one."""
        return b"".join(self.chunks)


@dataclass(kw_only=True)
class Sums:
    """Numbers of several round trips, added up."""

    round_trips: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    lost: int = 0
    elsewhere: int = 0
    errors: int = 0

    def add(self, size: int, received: int, outcome: str) -> None:
        """Add a round trip: its bytes, and how it ended."""
        self.round_trips += 1
        self.bytes_sent += size
        self.bytes_received += received
        if outcome != ANSWERED:
            self.lost += outcome == LOST
            self.elsewhere += outcome == ELSEWHERE
            self.errors += outcome == FAILED

    def include(self, other: Sums) -> None:
        """Add what others add up to."""
        for each in fields(Sums):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(kw_only=True)
class Totals(Sums):
    """Sums over the work, and the round trips of setting connections up."""

    setup_trips: int = 0


@dataclass(kw_only=True)
class SiteTotal(Sums):
    """All round trips of one kind that came from one call site.

    `label` says what they sent, `names` counts their commands; `seconds` and bytes are sums.
    `setup` marks those of setting connections up, `folded` those that are no longer kept whole.
    """

    site: CallSite
    label: str = ""
    names: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    setup: bool = False
    pattern: str | None = None
    folded: bool = False

    def take(self, names: dict[str, int], seconds: float) -> None:
        """Add commands by name, and how long they took."""
        for name in names:
            self.names[name] = self.names.get(name, 0) + names[name]
        self.seconds += seconds


@dataclass(frozen=True)
class Place:
    """A connection: its address, seconds until it gives up waiting (None: never), whose it is."""

    address: str
    timeout: float | None
    cluster: bool = False
    asynchronous: bool = False

    @property
    def wait(self) -> str:
        """What stands before a call of its client."""
        return "await " if self.asynchronous else ""

    @property
    def loop(self) -> str:
        """How a loop over what its client yields begins."""
        return "async for" if self.asynchronous else "for"


class Recorder:
    """What is told of writes and replies between `open` and `close`.

    With `process` it is told of all that the process does, not of one block alone.
    """

    def __init__(self, process: bool = False, payloads: bool = False) -> None:
        self.process, self.payloads = process, payloads
        self.kept: list[list[Any]] = []  # the notes of the first ones
        # The others: {(site, names, setup): (their sums, the first one's key)}.
        self.folds: dict[Any, tuple[SiteTotal, bytes | None]] = {}
        self.totals, self.commands = Totals(), Counter[str]()
        self.path = CriticalPath()
        self.places: list[Place] = []  # of connections, by number
        self.workers: list[str] = []  # names of threads and tasks, by number
        self.worker_numbers: dict[object, int] = {}  # by token
        self.connections = 0
        self.opened = self.refused = 0  # connections set up, and set-ups that failed
        self.unanswered = 0  # writes that were on their way when it was closed
        self.unattributed = 0  # writes that stand in no block
        self.detached = False  # the block was closed in another context than it was opened in
        self.others: set[str] = set()  # names of other processes that the block started
        self.unseen: set[str] = set()  # what else goes to Redis, not by what is replaced
        self.faults: list[Exception] = []  # of this package, while it looked on
        self.notes: list[list[Any]] = []  # not sorted in yet
        self.ended: deque[list[Any]] = deque()  # sorted, and not kept yet
        self.limit = WHOLE + BATCH  # of notes
        self.room = KEPT_REPLIES
        self.sorting = threading.RLock()
        self.is_open = False
        self.began: float = 0.0
        self.over: float | None = None
        # With payloads: what was written and read, and the connections by number and by stream.
        self.messages: list[Message] = []
        self.clients: list[Any] = []
        self.streams: dict[int, tuple[int, Any]] = {}

    def open(self) -> None:
        """Begin. Raises RoundTripsError, before anything is changed, for an unknown redis-py."""
        self.began = perf_counter()
        redis_py.open_recorder(self)
        if self.payloads:
            sockets.listeners.append(self.heard)
        self.began = perf_counter()  # without what opening took

    def after_fork(self) -> Recorder:
        """Put a new one in the place of this one, which a forked process has from its parent."""
        redis_py.renew_locks()  # it may be asked before this
        new = Recorder(process=True)
        new.began, new.is_open = perf_counter(), True
        redis_py.tell(new if each is self else each for each in redis_py.open_recorders)
        return new

    def close(self) -> None:
        """End, and leave redis-py as it was if this is the last. Closing twice does no harm."""
        if self.is_open:
            self.over = perf_counter()
            taken = scope.blocks.get() or ()
            self.detached = not self.process and self not in taken
        redis_py.close_recorder(self)
        if self.payloads and self.heard in sockets.listeners:
            sockets.listeners.remove(self.heard)
        with self.sorting:  # they are sorted in when somebody asks
            flying = [note for note in self.notes if note[REPLIED] is None]
            for note in flying:
                end(note)
                note[REPLIED] = note[HEARD]  # answered in part counts
                # A program may end with a worker still waiting.
                if note[HEARD] is None and not self.process:
                    self.unanswered += waited_for(note)
            if flying:  # copies: a reply that comes later would change them
                self.notes = [note[:] for note in self.notes if note[REPLIED] is not None]

    def drop(self) -> None:
        """Let go of what was seen: a thread that goes on after the block still knows this one."""
        self.kept, self.folds, self.places = [], {}, []
        self.workers, self.worker_numbers = [], {}
        self.path.close()

    @property
    def seconds(self) -> float:
        return (self.over or perf_counter()) - self.began if self.began else 0.0

    # What it is told

    def wrote(
        self,
        connection: Any,
        state: redis_py.State,
        sent: float,
        what: Any,
        missing: int,
        worker: scope.Worker,
        site: CallSite,
    ) -> None:
        """Note a write on a connection: `what`, bytes or a Said, and of how many replies."""
        for note in state.notes:
            if note[RECORDER] is self:  # before anybody read
                note[WHAT] = said_in(note[WHAT]) + said_in(what)
                note[MISSING] += missing
                note[SETUP] = note[SETUP] and state.connecting > 0
                return
        number = state.numbers.get(self)
        if number is None:
            number = self.number_of(connection, state)
        note = [self, sent, what, site, worker, number, state.connecting > 0, state.key,
                state.before, missing, None, None, False, None, None, 0]  # fmt: skip
        state.notes = (*state.notes, note) if state.notes else (note,)
        notes = self.notes
        notes.append(note)
        if len(notes) >= self.limit:
            fenced(self.sort_in)

    def listen(self, connection: Any, state: redis_py.State) -> None:
        """Begin to keep what comes on a connection."""
        number = state.numbers.get(self)
        if number is None:
            number = self.number_of(connection, state)
        self.streams[state.key or 0] = number, state

    def message(self, state: redis_py.State, sent: float, chunks: Any) -> None:
        """Keep the bytes of a write."""
        pieces = tuple(in_bytes([chunk]) for chunk in chunks)
        number, setup = state.numbers[self], state.connecting > 0
        self.messages.append(Message(number, state.started, sent, pieces, True, setup))

    def heard(self, key: int, data: bytes) -> None:
        """Keep the bytes that came on a connection that this one wrote on last."""
        number, state = self.streams.get(key, (0, None))
        if data and state is not None and self in state.writers:
            now = perf_counter()
            setup = state.connecting > 0
            self.messages.append(Message(number, now, now, (data,), False, setup))

    # What it keeps

    def sort_in(self) -> None:
        """Enter what has ended; what is on its way stays, and so does what was sent after it.

        If that becomes too much, what was sent after it is entered too: a BLPOP may block while
        others make thousands of round trips. Once it is closed, nothing stays.
        """
        with self.sorting:
            is_open = self.is_open  # another thread may close it meanwhile
            number = len(self.notes)  # other threads add to them meanwhile: those stand behind
            notes = sorted(self.notes[:number], key=itemgetter(SENT))
            flies = next((at for at, note in enumerate(notes) if note[REPLIED] is None), number)
            ready = max(flies, number - BATCH) if is_open else number
            ended, flying = self.ended.copy(), list[Any]()
            for note in notes[:ready]:
                waits = note[REPLIED] is None and note[MISSING] and is_open
                (flying if waits else ended).append(note)
            stay = [*flying[-MOST_FLYING:], *notes[ready:]]
            self.notes[:number], self.ended = stay, ended  # no signal is handled in between
            self.limit = len(stay) + 2 * BATCH
            while self.ended:
                try:
                    self.keep(self.ended.popleft())
                except Exception as fault:
                    self.faults.append(fault.with_traceback(None))
                except BaseException as fault:  # a Ctrl-C costs the one that it hits, which is said
                    self.faults.append(InterruptedError(type(fault).__name__))
                    raise

    def keep(self, note: list[Any]) -> None:
        setup, worker, what = note[SETUP], note[WORKER], note[WHAT]
        if note[REPLIED] is None:
            self.unanswered += waited_for(note)
            return
        note = [None, *note[1:]]  # without this recorder, which keeps it
        names = names_in(what)
        size = what.size if type(what) is Said else len(what)
        came, outcome = note[RECEIVED], outcome_of(note)
        sent, replied = note[SENT], note[REPLIED]
        note[DEPTH] = self.path.enter(worker, note[CONNECTION], sent, replied, not setup)
        # The Worker itself would keep alive those that started it.
        note[WORKER] = self.worker_numbers.get(worker.token, -1)
        if note[WORKER] < 0 and len(self.workers) < MOST_PLACES:
            self.workers.append(worker.name)
            note[WORKER] = self.worker_numbers[worker.token] = len(self.workers) - 1
        if setup:
            self.totals.setup_trips += 1
        else:
            self.totals.add(size, came, outcome)
            for name in names:
                self.commands[name] += names[name]
        if len(self.kept) >= WHOLE and not self.payloads:
            fold = self.fold(note, names)
            fold.add(size, came, outcome)
            fold.take(names, replied - sent)
            return
        if size > KEPT_UNREAD:
            note[WHAT] = said_in(what)
        self.kept.append(note)

    def fold(self, note: list[Any], names: dict[str, int]) -> SiteTotal:
        """Return the sums of a round trip's kind; past MOST_FOLDS kinds, of its call site."""
        site, setup = note[SITE], note[SETUP]
        # The sums keep their call site alive, so that no id is used twice.
        kind: Any = (id(site), tuple(names.items()), setup)
        if kind in self.folds:
            return self.folds[kind][0]
        made, key = SiteTotal(site=site, setup=setup, folded=True), None
        if len(self.folds) >= MOST_FOLDS:
            kind, made.label = (site, None, setup), "various commands"
        elif first := said_in(note[WHAT]).first:
            key = first[0].key
        return self.folds.setdefault(kind, (made, key))[0]

    def trip_of(self, note: list[Any], commands: list[Command]) -> RoundTrip:
        """Return the round trip of a note that is kept, and has been read."""
        said: Said = note[WHAT]
        return RoundTrip(
            note[SENT] - self.began, note[REPLIED] - self.began, note[SITE], commands, said.names,
            said.size, note[RECEIVED], outcome_of(note), note[FAILURE], note[SETUP],
            note[CONNECTION], note[WORKER], note[DEPTH],
        )  # fmt: skip

    def number_of(self, connection: Any, state: redis_py.State) -> int:
        with self.sorting:
            state.numbers = {one: at for one, at in state.numbers.items() if one.is_open}
            number = state.numbers[self] = self.connections
            self.connections += 1
            if number < MOST_PLACES:
                self.places.append(Place(*redis_py.described(connection)))
            if self.payloads:
                self.clients.append(connection)  # kept, so that no id is used twice
        return number


# Notes


def answer(
    state: redis_py.State, response: Any = None, failure: BaseException | None = None
) -> None:
    """Note a reply; with the last one that is missing the round trip is over."""
    now = perf_counter()
    left: tuple[Any, ...] = ()
    for note in state.notes:
        if failure is not None and note[FAILURE] is None:
            note[FAILURE] = type(failure).__name__
        if note[MISSING] > 1:
            note[MISSING] -= 1
            note[HEARD] = now
            left = (*left, note)
            continue
        end(note, state)
        whose = note[RECORDER]
        if whose.room and note[RECEIVED] <= KEPT_REPLY:
            whose.room -= 1
            note[REPLY] = response.copy() if type(response) in CHANGEABLE else response
        # From here on another thread may sort it in; MISSING 0 alone would be dropped.
        note[REPLIED] = now
        note[MISSING] = 0
    # A recorder that was opened in between may have seen fewer of the writes.
    state.notes = left


def end_all(
    state: redis_py.State,
    failure: BaseException | None = None,
    lost: bool = False,
    heard: bool = False,
) -> None:
    """Note that no more replies are waited for: all of a pipeline were read, or none will come.

    With `heard` it ended when the last reply was heard, if any was: nobody will read the rest.
    """
    now = perf_counter()
    for note in state.notes:
        if failure is not None:
            note[FAILURE], note[WAS_LOST] = type(failure).__name__, lost
        end(note, state)
        note[REPLIED] = note[HEARD] if heard else now
        note[MISSING] = 0
    state.notes = ()


def end(note: list[Any], state: redis_py.State | None = None) -> None:
    """Sum up the bytes of a note's replies, up to now, for good."""
    if note[STREAM] is not None:
        before: int = note[RECEIVED]
        now = int(sockets.received.get(note[STREAM], before))
        note[RECEIVED] = now - before
        note[STREAM] = None
        if state is not None and now > state.before:  # for a write that waits for a PING's answer
            state.before = now


def outcome_of(note: list[Any]) -> str:
    if note[FAILURE] is None:
        return ANSWERED
    return LOST if note[WAS_LOST] else ELSEWHERE if note[FAILURE] in ELSEWHERE_ERRORS else FAILED


def waited_for(note: list[Any]) -> bool:
    """Return whether a note without a reply is of commands whose replies somebody reads."""
    return not PARTING.issuperset(names_in(note[WHAT]))


def names_in(what: Said | bytes) -> dict[str, int]:
    """Return {name: times} of a write, read no further than that needs."""
    if type(what) is Said:
        return what.names
    name = NAMES.get(what.split(b"\r\n", 3)[2])  # type: ignore[union-attr]
    return said_in(what).names if name is None else {name: 1}


def said_in(what: Any) -> Said:
    """Return the Said of a write: of its bytes, or of what was read from them before."""
    if type(what) is Said:
        return what
    first: list[Seen] = []
    names: dict[str, int] = {}
    for parts in commands_in([what]):
        seen = seen_in(parts)
        names[seen.name] = names.get(seen.name, 0) + 1
        if len(first) < MOST_KEPT:
            first.append(seen)
    return Said(first, names, len(what))


def packed(commands: Sequence[Sequence[Any]], size: int) -> Said:
    """Return the Said of commands that redis-py packed into so many bytes."""
    first = [packed_seen(args) for args in commands[:FIRST_OF_PACKED]]
    return Said(first, packed_names(commands), size)
