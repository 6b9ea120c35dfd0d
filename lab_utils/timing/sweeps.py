"""Sweep a number for lab.sweep: how long the same work takes as its batch size grows."""

import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..arguments import Option, check_function, check_positive, check_ran
from ..errors import LabError
from ..testbed.chosen_server import connect
from ..testbed.link import check_distance
from ..words import milliseconds
from .comparison import Comparison, compare
from .ratio import FASTER, Ratio, ratio

KNEE = 1.10  # the first size surely less than 10% slower than any other is the knee
BEFORE = 1.05  # a knee must be this much faster than the size before, or noise may have moved it


@dataclass(frozen=True)
class Sweep:
    """Seconds of the same work for each of several sizes, at one distance.

    `what` names the sizes, such as "commands a batch". `sizes` are the numbers, in growing order.
    `comparison` is the Comparison with the times; its variants are named by the sizes as texts.
    `memory` is {size: peak bytes} or None.
    """

    what: str
    comparison: Comparison
    sizes: list[float]
    memory: dict[float, int] | None

    @property
    def rtt_ms(self) -> float:
        return self.comparison.rtts[0]

    def seconds(self, size: float) -> float:
        """Return the median seconds of one call, which does the whole work, at this size."""
        return self.comparison.seconds(str(size))

    def rounds(self) -> dict[float, list[float]]:
        """Return {size: [seconds of one call, a number for each round]}."""
        return {size: self.comparison.rounds(str(size)) for size in self.sizes}

    def ratio(self, size: float, over: float) -> Ratio:
        """Return a Ratio: how many times as long a call takes at `size` as at another size, `over`.

        Its value is 2 if a call at `size` takes twice as long.
        """
        return self.comparison.speedup(str(over), str(size))

    def knee(self) -> float | None:
        """Return the knee: the smallest size that is nearly as fast as any other; None if unclear.

        A size is nearly as fast if it is surely (by the judgement of a Ratio) faster than every
        other size would be with 10% more time. Noise can hide a knee, but not make or move one: if
        the next smaller size is less than 5% slower than the knee, the result is None. The largest
        size is never the knee, since nothing beyond it was measured.
        """
        rounds = self.rounds()
        slower = {size: [KNEE * seconds for seconds in taken] for size, taken in rounds.items()}
        shown = (
            size
            for size in self.sizes[:-1]
            if is_fastest(rounds[size], [slower[other] for other in self.sizes if other != size])
        )
        found = next(shown, None)
        if found is None or found == self.sizes[0]:
            return found
        before = self.sizes[self.sizes.index(found) - 1]
        return None if self.seconds(before) < BEFORE * self.seconds(found) else found

    def still_falls(self) -> bool:
        """Return whether even larger sizes may be faster.

        They may if there is no knee, and the largest size is faster than each of the others.
        """
        *smaller, largest = self.rounds().values()
        return self.knee() is None and is_fastest(largest, smaller)

    def finding(self) -> str:
        """Return a sentence that says where the gain ends, or that the sizes do not show it.

        It is such as 'At RTT 1 ms, beyond 100 commands a batch there is little left to gain'.
        """
        knee = self.knee()
        at = milliseconds(self.rtt_ms)
        if self.still_falls():
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

    def plot(self, title: str | None = None, shaded_from: float | None = None) -> Any:
        """Draw time (and memory, if measured) against size, with the knee; return the Figure.

        `title` replaces the usual title. Sizes from `shaded_from` on are shaded.
        """
        from ..figures.sweeping import plot_sweep

        return plot_sweep(self, title, shaded_from)

    def __repr__(self) -> str:
        return repr(self.comparison)


def is_fastest(rounds: list[float], others: Iterable[list[float]]) -> bool:
    return all(ratio(rounds, other).judgement == FASTER for other in others)


def sweep(
    fn: Callable,
    sizes: Sequence[float],
    ops: float = 1,
    rtt_ms: float = 0,
    what: str = "commands a batch",
    memory: bool | Callable = False,
    rounds: int | None = None,
    **options: Option,
) -> Sweep:
    """Time `fn(client, size)` for every size at one distance, interleaved; return a Sweep.

    `sizes` are numbers in growing order; every call does the same whole work, `ops` operations.
    `rtt_ms` is the distance in ms, `rounds` the number of rounds; without it time and LAB_SCALE
    decide. `memory=True` runs each size once more, untimed, and records the peak of what Python
    allocated (tracemalloc), in bytes. Tracing is slow, so `memory` may also be a shorter function
    of (client, size) that holds as much at once, such as one batch. `what` names the sizes on the
    axis. `options` are those of redis.Redis. Raises LabError for other sizes, and unless all sizes
    do the same work.
    """
    such_as = "a function of a client and a size, such as `def batch(r, size): ...`"
    check_function(fn, "lab.sweep", "batch, (1, 10, 100)", such_as, takes=2)
    if callable(memory):
        check_function(
            memory, "lab.sweep(memory=…)", "batch, (1, 10, 100), memory=batch", such_as, takes=2
        )
    listed = sizes if isinstance(sizes, (list, tuple, range)) else ()
    sizes = [check_positive(size, "sizes") for size in listed]
    if not sizes or sizes != sorted(set(sizes)):
        raise LabError(
            "lab.sweep needs its sizes in growing order, each once. "
            "Write them as a tuple: (1, 10, 100) for instance."
        )
    check_distance(rtt_ms)
    variants = {str(size): (lambda client, size=size: fn(client, size)) for size in sizes}
    comparison = compare(variants, ops, rtt_ms, rounds=rounds, **options)
    held = memory if callable(memory) else fn
    peaks = {size: peak_memory(held, size, options) for size in sizes} if memory else None
    return Sweep(what, comparison, sizes, peaks)


def peak_memory(fn: Callable, size: float, options: dict) -> int:
    """Return by how many bytes Python's memory grew at most during `fn(client, size)`.

    `options` are those of redis.Redis, for the client.
    """
    with connect(**options) as client:
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            check_ran(fn(client, size), "lab.sweep")
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()
