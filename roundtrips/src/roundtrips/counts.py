"""Compute the numbers of a trace, its round trips and its call sites, also while it still runs."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from . import advice, config
from .critical_path import WAIT
from .estimate import seconds_at
from .record import Record, SiteTotal, by_site, record_of, uncounted_in
from .recorder import Recorder
from .roundtrip import ELSEWHERE, FAILED, LOST, RoundTrip
from .words import counted


def number(read: Callable[[Recorder], Any], doc: str) -> Any:
    """Return a property whose value is read(recorder), with `doc` as its docstring.

    Before reading, finished round trips are added to the Recorder's totals.
    """
    return property(lambda counts: read(counts._sorted), doc=doc)


class Counts:
    """The numbers of a counting block. The subclass `traces.Trace` adds how they are shown.

    `recorder` is the Recorder of the counting block; `keys` is "words", "plain" or "none": which
    words of keys are shown, see the module `keys`.
    """

    def __init__(self, recorder: Recorder, keys: str = "words") -> None:
        self._recorder = recorder
        self._keys = keys
        self._record: Record | None = None  # once the block is over

    @property
    def record(self) -> Record:
        """The Record of the counting block; while that still runs, a new one each time."""
        if self._record is not None:
            return self._record
        record = record_of(self._recorder, self._keys)
        if not self._recorder.is_open:
            self._record = record
            self._recorder.drop()  # from here on nobody needs the keys as they were
        return record

    # Numbers: these are known without a look at single round trips

    @property
    def _sorted(self) -> Recorder:
        self._recorder.sort_in()
        return self._recorder

    round_trips: int = number(lambda seen: seen.work_trips, "Round trips of the work.")
    setup_trips: int = number(
        lambda seen: seen.setup_trips, "Those that setting connections up took."
    )
    bytes_sent: int = number(lambda seen: seen.bytes_sent, "Bytes that the work sent.")
    bytes_received: int = number(lambda seen: seen.bytes_received, "Bytes of the replies to it.")
    lost: int = number(lambda seen: seen.outcomes[LOST], "Round trips without an answer.")
    elsewhere: int = number(
        lambda seen: seen.outcomes[ELSEWHERE], "Those that a cluster's node sent on to another."
    )
    errors: int = number(
        lambda seen: seen.outcomes[FAILED], "Round trips that were answered by an error."
    )
    waits: int = number(
        lambda seen: seen.path.longest // WAIT,
        "The longest chain of those that had to follow one another.",
    )
    waiting: float = number(
        lambda seen: seen.path.waiting, "Seconds in which at least one was on its way."
    )
    seconds: float = number(
        lambda seen: seen.seconds, "Seconds from the block's beginning to its end, or now."
    )
    connections: int = number(lambda seen: seen.opened, "Connections that were set up.")
    unattributed: int = number(
        lambda seen: seen.unattributed.total(), "Writes of which nobody can say whose they are."
    )
    unlisted: int = number(
        lambda seen: seen.unlisted,
        "Round trips after the first 100,000: not in `log`, `call_sites` and `findings`.",
    )

    @property
    def commands(self) -> Counter[str]:
        """How often each command was sent, a Counter by name; commands of set-up are left out."""
        recorder = self._sorted
        with recorder.sorting:
            return Counter(recorder.commands)

    @property
    def uncounted(self) -> list[str]:
        """A list of sentences on what was not counted; [] if everything was counted."""
        return uncounted_in(self._recorder)

    # The first 100,000 round trips one by one

    @property
    def log(self) -> list[RoundTrip]:
        """The list of the first 100,000 round trips, as RoundTrips, in the order of sending."""
        return self.record.log

    @property
    def call_sites(self) -> list[SiteTotal]:
        """A list of SiteTotals, one for each call site in `log`: most round trips first.

        Those of setting connections up come last.
        """
        return by_site(self.record)

    @property
    def findings(self) -> advice.Findings:
        """The Findings: hints at what to change, the largest saving first."""
        return advice.findings_of(self.record, config.settings())

    def seconds_at(self, rtt_ms: float) -> float:
        """Return the estimated seconds of the block if Redis were `rtt_ms` milliseconds away.

        See `estimate` for the formula and what it leaves out. Raises RoundTripsError for anything
        but a number of 0 or more.
        """
        waits = sum(divmod(self._sorted.path.longest, WAIT))
        return seconds_at(rtt_ms, self.seconds, waits, self.record.log)

    def __repr__(self) -> str:
        numbers = [
            counted(self.round_trips, "round trip"),
            counted(self.waits, "wait"),
            counted(sum(self.commands.values()), "command"),
        ]
        return "\n".join(["   ".join(numbers), *self.uncounted])
