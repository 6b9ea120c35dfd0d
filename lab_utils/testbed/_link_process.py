"""The link itself: a process that forwards TCP bytes both ways, each after a fixed delay.

Run by `link.py`, by path, with the standard library alone, so that it starts quickly and stays
small. It reads one JSON request a line on its standard input and answers each with one JSON line.
When that input closes, because the kernel that started it is gone, it ends.

One thread does everything. A chunk that arrives is queued with the time at which it must leave, so
any number of bytes are in flight at once. The kernel's timestamp says when it arrived: this process
may have waited for the CPU since.

A sleeper wakes late, by 15 to 150 µs depending on the machine. So the link learns how late it wakes
here, sleeps that much less, and spins the rest. Meanwhile a second process, the waker, keeps the
CPU that client, server and link share from dozing: it spins at the lowest priority there is
(SCHED_IDLE), and rests while it finds that other programs want that CPU.
"""

import base64
import collections
import contextlib
import ctypes
import heapq
import json
import mmap
import os
import resource
import select
import selectors
import signal
import socket
import struct
import sys
import time

LINUX = sys.platform == "linux"
# What is shared with `link.py`: seconds late in all, seconds that something was on its way, the
# server's process id, and whether to keep awake.
TIMES, SERVER = struct.Struct("dd"), struct.Struct("q")
SERVER_AT, AWAKE, SHARED_BYTES = 16, 24, 4096
EARLY_S = 20e-6 if LINUX else 80e-6  # to wake before something is due, at first
MOST_EARLY_S, STEP_S, ONE_IN = 150e-6, 1e-6, 10  # how it is learnt: one waking in ten may be later
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


class Sleeper:
    """Waits for bytes or a deadline, and wakes as much earlier as this machine wakes late."""

    def __init__(self):
        self.early_s = EARLY_S

    def sleep(self, selector, due):
        """Sleep until there are bytes, or shortly before `due`, which may be None."""
        until = due and due - self.early_s
        wait = until and until - time.perf_counter()
        if wait is not None and wait <= 0:
            return
        # select counts in microseconds, where epoll counts in milliseconds
        woken_by_bytes, _, _ = select.select([selector.fileno()], (), (), wait)
        if until and not woken_by_bytes:
            self.learn(time.perf_counter() - until)

    def learn(self, late_s):
        """Move towards the lateness that one waking in ten exceeds."""
        self.early_s += (ONE_IN - 1) * STEP_S if late_s > self.early_s else -STEP_S
        self.early_s = min(MOST_EARLY_S, max(STEP_S, self.early_s))


class End:
    """One socket of a connection: what it sent waits in `queue` until due at the `other` end."""

    def __init__(self, sock, name, connection, port):
        self.sock, self.name, self.connection, self.port = sock, name, connection, port
        self.other = None
        self.queue = collections.deque()  # (arrived, due, bytes); empty bytes end the stream
        self.held = 0  # bytes in the queue
        self.reading = True  # until the stream ends
        self.stuck = False  # the other end's socket takes no more for now
        self.done = False  # the end of the stream has been passed on


class Forwarder:
    """Every listener and connection of one link process, and the loop that serves them."""

    def __init__(self, memory, waker):
        self.memory, self.waker = memory, waker
        self.sleeper = Sleeper()
        self.late_s, self.late_until = 0.0, time.perf_counter()
        self.held_s, self.held_until = 0.0, 0.0
        self.selector = selectors.DefaultSelector()
        self.delays = {}  # a listener's port -> seconds each way
        self.deadlines = []  # heap of (due, tie-breaker, end)
        self.order = self.connections = 0
        self.events = None  # a list while recording
        self.requests = b""
        self.room = memoryview(bytearray(CHUNK))  # a fresh one for each read costs 30 µs

    def run(self):
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

    def read_requests(self, _, __):
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

    def do_listen(self, address, delay_s):
        try:
            listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        except OSError:
            return {}  # there is no file left for it
        listener.setblocking(False)
        port = listener.getsockname()[1]
        self.delays[port] = delay_s
        data = self.accept, (listener, tuple(address), port)
        self.selector.register(listener, selectors.EVENT_READ, data)
        return {"port": port}

    def do_delay(self, port, delay_s):
        self.delays[port] = delay_s

    def do_record(self):
        self.events = []

    def do_recorded(self):
        events, self.events = self.events or [], None
        return {"events": events}

    def do_pids(self):
        return {"pids": [os.getpid(), *([self.waker] if self.waker else [])]}

    # Connections and bytes

    def accept(self, argument, _):
        listener, address, port = argument
        try:
            sock, _ = listener.accept()
        except OSError:
            time.sleep(NO_FILES_S)
            return
        try:
            server = socket.create_connection(address, CONNECT_TIMEOUT_S)
        except OSError:
            sock.close()  # the client sees what it would see of a server that is gone
            return
        self.connections += 1
        client_end = End(sock, "request", self.connections, port)
        server_end = End(server, "reply", self.connections, port)
        client_end.other, server_end.other = server_end, client_end
        for end in (client_end, server_end):
            end.sock.setblocking(False)
            end.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if LINUX:
                end.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            self.selector.register(end.sock, selectors.EVENT_READ, (self.serve, end))

    def serve(self, end, mask):
        if mask & selectors.EVENT_READ and end.reading:
            self.read(end)
        if mask & selectors.EVENT_WRITE and end.sock.fileno() >= 0:
            end.other.stuck = False
            self.late_until = time.perf_counter()  # until now it was the reader who was late
            self.send(end.other)

    def read(self, end):
        try:
            size, told, _, _ = end.sock.recvmsg_into([self.room], ROOM_FOR_TIMESTAMP)
            chunk = self.room[:size].tobytes()
        except BlockingIOError:
            return
        except OSError:
            chunk, told = b"", ()
        waited = age(told)
        # an interruption in between makes it late, never early
        arrived = time.perf_counter() - waited
        end.queue.append((arrived, arrived + self.delays[end.port], chunk))
        end.held += len(chunk)
        end.reading = bool(chunk)
        if len(end.queue) == 1:
            self.schedule(end)
        if not end.reading or end.held >= IN_FLIGHT:
            self.watch(end)

    def schedule(self, end):
        self.order += 1
        heapq.heappush(self.deadlines, (end.queue[0][1], self.order, end))

    def send_due(self):
        now = time.perf_counter()
        while self.deadlines and self.deadlines[0][0] <= now:
            end = heapq.heappop(self.deadlines)[2]
            if end.queue and not end.stuck:
                self.send(end)

    def send(self, end):
        """Pass on what is due. What the other socket does not take now goes when it can take it."""
        was_full = end.held >= IN_FLIGHT
        while end.queue and end.queue[0][1] <= time.perf_counter():
            arrived, due, chunk = end.queue.popleft()
            if not chunk:
                self.pass_end(end)
                return
            left = time.perf_counter()  # before the send: whom it wakes may run first
            self.note(arrived, due, left)
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
                self.events.append([end.connection, end.name, arrived, left, data])
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

    def note(self, arrived, due, left):
        """Add how long bytes were held, and how late they left; overlaps count once."""
        self.late_s += max(0.0, left - max(due, self.late_until))
        self.held_s += max(0.0, due - max(arrived, self.held_until))
        self.late_until, self.held_until = left, max(due, self.held_until)
        TIMES.pack_into(self.memory, 0, self.late_s, self.held_s)

    def pass_end(self, end):
        end.done = True
        if end.other.done:
            self.drop(end)
            return
        try:
            end.other.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.drop(end)

    def drop(self, end):
        """End a connection on both sides at once."""
        for side in (end, end.other):
            if side.sock.fileno() >= 0 and side.sock in self.selector.get_map():
                self.selector.unregister(side.sock)
            side.sock.close()
            side.queue.clear()
            side.reading = False

    def watch(self, end):
        """Ask the selector for what this socket can be used for now, and nothing else."""
        if end.sock.fileno() < 0:
            return
        wanted = selectors.EVENT_READ if end.reading and end.held < IN_FLIGHT else 0
        wanted |= selectors.EVENT_WRITE if end.other.stuck else 0
        if end.sock in self.selector.get_map():
            self.selector.unregister(end.sock)
        if wanted:
            self.selector.register(end.sock, wanted, (self.serve, end))


def age(told):
    """Seconds since the bytes of a read came in; 0 where the system does not tell."""
    for _, kind, data in told:
        if kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = TIMESPEC.unpack(data)
            since = time.time() - seconds - nanoseconds / 1e9
            return since if 0 < since < OLDEST_S else 0.0
    return 0.0


def prctl(*arguments):
    ctypes.CDLL(None, use_errno=True).prctl(*arguments, *[0] * (5 - len(arguments)))


def start_waker(memory, bell):
    """Fork the process that keeps the CPU awake, and return its id.

    It ends at once where its priority is not allowed, and else with the link: the system kills it.
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


def keep_awake(memory, link, client):
    """Spin while asked to; while others than the lab's want the CPU rest, or until asked again."""
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


def cpu_s(pids):
    """Seconds of CPU that some processes have used; those that are gone count nothing."""
    used = 0.0
    for pid in filter(None, pids):
        with contextlib.suppress(OSError):
            used += time.clock_gettime(~pid << 3 | 2)  # its CPU clock, as in evidence.py
    return used


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    shared = mmap.mmap(int(sys.argv[1]), SHARED_BYTES)
    waker = start_waker(shared, int(sys.argv[2]))
    if LINUX:
        prctl(PR_SET_TIMERSLACK, 1)  # Linux rounds the time at which a sleeper wakes by up to 50 µs
    Forwarder(shared, waker).run()
