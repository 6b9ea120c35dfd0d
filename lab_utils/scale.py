"""Read LAB_SCALE=ci|workshop|full: how long measurements may take. It never changes counts."""

import os
from dataclasses import dataclass

from .errors import LabError


@dataclass(frozen=True)
class Scale:
    """How long measuring may take at one setting of LAB_SCALE.

    A comparison takes up to `seconds` seconds, and has at least `fewest` and at most `rounds`
    rounds. If `repeats` is True, `lab.bystander` measures as often as it is asked to, else once. If
    `progress` is True, a long measurement shows below its notebook cell about how many seconds it
    takes.
    """

    seconds: float
    fewest: int
    rounds: int
    repeats: bool
    progress: bool


# 8 rounds, since with fewer a ratio has no interval (`timing/ratio.py`); in CI nobody reads one.
SCALES = {
    "ci": Scale(seconds=0.4, fewest=3, rounds=25, repeats=False, progress=False),
    "workshop": Scale(seconds=2.0, fewest=8, rounds=101, repeats=True, progress=True),
    "full": Scale(seconds=10.0, fewest=9, rounds=301, repeats=True, progress=True),
}


def scale() -> Scale:
    """Return the Scale that LAB_SCALE names, "workshop" by default.

    Raises LabError for an unknown name.
    """
    name = os.environ.get("LAB_SCALE", "workshop")
    if name not in SCALES:
        raise LabError(
            f"LAB_SCALE is {name!r}. Set it to ci, workshop or full, "
            "or leave it unset for workshop."
        )
    return SCALES[name]
