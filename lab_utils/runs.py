"""Define the Run of a function: its round trips with their times.

`counting/watching.py` records it, and figures draw it.
"""

from collections import Counter
from dataclasses import dataclass

from roundtrips.roundtrip import ELSEWHERE, LOST, RoundTrip

REQUEST, HANDSHAKE, UNANSWERED, REDIRECTED = "request", "handshake", "unanswered", "redirected"


def kind_of(trip: RoundTrip) -> str:
    """Return the kind of a round trip: "request", "handshake", "unanswered" or "redirected".

    A handshake opens a connection. An unanswered request is one whose connection broke or timed
    out. A redirected request is one that a cluster's node refused, so that the client had to ask
    another node.
    """
    if trip.outcome == LOST:
        return UNANSWERED
    return HANDSHAKE if trip.setup else REDIRECTED if trip.outcome == ELSEWHERE else REQUEST


@dataclass(frozen=True)
class Run:
    """One recorded call of a function: its round trips in order, and the `seconds` it took.

    `trips` are RoundTrips, with times in seconds after the call began. `nodes` is {number of a
    connection: its node in a cluster}, with nodes counted from 0, {} for a single server. `rtt_ms`
    is the distance, None if unknown.
    """

    trips: list[RoundTrip]
    seconds: float
    nodes: dict
    rtt_ms: float | None

    @property
    def requests(self) -> list[RoundTrip]:
        """The list of round trips that `lab.count` counts: all but those that open connections."""
        return [trip for trip in self.trips if kind_of(trip) != HANDSHAKE]

    @property
    def connections(self) -> list[int]:
        """The list of the numbers of the connections used, sorted by node, then by first use."""
        first = {}
        for trip in self.trips:
            first.setdefault(trip.connection, trip.sent)
        return sorted(first, key=lambda number: (self.nodes.get(number) or 0, first[number]))

    @property
    def commands(self) -> Counter[str]:
        """Counter of the answered commands, {name: number}, without those that open connections."""
        return sum(
            (Counter(each.names) for each in self.trips if kind_of(each) == REQUEST), Counter()
        )

    @property
    def waiting(self) -> float:
        """The seconds during which at least one request or handshake was under way."""
        return sum(end - start for start, end in on_the_way(self.trips))


def on_the_way(trips: list[RoundTrip]) -> list[tuple[float, float]]:
    """Return the spans [(start, end)] during which at least one of the RoundTrips was under way.

    Spans are in order, with times in seconds; spans that overlap are joined into one.
    """
    found = []
    for start, end in sorted((trip.sent, trip.replied) for trip in trips):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return [(start, end) for start, end in found]
