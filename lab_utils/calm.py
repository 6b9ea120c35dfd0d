"""Calm: whether, and how much, other programs disturbed a measurement.

A measurement notes a `Calm`: how many of its rounds were quiet and, where too few were, which share
of the time had to be taken off its results. `lab.claim` asks for the worst since the last claim;
the evidence itself is read in `testbed/evidence.py`.
"""

import threading
from dataclasses import dataclass

QUIET_SHARE, QUIET_S = 0.05, 20e-6  # what took less of a sample did not disturb it

_lock = threading.Lock()  # two threads may measure in turns
_noted: dict[str, "Calm | None"] = {"since claim": None, "last claim": None, "so far": None}


@dataclass(frozen=True)
class Calm:
    """`quiet_rounds` of the `rounds` measured were undisturbed.

    `taken_share` (0 to 1) is 0 only if enough rounds were quiet. Else the least disturbed were
    used: it is others' mean share of each round's worst sample; the results have it taken off.
    `spread`, where it is known, is half the range of the middle 80% of the corrected rounds, as a
    share.
    """

    quiet_rounds: int = 0
    rounds: int = 0
    taken_share: float = 0.0
    spread: float | None = None

    @property
    def busy(self):
        """Whether results had to be mended, since too few rounds were quiet."""
        return self.taken_share > 0

    @property
    def doubt(self):
        """The share by which results may be off in spite of what was taken off."""
        return self.taken_share if self.spread is None else self.spread if self.busy else 0.0

    def sentence(self):
        """Return 'the machine was busy: other programs took ~23% …', or that it was calm."""
        if not self.busy:
            return "the machine was calm"
        return (
            f"the machine was busy: other programs took ~{self.taken_share:.0%} of the time, "
            f"~{self.quiet_rounds} of ~{self.rounds} rounds were quiet"
        )


def quiet(taken_s: float, seconds: float) -> bool:
    """Return whether a sample, of whose seconds others took `taken_s`, counts as undisturbed."""
    return taken_s <= max(QUIET_S, QUIET_SHARE * seconds)


def worst(calms) -> Calm:
    """Return the Calm with the largest doubt; a calm one of no rounds where there are none."""
    return max(
        calms,
        default=Calm(),
        key=lambda calm: (calm.busy, calm.doubt, calm.taken_share, calm.rounds),
    )


def note(calm: Calm):
    """Remember a measurement's Calm for the next claim and for the chapter."""
    with _lock:
        for name in ("since claim", "so far"):
            _noted[name] = worst([calm, _noted[name] or calm])


def since_claim() -> Calm:
    """Return the worst Calm noted since this was last asked, or the last answer if nothing was.

    `lab.claim` asks. Two claims in a row are judged on the same measurements, so the second is told
    the same.
    """
    with _lock:
        if _noted["since claim"] is not None:
            _noted["last claim"], _noted["since claim"] = _noted["since claim"], None
        return _noted["last claim"] or Calm()


def so_far() -> Calm:
    """Return the worst Calm noted in this kernel: a busy chapter is not committed."""
    with _lock:
        return _noted["so far"] or Calm()
