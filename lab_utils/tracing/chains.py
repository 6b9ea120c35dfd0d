"""Chains of turns: goes through flights in the order in which they were sent, and says which had to wait for which.

`waits` are turns that had to follow one another: the longest chain in which each was sent after the one before had been
answered, on the same thread or task, on the same connection, or on a line that one of the two started. A loop of a hundred GETs
is a hundred turns and a hundred waits; a cluster's pipeline to three nodes three turns and one wait; a hundred tasks at once on
a hundred connections a hundred turns and one wait.
"""

import heapq
import weakref
from collections import OrderedDict

MOST_CONNECTIONS = 10_000  # whose depth is known: those used last


class Chains:
    """What the flights that were entered so far add up to: `waits`, and `waiting` in seconds."""

    def __init__(self):
        self.waits = 0
        self.waiting = 0.0  # seconds in which at least one turn was on its way
        self.until = 0.0  # the end of the latest of them
        # How deep the turns that have ended went, on each line, below it, and on each connection.
        self.on_line, self.below, self.on_connection = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary(), OrderedDict()
        self.ending = []  # a heap of (when, number, line, connection, depth)
        self.entered = 0

    def enter(self, flight):
        """The flight's depth: how many turns, itself included, had to follow one another. Flights come as they were sent."""
        while self.ending and self.ending[0][0] <= flight.sent:
            self.end(*heapq.heappop(self.ending)[2:])
        line = flight.line
        before = max(self.on_line.get(line, 0), self.below.get(line, 0), self.on_connection.get(flight.connection, 0),
                     *[self.on_line.get(above, 0) for above in line.above])
        depth = before + (not flight.setup)
        self.entered += 1
        heapq.heappush(self.ending, (flight.replied, self.entered, line, flight.connection, depth))
        self.waits = max(self.waits, depth)
        self.waiting += max(0.0, flight.replied - max(flight.sent, self.until))
        self.until = max(self.until, flight.replied)
        return depth

    def end(self, line, connection, depth):
        deeper(self.on_line, line, depth)
        deeper(self.on_connection, connection, depth)
        for above in line.above:
            deeper(self.below, above, depth)
        while len(self.on_connection) > MOST_CONNECTIONS:
            self.on_connection.popitem(last=False)


def deeper(depths, key, depth):
    if depth > depths.get(key, -1):
        depths[key] = depth
