"""Record the round trips of a counting block: `redis_py` reports each write and each reply.

A Recorder stores the first 100,000 round trips, and of later ones only the sums. With `payloads`,
which the lab uses, it stores all of them, and the bytes of each write and read.
"""

import copy
import itertools
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from time import perf_counter
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from . import blocks, notes, redis_py, sockets
from .callsites import CallSite
from .commands import Command
from .critical_path import CriticalPath
from .notes import Note, State, Written
from .other_clients import clients_here
from .own_errors import fenced
from .resp import in_bytes
from .roundtrip import RoundTrip

WHOLE = 100_000  # round trips that are kept
BATCH = 1_000  # notes that wait to be sorted in
KEPT_UNREAD = 200  # bytes: shorter writes are parsed only when somebody asks
sent_of = attrgetter("sent")


class Message(NamedTuple):
    """Bytes that were written or read, for a Recorder with `payloads`.

    `at` and `ended` are seconds of time.perf_counter(): the begin and end of a write; for a read
    both are when the bytes came. A write goes to the system in one chunk or several. `connection`
    is the connection's number; `written` is True for a write; `setup` marks a handshake.
    """

    connection: int
    at: float
    ended: float
    chunks: tuple[bytes, ...]
    written: bool
    setup: bool

    @property
    def data(self) -> bytes:
        """The message's bytes: all chunks joined."""
        return b"".join(self.chunks)


@dataclass(frozen=True)
class Place:
    """The server of a connection, and the kind of client that uses the connection.

    `address` is such as "127.0.0.1:6379", or a socket's path; `database` is its number. `loop`
    is a number that tells event loops apart.
    """

    address: str
    cluster: bool = False
    asynchronous: bool = False
    database: int = 0
    loop: int = 0

    @property
    def wait(self) -> str:
        """'await ' for an asyncio client, else '': the word before a call in proposed code."""
        return "await " if self.asynchronous else ""


class Recorder:
    """Counts the round trips of a counting block between `open` and `close`.

    `redis_py` reports them. With `process` it counts those of the whole process; with `payloads` it
    also stores bytes.
    """

    def __init__(self, process: bool = False, payloads: bool = False) -> None:
        self.process = process
        self.payloads = payloads
        self.kept: list[Note] = []  # the first 100,000 round trips
        self.unlisted = 0  # round trips after the kept ones
        self.work_trips = 0
        self.setup_trips = 0
        self.bytes_sent = 0
        self.bytes_received = 0
        self.outcomes = Counter[str]()  # of the round trips
        self.commands = Counter[str]()
        self.path = CriticalPath()
        self.places: list[Place] = []  # whose each connection is, by the connection's number
        self.worker_numbers: WeakKeyDictionary[blocks.Worker, int] = WeakKeyDictionary()
        self.next_worker = itertools.count()
        self.connections = 0
        self.opened = 0  # how many connections were set up
        self.unanswered = 0  # writes without a reply when the block ended
        self.above: tuple[Any, ...] = ()  # the blocks in which this one was opened
        # Writes that belong to no block: {(thread or task's function, call site): number}.
        self.unattributed = Counter[tuple[str, CallSite]]()
        self.detached = False  # the block was closed in another context than it was opened in
        self.others: set[str] = set()  # names of other processes that the block started
        self.other_clients: list[str] = []  # imported when the recorder was closed
        self.unseen: set[str] = set()  # connection classes that redis_py can't look into
        self.faults: list[Exception] = []  # errors of this package's own
        self.notes: list[Note] = []  # not yet added to the totals
        self.limit = WHOLE + BATCH  # as soon as there are so many notes, they are sorted in
        self.sorting = threading.RLock()
        self.is_open = False
        self.began: float = 0.0
        self.over: float | None = None
        # With payloads: what was written and read, the connections by number, and
        # {id of a socket or stream: (number of its connection, its State)}.
        self.messages: list[Message] = []
        self.clients: list[Any] = []
        self.streams: dict[int, tuple[int, State]] = {}

    def open(self) -> None:
        """Begin to count.

        Raises RoundTripsError for an unknown version of redis-py, before anything is changed.
        """
        self.began = perf_counter()
        redis_py.open_recorder(self)
        if self.payloads:
            sockets.listeners.append(self.note_read)
        self.began = perf_counter()  # without what opening took

    def close(self) -> None:
        """Stop counting; the last Recorder to close restores redis-py.

        A second call does no harm.
        """
        if self.is_open:
            self.over = perf_counter()
            taken = blocks.blocks.get() or ()
            self.detached = not self.process and self not in taken
            self.other_clients = clients_here()
            self.unseen.update(redis_py.copies_unwatched())
        redis_py.close_recorder(self)
        if self.payloads and self.note_read in sockets.listeners:
            sockets.listeners.remove(self.note_read)
        with self.sorting:  # the notes themselves are added up when somebody asks
            flying = [note for note in self.notes if note.replied is None]
            for note in flying:
                notes.end(note)
                # A pipeline of which some replies came counts as answered.
                note.replied = note.heard
                # A program may end with a worker still waiting.
                if note.heard is None and not self.process:
                    self.unanswered += note.is_awaited
            # A reply that comes later changes the connection's notes, and not these copies.
            if flying:
                self.notes = [copy.copy(note) for note in self.notes if note.replied is not None]

    def drop(self) -> None:
        """Free the memory of the round trips: a thread may keep this object long after the end."""
        self.kept = []
        self.places = []

    @property
    def seconds(self) -> float:
        """Seconds from the counting block's begin to its end; to now while it still runs."""
        return (self.over or perf_counter()) - self.began if self.began else 0.0

    # Called by redis_py

    def note_write(
        self,
        connection: Any,
        state: State,
        sent: float,
        written: Written | bytes,
        missing: int,
        worker: blocks.Worker,
        site: CallSite,
    ) -> None:
        """Make a Note of a write on a connection, or add the write to the previous Note.

        It is added to the previous Note if that still waits for its reply: both are one round trip.
        `state` is the connection's State, `sent` is in seconds of time.perf_counter(). `written` is
        a Written, or the bytes of a short command; `missing` is how many replies are to come.
        `worker` wrote it, at the CallSite `site`.
        """
        for note in state.notes:
            # The write before has no reply yet: both are one round trip.
            if note.recorder is self:
                note.written = notes.together(notes.read(note.written), notes.read(written))
                note.missing += missing
                note.setup = note.setup and state.connecting > 0
                return
        number = state.numbers.get(self)
        if number is None:
            number = self.number_of(connection, state)
        setup = state.connecting > 0
        note = Note(
            self, sent, written, site, worker, number, setup, state.key, state.before, missing
        )
        state.notes = (*state.notes, note) if state.notes else (note,)
        waiting = self.notes
        waiting.append(note)
        if len(waiting) >= self.limit:
            fenced(self.sort_in)

    def listen(self, connection: Any, state: State) -> None:
        """Begin to store the bytes that a connection receives, in a Recorder with `payloads`.

        `state` is the connection's State.
        """
        if self not in state.numbers:
            self.number_of(connection, state)
        self.streams[state.key or 0] = state.numbers[self], state

    def message(self, state: State, sent: float, chunks: Iterable[Any]) -> None:
        """Append the bytes of a write to `messages`; for a Recorder with `payloads`.

        `state` is the connection's State; `sent`, the end of the write, is in seconds of
        time.perf_counter(); `chunks` are what redis-py passed to the socket.
        """
        pieces = tuple(in_bytes([chunk]) for chunk in chunks)
        setup = state.connecting > 0
        number = state.numbers[self]
        self.messages.append(Message(number, state.started, sent, pieces, True, setup))

    def note_read(self, key: int, data: bytes) -> None:
        """Append received bytes to `messages` if they answer a write of this counting block.

        `key` is the id of the socket or stream that received them. Used with `payloads` only.
        """
        number, state = self.streams.get(key, (0, None))
        if data and state is not None and self in state.writers:
            now = perf_counter()
            setup = state.connecting > 0
            self.messages.append(Message(number, now, now, (data,), False, setup))

    # What it keeps

    def sort_in(self) -> None:
        """Move finished Notes from `notes` into the totals, in the order of sending.

        A Note that still waits for its reply holds back the later ones, but at most 1,000 of them,
        since a BLPOP may block while others make thousands of round trips. After close() all Notes
        are moved.
        """
        with self.sorting:
            # Other threads may meanwhile close this recorder, or append notes.
            is_open = self.is_open
            number = len(self.notes)
            waiting = sorted(self.notes[:number], key=sent_of)
            ready = number
            if is_open:
                flies = (at for at, note in enumerate(waiting) if note.replied is None)
                ready = max(next(flies, number), number - BATCH)
            ended: list[Note] = []
            flying: list[Note] = []
            for note in waiting[:ready]:
                waits = note.replied is None and note.missing and is_open
                (flying if waits else ended).append(note)
            stay = [*flying, *waiting[ready:]]
            self.notes[:number] = stay
            self.limit = len(stay) + 2 * BATCH
            for note in ended:
                try:
                    self.keep(note)
                except Exception as fault:
                    self.faults.append(fault.with_traceback(None))

    def keep(self, note: Note) -> None:
        """Add a finished Note to the totals; append it to `kept` if it is among the first 100,000.

        A Note without a reply is only counted as unanswered. With `payloads` there is no limit to
        `kept`.
        """
        replied = note.replied
        worker = note.worker
        assert worker is not None
        if replied is None:
            self.unanswered += note.is_awaited
            return
        setup = note.setup
        self.path.enter(worker, note.connection, note.sent, replied, not setup)
        written = note.written
        size = written[2] if isinstance(written, tuple) else len(written)
        if setup:
            self.setup_trips += 1
        else:
            self.work_trips += 1
            self.bytes_sent += size
            self.bytes_received += note.received
            self.outcomes[note.outcome] += 1
            for name, times in notes.names_in(written).items():
                self.commands[name] += times
        if len(self.kept) >= WHOLE and not self.payloads:
            self.unlisted += 1
            return
        # Only the worker's number is kept: a Worker keeps alive the workers that started it.
        if worker not in self.worker_numbers:
            self.worker_numbers[worker] = next(self.next_worker)
        note.worker_number = self.worker_numbers[worker]
        note.recorder = None
        note.worker = None
        if size > KEPT_UNREAD:
            note.written = notes.read(written)
        self.kept.append(note)

    def trip_of(self, note: Note, written: Written, commands: list[Command]) -> RoundTrip:
        """Return the RoundTrip for a kept Note, what was written, and its Commands.

        Its times are seconds since the counting block began.
        """
        assert note.replied is not None
        _, names, size = written
        return RoundTrip(
            sent=note.sent - self.began,
            replied=note.replied - self.began,
            site=note.site,
            commands=commands,
            names=names,
            bytes_sent=size,
            bytes_received=note.received,
            outcome=note.outcome,
            error=note.failure,
            setup=note.setup,
            connection=note.connection,
            worker=note.worker_number,
        )

    def number_of(self, connection: Any, state: State) -> int:
        """Give a connection, which has none yet, the next number in this Recorder; return it.

        The number is kept in `state`, the connection's State.
        """
        with self.sorting:
            state.numbers = {one: at for one, at in state.numbers.items() if one.is_open}
            number = state.numbers[self] = self.connections
            self.connections += 1
            if number < WHOLE:
                self.places.append(Place(*redis_py.describe(connection)))
            # Kept, so that no id is used twice.
            if self.payloads:
                self.clients.append(connection)
        return number
