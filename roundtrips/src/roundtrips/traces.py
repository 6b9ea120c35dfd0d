"""A Trace: what a block of code did through redis-py, counted.

`trace` makes one; it can be read while the block still runs, and be written as JSON and read again.
`roundtrip` says what counts as a round trip, `critical_path` what a wait is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from operator import attrgetter
from typing import Any

import redis

from . import advice, config, redis_py
from .callsites import CallSite
from .commands import SEVERAL, TEXTS_AND_FIELDS, Command, Seen
from .errors import RoundTripsError
from .estimate import seconds_at
from .keys import Patterns, chosen, general, patterns_of
from .processes import UNSEEN, clients_here
from .recorder import REPLY, WHAT, Place, Recorder, SiteTotal, Totals, said_in
from .report.compare import Comparison
from .roundtrip import RoundTrip, label_of
from .walks import Evidence
from .words import counted

FORMAT = 2  # of the JSON


@dataclass
class Record:
    """All that a Trace knows. Times are seconds after the beginning; see Trace for the words."""

    totals: Totals = field(default_factory=Totals)
    commands: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    waits: int = 0
    waiting: float = 0.0
    connections: int = 0
    refused: int = 0
    unattributed: int = 0
    unanswered: int = 0
    detached: bool = False
    others: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # what else was not counted
    log: list[RoundTrip] = field(default_factory=list)
    folds: list[SiteTotal] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    workers: list[str] = field(default_factory=list)
    redis_py: str = redis.__version__


def number(name: str, doc: str) -> Any:
    """Return a property of a Trace that tells a number of what was seen up to now."""
    in_record = attrgetter(name)
    return property(lambda trace: in_record(trace._numbers), doc=doc)


class Trace:
    """What the block of a `trace()` did: its numbers, up to now while the block runs.

    `waits` is the longest chain of round trips that had to follow one another. What was not counted
    is in `uncounted`, in words. `log` holds the first 10,000 round trips whole, setting up
    included; `folds` what came after, added up; `call_sites` all of them.
    """

    def __init__(self, source: Record | Recorder, keys: str = "words") -> None:
        self._source, self._keys = source, keys

    @property
    def record(self) -> Record:
        """The Record: a new one each time while the block runs."""
        source = self._source
        if isinstance(source, Record):
            return source
        record = record_of(source, self._keys)
        if not source.is_open:  # from here on nobody needs the keys as they were
            self._source = record
            source.drop()
        return record

    # Numbers, which need nothing but the sums

    @property
    def _numbers(self) -> Record:
        source = self._source
        return source if isinstance(source, Record) else numbers_of(source)

    round_trips: int = number("totals.round_trips", "Round trips of the work.")
    setup_trips: int = number("totals.setup_trips", "Those that setting connections up took.")
    bytes_sent: int = number("totals.bytes_sent", "Bytes that the work sent.")
    bytes_received: int = number("totals.bytes_received", "Bytes of the replies to it.")
    lost: int = number("totals.lost", "Round trips without an answer.")
    elsewhere: int = number("totals.elsewhere", "Those that a cluster's node sent on to another.")
    errors: int = number("totals.errors", "Round trips that were answered by an error.")
    waits: int = number("waits", "The longest chain of those that had to follow one another.")
    waiting: float = number("waiting", "Seconds in which at least one was on its way.")
    seconds: float = number("seconds", "Seconds from the block's beginning to its end, or now.")
    connections: int = number("connections", "Connections that were set up.")
    unattributed: int = number("unattributed", "Writes of which nobody can say whose they are.")

    @property
    def commands(self) -> Counter[str]:
        """Commands of the work, by name."""
        return Counter(self._numbers.commands)

    @property
    def uncounted(self) -> list[str]:
        """What was not counted, a sentence each; [] where everything was."""
        return uncounted(self._numbers)

    # One by one

    @property
    def log(self) -> list[RoundTrip]:
        """The first 10,000 round trips, in the order in which they were sent."""
        return self.record.log

    @property
    def folds(self) -> list[SiteTotal]:
        """Those that came after, added up by call site."""
        return self.record.folds

    @property
    def call_sites(self) -> list[SiteTotal]:
        """All of them by call site, the one with the most first; those of setting up last."""
        return by_site(self.record)

    @property
    def findings(self) -> advice.Findings:
        """What to change: a list of Finding, the one that saves most first."""
        table = config.settings()
        return table.kept(advice.findings_of(self.record, table.min_loop))

    def seconds_at(self, rtt_ms: float, here_ms: float | None = None) -> float:
        """Return about how many seconds the block would take, Redis `rtt_ms` milliseconds away.

        `here_ms` is the distance at which it was traced; left out, it is taken from the fastest
        small replies. See `estimate` for the formula and what it leaves out. Raises
        RoundTripsError for anything but numbers of 0 or more.
        """
        return seconds_at(self.record, rtt_ms, here_ms)

    def compare(self, after: Trace) -> Comparison:
        """Return a Comparison with a later trace. Raises RoundTripsError for no Trace."""
        if not isinstance(after, Trace):
            raise RoundTripsError(
                f"compare takes another trace, and got a {type(after).__name__}. Pass what "
                "`with trace() as t` gave."
            )
        return Comparison(self, after)

    def report(self) -> str:
        """Return what the block did, as text: counts, call sites, what to change."""
        from .report.text import report

        return report(self)

    def _repr_html_(self) -> str:
        from .report.html import as_html

        return as_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain lists and dicts that json.dumps takes; it holds no value."""
        return {"format": FORMAT, **asdict(self.record)}

    @classmethod
    def from_dict(cls, stored: Any) -> Trace:
        """Return the Trace of what `to_dict` returned. Raises RoundTripsError for anything else."""
        try:
            if stored["format"] != FORMAT:
                raise RoundTripsError(
                    f"This trace was saved in format {stored['format']}, and this version reads "
                    f"format {FORMAT}. Run the program again to make a new one."
                )
            made = {name: value for name, value in stored.items() if name != "format"}
            made["totals"] = Totals(**stored["totals"])
            made["log"] = [RoundTrip(**revived(each)) for each in stored["log"]]
            made["folds"] = [SiteTotal(**revived(each)) for each in stored["folds"]]
            made["places"] = [Place(**each) for each in stored["places"]]
            return cls(Record(**made))
        except (KeyError, TypeError, ValueError) as error:
            raise RoundTripsError(
                f"This is not a saved trace ({type(error).__name__}: {error}). Pass what to_dict "
                "returned."
            ) from None

    def __repr__(self) -> str:
        numbers = [
            counted(self.round_trips, "round trip"),
            counted(self.waits, "wait"),
            counted(sum(self.commands.values()), "command"),
        ]
        return "\n".join(["   ".join(numbers), *self.uncounted])


class Tracing:
    """What `trace()` returns: open it with `with` or `async with`, and it is the Trace."""

    trace: Trace
    recorder: Recorder | None = None

    def __init__(self, scope: str = "block", keys: str | None = None) -> None:
        self.scope, self.keys = scope, chosen(keys)
        if scope not in ("block", "process"):
            raise RoundTripsError(f"scope is {scope!r}. Choose 'block' or 'process'.")

    def __enter__(self) -> Trace:
        if self.recorder is not None and self.recorder.is_open:
            raise RoundTripsError(
                "This block is open already, here or in another thread. Make one for each use: "
                "`with trace()`, `with budget(max=3)`."
            )
        recorder = self.recorder = Recorder(process=self.scope == "process")
        self.trace = Trace(recorder, self.keys)
        try:
            recorder.open()
        except BaseException as fault:
            recorder.close()
            if isinstance(fault, RoundTripsError) or not isinstance(fault, Exception):
                raise
            recorder.faults.append(fault)  # our own: the program goes on, and the trace says it
        return self.trace

    def __exit__(self, *failure: Any) -> None:
        assert self.recorder is not None
        try:
            self.recorder.close()
        except Exception as fault:
            self.recorder.faults.append(fault)
        except BaseException:
            self.recorder.close()
            raise

    async def __aenter__(self) -> Trace:
        return self.__enter__()

    async def __aexit__(self, *failure: Any) -> None:
        __tracebackhide__ = True  # pytest shows the caller's line
        self.__exit__(*failure)


def trace(scope: str = "block", keys: str | None = None) -> Tracing:
    """Count what the block does through redis-py: `with trace() as t:`, or `async with`.

    All that the code in the block does is seen, without changing it: any client, sync or asyncio,
    of one server or a cluster, made before or inside; and what the threads, tasks and executors do
    that it starts or hands work. `t` is a Trace. Blocks may lie in one another, and side by side in
    threads and tasks: each sees its own part. With `scope="process"` it counts whatever the process
    does. `keys` says which words of keys are shown: "words" that many keys share, "plain" words,
    or "none" (see the module `keys`). Outside such a block redis-py is what it always was.

    Raises RoundTripsError for other arguments, and before anything is changed where redis-py is of
    a version that it does not know.
    """
    return Tracing(scope, keys)


def uncounted(record: Record) -> list[str]:
    missed = list(record.missing)
    if record.unattributed:
        writes = counted(record.unattributed, "write")
        missed.append(f"{writes} by threads, tasks or greenlets that were there before the block")
    if record.unanswered:
        writes = counted(record.unanswered, "write")
        left = "by threads or tasks that it had not waited for"
        missed.append(f"{writes} on the way when the block ended, {left}")
    if record.detached:
        missed.append(
            "the block was closed in another context than it was opened in, as in a dependency or "
            "fixture that runs in a thread; what was done between stands in neither (make that an "
            "`async def`, or open the block in the function that does the work)"
        )
    if record.others:
        names = ", ".join(sorted(record.others))
        missed.append(f"what other processes do that the block started or handed work ({names})")
    for name in record.unseen:
        used = ", used or not: it is imported" if name in UNSEEN.values() else ""
        missed.append(f"what goes through {name}{used}; only redis-py is")
    failed = [f"roundtrips failed to see a part: {fault}" for fault in record.faults]
    return [*[f"not counted: {each}" for each in missed], *failed]


# A Record of what a Recorder keeps


def numbers_of(recorder: Recorder) -> Record:
    """Return a Record of all but the round trips, which takes no time to make."""
    again = [] if redis_py.is_the_same() else ["redis.connection, which was loaded a second time"]
    recorder.sort_in()  # which may find a fault
    with recorder.sorting:
        faults = Counter(f"{type(fault).__name__}: {fault}"[:200] for fault in recorder.faults)
        said = [name + (f" ({n:,} times)" if n > 1 else "") for name, n in faults.most_common(3)]
        return Record(
            totals=replace(recorder.totals),
            commands=dict(recorder.commands),
            seconds=recorder.seconds,
            waits=recorder.path.waits,
            waiting=recorder.path.waiting,
            connections=recorder.opened,
            refused=recorder.refused,
            unattributed=recorder.unattributed,
            unanswered=recorder.unanswered,
            detached=recorder.detached,
            others=sorted(recorder.others),
            unseen=[*clients_here(), *again, *sorted(recorder.unseen)],
            faults=said,
        )


def record_of(recorder: Recorder, keys: str) -> Record:
    """Return the Record of what a recorder has seen, with its keys as patterns."""
    with recorder.sorting:
        numbers = numbers_of(recorder)
        folds = recorder.folds.values()
        for note in recorder.kept:
            note[WHAT] = said_in(note[WHAT])
        in_log = [seen.key for note in recorder.kept for seen in note[WHAT].first]
        patterns = patterns_of(filter(None, [*in_log, *[key for _, key in folds]]), keys)
        return replace(
            numbers,
            log=log_of(recorder, patterns),
            folds=[folded(fold, patterns[key][0] if key else None) for fold, key in folds],
            places=list(recorder.places),
            workers=list(recorder.workers),
        )


def log_of(recorder: Recorder, patterns: Patterns) -> list[RoundTrip]:
    log: list[RoundTrip] = []
    evidence, details = Evidence(), dict[float, float]()
    for note in recorder.kept:
        first: list[Seen] = note[WHAT].first
        made = recorder.trip_of(note, [command_of(seen, patterns, details) for seen in first])
        if not made.setup:
            alone = len(first) == 1 and sum(made.names.values()) == 1
            evidence.add(log, made, first[0] if alone else None, note[REPLY])
        log.append(made)
    return log


def command_of(seen: Seen, patterns: Patterns, details: dict[float, float]) -> Command:
    """Return the Command; `details` numbers texts and fields, so that none can be worked out."""
    detail = seen.detail
    if detail is not None and detail != SEVERAL and seen.name in TEXTS_AND_FIELDS:
        detail = details.setdefault(detail, float(len(details) + 1))
    if not seen.key:  # b"" of a SCAN that begins
        return Command(seen.name, None, None if seen.key is None else 0, detail)
    return Command(seen.name, *patterns[seen.key], detail)


def folded(fold: SiteTotal, pattern: str | None) -> SiteTotal:
    label = fold.label or label_of(each_of(fold), pattern)
    return replace(fold, names=dict(fold.names), label=label, pattern=pattern)


def revived(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a round trip, or of several, as they were before they became JSON."""
    made = {**stored, "site": CallSite(**stored["site"])}
    if "commands" in stored:
        made["commands"] = [Command(**each) for each in stored["commands"]]
    return made


# By call site


def by_site(record: Record) -> list[SiteTotal]:
    groups: dict[Any, list[RoundTrip | SiteTotal]] = {}
    everything: list[RoundTrip | SiteTotal] = [*record.log, *record.folds]
    for each in everything:
        groups.setdefault((each.site, frozenset(each.names), each.setup), []).append(each)
    found = []
    for (site, _, setup), several in groups.items():
        total = SiteTotal(site=site, setup=setup, label=label_of_all(several))
        for each in several:
            total.take(each.names, each.seconds)
            if isinstance(each, RoundTrip):
                total.add(each.bytes_sent, each.bytes_received, each.outcome)
            else:
                total.include(each)
        found.append(total)
    return sorted(found, key=lambda total: (total.setup, -total.round_trips))


def each_of(several: SiteTotal | RoundTrip) -> dict[str, int]:
    """Return {name: times} of one of several alike."""
    number = 1 if isinstance(several, RoundTrip) else several.round_trips
    return {name: max(1, times // number) for name, times in several.names.items()}


def label_of_all(several: list[RoundTrip | SiteTotal]) -> str:
    """Return the label of round trips that hold the same names, if in other numbers."""
    # One that is folded has the pattern itself.
    have = [one for each in several for one in getattr(each, "commands", [each])]
    patterns = {one.pattern for one in have if one.pattern}
    first = several[0]
    label = label_of(each_of(first), general(patterns) if patterns else None)
    alike = all(each.names == first.names for each in several if isinstance(each, RoundTrip))
    return label if alike else label.replace(" of ", " of about ", 1)
