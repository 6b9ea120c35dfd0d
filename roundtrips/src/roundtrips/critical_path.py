"""Find the critical path: the longest chain of round trips that had to follow one another.

`waits` is the length of that chain. A round trip depends on an earlier one if it was sent after the
earlier one had been answered, and was sent by the same thread or task, on the same connection, or
by a thread or task of which one had started the other. A loop of a hundred GETs is a hundred round
trips and a hundred waits. A cluster's pipeline to three nodes is three round trips and one wait. A
hundred tasks at once, on a hundred connections, are a hundred round trips and one wait.
"""

import heapq
from weakref import WeakKeyDictionary

from .blocks import Worker

MOST_CONNECTIONS = 10_000  # whose depth is known: the newest
NONE = (0, 0)


class CriticalPath:
    """Sums over the round trips entered so far: `waits`, and `waiting` in seconds.

    `waits` is the length of the longest chain, `waiting` the time during which at least one round
    trip was under way.
    """

    def __init__(self) -> None:
        self.waits = 0
        self.waiting = 0.0  # seconds in which at least one round trip was under way
        self.until = 0.0  # the end of the latest of them
        # Worker -> (depth of its own chain, depth of the chains of workers that it started).
        self.depths: WeakKeyDictionary[Worker, tuple[int, int]] = WeakKeyDictionary()
        self.on_connection: dict[int, int] = {}  # connection -> depth of its chain
        # A heap of (when answered, number, worker, connection, depth) of round trips under way.
        self.ending: list[tuple[float, int, Worker, int, int]] = []
        self.entered = 0

    def enter(
        self, worker: Worker, connection: int, sent: float, replied: float, counts: bool
    ) -> None:
        """Add a round trip of a Worker on a connection; add them in the order of sending.

        `connection` is the connection's number; `sent` and `replied` are seconds of
        time.perf_counter(). If `counts` is False (set-up), the round trip makes no chain longer.
        """
        while self.ending and self.ending[0][0] <= sent:
            _, _, other, place, depth = heapq.heappop(self.ending)
            self.end(other, place, depth)
        before = [self.on_connection.get(connection, 0), *self.depths.get(worker, NONE)]
        before += [self.depths.get(above, NONE)[0] for above in worker.above]
        depth = max(before) + counts
        self.entered += 1
        heapq.heappush(self.ending, (replied, self.entered, worker, connection, depth))
        self.waits = max(self.waits, depth)
        if replied > self.until:
            self.waiting += replied - max(sent, self.until)
            self.until = replied

    def end(self, worker: Worker, connection: int, depth: int) -> None:
        """Store that a round trip has ended, which was the last of a chain of `depth` round trips.

        Later round trips of its Worker, and on the connection with this number, depend on it.
        """
        own, started = self.depths.get(worker, NONE)
        self.depths[worker] = max(own, depth), started
        for above in worker.above:
            own, started = self.depths.get(above, NONE)
            self.depths[above] = own, max(started, depth)
        self.on_connection[connection] = max(depth, self.on_connection.get(connection, 0))
        if len(self.on_connection) > MOST_CONNECTIONS:
            del self.on_connection[next(iter(self.on_connection))]
