"""The simulated link: a distance between the client and a real server, set in milliseconds.

A process of its own forwards real TCP bytes and delays them by half the round trip each way.

Not simulated: setting up a connection costs no round trip (TCP's handshake ends at the link), a
fresh connection has no slow start and no window, nothing is lost or sent twice, and bandwidth is
that of loopback. So it is exact for how often you wait, and kind to how much you send at once.
"""

import atexit
import json
import mmap
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import redis

from ..arguments import shown
from ..errors import LabError
from ..interrupts import Whole, uninterrupted
from . import guard
from ._link_process import AWAKE, SERVER, SERVER_AT, SHARED_BYTES, TIMES
from .evidence import waited_s
from .keeper import cut, lifeline, mine
from .living import living
from .pinning import steady

LONGEST_MS = 500
SHORTEST_MS = 0.001  # beyond 0; far below what two hops take
FARTHEST_CALIBRATION_MS = 20  # beyond, what the link costs of its own no longer shows
CALIBRATION_S = 0.1  # time spent on it, unless that is too few calls
FEWEST_CALLS, MOST_CALLS = 12, 80
CALIBRATIONS = 3  # at most, within 3 CALIBRATION_S; the lowest quiet one counts
MOST_DOUBTS = 3  # times a calibration is made, at a request each, while its calls are not quiet
# What a quiet call may wait for the CPU and in the link, and how many of them it takes. The two
# hops make it wait 12 to 20 µs on a quiet machine too.
QUIET_S, QUIET_CALLS = 30e-6, 5
PLAUSIBLE_S, PLAUSIBLE_SHARE = 50e-6, 0.005  # of the RTT: what the link costs at most
GONE = (
    "The simulated link has ended. Run lab.connect(rtt_ms=1) again: it starts another, and returns "
    "a client of it."
)


class Link:
    """The link process, and the ports on which it listens."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.process: Any = None
        self.asking = threading.Lock()
        self._pids = ()
        self.ports = {}  # (address, RTT in ms, use) -> port
        self.delays = {}  # port -> seconds each way
        self.overhead_s = {}  # (address, RTT in s, parallel) -> what a trip costs beyond the delay
        self.doubts = {}  # same key -> how often it may be repeated after a disturbance
        with uninterrupted():
            self.start()

    def start(self):
        program = Path(__file__).with_name("_link_process.py")
        read_end, self.requests = lifeline()  # at its end the link ends
        self.said, write_end = os.pipe()
        mine(self.said)  # or a dead kernel's link would wait for a forked child to read
        shared = shared_memory()
        self.memory = mmap.mmap(shared, SHARED_BYTES)
        self.bell = os.eventfd(0) if hasattr(os, "eventfd") else -1  # rung to keep the CPU awake
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", program, str(shared), str(self.bell), str(self.owner)],
            process_group=0,
            stdin=read_end,
            stdout=write_end,
            pass_fds=[fd for fd in (shared, self.bell) if fd >= 0],
        )
        for end in (read_end, write_end, shared):
            os.close(end)
        atexit.register(self.stop)

    @property
    def pid(self) -> int:
        return self.process.pid

    def alive(self) -> bool:
        """Return False when it has ended, and in a forked child: the link is its parent's."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ended(self) -> str:
        """Say what happened to it when it is not alive."""
        if self.owner != os.getpid():
            return "a forked process has a link of its own."
        return "the link had ended; a new one stands in its place, for clients made from now on."

    def pids(self) -> tuple:
        """Return the processes that forward and, where there is one, keep the CPU awake."""
        if not self._pids:
            self._pids = tuple(self.ask("pids")["pids"])
        return self._pids

    def late_s(self) -> float:
        """Return the seconds for which something was late, since the link was started.

        Reading it wakes nobody. Some microseconds a message are normal.
        """
        return TIMES.unpack_from(self.memory)[0]

    def held_s(self) -> float:
        """Return the seconds for which bytes were held back on purpose."""
        return TIMES.unpack_from(self.memory)[1]

    def keep_awake(self, on: bool, server_pid: int | None = None):
        """Keep the CPU on which link and server are held from dozing, or no longer."""
        SERVER.pack_into(self.memory, SERVER_AT, server_pid or 0)
        self.memory[AWAKE] = on
        if on and self.bell >= 0:
            os.eventfd_write(self.bell, 1)

    def ask(self, do: str, **request) -> dict:
        """Return the link's answer to a request. Raises LabError if the link has ended."""
        if not self.alive():
            raise LabError(GONE)
        line, parts = json.dumps({"do": do, **request}).encode() + b"\n", [b""]
        try:
            with uninterrupted(), self.asking:
                while line:
                    line = line[os.write(self.requests, line) :]
                while not parts[-1].endswith(b"\n"):
                    parts.append(os.read(self.said, 1 << 20))
                    if not parts[-1]:
                        raise LabError(GONE)
        except OSError:
            raise LabError(GONE) from None
        return json.loads(b"".join(parts))

    def port(self, server, rtt_ms: float, parallel: bool = False) -> int:
        """Return the loopback port behind which `server` is `rtt_ms` away, always the same.

        There is one for each placement (see `steady`), since what the link costs depends on it.
        """
        near_s = min(rtt_ms, FARTHEST_CALIBRATION_MS) / 1000
        key = server.address, rtt_ms, parallel
        if key in self.ports and not self.doubts.get((server.address, near_s, parallel)):
            return self.ports[key]
        delay_s = max(0.0, rtt_ms / 1000 - self.calibrate(server, near_s, parallel)) / 2
        port = self.opened(key, server, delay_s)
        self.set_delay(port, delay_s)
        return port

    def port_without_delay(self, server) -> int:
        """Return a port that only passes bytes on, for those who want to watch them."""
        return self.opened((server.address, 0, "no delay"), server, 0)

    def opened(self, key, server, delay_s):
        if key not in self.ports:
            self.ports[key] = self.listen(server, delay_s)
        return self.ports[key]

    def rtt_ms(self, port: int) -> float | None:
        """Return the distance behind a port of the link, or None for any other port."""
        ports = list(self.ports.items())
        return next((rtt_ms for (_, rtt_ms, _), known in ports if known == port), None)

    def listen(self, server, delay_s: float) -> int:
        port = self.ask("listen", address=server.address, delay_s=delay_s).get("port")
        if port is None:
            raise LabError(
                "The simulated link can open no further port: it has as many open as the system "
                "allows it. Use a distance that you used before, or restart the kernel."
            )
        self.delays[port] = delay_s
        guard.add_door(port, server)
        return port

    def set_delay(self, port: int, delay_s: float):
        """Set another delay for connections to come, and for those that there are."""
        self.ask("delay", port=port, delay_s=delay_s)
        self.delays[port] = delay_s

    def calibrate(self, server, rtt_s: float, parallel: bool = False) -> float:
        """Measure how many seconds longer a call takes through the link than its distance says.

        Two hops through another process are not free, and a client that has waited runs its next
        lines from a colder cache: together up to 0.07 ms. Measured with redis-py's own PING, direct
        and through the link, and subtracted from the delay, so that a PING takes what it takes at
        no distance plus the RTT asked for. Only calls that nobody disturbed count. Where too few
        were quiet, it is done again when next asked for.
        """
        key = server.address, rtt_s, parallel
        if key not in self.overhead_s or self.doubts.get(key):
            calls = min(MOST_CALLS, max(FEWEST_CALLS, int(CALIBRATION_S / rtt_s)))
            tries = max(1, int(CALIBRATIONS * CALIBRATION_S / (calls * rtt_s)))
            most = PLAUSIBLE_S + PLAUSIBLE_SHARE * rtt_s
            port = self.opened((server.address, 1000 * rtt_s, "calibration"), server, rtt_s / 2)
            found = []
            with (
                steady(server.pid, self, parallel),
                server.connect() as direct,
                through(server, port) as linked,
            ):
                for _ in range(min(CALIBRATIONS, tries)):
                    far_s, far_quiet = call_s(linked, calls, self, server.pid)
                    near_s, near_quiet = call_s(direct, MOST_CALLS, self, server.pid)
                    found.append((not (far_quiet and near_quiet), far_s - near_s - rtt_s))
                    if found[-1] <= (False, most):
                        break
                doubtful, overhead_s = min(found)
                overhead_s = min(max(0.0, overhead_s), most)
            left = self.doubts.get(key, MOST_DOUBTS)
            self.doubts[key] = left - 1 if doubtful else 0
            self.overhead_s[key] = overhead_s
        return self.overhead_s[key]

    def stop(self):
        """End the link and wait for it. A forked child leaves its parent's alone."""
        if self.owner != os.getpid():
            return
        with uninterrupted():
            atexit.unregister(self.stop)
            if self.requests is not None:
                cut(self.requests)  # without its requests it ends
                cut(self.said)
                self.requests = self.said = None
            if self.bell >= 0:
                os.close(self.bell)
                self.bell = -1
        self.process.wait(5)


def shared_memory():
    """Return the descriptor of a file of zeros without a name, which goes with its last user."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("lab link")
    else:
        file, path = tempfile.mkstemp()
        os.unlink(path)
    os.truncate(file, SHARED_BYTES)
    return file


def call_s(client, calls, link, server_pid):
    """Return (seconds of a PING, whether enough of them were quiet).

    The lower quartile of the quiet ones, else of all: a disturbance only makes one longer.
    """

    def disturbed():
        return link.late_s() + waited_s("thread-self") + waited_s(server_pid)

    client.ping()
    times = []
    for _ in range(calls):
        before = disturbed()
        [took] = ping_times(client, 1, warm=False)
        times.append((took, disturbed() - before))
    quiet = [took for took, waited in times if waited <= QUIET_S]
    enough = len(quiet) >= QUIET_CALLS
    return statistics.quantiles(quiet if enough else [took for took, _ in times], n=4)[0], enough


def ping_times(client, calls: int, warm: bool = True) -> list:
    """Return the seconds of each of some PINGs, after one that opens the connection."""
    if warm:
        client.ping()
    times = []
    for _ in range(calls):
        started = time.perf_counter()
        client.ping()
        times.append(time.perf_counter() - started)
    return times


@living
def link() -> Link:
    """Return this kernel's link process, started when first asked for."""
    if link.known():
        link.known().stop()  # it has ended, and holds files
    return Link()


class recording(Whole):
    """Keep what passes the link inside a `with` block: its `events`, when the block has ended."""

    def enter(self):
        link().ask("record")

    def leave(self):
        self.events = link().ask("recorded")["events"]


def through(server, port: int, **options) -> redis.Redis:
    """Return a client whose packets pass the link at `port` on their way to `server`."""
    options = {**server.options, "host": "127.0.0.1", "port": port, **options}
    return redis.Redis(**options)


def distance_through(client) -> float | None:
    """Return the distance in ms that the link holds before a client's server; None without it."""
    options = client.connection_pool.connection_kwargs
    known = link.known()
    if known and options.get("host") in guard.LOOPBACK:
        return known.rtt_ms(options.get("port"))
    return None


def check_distance(rtt_ms: float):
    """Raise LabError for a distance that the link cannot offer."""
    number = isinstance(rtt_ms, (int, float)) and not isinstance(rtt_ms, bool)
    if not number or not (rtt_ms == 0 or SHORTEST_MS <= rtt_ms <= LONGEST_MS):
        raise LabError(
            f"rtt_ms={shown(rtt_ms)} is not a distance the link offers: choose 0 to {LONGEST_MS} "
            "milliseconds; fractions such as 0.25 are fine."
        )
