"""How often a drill tries. DRILLS=full tries as often as it says, DRILLS=ci (the default) a tenth.

A drill that is random takes its seeds from here. They follow from DRILLS_SEED, which every run
prints and which repeats it.
"""

import os
import random

SHARE = {"ci": 0.1, "full": 1.0}
SIZE = os.environ.get("DRILLS", "ci")
if SIZE not in SHARE:
    raise ValueError(f"DRILLS is {SIZE!r}. Set it to ci or full, or leave it unset for ci.")
SEED = int(os.environ.get("DRILLS_SEED") or random.SystemRandom().randrange(10**6))
os.environ["DRILLS_SEED"] = str(SEED)  # pytest's workers, which share the drills, have the same


def tries(full: int) -> int:
    """Return how often to try something that `make drills DRILLS=full` tries `full` times.

    That is `full`, or with DRILLS=ci a tenth of it, at least 1.
    """
    return max(1, round(full * SHARE[SIZE]))


def seeds(full: int):
    """Return `tries(full)` different seeds, ints, for pytest.mark.parametrize or a loop."""
    return random.Random(SEED).sample(range(10**9), tries(full))
