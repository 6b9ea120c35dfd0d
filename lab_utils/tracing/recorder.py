"""The recorder: hears of every write and reply inside its block, and keeps turns.

The first 10,000 turns are kept whole; the others are added up by call site, so that a million of them take no more room.
"""

import threading
import weakref
from dataclasses import dataclass, field
from operator import itemgetter
from threading import get_ident
from time import perf_counter, thread_time

from .chains import Chains
from .lines import line_here
from .named import Named
from .sites import Finder, Site, called_from
from .tap import Listener, blocks, blocks_here
from .turns import (
    ELSEWHERE,
    FAILED,
    KEPT_RAW,
    LOST,
    RECORDER,
    REPLIED,
    SENT,
    SETUP,
    Flight,
    Said,
    Turn,
    add,
    label_of,
    replies_to,
)

WHOLE = 10_000
BATCH = 1_000  # flights that wait to be sorted in
MOST_FOLDS, MOST_PLACES = 1_000, 10_000


@dataclass(kw_only=True)
class Added:
    """Turns of one kind from one place that were added up: `turns` of them, with these `names` of commands."""

    site: Site
    label: str = ""
    turns: int = 0
    names: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    bytes_sent: int = 0
    bytes_received: int = 0
    lost: int = 0
    elsewhere: int = 0
    errors: int = 0
    setup: bool = False


@dataclass(kw_only=True)
class Fold(Added):
    """Those that are no longer kept whole; `pattern` is that of their keys."""

    pattern: str | None = None

    def add(self, flight, names):
        outcome = flight.outcome
        self.turns += 1
        for name, number in names.items():
            self.names[name] = self.names.get(name, 0) + number
        self.seconds += flight.replied - flight.sent
        self.bytes_sent += len(flight.raw)
        self.bytes_received += flight.received
        self.lost += outcome == LOST
        self.elsewhere += outcome == ELSEWHERE
        self.errors += outcome == FAILED


@dataclass(frozen=True)
class Place:
    """A connection: the address it leads to, and the seconds after which it gives up waiting (None: never)."""

    address: str
    timeout: float | None


class Recorder(Listener):
    """Open it with `with`; once it is closed, `turns`, `folds` and `chains` hold what was seen."""

    hears_replies = False

    def __init__(self):
        self.turns, self.folds, self.chains = [], {}, Chains()  # folds: {(site, what, setup): Fold}
        self.places, self.lines = [], []  # of connections and of lines, by number, as far as they are kept
        self.starters = []  # of each line the number of the one that started it, or None
        self.opener = self.cpu_began = self.own_began = self.cpu_over = None  # line that opened it, its CPU then and later
        self.cpu_started = []  # of each line the CPU that its starter's thread had used
        self.joined = []  # of each line the numbers of those that its starter had joined since it had started one before
        self.tokens = {}  # of a line -> its number
        self.loops = []  # of each line the number of the event loop that runs it, or None for a thread
        self.threads = {}  # ident of an event loop's thread -> the loop's number
        self.connections = self.lines_seen = 0
        self.opened = self.refused = 0  # connections set up, and set-ups that failed
        self.unattributed = 0  # writes of threads that were there before
        self.notes, self.limit = [], WHOLE + BATCH  # of turns that are not in the chains yet, and how many may stand so
        self.line_numbers = weakref.WeakKeyDictionary()
        self.finder, self.named = Finder(), Named()
        self.sorting = threading.RLock()
        self.began = self.over = None

    def __enter__(self):
        self.began = perf_counter()
        super().__enter__()
        self.opener = line_here()
        self.cpu_began, self.own_began = thread_time(), self.opener.own
        self.began = perf_counter()  # without what opening it took
        return self

    def close(self):
        if self.is_open:
            self.over = perf_counter()
            if self.opener is not None and self.opener.ident == get_ident():
                self.cpu_over = thread_time()
        super().close()
        self.sort_in(all_of_them=True)

    def drop(self):
        """Lets go of what was seen: a thread or task that goes on after the block still knows this recorder."""
        self.turns, self.folds, self.chains, self.places = [], {}, Chains(), []
        self.lines, self.starters, self.loops, self.cpu_started, self.joined = [], [], [], [], []
        self.tokens = {}
        self.named = Named()

    @property
    def seconds(self):
        return (self.over or perf_counter()) - self.began if self.began else 0.0

    # What is heard

    def connects(self, connection):
        self.opened += self.is_mine()

    def connected(self, connection):
        if self.is_mine() and not is_connected(connection):
            self.opened -= 1
            self.refused += 1

    def is_mine(self):
        return self in blocks.get() or self in blocks_here()

    def wrote(self, connection, started, chunks, waits):
        sent = perf_counter()
        if len(chunks) != 1 or type(raw := chunks[0]) is not bytes:
            raw = in_bytes(chunks)
        if not raw:
            return
        if self not in blocks.get() and self not in blocks_here():
            self.unattributed += self.is_open
            return
        setup, others = waits.connecting > 0, ()
        if waits.notes:
            if waits.started == started:  # another recorder's, of this same write
                others = waits.notes
            else:
                mine = next((note for note in waits.notes if note[RECORDER] is self), None)
                if mine is not None and mine[REPLIED] is None and mine[SETUP] == setup:
                    add(mine, raw)
                    return
        number = waits.numbers.get(self)
        if number is None:
            number = self.number_of(connection, waits)
        alone = raw.rfind(b"*") == 0 or b"\r\n*" not in raw  # the first says so of nearly all, and is fast
        missing = 1 if alone else replies_to(raw)
        if len(raw) > KEPT_RAW:
            raw = Said(raw)
        site = called_from.get() or self.finder.find()
        note = [self, sent, raw, site, line_here(), number, setup, waits.key, waits.before, missing, None, None, False, 0.0, None,
                None, None]
        waits.notes = (*others, note) if others else (note,)
        waits.started = started
        self.notes.append(note)
        if len(self.notes) >= self.limit:
            self.sort_in()

    # What is kept

    def sort_in(self, all_of_them=False):
        """Enters into the chains what has ended; what is still on its way stays, and so does what was sent after it.

        If that becomes too much, what was sent after it is entered too: a BLPOP may block while others make thousands of turns.
        """
        with self.sorting:
            number = len(self.notes)  # other threads add to them meanwhile: those stand behind, and stay
            notes = sorted(self.notes[:number], key=itemgetter(SENT))
            ready = len(notes) if all_of_them else max(first_that_flies(notes), len(notes) - BATCH)
            flying = []
            for note in notes[:ready]:
                if note[REPLIED] is not None:
                    flight = Flight._make(note)
                    self.keep(flight, self.chains.enter(flight))
                else:  # or nobody waits for it
                    flying.append(note)
            self.notes[:number] = [] if all_of_them else [*flying[-BATCH // 2:], *notes[ready:]]
            self.limit = 2 * BATCH

    def keep(self, flight, depth):
        if len(self.turns) < WHOLE:
            commands, names = flight.commands()
            turn = Turn(flight.sent - self.began, flight.replied - self.began, flight.site, commands, names,
                        len(flight.raw), flight.received, flight.outcome, flight.failure, flight.setup,
                        flight.connection, self.number_of_line(flight.line), depth, flight.own,
                        cpu_sent=flight.cpu_sent, cpu_replied=flight.cpu_replied)
            if not flight.setup:
                before = self.named.by(flight.raw)
                if before is not None and (before.site, before.names) == (turn.site, names):
                    turn.generation = before.generation + 1
                self.named.hears(flight.reply, turn)
            self.turns.append(turn)
        else:
            self.fold(flight)

    def number_of(self, connection, waits):
        waits.numbers = {recorder: number for recorder, number in waits.numbers.items() if recorder.is_open}
        with self.sorting:
            number = waits.numbers[self] = self.connections
            self.connections += 1
            if number < MOST_PLACES:
                self.places.append(place_of(connection))
        return number

    def number_of_line(self, line):
        if line not in self.line_numbers:
            starter = self.number_of_line(line.above[0]) if line.above else None
            self.line_numbers[line] = self.lines_seen
            self.lines_seen += 1
            if len(self.lines) < MOST_PLACES:
                self.lines.append(line.name)
                self.starters.append(starter)
                self.cpu_started.append(line.start.cpu)
                self.joined.append([self.tokens[token] for token in line.start.after if token in self.tokens])
                self.tokens[line.token] = self.line_numbers[line]
                self.loops.append(self.threads.setdefault(line.ident, len(self.threads)) if line.task else None)
        return self.line_numbers[line]

    def fold(self, flight):
        commands, names = flight.commands()
        key = flight.site, frozenset(names.items()), flight.setup
        if key not in self.folds:
            key = key if len(self.folds) < MOST_FOLDS else (flight.site, None, flight.setup)
            if key not in self.folds:
                pattern = commands[0].pattern if key[1] and commands else None
                label = label_of(names, pattern) if key[1] else "various commands"
                self.folds[key] = Fold(site=flight.site, label=label, pattern=pattern, setup=flight.setup)
        self.folds[key].add(flight, names)


def first_that_flies(notes):
    return next((place for place, note in enumerate(notes) if note[REPLIED] is None), len(notes))


def in_bytes(chunks):
    return b"".join([chunk.encode() if isinstance(chunk, str) else bytes(chunk) for chunk in chunks])


def is_connected(connection):
    """As redis-py says it; up to 5.0 the plain connections don't, and have a socket or none."""
    return connection.is_connected if hasattr(connection, "is_connected") else connection._sock is not None


def place_of(connection):
    address = f"{connection.host}:{connection.port}" if hasattr(connection, "port") else str(getattr(connection, "path", "?"))
    return Place(address, getattr(connection, "socket_timeout", None))
