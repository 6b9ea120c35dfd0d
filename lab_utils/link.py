"""The simulated link: a distance between the client and a real server, set in milliseconds.

A process of its own forwards real TCP bytes and delays them by half the round trip each way.

What it does not simulate: setting up a connection costs no round trip (TCP's handshake ends at the link), a fresh
connection has no slow start and no window, nothing is lost or sent twice, and bandwidth is that of loopback.
So it is exact for how often you wait, and kind to how much you send at once over a fresh connection.

The process runs at the lowest priority. With every CPU busy with other work it comes late, and distances grow.
"""

import atexit
import functools
import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import redis

from .errors import LabError
from .steady import steady

LONGEST_MS = 500
FARTHEST_CALIBRATION_MS = 20  # beyond, what the link costs of its own no longer shows
CALIBRATION_S = 0.1  # time spent on it, unless that is too few calls
FEWEST_CALLS, MOST_CALLS = 12, 80
CALIBRATIONS = 3  # at most, the lowest counts; for when the machine is busy with something else
PLAUSIBLE_S, PLAUSIBLE_SHARE = 50e-6, 0.005  # of the RTT: what the link costs at most; more is somebody else's doing


class Link:
    """The link process, and the ports on which it listens."""

    def __init__(self):
        program = Path(__file__).with_name("_link_process.py")
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(program)], process_group=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.lock = threading.Lock()
        self.ports = {}
        self.own_s = {}  # (server, RTT, placement) -> what a round trip costs beyond the delay
        atexit.register(self.stop)

    @property
    def pid(self):
        return self.process.pid

    def ask(self, do, **request):
        with self.lock:
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

    def port(self, server, rtt_ms, parallel=False):
        """The loopback port behind which `server` is `rtt_ms` away. The same pair always gets the same port.

        One for each placement, since what the link costs of its own depends on it: see `steady`.
        """
        key = server.address, rtt_ms, parallel
        if key not in self.ports:
            own_s = self.calibrate(server, min(rtt_ms, FARTHEST_CALIBRATION_MS) / 1000, parallel)
            self.ports[key] = self.listen(server, max(0.0, rtt_ms / 1000 - own_s))
        return self.ports[key]

    def port_without_delay(self, server):
        """A port that only passes bytes on, for those who want to watch them."""
        key = server.address, "no delay"
        if key not in self.ports:
            self.ports[key] = self.listen(server, 0)
        return self.ports[key]

    def listen(self, server, rtt_s):
        return self.ask("listen", address=server.address, delay_s=rtt_s / 2)["port"]

    def calibrate(self, server, rtt_s, parallel=False):
        """Seconds that a call of redis-py takes longer through the link than its distance says.

        Two hops through another process are not free, and a client that has waited runs its next lines from a colder
        cache: together up to 0.07 ms. Measured with redis-py's own PING, direct and through the link, and
        subtracted from the delay, so that a PING takes what it takes at no distance plus the RTT asked for.
        """
        key = server.address, rtt_s, parallel
        if key not in self.own_s:
            calls = min(MOST_CALLS, max(FEWEST_CALLS, int(CALIBRATION_S / rtt_s)))
            most = PLAUSIBLE_S + PLAUSIBLE_SHARE * rtt_s
            own_s = float("inf")
            with steady(server.pid, self, parallel), server.connect() as direct, \
                    through(server, self.listen(server, rtt_s)) as linked:
                for _ in range(CALIBRATIONS):
                    own_s = min(own_s, call_s(linked, calls) - call_s(direct, MOST_CALLS) - rtt_s)
                    if own_s <= most:
                        break
            self.own_s[key] = min(max(0.0, own_s), most)
        return self.own_s[key]

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(5)


def call_s(client, calls):
    """Seconds of a PING: the lower quartile, since whatever else the machine does can only make one longer."""
    times = []
    for _ in range(calls):
        started = time.perf_counter()
        client.ping()
        times.append(time.perf_counter() - started)
    return statistics.quantiles(times, n=4)[0]


@functools.cache
def link():
    """This kernel's link process, started when first asked for."""
    return Link()


def through(server, port, **options):
    """A `redis.Redis` whose packets pass the link at `port` on their way to `server`."""
    return redis.Redis(**{**without_address(server.options), "host": "127.0.0.1", "port": port, **options})


def without_address(options):
    return {name: value for name, value in options.items() if name not in ("host", "port", "unix_socket_path")}


def check_distance(server, rtt_ms):
    """Raises LabError for a distance that the link cannot offer."""
    if not isinstance(rtt_ms, (int, float)) or not 0 <= rtt_ms <= LONGEST_MS:
        raise LabError(f"rtt_ms={rtt_ms!r} is not a distance the link offers: choose 0 to {LONGEST_MS} milliseconds; "
                       "fractions such as 0.25 are fine.")
    if rtt_ms and server.options.get("ssl"):
        raise LabError("The link cannot stand in front of a TLS server: the name on the certificate would not match. Use "
                       "rtt_ms=0 with this server, or unset REDIS_URL to work on the lab's own.")
