"""What somebody else feels: another client's latency while a piece of code runs."""

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from . import guard
from .errors import LabError
from .keeper import Kept
from .plain_socket import log_in
from .words import duration


@dataclass(frozen=True)
class Bystander:
    """Latencies of a client that PINGs every millisecond while `fn` runs.

    `samples` is a list of (seconds since fn began, seconds the PING took), `took` how long fn ran, in seconds.
    """

    samples: list
    took: float

    @property
    def worst(self):
        """Seconds of the slowest PING: how long somebody else had to wait."""
        return max(latency for _, latency in self.samples)

    @property
    def median(self):
        return statistics.median(latency for _, latency in self.samples)

    def __repr__(self):
        return (f"worst PING of a bystander {duration(self.worst)}, median {duration(self.median)}, "
                f"while the work took {duration(self.took)}")


def bystander(fn, client):
    """Runs `fn(client)` once while another process PINGs the same server every millisecond; returns a Bystander.

    The other client is a process of its own, so that it never waits for this one's interpreter, only for the server.
    It stands next to the server, at no distance. Needs a server reached by TCP without TLS, else raises LabError.
    """
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
        fn(client)
        took = time.perf_counter() - started
        noted, _ = other.process.communicate()
    finally:
        other.stop()
    samples = [(sent - started, latency) for sent, latency in json.loads(noted)]
    return Bystander([(sent, latency) for sent, latency in samples if sent < took and sent + latency > 0] or samples[-1:], took)
