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

from collections import namedtuple
from dataclasses import dataclass, field
from time import perf_counter, thread_time

from .commands import MOST_KEPT, Command, command_of, name_of, read_commands
from .received import received
from .sites import NOWHERE, Site

ANSWERED, FAILED, ELSEWHERE, LOST = "answered", "error", "elsewhere", "lost"
KEPT_RAW, KEPT_REPLY = 4_000, 2_000  # bytes of a write, and of its reply, that wait until somebody asks what they said
LONGEST_S = 0.00003  # what seems to take longer, in the trace itself, had to wait for the CPU
CHANGEABLE = (list, dict, set)  # the caller gets the same one, and may change it
ELSEWHERE_ERRORS = ("MovedError", "AskError", "TryAgainError")
NOTED = ("recorder sent raw site line connection setup stream before missing replied failure lost own reply "
         "cpu_sent cpu_replied")
# Places in a note.
(RECORDER, SENT, RAW, _, _, _, SETUP, STREAM, BEFORE, MISSING, REPLIED, FAILURE, WAS_LOST, OWN, REPLY, CPU_SENT,
 CPU_REPLIED) = range(17)


@dataclass
class Turn:
    """One turn, in seconds after the trace began: handed to the system at `sent`, its last reply read at `replied`.

    `commands` are the first ones of it, `names` counts all by name. `outcome` is "answered", "error" (the server's, named in
    `error`), "elsewhere" (a cluster's node sent it on) or "lost". `setup` marks what connecting itself sends. `connection` and
    `line` (a thread or task) are numbers within the trace; `depth` is how many turns, one after the other, it took to get here.
    `own` is the seconds that noting it took, measured where others wait meanwhile, in asyncio and once there are threads, and
    where several commands had to be read. With others, `cpu_sent` and `cpu_replied` are the seconds of CPU that its thread had
    used when it was sent and when its reply was read.
    `generation` is 1, or one more than that of the turn from the same place whose reply named this one's key.
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
    own: float = 0.0
    generation: int = 1
    cpu_sent: float | None = None
    cpu_replied: float | None = None

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


# A turn while it happens is a note: a plain list of what NOTED names, made at the write and told of each reply. All that can
# wait until somebody asks waits until then, and becomes a Flight: a GET must not become much slower by being looked at.


def add(note, raw):
    """A further write before anything was read."""
    note[RAW] += raw
    note[MISSING] += replies_to(raw)


class Threads:
    """Whether threads were started, or given work, since a tap was opened: from then on each notes its own CPU."""

    several = False


class Besides:
    """Seconds that tracing took of an event loop since the last write that was noted."""

    seconds = 0.0


def beside(seconds):
    Besides.seconds += min(seconds, LONGEST_S)


def took(waits, cpu):
    """Says of a write that it was sent when the thread had used `cpu` seconds, and what the trace has taken since."""
    seconds = thread_time() - cpu + Besides.seconds
    for note in waits.notes:
        note[OWN] += seconds
        if note[CPU_SENT] is None:
            note[CPU_SENT] = cpu
    Besides.seconds = 0.0


def took_in_thread(waits, cpu):
    """The same of a thread that makes its turns itself: others do not know what the trace took of it."""
    seconds = thread_time() - cpu
    for note in waits.notes:
        note[OWN] += seconds
        if note[CPU_SENT] is None:
            note[CPU_SENT] = cpu


def took_alone(notes):
    """The same of several commands that a thread sends while there is no other: a clock of its own is not asked."""
    now = perf_counter()
    for note in notes:
        note[OWN] = now - note[SENT]


def answered_in_thread(notes, cpu):
    """A reply of theirs was read when their thread had used `cpu` seconds."""
    seconds = thread_time() - cpu
    for note in notes:
        note[CPU_REPLIED] = cpu
        note[OWN] += seconds


def answer(waits, response=None, failure=None):
    """A reply came; with the last one that is missing the turn is over."""
    now = perf_counter()
    for note in waits.notes:
        note[REPLIED] = now
        if failure is not None and note[FAILURE] is None:
            note[FAILURE] = type(failure).__name__
        if note[MISSING] > 1:
            note[MISSING] -= 1
        else:
            end(note, waits)
            if note[BEFORE] <= KEPT_REPLY:
                note[REPLY] = response.copy() if type(response) in CHANGEABLE else response


def answered_in_loop(notes, cpu, seconds):
    """A reply of theirs was read when the loop's thread had used `cpu` seconds; to note it took `seconds`."""
    for note in notes:
        note[CPU_REPLIED] = cpu
    beside(seconds)


def lose(waits, failure):
    """No reply will come any more."""
    now = perf_counter()
    for note in waits.notes:
        note[REPLIED], note[FAILURE], note[WAS_LOST] = now, type(failure).__name__, True
        end(note, waits)


def end(note, waits):
    waits.notes = ()
    before = note[BEFORE]
    note[BEFORE] = received.get(note[STREAM], before) - before  # from here on the bytes of its replies
    note[STREAM] = None


class Flight(namedtuple("Flight", NOTED)):
    """A note to be read."""

    __slots__ = ()

    @property
    def received(self):
        """Bytes of its replies."""
        return self.before if self.stream is None else max(0, received.get(self.stream, self.before) - self.before)

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
