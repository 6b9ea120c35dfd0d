"""One variable swept: how long the same work takes as its batch size (or any other number) grows."""

import tracemalloc

from .errors import LabError
from .servers import connect
from .timing import compare

KNEE = 1.10  # within 10% of the fastest counts as there


class Sweep:
    """Seconds by size and distance; `memory` is {size: peak bytes} or None."""

    def __init__(self, what, comparison, sizes, memory):
        self.what, self.comparison, self.sizes, self.memory = what, comparison, list(sizes), memory

    @property
    def rtts(self):
        return self.comparison.rtts

    def seconds(self, size, rtt_ms=None):
        """Median seconds of one call at this size."""
        return self.comparison.seconds(str(size), rtt_ms)

    def knee(self, rtt_ms=None):
        """The smallest size that is not measurably slower than the fastest one by more than 10%."""
        fastest = str(min(self.sizes, key=lambda size: self.seconds(size, rtt_ms)))
        return next(size for size in self.sizes if self.comparison.speedup(fastest, str(size), rtt_ms).low <= KNEE)

    def plot(self, title=None):
        """Draws time (and memory) against size, with the knee of each distance."""
        from .plots import plot_sweep

        return plot_sweep(self, title)

    def __repr__(self):
        return repr(self.comparison)


def sweep(fn, sizes, ops=1, rtt_ms=(0,), what="commands a batch", memory=False, rounds=None, **options):
    """Times `fn(client, size)` for every size at every distance, interleaved, and returns a Sweep.

    With `memory`, one more pass of each size, untimed, records the peak of what Python allocated (tracemalloc), in bytes;
    tracing is slow, so `memory` may be a shorter function of (client, size) that holds as much at once, such as one batch.
    `what` names the swept number on the axis. All sizes must do the same work, or LabError is raised, as in compare;
    `rounds` fixes the number of rounds, as there.
    """
    if not sizes or list(sizes) != sorted(set(sizes)):
        raise LabError("lab.sweep needs its sizes in growing order, each once: (1, 10, 100) for instance.")
    variants = {str(size): (lambda client, size=size: fn(client, size)) for size in sizes}
    comparison = compare(variants, ops, rtt_ms, rounds=rounds, **options)
    held = memory if callable(memory) else fn
    peaks = {size: peak_memory(held, size, options) for size in sizes} if memory else None
    return Sweep(what, comparison, sizes, peaks)


def peak_memory(fn, size, options):
    """Peak bytes that Python allocated during one call, beyond what it held before."""
    client = connect(**options)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        fn(client, size)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
        client.close()
