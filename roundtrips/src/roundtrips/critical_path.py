"""The critical path: which round trips had to follow one another.

`waits` is the longest chain of round trips that depend on each other: each was sent after the one
before it had been answered, by the same thread or task, on the same connection, or by one that
started the other. A loop of a hundred GETs is a hundred round trips and a hundred waits; a
cluster's pipeline to three nodes three round trips and one wait; a hundred tasks at once, on a
hundred connections, a hundred round trips and one wait.
"""

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict

from .scope import Worker

tokens = itertools.count()
open_paths: set[int] = set()  # tokens of those that are still entered into
MOST_PATHS = 8  # that a worker knows of, before those that are closed are left out
MOST_CONNECTIONS = 10_000  # whose depth is known: those used last


class CriticalPath:
    """What the round trips that were entered so far add up to: `waits`, and `waiting`, seconds."""

    def __init__(self) -> None:
        self.token = next(tokens)  # under which a worker keeps how deep it has got here
        open_paths.add(self.token)
        self.waits = 0
        self.waiting = 0.0  # seconds in which at least one round trip was on its way
        self.until = 0.0  # the end of the latest of them
        self.on_connection: OrderedDict[int, int] = OrderedDict()  # how deep it has got there
        # A heap of (when answered, number, worker, connection, depth) of what is on its way.
        self.ending: list[tuple[float, int, Worker, int, int]] = []
        self.entered = 0

    def enter(
        self, worker: Worker, connection: int, sent: float, replied: float, counts: bool
    ) -> int:
        """Return the depth: how many round trips, this one included, had to follow one another.

        They come in the order in which they were sent. What does not count (set-up) adds none.
        """
        ending = self.ending
        while ending and ending[0][0] <= sent:
            _, _, other, place, depth = heapq.heappop(ending)
            self.end(other, place, depth)
        before = self.on_connection.get(connection, 0)
        own = worker.depths.get(self.token)
        if own is not None:
            before = max(before, *own)
        for above in worker.above:
            started = above.depths.get(self.token)
            if started is not None and started[0] > before:
                before = started[0]
        depth = before + counts
        self.entered += 1
        heapq.heappush(ending, (replied, self.entered, worker, connection, depth))
        self.waits = max(self.waits, depth)
        self.waiting += max(0.0, replied - max(sent, self.until))
        self.until = max(self.until, replied)
        return depth

    def end(self, worker: Worker, connection: int, depth: int) -> None:
        self.reach(worker, 0, depth)
        for above in worker.above:
            self.reach(above, 1, depth)
        if depth > self.on_connection.get(connection, -1):
            self.on_connection[connection] = depth
            if len(self.on_connection) > MOST_CONNECTIONS:
                self.on_connection.popitem(last=False)

    def reach(self, worker: Worker, place: int, depth: int) -> None:
        """Note how deep a worker (place 0), or one of those that it started (1), has got."""
        depths = worker.depths.get(self.token)
        if depths is None:
            if len(worker.depths) >= MOST_PATHS:
                known = worker.depths
                worker.depths = {path: known[path] for path in open_paths & known.keys()}
            depths = worker.depths[self.token] = [0, 0]
        if depth > depths[place]:
            depths[place] = depth

    def close(self) -> None:
        """Have the workers forget, when there is time, how deep they got."""
        open_paths.discard(self.token)
