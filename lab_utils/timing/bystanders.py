"""What somebody else feels: another client's latency while a piece of code runs."""

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ..arguments import check_client, check_function, check_number, check_ran
from ..errors import LabError
from ..testbed import guard
from ..testbed.keeper import Kept
from ..testbed.pinning import turn
from ..testbed.plain_socket import log_in
from ..words import duration


@dataclass(frozen=True)
class Run:
    """One run of `fn`, which `took` seconds. `samples` is a list of (seconds since fn began, seconds until the PING's reply)."""

    samples: list
    took: float

    @property
    def worst(self):
        return max(latency for _, latency in self.samples)

    @property
    def median(self):
        return statistics.median(latency for _, latency in self.samples)


@dataclass(frozen=True)
class Bystander:
    """What a client felt that sends a PING every millisecond, answered or not, while `fn` runs; `runs` are its Runs.

    A PING counts from when it was due, so one long wait is felt by every PING that falls into it. `worst`, `median` and
    `took`, in seconds, are each the median of the runs: a single worst PING says as much of the machine as of the work.
    """

    runs: list

    @property
    def worst(self):
        """Seconds of the slowest PING of a run: how long somebody else had to wait."""
        return statistics.median(run.worst for run in self.runs)

    @property
    def median(self):
        return statistics.median(run.median for run in self.runs)

    @property
    def took(self):
        return statistics.median(run.took for run in self.runs)

    def __repr__(self):
        several = f"; medians of {len(self.runs)} runs" if len(self.runs) > 1 else ""
        return (f"worst PING of a bystander {duration(self.worst)}, median {duration(self.median)}, "
                f"while the work took {duration(self.took)}{several}")


def bystander(fn, client, runs=1, setup=None):
    """Runs `fn(client)` while another process PINGs the same server every millisecond, by the clock; returns a Bystander.

    It does so `runs` times, each after `setup(client)`, which nobody watches. The other client is a process of its own, so
    that it never waits for this one's interpreter, only for the server. It stands next to the server, at no distance.
    Raises LabError where the server is not reached by TCP without TLS, or for less than one run.
    """
    check_number(runs, "runs", 1, whole=True)
    check_function(fn, "lab.bystander")
    check_client(client, "lab.bystander")
    if setup is not None:
        check_function(setup, "lab.bystander(setup=…)", "work, r, setup=fill")
    found = []
    for _ in range(runs):
        if setup:
            check_ran(setup(client), "lab.bystander")
        with turn(2):  # no other kernel measures meanwhile; client and bystander stay on CPUs of their own
            found.append(watched(fn, client))
    return Bystander(found)


def watched(fn, client):
    """One Run of `fn(client)` beside a bystander."""
    place = guard.check(client)
    if isinstance(place.address, str) or place.options.get("ssl"):
        raise LabError("The bystander speaks plain TCP only. Unset REDIS_URL to use the lab's own server.")
    other = Kept([sys.executable, "-I", "-S", str(Path(__file__).with_name("_bystander_process.py"))],
                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        other.process.stdin.write(json.dumps([*place.address, log_in(place.options)]) + "\n")
        other.process.stdin.flush()
        if other.process.stdout.readline().strip() != "ready":
            raise LabError("The bystander could not reach the server. Run the cell again.")
        started = time.perf_counter()
        check_ran(fn(client), "lab.bystander")
        took = time.perf_counter() - started
        noted, _ = other.process.communicate()
    finally:
        other.stop()
    samples = [(due - started, latency) for due, latency in json.loads(noted)]
    return Run([(due, latency) for due, latency in samples if due < took and due + latency > 0] or samples[-1:], took)
