"""What was on its way, and when: one run, which `counting/watching.py` records and figures draw."""

from collections import Counter
from dataclasses import dataclass, field

REQUEST, HANDSHAKE, UNANSWERED, REDIRECTED = "request", "handshake", "unanswered", "redirected"


@dataclass(frozen=True)
class Flight:
    """One request, from when it was handed to the system until the last of its reply was read.

    `start` and `end` are seconds after the run began, `connection` a number. `kind` is "request";
    "handshake" for what opening a connection sends; "unanswered" where the connection broke or
    timed out; "redirected" where a cluster's node sent it elsewhere. `commands` counts what it
    carried, by name: Counter({"GET": 50}).
    """

    connection: int
    start: float
    end: float
    kind: str = REQUEST
    commands: Counter = field(default_factory=Counter)


@dataclass(frozen=True)
class Run:
    """One run of a function: its flights in order, and the `seconds` it took, with redis-py tapped.

    `nodes` tells for each connection the node of a cluster that it leads to, counted from 0 as
    `cluster.node` does, or None. `rtt_ms` is the distance, None if unknown.
    """

    flights: list
    seconds: float
    nodes: dict
    rtt_ms: float | None

    @property
    def requests(self):
        """Everything but handshakes: what `lab.count` calls round trips."""
        return [flight for flight in self.flights if flight.kind != HANDSHAKE]

    @property
    def connections(self):
        """The numbers of the connections used, by node and then by first use."""
        first = {}
        for flight in self.flights:
            first.setdefault(flight.connection, flight.start)
        return sorted(first, key=lambda number: (self.nodes.get(number) or 0, first[number]))

    @property
    def commands(self):
        """How often each command was answered, by name."""
        answered = (each.commands for each in self.flights if each.kind == REQUEST)
        return sum(answered, Counter())

    @property
    def waiting(self):
        """The seconds during which at least one request, or one handshake, was on its way."""
        spans = joined((flight.start, flight.end) for flight in self.flights)
        return sum(end - start for start, end in spans)


def joined(spans):
    """Spans (start, end) with those that touch or overlap made one, in order."""
    found = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return [tuple(span) for span in found]
