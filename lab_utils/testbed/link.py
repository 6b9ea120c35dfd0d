"""The simulated link: a distance between the client and a real server, set in milliseconds.

A process of its own forwards real TCP bytes and delays them by half the round trip each way.

What it does not simulate: setting up a connection costs no round trip (TCP's handshake ends at the link), a fresh
connection has no slow start and no window, nothing is lost or sent twice, and bandwidth is that of loopback.
So it is exact for how often you wait, and kind to how much you send at once over a fresh connection.

On a machine that is busy with other work the link may come late, and distances grow: `late_s` tells by how much.
"""

import atexit
import json
import mmap
import os
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import redis

from ..arguments import shown
from ..errors import LabError
from ..interrupts import restorer, uninterrupted
from . import guard
from .evidence import waited_s
from .keeper import cut, lifeline, mine
from .living import living
from .pinning import steady

LONGEST_MS = 500
SHORTEST_MS = 0.001  # beyond 0; far below what two hops take
FARTHEST_CALIBRATION_MS = 20  # beyond, what the link costs of its own no longer shows
CALIBRATION_S = 0.1  # time spent on it, unless that is too few calls
FEWEST_CALLS, MOST_CALLS = 12, 80
LATE = struct.Struct("d")  # what link and kernel share, as in `_link_process.py`
AWAKE = LATE.size
SERVER, SERVER_AT = struct.Struct("q"), 16
HELD_AT, ALONE_AT = 24, 32
SHARED_BYTES = 4096
CALIBRATIONS = 3  # at most, in three times that time; the lowest quiet one counts, for when the machine is busy otherwise
MOST_DOUBTS = 3  # times that a calibration without quiet calls is done again, one for each time that it is asked for
# What a quiet call may wait for the CPU and in the link, and how many of them it takes. The two hops make it wait 12 to 20 µs
# on a quiet machine too; `calm.QUIET_S` is less, since there what is inherent has been taken off.
QUIET_S, QUIET_CALLS = 30e-6, 5
SHORT_S, HALVINGS = 0.0002, 5  # as `calibrate` says
PLAUSIBLE_S, PLAUSIBLE_SHARE = 50e-6, 0.005  # of the RTT: what the link costs at most; more is somebody else's doing
GONE = "The simulated link has ended. Run lab.connect(rtt_ms=1) again: it starts another, and clients of the old one go on."


class Link:
    """The link process, and the ports on which it listens. `replaced` is one that has ended, whose ports this one takes over."""

    def __init__(self, replaced=None):
        self.owner, self.process = os.getpid(), None
        self.lock, self.opening = threading.Lock(), threading.Lock()  # for one request at a time, one port at a time
        self._pids = ()
        self.asked, self.answers = 0, b""
        self.ports = {}  # (server, RTT in ms, for what) -> port
        self.listening = {}  # port -> (server, seconds each way)
        self.overhead_s = {}  # (server, RTT, placement) -> what a round trip costs beyond the delay
        self.doubts = {}  # the same -> how often it may be measured again, because the machine was busy
        with uninterrupted():
            program = Path(__file__).with_name("_link_process.py")
            read_end, self.requests = lifeline()  # at its end the link ends
            self.said, write_end = os.pipe()
            mine(self.said)  # a forked child that held it would leave a dead kernel's link waiting for somebody to read
            shared = shared_memory()
            self.memory = mmap.mmap(shared, SHARED_BYTES)
            self.bell = os.eventfd(0) if hasattr(os, "eventfd") else -1  # rung when the CPU is to be kept awake
            self.process = subprocess.Popen([sys.executable, "-I", "-S", str(program), str(shared), str(self.bell),
                                             str(self.owner)], process_group=0, stdin=read_end, stdout=write_end,
                                            pass_fds=[fd for fd in (shared, self.bell) if fd >= 0])
            for end in (read_end, write_end, shared):
                os.close(end)
            atexit.register(self.stop)
            self.poll = select.poll()
            self.poll.register(self.said, select.POLLIN)
        if replaced and replaced.owner == self.owner:
            replaced.let_go()
            self.take_over(replaced)

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        """False when it has ended, and in a forked child: the link is its parent's."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ended(self):
        """What to say when it is not alive."""
        if self.owner != os.getpid():
            return "a forked process has a link of its own."
        return "the link had ended; a new one stands in its place, and its clients go on working."

    def pids(self):
        """The processes of the link: the one that forwards, and where there is one the one that keeps its CPU awake."""
        if not self._pids:
            self._pids = tuple(self.ask("pids")["pids"])
        return self._pids

    def late_s(self):
        """Seconds for which something was late, in all, since the link was started. Reading it asks nobody and wakes nobody.

        Microseconds a message are as they should be; what exceeds them, somebody else had the CPU.
        """
        return LATE.unpack_from(self.memory)[0]

    def held_s(self):
        """Seconds for which something was on its way, in all, as long as it should and no longer. As cheap as `late_s`."""
        return LATE.unpack_from(self.memory, HELD_AT)[0]

    def alone_s(self):
        """Of those seconds the ones in which one chunk alone was on its way, from end to end: nobody computed for it then."""
        return LATE.unpack_from(self.memory, ALONE_AT)[0]

    def keep_awake(self, on, server_pid=None):
        """While something is measured: the CPU on which link and server are held does not doze off. Asks nobody."""
        SERVER.pack_into(self.memory, SERVER_AT, server_pid or 0)
        self.memory[AWAKE] = on
        if on and self.bell >= 0:
            os.eventfd_write(self.bell, 1)

    def ask(self, do, **request):
        """The link's answer to a request. An interrupt leaves an answer unread: each bears the number of its request.

        Raises LabError if the link has ended.
        """
        if not self.alive():
            raise LabError(GONE)
        with self.lock:
            self.asked += 1
            line = json.dumps({"do": do, "number": self.asked, **request}) + "\n"
            try:
                with uninterrupted():
                    write_all(self.requests, line.encode())
                while (answer := self.next_answer())["number"] != self.asked:
                    pass  # to a request that somebody did not wait for
            except OSError:
                raise LabError(GONE) from None
        return answer

    def next_answer(self):
        while b"\n" not in self.answers:
            self.poll.poll()  # the place to be interrupted: nothing is read yet
            with uninterrupted():
                chunk = os.read(self.said, 1 << 20)
                if not chunk:
                    raise BrokenPipeError
                self.answers += chunk
        with uninterrupted():
            line, self.answers = self.answers.split(b"\n", 1)
        return json.loads(line)

    def take_over(self, replaced):
        """Listens where another link did, so that its clients find it. A port that somebody else has by now is lost."""
        for port, (address, delay_s) in replaced.listening.items():
            if "port" in self.ask("listen", address=address, delay_s=delay_s, port=port):
                self.listening[port] = address, delay_s
        self.ports = {key: port for key, port in replaced.ports.items() if port in self.listening}
        self.overhead_s, self.doubts = replaced.overhead_s, replaced.doubts

    def port(self, server, rtt_ms, parallel=False):
        """The loopback port behind which `server` is `rtt_ms` away. The same pair always gets the same port.

        One for each placement, since what the link costs of its own depends on it: see `steady`.
        """
        key, near_s = (server.address, rtt_ms, parallel), min(rtt_ms, FARTHEST_CALIBRATION_MS) / 1000
        if key in self.ports and not self.doubts.get((server.address, near_s, parallel)):
            return self.ports[key]
        delay_s = max(0.0, rtt_ms / 1000 - self.calibrate(server, near_s, parallel)) / 2
        port = self.opened(key, server, delay_s)
        if self.listening[port][1] != delay_s:
            self.set_delay(port, delay_s)
        return port

    def port_without_delay(self, server):
        """A port that only passes bytes on, for those who want to watch them."""
        return self.opened((server.address, 0, "no delay"), server, 0)

    def opened(self, key, server, delay_s):
        """The port of this key. Threads that ask for the same at once get the same. Nothing is measured meanwhile."""
        with self.opening:
            if key not in self.ports:
                self.ports[key] = self.listen(server, delay_s)
        return self.ports[key]

    def rtt_ms(self, port):
        """The distance in ms behind a port of the link, 0 for one without delay; None for any other port."""
        return next((rtt_ms for (_, rtt_ms, _), known in list(self.ports.items()) if known == port), None)

    def listen(self, server, delay_s):
        port = self.ask("listen", address=server.address, delay_s=delay_s).get("port")
        if port is None:
            raise LabError("The simulated link can open no further port: it has as many open as the system allows it. Use a "
                           "distance that you used before, or restart the kernel.")
        self.listening[port] = server.address, delay_s
        guard.add_door(port, server)
        return port

    def set_delay(self, port, delay_s):
        """Another delay for connections to come, and for those that there are."""
        self.ask("delay", port=port, delay_s=delay_s)
        self.listening[port] = self.listening[port][0], delay_s

    def calibrate(self, server, rtt_s, parallel=False):
        """Seconds that a call of redis-py takes longer through the link than its distance says.

        Two hops through another process are not free, and a client that has waited runs its next lines from a colder
        cache: together up to 0.07 ms. Measured with redis-py's own PING, direct and through the link, and
        subtracted from the delay, so that a PING takes what it takes at no distance plus the RTT asked for.
        Only calls that nobody disturbed count. Where too few were quiet it is done again when next asked for. The link spins
        the end of each delay, and of a short one nearly all, which costs less than sleeping: so below 0.2 ms it is found by
        trying it.
        """
        key = server.address, rtt_s, parallel
        if key not in self.overhead_s or self.doubts.get(key):
            calls = min(MOST_CALLS, max(FEWEST_CALLS, int(CALIBRATION_S / rtt_s)))
            tries = max(1, int(CALIBRATIONS * CALIBRATION_S / (calls * rtt_s)))
            most = PLAUSIBLE_S + PLAUSIBLE_SHARE * rtt_s
            port = self.opened((server.address, 1000 * rtt_s, "calibration"), server, rtt_s / 2)
            self.set_delay(port, rtt_s / 2)
            found = []
            with steady(server.pid, self, parallel), server.connect() as direct, through(server, port) as linked:
                for _ in range(min(CALIBRATIONS, tries)):
                    far_s, far_quiet = call_s(linked, calls, self, server.pid)
                    near_s, near_quiet = call_s(direct, MOST_CALLS, self, server.pid)
                    found.append((not (far_quiet and near_quiet), far_s - near_s - rtt_s))
                    if found[-1] <= (False, most):
                        break
                doubtful, overhead_s = min(found)
                overhead_s = min(max(0.0, overhead_s), most)
                if rtt_s < SHORT_S:
                    def error_s(overhead_s):
                        self.set_delay(port, max(0.0, rtt_s - overhead_s) / 2)
                        return call_s(linked, calls, self, server.pid)[0] - near_s - rtt_s
                    overhead_s = smallest_error(error_s, most)
            left = self.doubts.get(key, MOST_DOUBTS)
            self.doubts[key] = left - 1 if doubtful else 0
            self.overhead_s[key] = overhead_s
        return self.overhead_s[key]

    def stop(self):
        """Ends the link and waits for it. A forked child leaves its parent's alone."""
        if self.owner == os.getpid():
            self.let_go()
            self.process.wait(5)

    def let_go(self):
        """Closes what only a living link needs; without its requests it ends. A second time there is nothing to close."""
        with uninterrupted():
            atexit.unregister(self.stop)
            if self.requests is not None:
                cut(self.requests)
                cut(self.said)
                self.requests = self.said = None
            if self.bell >= 0:
                os.close(self.bell)
                self.bell = -1


def shared_memory():
    """The descriptor of a file of zeros that has no name, and goes when nobody has it open any more."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("lab link")
    else:
        file, path = tempfile.mkstemp()
        os.unlink(path)
    os.truncate(file, SHARED_BYTES)
    return file


def smallest_error(error_s, most):
    """Where between 0 and `most`, of the places tried, `error_s`, which falls, is nearest to 0: by halves, since it may jump."""
    low, high, tried = 0.0, most, []
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        error = error_s(middle)
        tried.append((abs(error), middle))
        low, high = (middle, high) if error > 0 else (low, middle)
    return min(tried)[1]


def call_s(client, calls, link, server_pid):
    """(seconds of a PING, whether enough of them were quiet): the quiet ones' lower quartile, else that of all.

    Whatever else the machine does can only make one longer.
    """
    times = list(timed_pings(client, calls, link, server_pid))
    quiet = [took for took, disturbed in times if disturbed <= QUIET_S]
    enough = len(quiet) >= QUIET_CALLS
    return statistics.quantiles(quiet if enough else [took for took, _ in times], n=4)[0], enough


def timed_pings(client, calls, link, server_pid):
    """(seconds, seconds of them for which somebody else had the CPU) of each of some PINGs."""
    def disturbed():
        return link.late_s() + waited_s("thread-self") + waited_s(server_pid)

    client.ping()
    for _ in range(calls):
        before = disturbed()
        [took] = ping_times(client, 1, warm=False)
        yield took, disturbed() - before


def ping_times(client, calls, warm=True):
    """The seconds of each of some PINGs, after one that opens the connection."""
    if warm:
        client.ping()
    times = []
    for _ in range(calls):
        started = time.perf_counter()
        client.ping()
        times.append(time.perf_counter() - started)
    return times


@living
def link():
    """This kernel's link process, started when first asked for."""
    return Link(link.known())


@restorer
def leave_the_link_alone():
    """After an interrupt it does not record."""
    known = link.known()
    if known and known.alive():
        known.ask("forget")


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


def through(server, port, **options):
    """A `redis.Redis` whose packets pass the link at `port` on their way to `server`."""
    return redis.Redis(**{**without_address(server.options), "host": "127.0.0.1", "port": port, **options})


def distance_through(client):
    """The distance in ms that the link holds between a client and its server, or None where the client does not go through it."""
    options = client.connection_pool.connection_kwargs
    known = link.known()
    return known.rtt_ms(options.get("port")) if known and options.get("host") in guard.LOOPBACK else None


def without_address(options):
    return {name: value for name, value in options.items() if name not in ("host", "port", "unix_socket_path")}


def check_distance(server, rtt_ms):
    """Raises LabError for a distance that the link cannot offer."""
    if not isinstance(rtt_ms, (int, float)) or isinstance(rtt_ms, bool) \
            or not (rtt_ms == 0 or SHORTEST_MS <= rtt_ms <= LONGEST_MS):
        raise LabError(f"rtt_ms={shown(rtt_ms)} is not a distance the link offers: choose 0 to {LONGEST_MS} milliseconds; "
                       "fractions such as 0.25 are fine.")
    if rtt_ms and isinstance(server.address, str) and (server.options.get("username") or not server.options.get("password")):
        raise LabError("The link would let every user of this machine through to a Unix socket that only its own permissions "
                       "guard. Use rtt_ms=0 with this server; or give it a password (requirepass) and write that into REDIS_URL "
                       "without a user's name; or unset REDIS_URL to work on the lab's own.")
    if rtt_ms and server.options.get("ssl"):
        raise LabError("The link cannot stand in front of a TLS server: the name on the certificate would not match. Use "
                       "rtt_ms=0 with this server, or unset REDIS_URL to work on the lab's own.")
