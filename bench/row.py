"""One line of the benchmark's table, and what several groups need to fill it."""

import contextlib
import statistics
import subprocess
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`what` was `measured`, `against` what, with which `aim`, and if it is `met`; no aim: None."""

    what: str
    measured: str
    against: str
    aim: str = ""
    met: bool | None = None


@contextlib.contextmanager
def endless_loops(number):
    """Run so many programs that compute without pause, at ordinary priority, in own sessions."""
    loops = [
        subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True)
        for _ in range(number)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def seconds(fn, *args):
    """Return how long one call takes."""
    started = time.perf_counter()
    fn(*args)
    return time.perf_counter() - started


def percentile_95(values):
    return statistics.quantiles(values, n=20)[-1]
