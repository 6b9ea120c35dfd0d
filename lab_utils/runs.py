"""What was on its way, and when: one run, which `counting/watching.py` records and figures draw."""

from collections import Counter
from dataclasses import dataclass

from roundtrips.roundtrip import ELSEWHERE, LOST, RoundTrip

REQUEST, HANDSHAKE, UNANSWERED, REDIRECTED = "request", "handshake", "unanswered", "redirected"


def kind_of(trip: RoundTrip) -> str:
    """Return "request", or what else a round trip was.

    It is "handshake" for what opening a connection sends, "unanswered" where the connection broke
    or timed out, "redirected" where a cluster's node sent it elsewhere.
    """
    if trip.outcome == LOST:
        return UNANSWERED
    return HANDSHAKE if trip.setup else REDIRECTED if trip.outcome == ELSEWHERE else REQUEST


@dataclass(frozen=True)
class Run:
    """One run of a function: its round trips in order, and the `seconds` it took, traced.

    `trips` are RoundTrips, in seconds after the run began. `nodes` tells for each connection the
    node of a cluster that it leads to, counted from 0 as `cluster.node` does, or None. `rtt_ms` is
    the distance, None if unknown.
    """

    trips: list[RoundTrip]
    seconds: float
    nodes: dict
    rtt_ms: float | None

    @property
    def requests(self):
        """Everything but handshakes: what `lab.count` calls round trips."""
        return [trip for trip in self.trips if kind_of(trip) != HANDSHAKE]

    @property
    def connections(self):
        """The numbers of the connections used, by node and then by first use."""
        first = {}
        for trip in self.trips:
            first.setdefault(trip.connection, trip.sent)
        return sorted(first, key=lambda number: (self.nodes.get(number) or 0, first[number]))

    @property
    def commands(self):
        """How often each command was answered, by name."""
        return sum(
            (Counter(each.names) for each in self.trips if kind_of(each) == REQUEST), Counter()
        )

    @property
    def waiting(self):
        """The seconds during which at least one request, or one handshake, was on its way."""
        return sum(end - start for start, end in on_the_way(self.trips))


def on_the_way(trips):
    """Return the spans (start, end) in which any of the round trips was on its way, in order."""
    found = []
    for start, end in sorted((trip.sent, trip.replied) for trip in trips):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return [tuple(span) for span in found]
