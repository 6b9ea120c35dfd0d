"""Judge whether other programs disturbed a measurement, and how much.

A sample or round is undisturbed (`quiet` in names) if other programs took nearly none of its time.
Each measurement passes a `Disturbance` to `note`: how many of its rounds were undisturbed, and, if
too few were, the share of the time that was subtracted from its results. `lab.claim` asks for the
worst since the last claim. `testbed/cpu_times.py` measures how much of a sample's time other
programs took.
"""

from dataclasses import dataclass

# A sample is quiet if other programs took less of its time than the larger of these two.
QUIET_SHARE = 0.05
QUIET_S = 20e-6

_noted: list["Disturbance"] = []  # of every measurement of this kernel, in their order
_judged = [0, 0]  # begin and end of the last claim's measurements in _noted


@dataclass(frozen=True)
class Disturbance:
    """How much other programs disturbed a measurement, which consists of several timed rounds.

    Of its `rounds`, `quiet_rounds` were undisturbed. `taken_share` (0 to 1) is the share of the
    time that other programs took, already subtracted from the results; 0 if enough rounds were
    undisturbed. `spread` is half the range of the middle 80% of the corrected rounds, as a share of
    their median, such as 0.1; None if unknown.
    """

    quiet_rounds: int = 0
    rounds: int = 0
    taken_share: float = 0.0
    spread: float | None = None

    @property
    def busy(self) -> bool:
        """True if results had to be corrected, because too few rounds were undisturbed."""
        return self.taken_share > 0

    @property
    def doubt(self) -> float:
        """The share, such as 0.1, by which results may still be wrong; 0 if `busy` is False."""
        if self.spread is None:
            return self.taken_share
        return self.spread if self.busy else 0.0

    def sentence(self) -> str:
        """Return 'the machine was busy: other programs took ~23% …', or 'the machine was calm'."""
        if not self.busy:
            return "the machine was calm"
        return (
            f"the machine was busy: other programs took ~{self.taken_share:.0%} of the time, so "
            f"times may be too long"
        )


def is_quiet(taken_s: float, seconds: float) -> bool:
    """Return whether other programs took so little time of a sample that it counts as undisturbed.

    The sample took `seconds` in all; during `taken_s` seconds of these, other programs had the CPU.
    The sample is undisturbed if `taken_s` is at most 5% of `seconds`, or at most 20 µs.
    """
    return taken_s <= max(QUIET_S, QUIET_SHARE * seconds)


def of_one_run(taken_s: float, seconds: float) -> Disturbance:
    """Return the Disturbance of a measurement that has a single round.

    The round took `seconds` in all; during `taken_s` seconds of these, other programs had the CPU.
    """
    if is_quiet(taken_s, seconds):
        return Disturbance(1, 1)
    return Disturbance(0, 1, min(1.0, taken_s / seconds))


def worst(disturbances: list[Disturbance]) -> Disturbance:
    """Return the worst of several Disturbances; without any, a Disturbance that says "undisturbed".

    A `busy` one is worse than any that is not; of two that are alike in this, the one with the
    larger `doubt` is worse.
    """
    return max(
        disturbances,
        default=Disturbance(),
        key=lambda one: (one.busy, one.doubt, one.taken_share, one.rounds),
    )


def note(disturbance: Disturbance) -> None:
    """Store a measurement's Disturbance in this module, where claims and figures look it up."""
    _noted.append(disturbance)


def since_claim() -> Disturbance:
    """Return the worst Disturbance stored since the last call of this function.

    `lab.claim` calls it once for each claim. If no Disturbance was stored since the last call, the
    result of that call is returned again: two claims in a row may rest on the same measurements.
    """
    if len(_noted) > _judged[1]:
        _judged[:] = _judged[1], len(_noted)
    return worst(_noted[slice(*_judged)])


def mark() -> int:
    """Return how many Disturbances have been stored so far, to pass to `since` later."""
    return len(_noted)


def since(mark: int) -> Disturbance:
    """Return the worst Disturbance stored since `mark`, a number that the function `mark` returned.

    If none was stored since, returns the last one that was stored before.
    """
    return worst(_noted[mark:] or _noted[-1:])


def so_far() -> Disturbance:
    """Return the worst Disturbance stored in this process."""
    return worst(_noted)


def forget() -> None:
    """Delete all stored Disturbances, as in a new process."""
    _noted.clear()
    _judged[:] = 0, 0
