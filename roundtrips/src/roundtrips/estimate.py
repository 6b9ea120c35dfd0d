"""How long a block would take with Redis at another distance.

    seconds at `rtt` = seconds + waits × (rtt − here)

Each wait becomes longer by what the way is longer; everything else takes as long as it did. Where
the program waits for other things meanwhile (threads that hold the interpreter's lock, a queue for
a small pool of connections), it leaves that out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import RoundTripsError

if TYPE_CHECKING:
    from .traces import Record

FASTEST = 0.1  # of the small round trips: what else the machine does can only make one longer


def seconds_at(record: Record, rtt_ms: float, here_ms: float | None = None) -> float:
    """Return what Trace.seconds_at tells."""
    given = {"rtt_ms": rtt_ms} if here_ms is None else {"rtt_ms": rtt_ms, "here_ms": here_ms}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            raise RoundTripsError(
                f"{name} is {value!r}. Pass milliseconds of round trip, a number of 0 or more."
            )
    here = distance(record) or 0.0 if here_ms is None else here_ms / 1000
    return max(0.0, record.seconds + record.waits * (rtt_ms / 1000 - here))


def distance(record: Record) -> float | None:
    """Return the distance in seconds: what a tenth of the small round trips stayed below.

    Those that set connections up tell it where there are no others. None: nothing tells it.
    """
    small = [each for each in record.log if each.tells_distance]
    seconds = sorted(each.seconds for each in small if not each.setup)
    seconds = seconds or sorted(each.seconds for each in small)
    return seconds[int(FASTEST * len(seconds))] if seconds else None


def leaves_out(record: Record) -> str:
    """Return what the estimate leaves out for this record, as the end of a sentence, or ''."""
    left = []
    if len(record.workers) > 1:
        left.append("what its threads and tasks wait for one another")
    if record.log and distance(record) is None:
        left.append("the distance here, which no small reply tells")
    return f", leaving out {' and '.join(left)}" if left else ""
