"""Make a Record of what a Recorder counted: keys as patterns, and sentences on what was missed."""

from collections import Counter
from dataclasses import dataclass

from . import notes
from .callsites import CallSite, without_helpers
from .commands import Command, Seen, encode
from .keys import Patterns, general, patterns_of
from .recorder import Place, Recorder
from .roundtrip import RoundTrip, label_of
from .words import counted

MOST_NAMED = 3  # threads and tasks, each with its call site


@dataclass
class Record:
    """What was counted in a counting block.

    `log` lists its RoundTrips in the order of sending, `seconds` is how long the block took, and
    `places[number]` is the Place of the connection with that number.
    """

    log: list[RoundTrip]
    places: list[Place]
    seconds: float


@dataclass
class SiteTotal:
    """All round trips that sent the same commands from one call site, added up.

    `label` says what they sent, `names` counts their commands by name, `round_trips` is how many
    there were, `seconds` the sum of their times. `setup` marks round trips that set connections up.
    """

    site: CallSite
    label: str
    names: Counter[str]
    round_trips: int
    seconds: float
    setup: bool


def record_of(recorder: Recorder, keys: str) -> Record:
    """Return the Record of a Recorder.

    `keys` says which words of keys are shown, so that b"user:17" becomes "user:{…}": "words" that
    many keys share, every "plain" word, or "none". The module `keys` has the rules.
    """
    recorder.sort_in()
    with recorder.sorting:
        writes = [notes.read(note.written) for note in recorder.kept]
        patterns = patterns_of(
            (encode(key) for first, *_ in writes for _, key, _ in first if key), keys
        )
        log = [
            recorder.trip_of(note, written, [command_of(seen, patterns) for seen in written[0]])
            for note, written in zip(recorder.kept, writes, strict=True)
        ]
        shown = without_helpers({trip.site for trip in log})
        for trip in log:
            trip.site = shown[trip.site]
        return Record(log, list(recorder.places), recorder.seconds)


def command_of(seen: Seen, patterns: Patterns) -> Command:
    """Return the Command for a Seen, with the pattern and the number of its key.

    `patterns` is {key in bytes: (pattern, number)}. A command without a key has None for both.
    """
    name, key, detail = seen
    if not key:  # b"" of a SCAN that begins
        return Command(name, None, None if key is None else 0, detail)
    return Command(name, *patterns[encode(key)], detail)


def uncounted_in(recorder: Recorder) -> list[str]:
    """Return a list of sentences that say what a Recorder did not count."""
    recorder.sort_in()  # which may fail in part
    missed = []
    if recorder.unattributed:
        writes = counted(recorder.unattributed.total(), "write")
        most = recorder.unattributed.most_common(MOST_NAMED)
        named = "; ".join(f"{thread}: {site}" for (thread, site), _ in most)
        missed.append(
            f"{writes} by threads, tasks or greenlets that were there before the block ({named})"
        )
    if recorder.unanswered:
        writes = counted(recorder.unanswered, "write")
        left = "by threads or tasks that it had not waited for"
        missed.append(f"{writes} on the way when the block ended, {left}")
    if recorder.detached:
        missed.append(
            "the block was closed in another context than it was opened in, as in a dependency or "
            "fixture that runs in a thread; what was done between stands in neither (make that an "
            "`async def`, or open the block in the function that does the work)"
        )
    if recorder.others:
        names = ", ".join(sorted(recorder.others))
        missed.append(f"what other processes do that the block started or handed work ({names})")
    for name in recorder.other_clients:
        missed.append(f"what goes through {name}, used or not: it is imported; only redis-py is")
    for name in sorted(recorder.unseen):
        missed.append(f"what goes through {name}; only redis-py is")
    failed = [f"roundtrips failed to see a part: {text}" for text in fault_texts(recorder.faults)]
    return [*[f"not counted: {each}" for each in missed], *failed]


def fault_texts(faults: list[Exception]) -> list[str]:
    """Return texts for the three most frequent errors in `faults`, such as 'KeyError: 7 (2 times)'.

    These are errors of this package itself, not of the program.
    """
    texts = Counter(f"{type(fault).__name__}: {fault}"[:200] for fault in faults)
    return [text + (f" ({n:,} times)" if n > 1 else "") for text, n in texts.most_common(3)]


# By call site


def by_site(record: Record) -> list[SiteTotal]:
    """Return a list of SiteTotals, one for each call site and set of commands in a Record.

    Most round trips come first; round trips that set connections up come last.
    """
    groups: dict[object, list[RoundTrip]] = {}
    for trip in record.log:
        groups.setdefault((trip.site, frozenset(trip.names), trip.setup), []).append(trip)
    totals = [
        SiteTotal(
            site=several[0].site,
            label=label_of_all(several),
            names=sum((Counter(trip.names) for trip in several), Counter()),
            round_trips=len(several),
            seconds=sum(trip.seconds for trip in several),
            setup=several[0].setup,
        )
        for several in groups.values()
    ]
    return sorted(totals, key=lambda total: (total.setup, -total.round_trips))


def label_of_all(several: list[RoundTrip]) -> str:
    """Return one label for several round trips of the same commands: 'pipeline of about 100 GET …'.

    The word "about" says that they have different numbers of commands.
    """
    patterns = {each.pattern for trip in several for each in trip.commands if each.pattern}
    names = several[0].names
    label = label_of(names, general(patterns) if patterns else None)
    alike = all(trip.names == names for trip in several)
    return label if alike else label.replace(" of ", " of about ", 1)
