"""Import the Redis Round-Trip Lab's helpers when they are first used: they measure, draw and check.

The notebooks themselves contain the Redis calls.
"""

import functools
import importlib
import os
from typing import Any

# On the learner's own machine a trace may show the words of keys.
os.environ.setdefault("ROUNDTRIPS_KEYS", "plain")

# Where each name that a notebook writes as `lab.xxx` is defined.
MODULES = {
    "Cost": ".counting.cost",
    "LabError": ".errors",
    "bystander": ".timing.bystanders",
    "calibration": ".course.guesses",
    "capture": ".counting.wire",
    "check": ".course.exercises",
    "claim": ".course.claims",
    "cluster": ".testbed.clusters",
    "compare": ".timing.comparison",
    "connect": ".testbed.chosen_server",
    "count": ".counting.cost",
    "empty": ".testbed.ownership",
    "fingerprint": ".testbed.fingerprints",
    "fit_model": ".timing.fitting",
    "frozen": ".testbed.freezing",
    "guess": ".course.guesses",
    "plot_bars": ".figures.charts",
    "plot_lanes": ".counting.watching",
    "plot_lines": ".figures.charts",
    "plot_rain": ".figures.rain",
    "predict": ".timing.fitting",
    "race": ".timing.races",
    "replica": ".testbed.replicas",
    "rest": ".testbed.link",
    "run_fresh": ".timing.cold_start",
    "spare": ".testbed.spare_server",
    "sweep": ".timing.sweeps",
    "tcp": ".testbed.link",
    "timeline": ".counting.timelines",
    "trace": "roundtrips",
}
__all__ = list(MODULES)


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _begin()
    from . import interrupts

    helper = getattr(importlib.import_module(MODULES[name], __name__), name)
    if not isinstance(helper, type):
        helper = interrupts.interruptible(helper)
    globals()[name] = helper
    return helper


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


@functools.cache
def _begin() -> None:
    """Have Jupyter call the lab's functions around each notebook cell; do nothing outside Jupyter.

    One of them prints a message if a cell failed because the server was lost. If LAB_BOARD_URL
    names a board, a web page for the leader of a course, others send there what the learner did.
    """
    from .course import reporting
    from .notebook import shell
    from .testbed import fingerprints, lost_server  # noqa: F401  (which tells figures the versions)

    if cells := shell():
        cells.events.register("post_run_cell", lost_server.after_cell)
    reporting.begin()
