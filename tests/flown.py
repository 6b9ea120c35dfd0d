"""Runs as if seen, for the figures that are drawn from them."""

import itertools
from collections import Counter

from lab_utils.flights import REQUEST, Flight, Run


def made(turns=20, connections=1, turn_s=0.001, gap_s=0.0001, nodes=None, kind=REQUEST, rtt_ms=1):
    """A Run as if seen: `turns` requests on each connection."""
    flights = []
    for number, turn in itertools.product(range(connections), range(turns)):
        end = (turn + 1) * (turn_s + gap_s) + number * 1e-5
        start = turn * (turn_s + gap_s) + gap_s + number * 1e-5
        flights.append(Flight(number, start, end, kind if turn == 1 else REQUEST, Counter(GET=1)))
    seconds = max(flight.end for flight in flights) + gap_s
    return Run(sorted(flights, key=lambda flight: flight.start), seconds, nodes or {}, rtt_ms)
