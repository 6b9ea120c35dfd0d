"""Find the critical path: the longest chain of round trips that had to follow one another.

`waits` is the length of that chain. A round trip depends on an earlier one if it was sent after the
earlier one had been answered, and was sent by the same thread or task, on the same connection, by a
thread or task of which one had started the other, or by an event loop that ran in the same thread
before. Of two threads, or two tasks of one loop, nobody knows whether the second could have begun
before the first had ended: without a connection in common they count as side by side.

A loop of a hundred GETs is a hundred round trips and a hundred waits. A cluster's pipeline to three
nodes is three round trips and one wait. A hundred tasks at once, on a hundred connections, are a
hundred round trips and one wait.
"""

import heapq
import threading
from weakref import WeakKeyDictionary

from .blocks import Worker

MOST_CONNECTIONS = 10_000  # whose depth is known: the newest
NONE = (0, 0)
# Depths count waits in units of WAIT, and round trips of set-up on the same chain in units of 1.
WAIT = 1 << 32


class CriticalPath:
    """Sums over the round trips entered so far: `longest`, and `waiting` in seconds.

    `longest` is the depth of the longest chain, `waiting` the time during which at least one round
    trip was under way.
    """

    def __init__(self) -> None:
        self.longest = 0
        # Thread -> (number of its event loop, depth of its loops before that one, depth until now).
        self.in_thread: WeakKeyDictionary[threading.Thread, tuple[int, int, int]] = (
            WeakKeyDictionary()
        )
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
        time.perf_counter(). `counts` is False for a round trip of set-up, which is no wait.
        """
        while self.ending and self.ending[0][0] <= sent:
            _, _, other, place, depth = heapq.heappop(self.ending)
            self.end(other, place, depth)
        turn, earlier, until = self.in_thread.get(worker.thread, (worker.turn, 0, 0))
        if worker.turn > turn:
            turn, earlier = worker.turn, until
        before = [earlier, self.on_connection.get(connection, 0), *self.depths.get(worker, NONE)]
        before += [self.depths.get(above, NONE)[0] for above in worker.above]
        depth = max(before) + (WAIT if counts else 1)
        self.in_thread[worker.thread] = turn, earlier, until
        self.entered += 1
        heapq.heappush(self.ending, (replied, self.entered, worker, connection, depth))
        self.longest = max(self.longest, depth)
        if replied > self.until:
            self.waiting += replied - max(sent, self.until)
            self.until = replied

    def end(self, worker: Worker, connection: int, depth: int) -> None:
        """Store that a round trip has ended, which was the last of a chain of the depth `depth`.

        Later round trips of its Worker, and on the connection with this number, depend on it.
        """
        turn, earlier, until = self.in_thread[worker.thread]
        self.in_thread[worker.thread] = turn, earlier, max(until, depth)
        own, started = self.depths.get(worker, NONE)
        self.depths[worker] = max(own, depth), started
        for above in worker.above:
            own, started = self.depths.get(above, NONE)
            self.depths[above] = own, max(started, depth)
        self.on_connection[connection] = max(depth, self.on_connection.get(connection, 0))
        if len(self.on_connection) > MOST_CONNECTIONS:
            del self.on_connection[next(iter(self.on_connection))]
