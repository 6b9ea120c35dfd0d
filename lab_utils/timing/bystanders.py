"""What somebody else feels: another client's latency while a piece of code runs."""

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from ..arguments import (
    check_client,
    check_dict,
    check_function,
    check_number,
    check_ran,
    check_title,
    shown,
)
from ..errors import LabError
from ..scale import scale
from ..testbed import guard
from ..testbed.keeper import Kept
from ..testbed.pinning import turn
from ..testbed.plain_socket import log_in
from ..words import duration

PROGRAM = Path(__file__).with_name("_bystander_process.py")
QUIET_S = 0.03  # before and after the work: what PINGs take when nothing of ours runs


@dataclass(frozen=True)
class Run:
    """One run of `fn`, which `took` seconds.

    A PING is (seconds since fn began, seconds until its reply). `samples` are those that fell into
    the work, `around` those before and after it.
    """

    samples: list
    took: float
    around: list = field(default_factory=list)

    @property
    def pings(self):
        """Return all of them, in the order in which they were due."""
        return sorted(self.samples + self.around)

    @property
    def worst(self):
        return max(latency for _, latency in self.samples)

    @property
    def median(self):
        return statistics.median(latency for _, latency in self.samples)


@dataclass(frozen=True)
class Bystander:
    """What a client felt that sends a PING every millisecond, answered or not, in some `runs`.

    A PING counts from when it was due, so one long wait is felt by every PING that falls into it.
    `worst`, `median` and `took`, in seconds, are each the median of the runs: a single worst PING
    says as much of the machine as of the work.
    """

    runs: list

    @property
    def worst(self):
        """Return the seconds of the slowest PING of a run: how long somebody else had to wait."""
        return statistics.median(run.worst for run in self.runs)

    @property
    def median(self):
        return statistics.median(run.median for run in self.runs)

    @property
    def took(self):
        return statistics.median(run.took for run in self.runs)

    @property
    def idle_worst(self):
        """Return the seconds of the slowest PING around the work, which waited for the machine."""
        slowest = [max((latency for _, latency in run.around), default=0.0) for run in self.runs]
        return statistics.median(slowest)

    def __repr__(self):
        several = f"; medians of {len(self.runs)} runs" if len(self.runs) > 1 else ""
        return (
            f"worst PING of a bystander {duration(self.worst)}, median {duration(self.median)},"
            f" while the work took {duration(self.took)}{several}"
        )


def bystander(fn, client, runs: int = 1, setup=None) -> Bystander:
    """Run `fn(client)` while another process PINGs the same server every millisecond, by the clock.

    It does so `runs` times (at LAB_SCALE=ci once), each after `setup(client)`, which nobody
    watches, from 30 ms before the work to 30 ms after it. The other client is a process of its own,
    next to the server: it waits for no interpreter of ours. Raises LabError for less than one run.
    """
    check_number(runs, "runs", 1, whole=True)
    check_function(fn, "lab.bystander")
    check_client(client, "lab.bystander")
    if setup is not None:
        check_function(setup, "lab.bystander(setup=…)", "work, r, setup=fill")
    guard.check(client)  # before `setup` writes
    found = []
    for _ in range(runs if scale().repeats else 1):
        if setup:
            check_ran(setup(client), "lab.bystander")
        with turn(2):  # no other kernel measures meanwhile; client and bystander have a CPU each
            found.append(watched(fn, client))
    return Bystander(found)


def plot_rain(watched: dict, title: str | None = None):
    """Draw what bystanders felt, {way: Bystander}: each PING is a drop.

    Across are the ms since the work began, upwards the ms that it waited (log). A panel for each
    way, the work shaded, shows the run whose slowest PING is the middle one. PINGs are left out
    that another one would cover; never the slowest. Returns a Figure, or None where figures are
    off; prints one line in words. Raises LabError for anything but Bystanders by name,
    and a title that is no text.
    """
    from ..figures.rain import draw_rain

    example = '{"MULTI": lab.bystander(multi, r)}'
    for name, felt in check_dict(watched, "lab.plot_rain", example).items():
        if not isinstance(felt, Bystander):
            raise LabError(
                "lab.plot_rain needs what lab.bystander returned for each way, "
                f"such as {example}, and got {shown(felt)} for {name}. "
                "Keep the whole answer, not only its .worst."
            )
    check_title(title, "lab.plot_rain")
    return draw_rain(watched, title)


def watched(fn, client):
    """Return one Run of `fn(client)` beside a bystander."""
    place, pipe = guard.check(client), subprocess.PIPE
    other = Kept([sys.executable, "-I", "-S", str(PROGRAM)], stdin=pipe, stdout=pipe, text=True)
    try:
        other.process.stdin.write(json.dumps([*place.address, log_in(place.options)]) + "\n")
        other.process.stdin.flush()
        if other.process.stdout.readline().strip() != "ready":
            raise LabError("The bystander could not reach the server. Run the cell again.")
        time.sleep(QUIET_S)
        started = time.perf_counter()
        check_ran(fn(client), "lab.bystander")
        took = time.perf_counter() - started
        time.sleep(QUIET_S)
        noted, _ = other.process.communicate()
        if not noted:
            raise LabError("The bystander lost its server while the work ran. Run the cell again.")
    finally:
        other.stop()
    return run_of([(due - started, latency) for due, latency in json.loads(noted)], took)


def run_of(pings, took):
    """Return the Run of the PINGs; work too short for a PING gets the nearest to its start."""
    felt = {(due, latency) for due, latency in pings if due < took and due + latency > 0}
    felt = felt or {min(pings, key=lambda ping: abs(ping[0]))}
    samples, around = (
        [ping for ping in pings if (ping in felt) == inside] for inside in (True, False)
    )
    return Run(samples, took, around)
