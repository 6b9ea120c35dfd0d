"""The critical path: which round trips had to follow one another.

`waits` is the longest chain of round trips that depend on each other: each was sent after the one
before it had been answered, by the same thread or task, on the same connection, or by one that
started the other. A loop of a hundred GETs is a hundred round trips and a hundred waits; a
cluster's pipeline to three nodes three round trips and one wait; a hundred tasks at once, on a
hundred connections, a hundred round trips and one wait.
"""

from __future__ import annotations

import heapq

from .scope import Worker

open_paths: set[object] = set()  # tokens of those that are still entered into
MOST_PATHS = 8  # that a worker knows of, before those that are closed are left out
MOST_CONNECTIONS = 10_000  # whose depth is known: the newest


class CriticalPath:
    """What the round trips that were entered so far add up to: `waits`, and `waiting`, seconds."""

    def __init__(self) -> None:
        self.token = object()  # under which a worker keeps how deep it has got here
        open_paths.add(self.token)
        self.waits = 0
        self.waiting = 0.0  # seconds in which at least one round trip was on its way
        self.until = 0.0  # the end of the latest of them
        self.on_connection: dict[int, int] = {}  # how deep it has got there
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
            before = max(before, own[0], own[1])
        for above in worker.above:
            started = above.depths.get(self.token)
            if started is not None and started[0] > before:
                before = started[0]
        depth = before + counts
        self.entered += 1
        heapq.heappush(ending, (replied, self.entered, worker, connection, depth))
        if depth > self.waits:
            self.waits = depth
        if replied > self.until:
            self.waiting += replied - max(sent, self.until)
            self.until = replied
        return depth

    def end(self, worker: Worker, connection: int, depth: int) -> None:
        depths = worker.depths.get(self.token) or self.depths_of(worker)
        if depth > depths[0]:
            depths[0] = depth
        for above in worker.above:
            depths = above.depths.get(self.token) or self.depths_of(above)
            if depth > depths[1]:
                depths[1] = depth
        on_connection = self.on_connection
        if depth > on_connection.get(connection, -1):
            on_connection[connection] = depth
            if len(on_connection) > MOST_CONNECTIONS:
                del on_connection[next(iter(on_connection))]

    def depths_of(self, worker: Worker) -> list[int]:
        """Begin and return a worker's depths: its own, and that of those it started."""
        if len(worker.depths) >= MOST_PATHS:
            known = worker.depths
            worker.depths = {path: known[path] for path in open_paths & known.keys()}
        worker.depths[self.token] = [0, 0]
        return worker.depths[self.token]

    def close(self) -> None:
        """Have the workers forget, when there is time, how deep they got."""
        open_paths.discard(self.token)
