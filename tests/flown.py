"""Make up recordings of round trips, for the tests of figures."""

import itertools

from roundtrips.roundtrip import RoundTrip

from lab_utils.runs import Run


def made(
    turns: int = 20,
    connections: int = 1,
    turn_s: float = 0.001,
    gap_s: float = 0.0001,
    nodes=None,
    rtt_ms: float = 1,
    **second,
) -> Run:
    """Return a made-up Run of lab_utils: `turns` GETs on each connection, one after the other.

    Each takes `turn_s` seconds, with a pause of `gap_s` seconds before it. `second` are fields of
    RoundTrip for the second GET of each connection; `nodes` and `rtt_ms` are fields of the Run.
    """
    trips = []
    for number, turn in itertools.product(range(connections), range(turns)):
        end = (turn + 1) * (turn_s + gap_s) + number * 1e-5
        start = turn * (turn_s + gap_s) + gap_s + number * 1e-5
        trips.append(
            RoundTrip(
                start, end, names={"GET": 1}, connection=number, **(second if turn == 1 else {})
            )
        )
    seconds = max(trip.replied for trip in trips) + gap_s
    return Run(sorted(trips, key=lambda trip: trip.sent), seconds, nodes or {}, rtt_ms)
