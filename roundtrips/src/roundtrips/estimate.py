"""How long a block would take with Redis at another distance.

    seconds at `rtt` = seconds + waits × (rtt − here)

Each wait becomes longer by what the way is longer; everything else takes as long as it did. Where
the program waits for other things meanwhile (threads that hold the interpreter's lock, a queue for
a small pool of connections), it leaves that out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import RoundTripsError

if TYPE_CHECKING:
    from .traces import Record

FEWEST_BYTES = 1_000  # a small reply's: what a longer one took says more of its length
FASTEST = 0.1  # of the small round trips: what else the machine does can only make one longer


def seconds_at(record: Record, rtt_ms: float, here_ms: float | None = None) -> float:
    """Return about how many seconds the block would take, `rtt_ms` milliseconds away.

    `here_ms` is the distance at which it was traced; left out, it is taken from the fastest small
    replies. Raises RoundTripsError for anything but numbers of 0 or more.
    """
    for name, value in (("rtt_ms", rtt_ms), ("here_ms", here_ms)):
        if value is None and name == "here_ms":
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            raise RoundTripsError(
                f"{name} is {value!r}. Pass milliseconds of round trip, a number of 0 or more."
            )
    here = distance(record) if here_ms is None else here_ms / 1000
    return max(0.0, record.seconds + record.waits * (rtt_ms / 1000 - here))


def distance(record: Record) -> float:
    """Return the distance in seconds: what a tenth of the small round trips stayed below."""
    small = sorted(
        each.replied - each.sent
        for each in record.log
        if each.is_small and not each.setup and not each.blocks
    )
    return small[int(FASTEST * len(small))] if small else fallback(record)


def fallback(record: Record) -> float:
    """Return the shortest round trip of all: no small one was seen."""
    return min(seconds_of(record), default=0.0)


def seconds_of(record: Record) -> Iterable[float]:
    return (each.replied - each.sent for each in record.log if not each.blocks)


def leaves_out(record: Record) -> str:
    """Return what the estimate leaves out for this record, as the end of a sentence, or ''."""
    if len(record.workers) < 2:
        return ""
    return ", leaving out what its threads and tasks wait for one another"
