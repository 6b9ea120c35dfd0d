"""The link's process: forward TCP bytes both ways, each after a fixed delay.

`link.py` runs this file by its path, with the standard library alone, so that it starts quickly and
stays small. It reads one JSON request a line from its standard input and answers each with one JSON
line. When that input closes, because the Jupyter kernel that started it is gone, it ends.

One thread does everything. A chunk that arrives is queued with the time at which it must leave, so
any number of bytes are in flight at once. The Linux kernel's timestamp says when the chunk arrived:
this process may have waited for the CPU since.

A sleeping process wakes 15 to 150 µs late, depending on the machine. So the link measures how late
it wakes, sleeps that much less, and spins for the remaining time. Meanwhile a second process, the
waker, keeps the CPU that client, server and link share from dozing: it spins at the lowest priority
there is (SCHED_IDLE), and rests while other programs want that CPU.
"""

import base64
import collections.abc
import contextlib
import ctypes
import heapq
import json
import math
import mmap
import os
import random
import select
import selectors
import signal
import socket
import struct
import sys
import time

LINUX = sys.platform == "linux"
# What is shared with `link.py`: its `Times`, the server's process id, and whether to keep awake.
TIMES, SERVER = struct.Struct("dddd"), struct.Struct("q")
SERVER_AT, AWAKE, SHARED_BYTES = 32, 40, 4096
EARLY_S = 20e-6 if LINUX else 80e-6  # to wake before something is due, at first
MOST_EARLY_S, STEP_S, ONE_IN = 150e-6, 1e-6, 10  # moved in steps; one waking in ten is later
TRIAL_S = 0.005  # after each the waker looks whether somebody else wants the CPU
OTHERS_SHARE = 0.2  # of that time; less is the system's own doing
SHORTEST_REST_S, LONGEST_REST_S = 0.1, 3.2  # each rest is twice as long as the one before
CHUNK = 1 << 18  # bytes read at once
IN_FLIGHT = 1 << 26  # bytes held in one direction before it stops reading, as a full pipe would
CONNECT_TIMEOUT_S = 5
MOST_FILES = 10_000  # two for each connection
NO_FILES_S = 0.01  # to wait where there is no file left for another connection
OLDEST_S = 10  # a timestamp older than this means that somebody has set the clock
PR_SET_PDEATHSIG, PR_SET_TIMERSLACK = 1, 29  # linux/prctl.h
SO_TIMESTAMPNS = 35  # asm-generic/socket.h: each read also tells when its bytes came in
TIMESPEC = struct.Struct("ll")  # seconds, nanoseconds
ROOM_FOR_TIMESTAMP = socket.CMSG_SPACE(TIMESPEC.size)
# Linux's TCP: the bytes of a segment, the segments of a first window.
SEGMENT = 1448
FIRST_WINDOW = 10
# The least time after which it sends again what nobody acknowledged; beyond that it adds an RTT.
SHORTEST_TIMEOUT_S = 0.2
# Segments; about what its default buffers of 4 MB take (tcp_wmem).
WIDEST_WINDOW = 2_000
# After a loss: to that share, and from there by so many segments an RTT (CUBIC, RFC 9438).
SHRINKS_TO = 0.7
GROWS_BY = 0.53


class Sleeper:
    """Sleeps until bytes arrive or until shortly before a deadline.

    `early_s` is how many seconds before the deadline it wakes: about as many as this machine wakes
    late.
    """

    def __init__(self) -> None:
        self.early_s = EARLY_S

    def sleep(self, selector: selectors.DefaultSelector, due: float | None) -> None:
        """Sleep until a socket of `selector` has bytes to read, or shortly before the time `due`.

        `due` is a time of time.perf_counter(), in seconds; None means no deadline.
        """
        until = due and due - self.early_s
        wait = until and until - time.perf_counter()
        if wait is not None and wait <= 0:
            return
        # select counts in microseconds, where epoll counts in milliseconds
        woken_by_bytes, _, _ = select.select([selector.fileno()], (), (), wait)
        if until and not woken_by_bytes:
            self.learn(time.perf_counter() - until)

    def learn(self, late_s: float) -> None:
        """Adapt `early_s`, the seconds to wake early; the last waking was `late_s` seconds late.

        `early_s` grows by 9 µs if the waking was later than that, else it shrinks by 1 µs. So in
        the end one waking in ten is later than `early_s`.
        """
        self.early_s += (ONE_IN - 1) * STEP_S if late_s > self.early_s else -STEP_S
        self.early_s = min(MOST_EARLY_S, max(STEP_S, self.early_s))


class Network:
    """The settings and counters of one listening port of the link.

    `delay_s` is the delay each way in seconds, `loss` the share of TCP segments lost each way, such
    as 0.01. `stretch` is the distance that was asked for, divided by the time for which bytes are
    delayed. `chance()` returns a random number from 0 to 1; it is called for each segment to decide
    whether that one is lost.
    """

    def __init__(
        self,
        delay_s: float = 0.0,
        stretch: float = 1.0,
        loss: float = 0.0,
        chance: collections.abc.Callable[[], float] = random.random,
    ) -> None:
        self.delay_s = delay_s  # each way
        self.stretch = stretch  # distance asked for / time that bytes are held
        self.loss = loss  # the share of segments, each way
        self.chance = chance
        self.window_waits = 0  # times that bytes waited for acknowledgements: a round trip each
        self.sent_again = 0  # segments, however their loss was noticed
        self.stalls = 0  # of these, the ones that nothing came after: a timeout had to notice

    def loses_next(self) -> bool:
        return self.loss > 0 and self.chance() < self.loss


class Window:
    """How many TCP segments one direction may have under way: the slow start of Linux' TCP.

    `size` is that number: ten at first, and one more for each acknowledged segment while half of
    them are in use, so twice as many every RTT. `size` is halved for each timeout of silence, down
    to ten; small messages sent in between prevent that. After a loss it shrinks, and then grows by
    half a segment an RTT. `network` is the Network of the port, with the share of losses and the
    counters.
    """

    def __init__(self, network: Network | None = None) -> None:
        self.network = network or Network()
        self.size: float = FIRST_WINDOW
        self.most_before_loss = math.inf  # from this size on it no longer doubles
        self.flying = collections.deque()  # (acknowledged at, segments), in order
        self.in_flight = 0  # segments
        # The most that flew at once within the last RTT, which ends at `rtt_until`.
        self.most_in_flight: float = 0
        self.rtt_until = 0.0
        self.last_left = -math.inf
        self.room = 0  # bytes that the last segment still takes, while it waits to leave
        # Bytes behind a lost segment are delivered only after it has been sent again.
        self.deliverable_from = -math.inf

    def departures(
        self, arrived: float, size: int, rtt_s: float
    ) -> collections.abc.Iterator[tuple[float, int]]:
        """Yield (time at which bytes leave, how many bytes) for `size` bytes that arrived together.

        `arrived` and the yielded times are times of time.perf_counter(), `rtt_s` is the distance in
        seconds. Bytes of a lost segment leave later, by the time it takes to notice the loss and
        send again.
        """
        timeout_s = rtt_s + SHORTEST_TIMEOUT_S
        now = max(arrived, self.last_left)
        self.acknowledge(now)
        self.close_while_silent(now, timeout_s)
        # Small messages that wait leave together in one segment.
        joining = min(size, self.room) if arrived < self.last_left else 0
        if joining:
            self.room -= joining
            size -= joining
            yield self.deliverable_from, joining
        full = False
        while size:
            if self.in_flight >= int(self.size):
                full = True
                self.network.window_waits += 1
            while self.in_flight >= int(self.size):
                now = max(now, self.flying[0][0])
                self.acknowledge(now)
            part = min(size, (int(self.size) - self.in_flight) * SEGMENT)
            size -= part
            segments = math.ceil(part / SEGMENT)
            self.in_flight += segments
            late_s = self.late_by_loss(segments, size, rtt_s, timeout_s)
            self.deliverable_from = max(self.deliverable_from, now + late_s)
            self.flying.append((self.deliverable_from + rtt_s, segments))
            self.note_use(now, full, rtt_s)
            self.last_left = now
            self.room = segments * SEGMENT - part
            yield self.deliverable_from, part

    def acknowledge(self, now: float) -> None:
        """Subtract the segments acknowledged by `now` from those in flight, and grow the window.

        The window is how many segments may be under way. `now` is a time of time.perf_counter().
        """
        while self.flying and self.flying[0][0] <= now:
            segments = self.flying.popleft()[1]
            self.in_flight -= segments
            if self.size >= self.most_before_loss:
                self.size += GROWS_BY * segments / self.size
            elif self.size < 2 * self.most_in_flight:
                self.size = min(WIDEST_WINDOW, self.size + segments)

    def close_while_silent(self, now: float, timeout_s: float) -> None:
        """Halve the window, down to ten segments, for each `timeout_s` seconds without sent bytes.

        The window is how many segments may be under way. `now` is a time of time.perf_counter();
        the silence began when the last bytes left, and ends at `now`.
        """
        silent_s = now - self.last_left
        while silent_s > timeout_s and self.size > FIRST_WINDOW:
            silent_s -= timeout_s
            self.size = max(FIRST_WINDOW, self.size // 2)

    def note_use(self, now: float, full: bool, rtt_s: float) -> None:
        """Update `most_in_flight`, the most segments in flight within the last RTT.

        That number limits how far the window grows. The window is how many segments may be under
        way, and `full` is True if bytes had to wait for room in it. `now` is a time of
        time.perf_counter(), `rtt_s` the distance in seconds.
        """
        if full or self.in_flight > self.most_in_flight or now >= self.rtt_until:
            self.most_in_flight = self.size if full else self.in_flight
            self.rtt_until = now + rtt_s

    def late_by_loss(
        self, segments: int, bytes_behind: int, rtt_s: float, timeout_s: float
    ) -> float:
        """Decide at random which of `segments` segments get lost; return the delay in seconds.

        The delay is that of the slowest lost segment, which is sent again; 0 if none is lost. After
        a loss the window is smaller. `bytes_behind` is how many bytes follow the segments: only a
        loss with something behind it is noticed after a round trip, `rtt_s` seconds, any other
        after `timeout_s` seconds.
        """
        late_s = 0.0
        for place in range(segments if self.network.loss else 0):
            if not self.network.loses_next():
                continue
            noticed = place + 1 < segments or bytes_behind
            again_s = rtt_s if noticed else timeout_s
            self.network.sent_again += 1
            self.network.stalls += not noticed
            next_timeout_s = timeout_s if noticed else 2 * timeout_s
            # What is sent again and lost again is noticed by a timeout alone, each twice as long.
            while self.network.loses_next():
                again_s += next_timeout_s
                next_timeout_s *= 2
                self.network.sent_again += 1
                self.network.stalls += 1
            self.size = max(2, SHRINKS_TO * self.size)
            self.most_before_loss = self.size
            late_s = max(late_s, again_s)
        return late_s


class End:
    """One socket of a connection, with the bytes that were read from it and are not yet sent on.

    They wait in `queue` until they are due at the End `other`, the connection's other socket.
    `name` is "request" for the client's socket and "reply" for the server's, `connection` the
    number of the connection, and `network` the Network of its port.
    """

    def __init__(self, sock: socket.socket, name: str, connection: int, network: Network) -> None:
        self.sock = sock
        self.name = name
        self.connection = connection
        self.network = network
        self.other: End
        self.queue = collections.deque()  # (arrived, due, bytes); empty bytes end the stream
        self.window = Window(network)
        self.held = 0  # bytes in the queue
        self.reading = True  # until the stream ends
        self.stuck = False  # the other end's send buffer is full
        self.done = False  # the end of the stream has been passed on


class Forwarder:
    """All listeners and connections of one link process, and the loop that serves them.

    `memory` is shared with the Jupyter kernel; `waker` is the process id of the waker or None. The
    Jupyter kernel's requests call the methods `do_…` with the request's fields; the dict that such
    a method returns is the answer.
    """

    def __init__(self, memory: mmap.mmap, waker: int | None) -> None:
        self.memory, self.waker = memory, waker
        self.sleeper = Sleeper()
        self.late_s, self.late_until = 0.0, time.perf_counter()
        self.held_s, self.held_until = 0.0, 0.0
        self.asked_s = self.flown_s = 0.0
        self.selector = selectors.DefaultSelector()
        self.networks = {}  # a listener's port -> Network
        self.deadlines = []  # heap of (due, tie-breaker, end)
        self.order = self.connections = 0
        self.events: list | None = None  # while recording
        self.requests = b""
        self.room = memoryview(bytearray(CHUNK))  # a fresh one for each read costs 30 µs

    def run(self) -> None:
        os.set_blocking(0, False)
        self.selector.register(0, selectors.EVENT_READ, (self.read_requests, None))
        while True:
            if LINUX or not self.memory[AWAKE]:  # without a waker the link spins itself
                self.sleeper.sleep(self.selector, self.deadlines[0][0] if self.deadlines else None)
            for key, mask in self.selector.select(0):
                action, argument = key.data
                action(argument, mask)
            self.send_due()

    # Requests of the kernel

    def read_requests(self, _: None, __: int) -> None:
        chunk = os.read(0, 65536)
        if not chunk:
            os._exit(0)
        *lines, self.requests = (self.requests + chunk).split(b"\n")
        for line in lines:
            request = json.loads(line)
            answer = getattr(self, "do_" + request.pop("do"))(**request)
            try:
                print(json.dumps(answer or {}), flush=True)
            except BrokenPipeError:
                os._exit(0)  # the kernel died before it had read it

    def do_listen(self, address: list, delay_s: float, stretch: float, loss: float) -> dict:
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        listener.setblocking(False)
        port = listener.getsockname()[1]
        self.networks[port] = Network(delay_s, stretch, loss)
        data = self.accept, (listener, tuple(address), self.networks[port])
        self.selector.register(listener, selectors.EVENT_READ, data)
        return {"port": port}

    def do_rest(self, port: int) -> None:
        """Reset TCP's slow start for all connections at a port of the link, as after a silence."""
        for key in self.selector.get_map().values():
            end = key.data[1]
            if isinstance(end, End) and end.network is self.networks[port]:
                end.window = Window(end.network)

    def do_counts(self, port: int) -> dict:
        network = self.networks[port]
        return {
            "window_waits": network.window_waits,
            "sent_again": network.sent_again,
            "stalls": network.stalls,
        }

    def do_record(self) -> None:
        self.events = []

    def do_recorded(self) -> dict:
        events, self.events = self.events or [], None
        return {"events": events}

    def do_pids(self) -> dict:
        return {"pids": [os.getpid(), *([self.waker] if self.waker else [])]}

    # Connections and bytes

    def accept(self, argument: tuple, _: int) -> None:
        listener, address, network = argument
        try:
            sock, _ = listener.accept()
        except OSError:
            time.sleep(NO_FILES_S)
            return
        try:
            server = socket.create_connection(address, CONNECT_TIMEOUT_S)
        except OSError:
            sock.close()  # as if the server were gone
            return
        self.connections += 1
        client_end = End(sock, "request", self.connections, network)
        server_end = End(server, "reply", self.connections, network)
        client_end.other, server_end.other = server_end, client_end
        for end in (client_end, server_end):
            end.sock.setblocking(False)
            end.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if LINUX:
                end.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            self.selector.register(end.sock, selectors.EVENT_READ, (self.serve, end))

    def serve(self, end: End, mask: int) -> None:
        if mask & selectors.EVENT_READ and end.reading:
            self.read(end)
        if mask & selectors.EVENT_WRITE and end.sock.fileno() >= 0:
            end.other.stuck = False
            self.late_until = time.perf_counter()  # until now the reader was late, not the link
            self.send(end.other)

    def read(self, end: End) -> None:
        try:
            size, ancillary, _, _ = end.sock.recvmsg_into([self.room], ROOM_FOR_TIMESTAMP)
            chunk = self.room[:size].tobytes()
        except BlockingIOError:
            return
        except OSError:
            chunk, ancillary = b"", []
        waited = age(ancillary)
        # an interruption in between makes it late, never early
        arrived = time.perf_counter() - waited
        waiting = bool(end.queue)
        delay_s = end.network.delay_s
        if chunk and delay_s:
            begin = 0
            for leaves, size in end.window.departures(arrived, len(chunk), 2 * delay_s):
                end.queue.append((arrived, leaves + delay_s, chunk[begin : begin + size]))
                begin += size
        else:
            leaves = max(arrived, end.window.deliverable_from)
            end.queue.append((arrived, leaves + delay_s, chunk))
        end.held += len(chunk)
        end.reading = bool(chunk)
        if not waiting:
            self.schedule(end)
        if not end.reading or end.held >= IN_FLIGHT:
            self.watch(end)

    def schedule(self, end: End) -> None:
        self.order += 1
        heapq.heappush(self.deadlines, (end.queue[0][1], self.order, end))

    def send_due(self) -> None:
        now = time.perf_counter()
        while self.deadlines and self.deadlines[0][0] <= now:
            end = heapq.heappop(self.deadlines)[2]
            if end.queue and not end.stuck:
                self.send(end)

    def send(self, end: End) -> None:
        """Send the bytes that were read from `end` and are due, to the connection's other socket.

        Bytes that the other socket does not take now stay in the queue of `end`.
        """
        was_full = end.held >= IN_FLIGHT
        while end.queue and end.queue[0][1] <= time.perf_counter():
            arrived, due, chunk = end.queue.popleft()
            if not chunk:
                self.pass_end(end)
                return
            left = time.perf_counter()  # before the send: whom it wakes may run first
            self.note(end, arrived, due, left)
            try:
                sent = end.other.sock.send(chunk)
            except BlockingIOError:
                sent = 0
            except OSError:
                self.drop(end)
                return
            end.held -= sent
            if self.events is not None and sent:
                data = base64.b64encode(chunk[:sent]).decode()
                # When it left its sender: on arrival here, or when the window let it go.
                leaves = due - end.network.delay_s
                self.events.append([end.connection, end.name, arrived, leaves, left, data])
            if sent < len(chunk):
                end.queue.appendleft((arrived, due, chunk[sent:]))
                end.stuck = True
                break
        if end.stuck or end.other.sock in self.selector.get_map():
            self.watch(end.other)
        if was_full and end.held < IN_FLIGHT:
            self.watch(end)
        if end.queue and not end.stuck:
            self.schedule(end)

    def note(self, end: End, arrived: float, due: float, left: float) -> None:
        """Add how late some bytes left, and how long they were delayed, to sums in shared memory.

        The sums, in seconds, are those of `link.Times`; the Jupyter kernel reads them. `arrived`,
        `due` and `left` are times of time.perf_counter(): when the bytes arrived at `end`, a socket
        of a connection, when they were due to leave, and when they left.
        """
        held_s = max(0.0, due - max(arrived, self.held_until))
        self.late_s += max(0.0, left - max(due, self.late_until))
        self.held_s += held_s
        self.asked_s += held_s * end.network.stretch
        self.flown_s += max(0.0, due - arrived)  # here overlaps count twice
        self.late_until, self.held_until = left, max(due, self.held_until)
        TIMES.pack_into(self.memory, 0, self.late_s, self.held_s, self.asked_s, self.flown_s)

    def pass_end(self, end: End) -> None:
        end.done = True
        if end.other.done:
            self.drop(end)
            return
        try:
            end.other.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.drop(end)

    def drop(self, end: End) -> None:
        for side in (end, end.other):
            if side.sock.fileno() >= 0 and side.sock in self.selector.get_map():
                self.selector.unregister(side.sock)
            side.sock.close()
            side.queue.clear()
            side.reading = False

    def watch(self, end: End) -> None:
        """Register what the selector waits for at the socket of `end`: reads, writes, or both."""
        if end.sock.fileno() < 0:
            return
        wanted = selectors.EVENT_READ if end.reading and end.held < IN_FLIGHT else 0
        wanted |= selectors.EVENT_WRITE if end.other.stuck else 0
        if end.sock in self.selector.get_map():
            self.selector.unregister(end.sock)
        if wanted:
            self.selector.register(end.sock, wanted, (self.serve, end))


def age(ancillary: list) -> float:
    """Return how many seconds ago the bytes of a read arrived; 0 if the system does not say.

    `ancillary` is the ancillary data of recvmsg, which contains the Linux kernel's timestamp.
    """
    for _, kind, data in ancillary:
        if kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = TIMESPEC.unpack(data)
            since = time.time() - seconds - nanoseconds / 1e9
            return since if 0 < since < OLDEST_S else 0.0
    return 0.0


def prctl(*arguments: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(*arguments, *[0] * (5 - len(arguments)))


def start_waker(memory: mmap.mmap, bell: int) -> int | None:
    """Fork the waker, the process that keeps the CPU awake; return its process id.

    Returns None unless on Linux. `memory` is shared with the Jupyter kernel. `bell` is the
    descriptor of an eventfd, to which the kernel writes to start the waker's spinning. The waker
    ends at once if it may not take the lowest priority, else when the link ends.
    """
    if not LINUX:
        return None
    link = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == link:  # asked while it still gets the CPU to end on
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            os.dup2(bell, 0)
            os.closerange(1, 256)
            keep_awake(memory, link, int(sys.argv[3]))
    finally:
        os._exit(0)


def keep_awake(memory: mmap.mmap, link: int, client: int) -> None:
    """Spin while the flag AWAKE in `memory` is set; pause while other programs want the CPU.

    The lab's own processes are not among these: the waker itself, `link` and `client` (process
    ids), and the server, whose process id is in `memory`. Never returns.
    """
    while True:
        os.eventfd_read(0)
        rest_s = SHORTEST_REST_S
        while memory[AWAKE]:
            known = os.getpid(), client, link, SERVER.unpack_from(memory, SERVER_AT)[0]
            started, used = time.perf_counter(), cpu_s(known)
            while memory[AWAKE] and time.perf_counter() < started + TRIAL_S:
                pass
            passed = time.perf_counter() - started
            if passed >= TRIAL_S and passed - (cpu_s(known) - used) > OTHERS_SHARE * passed:
                if select.select([0], (), (), rest_s)[0]:
                    break
                rest_s = min(2 * rest_s, LONGEST_REST_S)
            else:
                rest_s = SHORTEST_REST_S


def cpu_s(pids: tuple[int, ...]) -> float:
    """Return the seconds of CPU that some processes have used together, given their ids.

    A process that has ended counts as 0.
    """
    used = 0.0
    for pid in filter(None, pids):
        with contextlib.suppress(OSError):
            used += time.clock_gettime(~pid << 3 | 2)  # its CPU clock, as in cpu_times.py
    return used


if __name__ == "__main__":
    import resource  # where it is missing, as in a browser, the constants above still are

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    shared = mmap.mmap(int(sys.argv[1]), SHARED_BYTES)
    waker = start_waker(shared, int(sys.argv[2]))
    if LINUX:
        prctl(PR_SET_TIMERSLACK, 1)  # Linux rounds the time at which a sleeper wakes by up to 50 µs
    Forwarder(shared, waker).run()
