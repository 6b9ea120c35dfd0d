"""Runs as if seen, for the figures that are drawn from them."""

import itertools

from roundtrips.roundtrip import RoundTrip

from lab_utils.runs import Run


def made(turns=20, connections=1, turn_s=0.001, gap_s=0.0001, nodes=None, rtt_ms=1, **second):
    """A Run as if seen: `turns` requests on each connection; `second` sets the second one apart."""
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
