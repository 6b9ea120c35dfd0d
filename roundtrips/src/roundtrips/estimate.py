"""Estimate how long a counting block would take with Redis at another distance.

    seconds at `rtt` = seconds + (waits + set-up on their chain) × (rtt − here)

Each round trip of the longest chain becomes longer by the difference of the distances; everything
else takes as long as before. The estimate leaves out that threads or tasks wait for one another
(for the interpreter, or for one of a few connections).
"""

from collections.abc import Iterable

from .errors import RoundTripsError
from .roundtrip import RoundTrip

FASTEST = 0.1  # of the small round trips: what else the machine does can only make one longer


def seconds_at(rtt_ms: float, seconds: float, waits: int, log: Iterable[RoundTrip]) -> float:
    """Return the estimated seconds of a counting block with Redis `rtt_ms` milliseconds away.

    `seconds` and `log` are those of its Trace, `waits` the round trips of its longest chain, with
    those of set-up. Raises RoundTripsError for anything but a number of 0 or more.
    """
    if isinstance(rtt_ms, bool) or not isinstance(rtt_ms, (int, float)) or not rtt_ms >= 0:
        raise RoundTripsError(
            f"rtt_ms is {rtt_ms!r}. Pass milliseconds of round trip, a number of 0 or more."
        )
    return max(0.0, seconds + waits * (rtt_ms / 1000 - distance(log)))


def distance(log: Iterable[RoundTrip]) -> float:
    """Return the estimated time of a round trip to Redis, in seconds.

    This is the 10th percentile of the times of small round trips in `log`. Those that set
    connections up are used only if there are no other small ones. Without any small ones the result
    is 0.
    """
    small = [each for each in log if each.tells_distance]
    seconds = sorted(each.seconds for each in small if not each.setup)
    seconds = seconds or sorted(each.seconds for each in small)
    return seconds[int(FASTEST * len(seconds))] if seconds else 0.0
