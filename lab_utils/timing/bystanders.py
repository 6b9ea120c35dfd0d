"""Measure for lab.bystander how long another client waits while a piece of code runs."""

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ..arguments import (
    check_client,
    check_function,
    check_number,
    check_ran,
)
from ..errors import LabError
from ..scale import scale
from ..testbed import ownership
from ..testbed.pinning import turn
from ..testbed.server import log_in
from ..words import duration

PROGRAM = Path(__file__).with_name("_bystander_process.py")
QUIET_S = 0.03  # before and after the work: what PINGs take when nothing of ours runs


@dataclass(frozen=True)
class Run:
    """What was seen while the work was done once: how long it `took`, in seconds, and all PINGs.

    `pings` are (seconds from the work's begin until the PING was due, seconds from then to its
    reply), in order, from before, during and after the work. `samples` are the PINGs that waited
    during the work, `around` all others; `worst` and `median` are waits of `samples` in seconds.
    """

    pings: list
    took: float

    @property
    def samples(self):
        """The list of the PINGs that waited while the work ran; if none did, the one nearest to it.

        Each is (seconds from the work's begin until it was due, seconds from then to its reply).
        """
        felt = [
            (due, latency) for due, latency in self.pings if due < self.took and due + latency > 0
        ]
        return felt or [min(self.pings, key=lambda ping: abs(ping[0]))]

    @property
    def around(self):
        felt = set(self.samples)
        return [ping for ping in self.pings if ping not in felt]

    @property
    def worst(self):
        return max(latency for _, latency in self.samples)

    @property
    def median(self):
        return statistics.median(latency for _, latency in self.samples)


@dataclass(frozen=True)
class Bystander:
    """How long the PINGs of another client waited during some work; it sent one each millisecond.

    A PING counts from when it was due, so one long pause delays every PING that falls into it.
    `runs` is a list of Run, one for each time the work was done. `worst`, `median` and `took` (how
    long the work took) are in seconds, and medians over `runs`: a single slowest PING says as much
    about the machine as about the work.
    """

    runs: list

    @property
    def worst(self):
        """The seconds that the slowest PING beside the work waited, median over the `runs`."""
        return statistics.median(run.worst for run in self.runs)

    @property
    def median(self):
        return statistics.median(run.median for run in self.runs)

    @property
    def took(self):
        return statistics.median(run.took for run in self.runs)

    @property
    def idle_worst(self):
        """The seconds that the slowest PING before or after the work waited, median over `runs`.

        The work did not delay that PING, so this is the machine's own part.
        """
        slowest = [max((latency for _, latency in run.around), default=0.0) for run in self.runs]
        return statistics.median(slowest)

    def __repr__(self):
        several = f"; medians of {len(self.runs)} runs" if len(self.runs) > 1 else ""
        return (
            f"worst PING of a bystander {duration(self.worst)}, median {duration(self.median)},"
            f" while the work took {duration(self.took)}{several}"
        )


def bystander(fn, client, runs: int = 1, setup=None) -> Bystander:
    """Call `fn(client)` while another process PINGs the same server every millisecond.

    This is done `runs` times (once at LAB_SCALE=ci), each after `setup(client)`, during which no
    PING is sent. PINGs begin 30 ms before the work and end 30 ms after it. The other process
    connects without a link, and does not wait for this Python interpreter. Returns a Bystander.
    Raises LabError for less than one run, and if the server ends; also the errors of `fn`.
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
            found.append(watched(fn, client))
    return Bystander(found)


def watched(fn, client):
    """Call `fn(client)` once while a bystander sends PINGs; return the Run."""
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
        other.stdout.readline()  # "ready"
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
