"""A Trace: what a block of code did through redis-py, counted.

`lab.trace` makes one; it can be read while the block still runs, and be written as JSON and read again. `turns.py` says what
counts as a turn, `chains.py` what a wait is.
"""

import sys
from collections import Counter
from dataclasses import asdict, dataclass, field

import redis

from .. import setting
from ..arguments import check_title, shown
from ..errors import LabError
from ..flights import HANDSHAKE, REDIRECTED, REQUEST, UNANSWERED, Flight, Run
from ..words import counted, plain_duration
from .advice import findings_of
from .commands import HOLE, SEPARATORS, Command
from .comparing import Comparison
from .recorder import Added, Fold, Place, Recorder
from .replay import seconds_at
from .report import as_html, report
from .sites import Site
from .turns import ELSEWHERE, FAILED, LOST, Turn, label_of

UNSEEN = {"valkey": "valkey-py", "glide": "valkey-glide", "coredis": "coredis"}  # of which nothing is counted
FORMAT = 1  # of the JSON
TRACED = "what the block did"
MOST_KINDS = 3  # of key that one call site is said to name


@dataclass
class Opener:
    """The thread that opened the block: its number, its CPU then and at the end, and what of it the trace took besides turns."""

    line: int
    cpu_began: float
    cpu_over: float
    own: float


@dataclass
class Record:
    """What was seen: all that a Trace knows. Times are seconds after the beginning."""

    turns: list[Turn] = field(default_factory=list)  # the first 10,000, in the order in which they were sent
    folds: list[Fold] = field(default_factory=list)  # the others, added up
    places: list[Place] = field(default_factory=list)  # connections by number
    lines: list[str] = field(default_factory=list)  # names of threads and tasks by number
    starters: list[int | None] = field(default_factory=list)  # of each the number of the one that started it
    loops: list[int | None] = field(default_factory=list)  # of each the number of the event loop that runs it, if it is a task
    cpu_started: list[float | None] = field(default_factory=list)  # of a thread: the CPU that its starter's had used
    joined: list[list[int]] = field(default_factory=list)  # of a thread: those that its starter had joined since its last start
    opener: Opener | None = None  # the thread that opened the block
    seconds: float = 0.0
    waits: int = 0
    waiting: float = 0.0
    connections: int = 0
    refused: int = 0
    unattributed: int = 0
    unseen: list[str] = field(default_factory=list)  # other clients of Redis that the program has imported
    redis_py: str = redis.__version__


@dataclass(kw_only=True)
class CallSite(Added):
    """All turns of one kind that came from one place, in the work or, if `setup`, in setting connections up."""

    def add(self, other):
        """Adds a Turn's or a Fold's numbers."""
        single = isinstance(other, Turn)
        self.turns += 1 if single else other.turns
        self.names.update(other.names)
        self.seconds += other.seconds
        self.bytes_sent += other.bytes_sent
        self.bytes_received += other.bytes_received
        self.lost += other.outcome == LOST if single else other.lost
        self.elsewhere += other.outcome == ELSEWHERE if single else other.elsewhere
        self.errors += other.outcome == FAILED if single else other.errors


class Trace:
    """What the block of a `lab.trace` did.

    `round_trips` and `waits` (turns that had to follow one another), `commands` by name, `bytes_sent` and `bytes_received`,
    `seconds` from beginning to end and `waiting` for a reply among them, `lost` (turns without an answer), `elsewhere` (turns
    that a cluster's node sent on), `errors` (turns answered by an error). All these are the work; `connections` were set up
    besides, at `setup_trips` round trips. `unattributed` writes came from threads that were there before the block: redis-py
    can't say whose they are, so they are in no other number.

    `turns` holds the first 10,000 turns whole, setting up included; `folds` what came after, added up; `call_sites` all of them
    by place.
    """

    def __init__(self, source):
        self._source = source  # a Record, or the Recorder while the block runs

    @property
    def record(self):
        return self._source if isinstance(self._source, Record) else record_of(self._source)

    # Numbers

    @property
    def round_trips(self):
        return sum(site.turns for site in self.call_sites if not site.setup)

    @property
    def setup_trips(self):
        return sum(site.turns for site in self.call_sites if site.setup)

    @property
    def commands(self):
        return sum((site.names for site in self.call_sites if not site.setup), Counter())

    @property
    def bytes_sent(self):
        return sum(site.bytes_sent for site in self.call_sites if not site.setup)

    @property
    def bytes_received(self):
        return sum(site.bytes_received for site in self.call_sites if not site.setup)

    @property
    def lost(self):
        return sum(site.lost for site in self.call_sites if not site.setup)

    @property
    def elsewhere(self):
        return sum(site.elsewhere for site in self.call_sites if not site.setup)

    @property
    def errors(self):
        return sum(site.errors for site in self.call_sites if not site.setup)

    @property
    def waits(self):
        return self.record.waits

    @property
    def waiting(self):
        return self.record.waiting

    @property
    def seconds(self):
        return self.record.seconds

    @property
    def connections(self):
        return self.record.connections

    @property
    def unattributed(self):
        return self.record.unattributed

    @property
    def turns(self):
        return self.record.turns

    @property
    def folds(self):
        return self.record.folds

    @property
    def call_sites(self):
        """[CallSite], the one with the most turns first; those of setting up last."""
        return call_sites(self.record)

    def seconds_at(self, rtt_ms, here_ms=None):
        """The seconds that the block would take with Redis `rtt_ms` milliseconds of round trip away: see `replay.py`.

        `here_ms` is the distance at which it was traced; left out, it is taken from the shorter turns of few commands. So give
        it where all turns are long pipelines and Redis is on another machine: how long those took says nothing of a distance.
        Threads that a semaphore or a small pool of connections lets through few at a time are foreseen as if it did not.

        Of asyncio tasks, and of threads, the first call in a process takes about half a second more: it measures what a trace
        costs them (see `overhead.py`). Raises LabError for anything but numbers of 0 or more.
        """
        return seconds_at(self.record, rtt_ms, here_ms)

    @property
    def findings(self):
        """What to change: a list of Finding, the one that saves most first; what is only worth a look comes last."""
        return findings_of(self.record)

    def compare(self, after):
        """This trace beside another one, `before.compare(after)`: a Comparison. Raises LabError for anything but a Trace."""
        if not isinstance(after, Trace):
            raise LabError(f"compare takes another trace, and got {shown(after)}. Pass what `with lab.trace() as t` gave.")
        return Comparison(self, after)

    def plot(self, title=None):
        """Draws the turns as lanes, a lane for each connection, on one axis of time: those that were kept whole.

        Prints one line in words and returns the Figure. Raises LabError where there is no turn.
        """
        check_title(title, "plot")
        if not self.turns:
            raise LabError("Nothing was sent to Redis in this block, so there is nothing to draw. Let it use a client.")
        if not setting.is_drawn():
            return None
        from ..figures.lanes import draw_lanes

        return draw_lanes({TRACED: run_of(self.record)}, title or self._title())

    def _title(self):
        share = min(1, self.waiting / self.seconds)
        return f"{counted(self.round_trips, 'round trip')} in {plain_duration(self.seconds)}, {share:.0%} of it waiting"

    def report(self):
        """What the block did, as text: counts, times at three distances, call sites, turns in order, what to change."""
        return report(self)

    def _repr_html_(self):
        return as_html(self)

    # As JSON

    def to_dict(self):
        """All of it as plain lists and dicts that json.dumps takes: names, patterns of keys, places, numbers; no value."""
        record = asdict(self.record)
        keys = {}
        for turn in record["turns"]:
            for command in turn["commands"]:
                if command["key"] is not None:
                    command["key"] = keys.setdefault(command["key"], len(keys))
        return {"format": FORMAT, **record}

    @classmethod
    def from_dict(cls, stored):
        """The Trace of what `to_dict` returned. Raises LabError for anything else."""
        try:
            if stored["format"] != FORMAT:
                raise LabError(f"This trace was saved in format {stored['format']}, and this version reads format {FORMAT}. "
                               "Run the program again to make a new one.")
            fields = {name: value for name, value in stored.items() if name != "format"}
            fields["turns"] = [turn_from(each) for each in stored["turns"]]
            fields["folds"] = [Fold(**{**each, "site": Site(**each["site"])})
                               for each in stored["folds"]]
            fields["opener"] = fields.get("opener") and Opener(**fields["opener"])
            fields["places"] = [Place(**each) for each in stored["places"]]
            return cls(Record(**fields))
        except (KeyError, TypeError, ValueError) as error:
            raise LabError(f"This is not a saved trace ({type(error).__name__}: {error}). Pass what to_dict returned.") from None

    def __repr__(self):
        return (f"{counted(self.round_trips, 'round trip')}   {counted(self.waits, 'wait')}   "
                f"{counted(sum(self.commands.values()), 'command')}")


class Tracing:
    """What `lab.trace()` returns: open it with `with` or `async with`, and it is the Trace."""

    def __enter__(self):
        self.recorder = Recorder()
        self.trace = Trace(self.recorder)
        try:
            self.recorder.__enter__()
        except BaseException:  # a Ctrl-C in the midst of it
            self.recorder.close()
            raise
        return self.trace

    def __exit__(self, *failure):
        self.recorder.__exit__(*failure)
        if self.trace._source is self.recorder:  # else this has been done
            self.trace._source = record_of(self.recorder)
            self.recorder.drop()

    async def __aenter__(self):
        return self.__enter__()

    async def __aexit__(self, *failure):
        self.__exit__(*failure)


def trace():
    """Counts what the block does through redis-py: `with lab.trace() as t:`, or `async with` in a coroutine.

    All that the code in the block does is seen, without changing it: any client, sync or asyncio, of one server or a cluster,
    made before or inside; and what the threads and tasks do that are started inside. `t` is a Trace. Blocks may lie in one
    another, and side by side in threads and tasks: each sees its own part. Outside such a block redis-py is what it always was.

    Raises LabError, before anything is changed, where redis-py is of a version that it does not know.
    """
    return Tracing()


def record_of(recorder):
    if recorder.is_open:
        recorder.sort_in()
    with recorder.sorting:
        return Record(
            list(recorder.turns), list(recorder.folds.values()), list(recorder.places), list(recorder.lines),
            list(recorder.starters), list(recorder.loops), list(recorder.cpu_started), list(recorder.joined),
            opener_of(recorder), recorder.seconds, recorder.chains.waits, recorder.chains.waiting, recorder.opened,
            recorder.refused, recorder.unattributed,
            [name for module, name in UNSEEN.items() if module in sys.modules],
        )


def opener_of(recorder):
    if recorder.opener is None or recorder.cpu_over is None or recorder.opener not in recorder.line_numbers:
        return None
    number = recorder.line_numbers[recorder.opener]
    return Opener(number, recorder.cpu_began, recorder.cpu_over, recorder.opener.own - recorder.own_began)


def turn_from(stored):
    return Turn(**{**stored, "site": Site(**stored["site"]),
                   "commands": [Command(**command) for command in stored["commands"]]})


# As lanes


def run_of(record):
    """The Run that figures draw."""
    flights = [Flight(turn.connection, turn.sent, turn.replied, kind_of(turn), Counter(turn.names)) for turn in record.turns]
    addresses = list(dict.fromkeys(place.address for place in record.places))
    nodes = {number: addresses.index(place.address) for number, place in enumerate(record.places)}
    nodes = nodes if len(addresses) > 1 else {}
    return Run(flights, max(record.seconds, flights[-1].end), [], nodes, None)


def kind_of(turn):
    if turn.outcome == LOST:
        return UNANSWERED
    return HANDSHAKE if turn.setup else REDIRECTED if turn.outcome == ELSEWHERE else REQUEST


# By place


def call_sites(record):
    groups = {}
    for each in (*record.turns, *record.folds):
        groups.setdefault((each.site, frozenset(each.names), each.setup), []).append(each)
    found = []
    for (site, _, setup), several in groups.items():
        call_site = CallSite(site=site, names=Counter(), setup=setup)
        for each in several:
            call_site.add(each)
        call_site.label = label_of_all(several)
        found.append(call_site)
    return sorted(found, key=lambda call_site: (call_site.setup, -call_site.turns))


def label_of_all(turns):
    """The label of turns that hold the same names, if in other numbers."""
    pattern, first = pattern_of_all(turns), turns[0]
    number = 1 if isinstance(first, Turn) else first.turns
    each = {name: max(1, times // number) for name, times in first.names.items()}
    alike = all(turn.names == first.names for turn in turns if isinstance(turn, Turn))
    label = label_of(each, pattern)
    return label if alike else label.replace(" of ", " of about ", 1)


def pattern_of_all(turns):
    """One pattern for the keys that one place named: what differs between them is a hole. None where there is no key."""
    patterns = {command.pattern for turn in turns if isinstance(turn, Turn) for command in turn.commands}
    patterns |= {fold.pattern for fold in turns if isinstance(fold, Fold)}
    patterns.discard(None)
    return general(patterns) if patterns else None


def general(patterns):
    """'user:{…}:name' of 'user:ann:name' and 'user:bob:name'; 'cart:{…} or user:{…}' of a few kinds of key."""
    kinds = {}
    for pattern in patterns:
        parts = SEPARATORS.split(pattern)
        kinds.setdefault((parts[0] if len(parts) > 1 else None, len(parts)), []).append(parts)
    if len(kinds) > MOST_KINDS:
        return HOLE
    return " or ".join(sorted(one_kind(several) for several in kinds.values()))


def one_kind(several):
    """One pattern of several that were split into as many parts."""
    columns = [set(column) for column in zip(*several, strict=True)]
    return "".join(column.pop() if len(column) == 1 else HOLE for column in columns)
