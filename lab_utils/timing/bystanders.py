"""Measure for lab.bystander how long another client waits while a piece of code runs.

That other client is called the bystander. It is a process that sends a PING every millisecond.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import redis

from ..arguments import (
    check_client,
    check_function,
    check_number,
    check_ran,
)
from ..errors import LabError
from ..scale import scale
from ..testbed import ownership
from ..testbed.held_database import log_in
from ..testbed.pinning import turn
from ..words import duration

PROGRAM = Path(__file__).with_name("_bystander_process.py")
QUIET_S = 0.03  # before and after the work: what PINGs take when nothing of ours runs


@dataclass(frozen=True)
class Run:
    """The PINGs that the bystander, another client, sent around one call of the work.

    The work took `took` seconds. `pings` are (seconds from the work's begin until the PING was due,
    seconds from then to its reply), in order, from before, during and after the work. `samples` are
    the PINGs that waited during the work, `around` all others; `worst` and `median` are the longest
    and the median wait among `samples`, in seconds.
    """

    pings: list[tuple[float, float]]
    took: float

    @property
    def samples(self) -> list[tuple[float, float]]:
        """The list of the PINGs that waited while the work ran; if none did, the one nearest to it.

        Each is (seconds from the work's begin until it was due, seconds from then to its reply).
        """
        felt = [
            (due, latency) for due, latency in self.pings if due < self.took and due + latency > 0
        ]
        return felt or [min(self.pings, key=lambda ping: abs(ping[0]))]

    @property
    def around(self) -> list[tuple[float, float]]:
        felt = set(self.samples)
        return [ping for ping in self.pings if ping not in felt]

    @property
    def worst(self) -> float:
        return max(latency for _, latency in self.samples)

    @property
    def median(self) -> float:
        return statistics.median(latency for _, latency in self.samples)


@dataclass(frozen=True)
class Bystander:
    """How long the PINGs of another client waited during some work; it sent one each millisecond.

    A PING counts from when it was due, so one long pause delays every PING that falls into it.
    `runs` is a list of Run, one for each time the work was done. `worst`, `median` and `took` (how
    long the work took) are in seconds, and medians over `runs`: a single slowest PING says as much
    about the machine as about the work.
    """

    runs: list[Run]

    @property
    def worst(self) -> float:
        """The seconds that the slowest PING during the work waited, median over the `runs`."""
        return statistics.median(run.worst for run in self.runs)

    @property
    def median(self) -> float:
        return statistics.median(run.median for run in self.runs)

    @property
    def took(self) -> float:
        return statistics.median(run.took for run in self.runs)

    @property
    def idle_worst(self) -> float:
        """The seconds that the slowest PING before or after the work waited, median over `runs`.

        The work did not delay these PINGs, so this is how long the machine alone makes a PING wait.
        """
        slowest = [max((latency for _, latency in run.around), default=0.0) for run in self.runs]
        return statistics.median(slowest)

    def __repr__(self) -> str:
        several = f"; medians of {len(self.runs)} runs" if len(self.runs) > 1 else ""
        return (
            f"worst PING of a bystander {duration(self.worst)}, median {duration(self.median)},"
            f" while the work took {duration(self.took)}{several}"
        )


def bystander(
    fn: Callable, client: redis.Redis, runs: int = 1, setup: Callable | None = None
) -> Bystander:
    """Call `fn(client)` while another process PINGs the same server every millisecond.

    Returns a Bystander: how long these PINGs waited. The call is made `runs` times (once at
    LAB_SCALE=ci), each after `setup(client)`, during which no PING is sent. PINGs begin 30 ms
    before the work and end 30 ms after it. The other process connects to the server itself, not
    through the link, and does not wait for this Python interpreter. Raises LabError for less than
    one run, and if the server ends; also the errors of `fn`.
    """
    check_number(runs, "runs", 1, whole=True)
    check_function(fn, "lab.bystander")
    check_client(client, "lab.bystander")
    if setup is not None:
        check_function(setup, "lab.bystander(setup=…)", "work, r, setup=fill")
    ownership.check(client)  # before `setup` writes
    found = []
    for _ in range(runs if scale().repeats else 1):
        if setup:
            check_ran(setup(client), "lab.bystander")
        with turn(2):  # no other kernel measures meanwhile; client and bystander have a CPU each
            found.append(run_once(fn, client))
    return Bystander(found)


def run_once(fn: Callable, client: redis.Redis) -> Run:
    """Call `fn(client)` once while a bystander sends PINGs; return the Run with all these PINGs."""
    place = ownership.check(client)
    other = subprocess.Popen(
        [sys.executable, "-I", "-S", str(PROGRAM)],
        process_group=0,  # Ctrl-C is for the kernel
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # where the server is gone, the error below says so
        text=True,
    )
    try:
        print(json.dumps([*place.address, log_in(place.options)]), file=other.stdin, flush=True)
        other.stdout.readline()  # type: ignore[union-attr]  # "ready"
        time.sleep(QUIET_S)
        started = time.perf_counter()
        check_ran(fn(client), "lab.bystander")
        took = time.perf_counter() - started
        time.sleep(QUIET_S)
        noted, _ = other.communicate()
        if not noted:
            raise LabError("The bystander lost its server while the work ran. Run the cell again.")
    finally:
        other.kill()
        other.communicate()
    return Run(sorted((due - started, latency) for due, latency in json.loads(noted)), took)
