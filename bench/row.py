"""One line of the benchmark's table, and what several groups need to fill it."""

import contextlib
import os
import statistics
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`what` was `measured`, `against` what, with which `aim`, and whether it is `met`; no aim, no verdict."""

    what: str
    measured: str
    against: str
    aim: str = ""
    met: bool | None = None


@contextlib.contextmanager
def at_scale(name):
    """Set LAB_SCALE for the length of the block."""
    before = os.environ.get("LAB_SCALE")
    os.environ["LAB_SCALE"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["LAB_SCALE"]
        else:
            os.environ["LAB_SCALE"] = before


@contextlib.contextmanager
def endless_loops(number):
    """Run so many programs that compute without pause, at ordinary priority, each in its own session."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def percentile_95(values):
    return statistics.quantiles(values, n=20)[-1]


def share(part, whole):
    """Return by how much `part` differs from `whole`: '+1.2%'."""
    return f"{part / whole - 1:+.1%}"
