"""Calm, or say so: what is known of whether other programs disturbed what was measured.

A measurement notes a `Calm`: how many of its rounds were quiet and, where too few were, which share of the time had to be
taken off its results. `lab.claim` asks for the worst since the last claim; the evidence itself is read in `testbed/evidence.py`.
"""

import threading
from dataclasses import dataclass

QUIET_SHARE, QUIET_S = 0.05, 20e-6  # what took less of a sample did not disturb it

_lock = threading.Lock()  # two threads may measure in turns
_noted = {"since claim": None, "last claim": None, "so far": None}


@dataclass(frozen=True)
class Calm:
    """`quiet_rounds` of the `rounds` measured were undisturbed.

    `taken_share` (0 to 1) is 0 where those were enough, and only there. Else the least disturbed rounds were used, and this is
    the share of the time that other programs took from the worst sample of a round, on average, and that was taken off the
    results. `spread`, where it is known, is half the range of the middle 80% of the rounds so mended, as a share.
    """

    quiet_rounds: int = 0
    rounds: int = 0
    taken_share: float = 0.0
    spread: float | None = None

    @property
    def busy(self):
        """True if results had to be mended: there were too few quiet rounds."""
        return self.taken_share > 0

    @property
    def doubt(self):
        """The share by which results may be off in spite of what was taken off."""
        return self.taken_share if self.spread is None else self.spread if self.busy else 0.0

    def sentence(self):
        """'the machine was busy: other programs took ~23% of the time, ~3 of ~40 rounds were quiet', or that it was calm."""
        if not self.busy:
            return "the machine was calm"
        return (f"the machine was busy: other programs took ~{self.taken_share:.0%} of the time, "
                f"~{self.quiet_rounds} of ~{self.rounds} rounds were quiet")


def quiet(taken_s, seconds):
    """Whether a sample of so many seconds, of which other programs took `taken_s`, counts as undisturbed."""
    return taken_s <= max(QUIET_S, QUIET_SHARE * seconds)


def worst(calms):
    """The Calm with the largest doubt; a calm one of no rounds where there are none."""
    return max(calms, key=lambda calm: (calm.busy, calm.doubt, calm.taken_share, calm.rounds), default=Calm())


def note(calm):
    """Remembers a measurement's Calm for the next claim and for the chapter."""
    with _lock:
        for name in ("since claim", "so far"):
            _noted[name] = worst([calm, _noted[name] or calm])


def since_claim():
    """The worst Calm noted since this was last asked, which `lab.claim` does; where nothing was measured since, the last answer.

    Two claims in a row are judged on the same measurements, so the second is told the same.
    """
    with _lock:
        if _noted["since claim"] is not None:
            _noted["last claim"], _noted["since claim"] = _noted["since claim"], None
        return _noted["last claim"] or Calm()


def so_far():
    """The worst Calm noted in this kernel: a chapter that was busy anywhere is not committed."""
    with _lock:
        return _noted["so far"] or Calm()
