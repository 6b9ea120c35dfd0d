"""One variable swept: how long the same work takes as its batch size, or another number, grows."""

import tracemalloc

from ..arguments import check_function, check_positive, check_ran, shown
from ..errors import LabError
from ..testbed.chosen_server import connect
from ..words import milliseconds
from .comparison import compare
from .ratio import FASTER, ratio

KNEE = 1.10  # the first size surely less than 10% slower than any other is the knee


class Sweep:
    """Seconds by size and distance; `memory` is {size: peak bytes} or None."""

    def __init__(self, what, comparison, sizes, memory):
        self.what, self.comparison, self.sizes, self.memory = what, comparison, list(sizes), memory

    @property
    def rtts(self):
        return self.comparison.rtts

    def seconds(self, size: float, rtt_ms: float | None = None) -> float:
        """Return the median seconds of one call at this size."""
        return self.comparison.seconds(str(size), rtt_ms)

    def rounds(self, rtt_ms: float | None = None) -> dict:
        """Return {size: [seconds of one call in each round]}."""
        return {size: self.comparison.rounds(str(size), rtt_ms) for size in self.sizes}

    def ratio(self, size: float, over: float, rtt_ms: float | None = None):
        """Return the Ratio of the time at one size over that at another."""
        rounds = self.rounds(rtt_ms)
        return ratio(rounds[over], rounds[size])

    def knee(self, rtt_ms: float | None = None) -> float | None:
        """Return the smallest size shown to be less than 10% slower than any other, or None.

        "Shown" is what Ratio calls a difference: the size is faster than every other would be if
        that took 10% longer. Noise can hide a knee; it cannot make one. The largest size is none:
        what lies beyond it was not measured.
        """
        rounds = self.rounds(rtt_ms)
        slower = {size: [KNEE * seconds for seconds in taken] for size, taken in rounds.items()}
        shown = (
            size
            for size in self.sizes[:-1]
            if all(
                ratio(rounds[size], slower[other]).judgement == FASTER
                for other in self.sizes
                if other != size
            )
        )
        return next(shown, None)

    def still_falls(self, rtt_ms: float | None = None) -> bool:
        """Return whether larger sizes may be faster still: no knee, and the largest is fastest."""
        *smaller, largest = self.rounds(rtt_ms).values()
        return self.knee(rtt_ms) is None and all(
            ratio(largest, other).judgement == FASTER for other in smaller
        )

    def finding(self, rtt_ms: float | None = None) -> str:
        """Say 'At RTT 5 ms, beyond 100 commands a batch there is little left to gain', or not."""
        knee, at = self.knee(rtt_ms), milliseconds(self.rtts[0] if rtt_ms is None else rtt_ms)
        if self.still_falls(rtt_ms):
            return (
                f"At RTT {at}, the largest tried, {self.sizes[-1]:,}, is the fastest: "
                "these sizes do not show where the gain ends"
            )
        if knee is None:
            return (
                f"At RTT {at}, these rounds do not show from which size on there is little "
                "left to gain"
            )
        return f"At RTT {at}, beyond {knee:,} {self.what} there is little left to gain"

    def plot(self, title: str | None = None):
        """Draw time (and memory) against size, with the knee of each distance."""
        from ..figures.sweeping import plot_sweep

        return plot_sweep(self, title)

    def __repr__(self):
        return repr(self.comparison)


def sweep(
    fn,
    sizes,
    ops: float = 1,
    rtt_ms=(0,),
    what: str = "commands a batch",
    memory=False,
    rounds: int | None = None,
    **options,
) -> Sweep:
    """Time `fn(client, size)` for every size at every distance, interleaved.

    With `memory`, one more pass of each size, untimed, records the peak of what Python allocated
    (tracemalloc), in bytes; tracing is slow, so `memory` may be a shorter function of (client,
    size) that holds as much at once, such as one batch. `what` names the swept number on the axis.
    `ops`, `rtt_ms`, `rounds`, and the same work of all sizes or a LabError, are as in lab.compare.
    """
    such_as = "a function of a client and a size, such as `def batch(r, size): ...`"
    check_function(fn, "lab.sweep", "batch, (1, 10, 100)", such_as, takes=2)
    if callable(memory):
        call = "batch, (1, 10, 100), memory=batch"
        check_function(memory, "lab.sweep(memory=…)", call, such_as, takes=2)
    elif not isinstance(memory, bool):
        raise LabError(
            f"memory={shown(memory)} is neither True nor False nor {such_as}. Pass one of these."
        )
    listed = sizes if isinstance(sizes, (list, tuple, range)) else ()
    sizes = [check_positive(size, "sizes") for size in listed]
    if not sizes or sizes != sorted(set(sizes)):
        raise LabError(
            "lab.sweep needs its sizes in growing order, each once. "
            "Write them as a tuple: (1, 10, 100) for instance."
        )
    variants = {str(size): (lambda client, size=size: fn(client, size)) for size in sizes}
    comparison = compare(variants, ops, rtt_ms, rounds=rounds, **options)
    held = memory if callable(memory) else fn
    peaks = {size: peak_memory(held, size, options) for size in sizes} if memory else None
    return Sweep(what, comparison, sizes, peaks)


def peak_memory(fn, size, options):
    """Return the peak of bytes that Python allocated in one call, beyond what it held before."""
    with connect(**options) as client:
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            check_ran(fn(client, size), "lab.sweep")
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()
