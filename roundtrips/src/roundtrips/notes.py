"""Keep a Note for each write on a connection; it is completed as its replies are read.

Tracing must not make a GET much slower, so a Note is cheap to make. RoundTrips are made from Notes,
and the bytes of short commands are parsed, only when somebody asks for the round trips.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from . import sockets
from .blocks import Block, Worker
from .callsites import CallSite
from .commands import MOST_KEPT, NAMES, PLAIN, Seen, packed_names, packed_parts, seen_in
from .resp import commands_in
from .roundtrip import ANSWERED, ELSEWHERE, ELSEWHERE_ERRORS, FAILED, LOST

FIRST_OF_PACKED = 3  # of a pipeline's commands only so many are kept with their keys
# Nobody waits for the replies to these.
PARTING = frozenset({"UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE", "QUIT"})


# The content of a write: its first commands, at most eight; {command name: how often} of all its
# commands; its size in bytes. A plain tuple for the same reason as Seen.
Written = tuple[tuple[Seen, ...], dict[str, int], int]


def together(one: Written, other: Written) -> Written:
    """Return the Written of two writes together."""
    (first, names, size), (more, names_too, size_too) = one, other
    both = Counter(names) + Counter(names_too)
    return (first + more)[:MOST_KEPT], dict(both), size + size_too


@dataclass(slots=True, eq=False)
class Note:
    """One write on a connection, as one Recorder saw it, and its replies so far.

    `sent` is when the system had taken the bytes. `written` is a Written, or the bytes of a short
    command. `missing` is the number of replies that have not come yet. `heard` is when the latest
    of several replies came, `replied` when the last one came; all times are seconds of
    time.perf_counter(). `stream` is the id of the socket. `received` is a number of bytes: those of
    the replies once the Note has ended, and until then all that the socket had received before the
    write.
    """

    recorder: Block | None  # None once the note is kept
    sent: float
    written: Written | bytes
    site: CallSite
    worker: Worker | None  # None once the note is kept: then worker_number
    connection: int
    setup: bool
    stream: int | None
    received: int
    missing: int
    replied: float | None = None
    heard: float | None = None
    failure: str | None = None  # the name of the error, of the server or the connection
    was_lost: bool = False  # no answer came
    worker_number: int = -1

    @property
    def outcome(self) -> str:
        """How the round trip ended: "answered", "error", "elsewhere" or "lost", as in RoundTrip."""
        if self.failure is None:
            return ANSWERED
        if self.was_lost:
            return LOST
        return ELSEWHERE if self.failure in ELSEWHERE_ERRORS else FAILED

    @property
    def is_awaited(self) -> bool:
        """Whether somebody will read the replies.

        False for UNSUBSCRIBE and QUIT, for instance, which are sent before a connection is closed.
        """
        return not PARTING.issuperset(names_in(self.written))


class State:
    """This package's data about one connection, stored as an attribute of redis-py's connection."""

    __slots__ = (
        "batch", "before", "connecting", "key", "notes", "numbers", "packed", "plain_read",
        "reads", "started", "stream", "thread", "told", "writers", "writes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.notes: tuple[
            Note, ...
        ] = ()  # of the last write, one for each recorder; () once all replies came
        self.started = 0.0  # when that write began
        self.stream: Any = None  # the socket or StreamReader whose bytes are counted
        self.key: int | None = None  # its id
        self.before = 0  # bytes it had received before the last write
        self.thread = 0  # the one that wrote last
        self.writers: tuple[Block, ...] = ()  # the recorders that noted the last write
        self.connecting = 0  # more than 0 during the handshake
        self.numbers: dict[Any, int] = {}  # the connection's number at each recorder
        self.packed: tuple[Any, Any] | None = None  # commands, and what redis-py packed them into
        self.batch = (
            False  # whether a pipeline is being executed: its end tells that all replies came
        )
        self.writes = 0  # how many were reported
        self.reads = 0
        self.told = 0  # the id of the chunks that the running write has reported
        self.plain_read: Any = None  # redis-py's own method, while the connection has it back


def answer(state: State, failure: BaseException | None = None) -> None:
    """Store in a connection's Notes that one reply came; a Note without missing replies ends.

    `failure` is the error, if the reply is one.
    """
    now = perf_counter()
    left: tuple[Note, ...] = ()
    for note in state.notes:
        if failure is not None and note.failure is None:
            note.failure = type(failure).__name__
        if note.missing > 1:
            note.missing -= 1
            note.heard = now
            left = (*left, note)
            continue
        end(note, state)
        # `replied` first: another thread that adds notes up drops one with 0 missing and no end.
        note.replied = now
        note.missing = 0
    # A recorder opened between two writes waits for fewer replies than the earlier ones.
    state.notes = left


def end_all(
    state: State,
    failure: BaseException | None = None,
    lost: bool = False,
    heard: bool = False,
) -> None:
    """End all open Notes of a connection: all replies were read, or no more will come.

    `failure` is the error, `lost` says that no answer came. With `heard` the end is the time of the
    latest reply, since nobody will read the others.
    """
    now = perf_counter()
    for note in state.notes:
        if failure is not None:
            note.failure = type(failure).__name__
            note.was_lost = lost
        end(note, state)
        note.replied = note.heard if heard else now
        note.missing = 0
    state.notes = ()


def end(note: Note, state: State | None = None) -> None:
    """Set a Note's `received` to the number of bytes that its socket received since the write.

    If `state`, the connection's State, is given, its `before` is set to the socket's present count,
    from which the next write's bytes are counted.
    """
    if note.stream is None:
        return
    before = note.received
    now = sockets.received.get(note.stream, before)
    note.received = now - before
    note.stream = None
    # A write may have begun before the PING on its connection was answered: those bytes are not
    # its own.
    if state is not None and now > state.before:
        state.before = now


def names_in(written: Written | bytes) -> dict[str, int]:
    """Return {command name: how often} of a write, parsing only as many bytes as needed.

    `written` is a Written, or the bytes of a short command.
    """
    if isinstance(written, tuple):
        return written[1]
    name = NAMES.get(written.split(b"\r\n", 3)[2])
    return read(written)[1] if name is None else {name: 1}


def read(written: Written | bytes) -> Written:
    """Return the Written of a write; bytes, of a short command, are parsed."""
    if isinstance(written, tuple):
        return written
    seen = [seen_in(parts) for parts in commands_in([written])]
    return tuple(seen[:MOST_KEPT]), dict(Counter(name for name, *_ in seen)), len(written)


def read_packed(commands: Sequence[Sequence[Any]], size: int) -> Written:
    """Return the Written for commands that redis-py has packed into `size` bytes.

    `commands` are lists of name and arguments, of the types that redis-py takes.
    """
    first = tuple(
        [
            (PLAIN[args[0]], args[1], None)  # of GET and its like, and fast
            if args[0] in PLAIN and len(args) > 1 and type(args[1]) in (str, bytes)
            else seen_in(packed_parts(args[:2] if args[0] in PLAIN else args))
            for args in commands[:FIRST_OF_PACKED]
        ]
    )
    return first, packed_names(commands), size
