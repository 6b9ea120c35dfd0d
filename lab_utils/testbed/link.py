"""Simulate a link: a distance between the client and a real server, set in milliseconds.

A process of its own forwards real TCP bytes and delays them by half the round trip each way. It
limits bytes under way as Linux' TCP would: a connection that is new, or was silent for some
seconds, has at most ten segments (14 KB) under way, and twice as many after each round trip.

Not simulated: setting up a connection costs no round trip (TCP's handshake ends at the link), the
receiver's window is wide from the start, and bandwidth is that of loopback. Segments are lost only
with `loss`. So the number of waits is exact, except for connecting, and megabytes arrive faster
than on a real link.
"""

import atexit
import json
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import redis

from ..arguments import check_client, check_number, shown
from ..errors import LabError
from ..interrupts import Whole, uninterrupted
from . import ownership
from ._link_process import AWAKE, SERVER, SERVER_AT, SHARED_BYTES, TIMES
from .keeper import close_in_children, cut, lifeline
from .one_a_kernel import one_a_kernel
from .ownership import GONE, Server
from .pinning import steady

LONGEST_MS = 500
MOST_LOSS = 0.2  # beyond it nobody's network works
SHORTEST_MS = 0.001  # beyond 0; far below what two hops take
FARTHEST_CALIBRATION_MS = 20  # beyond, what the link costs of its own no longer shows
CALIBRATION_S = 0.1  # of calls through the link, unless that is too few of them
FEWEST_CALLS, MOST_CALLS = 12, 80
# Of these calls the fastest ones count, one in so many. What disturbs a call makes it longer.
FASTEST_OF = 10
# Tries until the result is plausible. On a CPU that dozes off the link costs three times as much.
TRIES = 3
PLAUSIBLE_S, PLAUSIBLE_SHARE = 50e-6, 0.002  # of the RTT: what the link costs at most


class Times(NamedTuple):
    """Sums of the link's delays since it was started, in seconds.

    - `late` is how long bytes left after they were due: some microseconds a message are normal
    - `held` is for how long bytes were delayed on purpose; if messages are on the way at the
      same time, that time counts once
    - `asked` is `held` plus the link's own cost, so that a round trip counts with the full
      distance that was asked for
    - `flown` is `held`, but with each message's time counted by itself
    """

    late: float
    held: float
    asked: float
    flown: float


NO_TIMES = Times(0.0, 0.0, 0.0, 0.0)


class Link:
    """The process that simulates distances to servers, and the loopback ports on which it listens.

    The process is started when a Link is made. `memory` is shared with the process, which writes
    the Link's Times there.
    """

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.process: Any = None
        self.asking = threading.Lock()
        self._pids: tuple[int, ...] = ()
        self.ports: dict[tuple, int] = {}  # (address, RTT in ms, parallel, share lost) -> port
        # (address, RTT in s, parallel) -> what a round trip costs beyond the delay
        self.overhead_s: dict[tuple, float] = {}
        with uninterrupted():
            self.start()

    def start(self) -> None:
        program = Path(__file__).with_name("_link_process.py")
        read_end, self.requests = lifeline()  # at its end the link ends
        self.said, write_end = os.pipe()
        # or a dead kernel's link would wait for a forked child to read
        close_in_children(self.said)
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

    def alive(self) -> bool:
        """Return whether the link's process runs; False in a forked child, which may not use it."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ended(self) -> str:
        """Return the sentence to print when this link has ended and a new one replaces it."""
        return "the link had ended; a new one stands in its place, for clients made from now on."

    def pids(self) -> tuple[int, ...]:
        """Return a tuple of the process ids of the link and, if there is one, of its waker."""
        if not self._pids:
            self._pids = tuple(self.ask("pids")["pids"])
        return self._pids

    def times(self) -> Times:
        """Return the sums of the link's delays so far; this reads memory, and wakes no process."""
        return Times._make(TIMES.unpack_from(self.memory))

    def keep_awake(self, on: bool, server_pid: int | None = None) -> None:
        """Keep the CPU of link and server from dozing if `on` is True; else stop keeping it awake.

        A second process of the link, the waker, does that by spinning, and pauses while other
        programs want the CPU. `server_pid` is the server's process id, if known: the server is not
        such a program.
        """
        SERVER.pack_into(self.memory, SERVER_AT, server_pid or 0)
        self.memory[AWAKE] = on
        if on and self.bell >= 0:
            os.eventfd_write(self.bell, 1)

    def ask(self, do: str, **request: Any) -> dict:
        """Send the request `do`, such as "listen", to the link process; return its answer, a dict.

        `request` are the fields of the request, for JSON. The answer depends on the request: see
        the methods `do_…` in `_link_process.py`. Raises LabError if the link has ended.
        """
        if not self.alive():
            raise LabError(GONE)
        # Shorter than what a pipe takes at once.
        line = json.dumps({"do": do, **request}).encode() + b"\n"
        parts = [b""]
        try:
            with uninterrupted(), self.asking:
                os.write(self.requests, line)
                while not parts[-1].endswith(b"\n"):
                    parts.append(os.read(self.said, 1 << 20))
                    if not parts[-1]:
                        raise LabError(GONE)
        except OSError:
            raise LabError(GONE) from None
        return json.loads(b"".join(parts))

    def port(self, server: Server, rtt_ms: float, parallel: bool = False, loss: float = 0.0) -> int:
        """Return the loopback port behind which a Server is `rtt_ms` ms away.

        A second call with the same arguments returns the same port. `loss` is the share of
        segments, such as 0.01, that are lost each way and sent again. `parallel` is for clients
        that have a CPU to themselves (see `steady`): the link's own cost is then another one, and
        so is the port. At 0 ms bytes are passed on without delay, for recording them.
        """
        key = server.address, rtt_ms, parallel, loss
        if key not in self.ports:
            near_s = min(rtt_ms, FARTHEST_CALIBRATION_MS) / 1000
            overhead_s = self.overhead(server, near_s, parallel) if near_s else 0.0
            self.ports[key] = self.listen(server, rtt_ms / 1000, overhead_s, loss)
        return self.ports[key]

    def rtt_ms(self, port: int) -> float | None:
        """Return the distance in ms behind a port of the link, None for any other port."""
        return next(
            (rtt_ms for (_, rtt_ms, _, _), known in list(self.ports.items()) if known == port), None
        )

    def listen(
        self, server: Server, rtt_s: float, overhead_s: float = 0.0, loss: float = 0.0
    ) -> int:
        """Open a new loopback port, which delays bytes to a Server and back; return the port.

        The delay of both ways together is `rtt_s`, the distance, less `overhead_s`, the link's own
        cost, both in seconds. `loss` is the share of segments lost each way, such as 0.01.
        """
        delay_s = max(0.0, rtt_s - overhead_s) / 2
        stretch = rtt_s / (2 * delay_s) if delay_s else 1.0
        port = self.ask(
            "listen", address=server.address, delay_s=delay_s, stretch=stretch, loss=loss
        )["port"]
        ownership.add_link(port, server, self)
        return port

    def overhead(self, server: Server, rtt_s: float, parallel: bool = False) -> float:
        """Return by how many seconds a call through the link exceeds its distance, `rtt_s` seconds.

        The link is a process between client and `server`. Two hops through it are not free, and a
        client that has waited runs its next lines from a colder cache: together up to 0.07 ms. The
        caller subtracts this overhead from the delay, so that a PING takes as long as without a
        link, plus the RTT asked for. With `parallel` the client has a CPU to itself while this is
        measured.

        The overhead is measured once for each distance in a process, with redis-py's own PING,
        direct and through the link. The fastest calls count, since a disturbance only makes a call
        longer. An implausibly large result is measured again, and limited.
        """
        key = server.address, rtt_s, parallel
        if key in self.overhead_s:
            return self.overhead_s[key]
        calls = min(MOST_CALLS, max(FEWEST_CALLS, int(CALIBRATION_S / rtt_s)))
        most = PLAUSIBLE_S + PLAUSIBLE_SHARE * rtt_s
        port = self.listen(server, rtt_s)
        self.overhead_s[key] = most
        with (
            steady(server.pid, self, parallel),
            server.connect() as direct,
            through(server, port) as linked,
        ):
            for _ in range(TRIES):
                far_s = fastest(ping_times(linked, calls))
                near_s = fastest(ping_times(direct, MOST_CALLS))
                if far_s - near_s - rtt_s < most:
                    self.overhead_s[key] = max(0.0, far_s - near_s - rtt_s)
                    break
        return self.overhead_s[key]

    def stop(self) -> None:
        """End the link process and wait for it; do nothing in a forked child."""
        if self.owner != os.getpid():
            return
        with uninterrupted():
            atexit.unregister(self.stop)
            if self.requests >= 0:
                cut(self.requests)  # without its requests it ends
                cut(self.said)
                self.requests = self.said = -1
            if self.bell >= 0:
                os.close(self.bell)
                self.bell = -1
        self.process.wait(5)


def shared_memory() -> int:
    """Make an unnamed file of 4,096 zeros to share with a child; return its descriptor.

    The file vanishes with its last user.
    """
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("lab link")
    else:
        file, path = tempfile.mkstemp()
        os.unlink(path)
    os.truncate(file, SHARED_BYTES)
    return file


def fastest(times: list[float]) -> float:
    """Return the time that a tenth of some calls stayed below; `times` are their seconds."""
    return sorted(times)[len(times) // FASTEST_OF]


def ping_times(client: redis.Redis, calls: int) -> list[float]:
    """Return a list of the seconds that each of `calls` PINGs by `client` took.

    A PING before them opens the connection.
    """
    client.ping()
    times = []
    for _ in range(calls):
        started = time.perf_counter()
        client.ping()
        times.append(time.perf_counter() - started)
    return times


@one_a_kernel
def link() -> Link:
    """Return this process's Link, which simulates distances; start one if none runs."""
    if link.known():
        link.known().stop()  # it has ended, and holds files
    return Link()


class recording(Whole):
    """Records the bytes that pass the simulated link inside a `with` block, in the list `events`.

    The attribute `events` exists once the block has ended. An event is [number of the connection,
    "request" or "reply", time of arrival at the link, time of leaving its sender, time of leaving
    the link, bytes in base64], with times of time.perf_counter(), in seconds.
    """

    def enter(self) -> None:
        link().ask("record")

    def leave(self) -> None:
        self.events = link().ask("recorded")["events"]


def through(server: Server, port: int, **options: Any) -> redis.Redis:
    """Return a redis.Redis that reaches a Server through the link, by the link's `port`.

    `options` are redis-py's.
    """
    options = {**server.options, "host": "127.0.0.1", "port": port, **options}
    return redis.Redis(**options)


def distance_through(client: redis.Redis) -> float | None:
    """Return the ms that the simulated link adds to a client's round trip; None if it uses none."""
    options = client.connection_pool.connection_kwargs
    known = link.known()
    if known and options.get("host") == ownership.LOOPBACK:
        return known.rtt_ms(options.get("port"))
    return None


def port_of(client: redis.Redis, caller: str) -> int | None:
    """Return the loopback port of the simulated link that a client uses, None if it uses none.

    Raises LabError for anything but a redis.Redis on the lab's server; `caller` is the helper's
    name in the message.
    """
    check_client(client, caller)
    ownership.check(client)
    return client.connection_pool.connection_kwargs["port"] if distance_through(client) else None


def rest(client: redis.Redis) -> None:
    """Reset TCP's slow start for a client, as if its connections had been silent for some seconds.

    Then at most ten segments (14 KB) leave at once again, as on a new connection. `setup=lab.rest`
    does this before each call of a comparison. All clients at that distance are reset, and what the
    link learned from lost segments is forgotten. For a client at distance 0 nothing changes. Raises
    LabError for anything but a redis.Redis on the lab's server.
    """
    if port := port_of(client, "lab.rest"):
        link().ask("rest", port=port)


@dataclass(frozen=True)
class TcpCounts:
    """TCP's counters at one distance since its first use, for both ways and all clients there.

    `window_waits` is how often bytes waited for acknowledgements, a round trip each. `sent_again`
    is how many segments were lost and sent again, and `stalls` is how many of these losses only a
    timeout noticed.
    """

    # Times that bytes waited for acknowledgements: of one command a round trip each.
    window_waits: int
    sent_again: int  # segments that were lost
    stalls: int  # of these, the ones that a timeout had to notice: nothing came after them


def tcp(client: redis.Redis) -> TcpCounts:
    """Return the TcpCounts at the distance of a client, counted by the link.

    At distance 0 all counts are 0. Raises LabError for anything but a redis.Redis on the lab's
    server.
    """
    port = port_of(client, "lab.tcp")
    return TcpCounts(**link().ask("counts", port=port)) if port else TcpCounts(0, 0, 0)


def check_loss(loss: float, rtt_ms: float) -> None:
    """Raise LabError unless `loss` is a share from 0 to 0.2, and 0 if `rtt_ms` is 0.

    `loss` is the share of segments that the link is to lose, `rtt_ms` the distance in ms.
    """
    check_number(loss, "loss", 0, MOST_LOSS)
    if loss and not rtt_ms:
        raise LabError(
            f"loss={shown(loss)} needs a distance on which something can be lost: choose an rtt_ms "
            "above 0, such as lab.connect(rtt_ms=20, loss=0.01)."
        )


def check_distance(rtt_ms: float) -> None:
    """Raise LabError unless the link can offer `rtt_ms`: 0, or 0.001 to 500 milliseconds."""
    number = isinstance(rtt_ms, (int, float)) and not isinstance(rtt_ms, bool)
    if not number or not (rtt_ms == 0 or SHORTEST_MS <= rtt_ms <= LONGEST_MS):
        raise LabError(
            f"rtt_ms={shown(rtt_ms)} is not a distance the link offers: choose 0 to {LONGEST_MS} "
            "milliseconds; fractions such as 0.25 are fine."
        )
