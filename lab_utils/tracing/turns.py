"""One turn: something was written on a connection, and somebody waited for the reply.

What counts as one, with its edges:
- Writes in a row on one connection, without a read in between, are one turn: a pipeline is one however large, a transaction too.
- A try that got no answer (the connection broke, a timeout) is a turn, and lost. What redis-py sends again is another one.
- A server's error is an answer. So is MOVED or ASK: a turn, marked as sent elsewhere; the try at the right node is a second one.
- A write that fails, and one whose reply nobody waits for (UNSUBSCRIBE before closing), are none.
- A message that arrives on its own (pub/sub, an invalidation) is none, nor is listening for it; subscribing is one, which ends
  with the first confirmation.
- A blocking command (BLPOP) is one turn, as long as it blocks. A client-side cache that knows the answer makes none.
- What the client of a cluster or of a Sentinel asks in order to find its nodes (CLUSTER SLOTS, SENTINEL …) belongs to the work.
- What connecting sends (HELLO, AUTH, CLIENT SETINFO, SELECT …) are turns too, of the set-up, counted apart; a PING that redis-py
  sends to see whether an old connection still lives belongs to the work.
"""

from dataclasses import dataclass, field
from operator import itemgetter
from time import perf_counter

from .commands import MOST_KEPT, Command, command_of, name_of, read_commands
from .received import received
from .sites import NOWHERE, Site

ANSWERED, FAILED, ELSEWHERE, LOST = "answered", "error", "elsewhere", "lost"
KEPT_RAW = 4_000  # bytes of a write that wait until somebody asks what they said
ELSEWHERE_ERRORS = ("MovedError", "AskError", "TryAgainError")
RAW, STREAM, BEFORE, EXPECTED, REPLIED, REPLIES, FAILURE, WAS_LOST = 2, 7, 8, 9, 10, 11, 12, 13  # places in a Flight


@dataclass
class Turn:
    """One turn, in seconds after the trace began: handed to the system at `sent`, its last reply read at `replied`.

    `commands` are the first ones of it, `names` counts all by name. `outcome` is "answered", "error" (the server's, named in
    `error`), "elsewhere" (a cluster's node sent it on) or "lost". `setup` marks what connecting itself sends. `connection` and
    `line` (a thread or task) are numbers within the trace; `depth` is how many turns, one after the other, it took to get here.
    """

    sent: float
    replied: float
    site: Site = NOWHERE
    commands: list[Command] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    bytes_sent: int = 0
    bytes_received: int = 0
    outcome: str = ANSWERED
    error: str | None = None
    setup: bool = False
    connection: int = 0
    line: int = 0
    depth: int = 1

    @property
    def seconds(self):
        return self.replied - self.sent

    @property
    def label(self):
        """'GET user:{…}', 'pipeline of 100 SET user:{…}', 'transaction of 2 commands (SET, INCR)'."""
        return label_of(self.names, self.commands[0].pattern if self.commands else None)


def label_of(names, pattern):
    total = sum(names.values())
    if total == 1:
        return " ".join([*names, *([pattern] if pattern else [])])
    kind = "transaction" if "MULTI" in names and "EXEC" in names else "pipeline"
    inner = {name: number for name, number in names.items() if kind == "pipeline" or name not in ("MULTI", "EXEC")}
    if len(inner) == 1:
        [(name, number)] = inner.items()
        return f"{kind} of {number:,} {name}" + (f" {pattern}" if pattern else "")
    return f"{kind} of {sum(inner.values()):,} commands ({', '.join(list(inner)[:3])}{' …' if len(inner) > 3 else ''})"


class Flight(list):
    """A turn while it happens: made at the write, told of each reply, and made a Turn when somebody asks.

    All that can wait until then waits: a GET must not become much slower by being looked at. That is also why it is a list,
    which is made in a third of the time that an object with as many attributes takes.
    """

    __slots__ = ()
    recorder, sent, raw, site, line, connection, setup, stream, before, expected, replied, replies, failure, lost = (
        property(itemgetter(place)) for place in range(14))

    def add(self, raw):
        """A further write before anything was read."""
        self[RAW] += raw
        self[EXPECTED] += replies_to(raw)

    def answer(self, waits, now, failure=None):
        self[REPLIED] = now
        self[REPLIES] += 1
        if failure is not None and self[FAILURE] is None:
            self[FAILURE] = type(failure).__name__
        if self[REPLIES] >= self[EXPECTED]:
            waits.turns = ()
            self[BEFORE] = received.get(self[STREAM], 0) - self[BEFORE]
            self[STREAM] = None

    def lose(self, waits, failure):
        self[REPLIED], self[FAILURE], self[WAS_LOST] = perf_counter(), type(failure).__name__, True
        waits.turns = ()
        if self[STREAM] is not None:
            self[BEFORE] = received.get(self[STREAM], 0) - self[BEFORE]
            self[STREAM] = None

    @property
    def received(self):
        """Bytes of its replies."""
        return self.before if self.stream is None else max(0, received.get(self.stream, 0) - self.before)

    @property
    def outcome(self):
        if self.failure is None:
            return ANSWERED
        return LOST if self.lost else ELSEWHERE if self.failure in ELSEWHERE_ERRORS else FAILED

    def commands(self):
        """([Command] of the first ones, {name: times} of all)."""
        return self.raw.told if isinstance(self.raw, Said) else told_in(self.raw)


class Said:
    """What a long write said, in place of its bytes: they may hold large values, of which a trace keeps none."""

    def __init__(self, raw):
        self.size, self.told = len(raw), told_in(raw)

    def __len__(self):
        return self.size

    def __iadd__(self, raw):
        commands, names = told_in(raw)
        self.size += len(raw)
        self.told[0].extend(commands[:MOST_KEPT - len(self.told[0])])
        for name, times in names.items():
            self.told[1][name] = self.told[1].get(name, 0) + times
        return self


def told_in(raw):
    commands, names = [], {}
    for parts in read_commands(raw):
        name = name_of(parts)
        names[name] = names.get(name, 0) + 1
        if len(commands) < MOST_KEPT:
            commands.append(command_of(parts))
    return commands, names


def replies_to(raw):
    """How many replies a write asks for: one a command."""
    return sum(1 for _ in read_commands(raw)) or 1
