"""The Redis Round-Trip Lab's helpers: they measure, draw and check.

The Redis calls stand in the notebooks. The first use of a helper imports them all (`face.py`).
"""

import os

# On the learner's own machine a trace may show the words of keys.
os.environ.setdefault("ROUNDTRIPS_KEYS", "plain")

__all__ = [
    "Cost",
    "LabError",
    "bystander",
    "calibration",
    "capture",
    "check",
    "claim",
    "cluster",
    "compare",
    "connect",
    "count",
    "empty",
    "fingerprint",
    "fit_model",
    "frozen",
    "guess",
    "plot_bars",
    "plot_lanes",
    "plot_lines",
    "plot_published",
    "plot_rain",
    "predict",
    "race",
    "replica",
    "retrial",
    "run_fresh",
    "spare",
    "sweep",
    "timeline",
    "trace",
]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .face import HELPERS

    globals().update(HELPERS)
    return HELPERS[name]


def __dir__():
    return sorted({*globals(), *__all__})
