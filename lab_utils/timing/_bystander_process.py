"""The bystander: a process that sends a PING every millisecond, by the clock, answered or not.

Run by `bystanders.py`, by path. Its first line of input: host, port, commands to send first (AUTH),
as JSON. It starts when it has its first reply, prints a line to say so, and ends when its standard
input closes and every PING has its reply; then it prints what it noted: when each PING was due, and
the seconds from then to its reply.
"""

import collections
import contextlib
import ctypes
import json
import os
import select
import socket
import sys
import time

EVERY_S = 0.001
PING, PONG = b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n"
PATIENCE_S = 5  # for replies that are still missing at the end
PR_SET_TIMERSLACK = 29


def main():
    host, port, first = json.loads(sys.stdin.readline())
    sock = socket.create_connection((host, port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for command in first:
        parts = [b"$%d\r\n%s\r\n" % (len(part.encode()), part.encode()) for part in command]
        sock.sendall(b"*%d\r\n%s" % (len(parts), b"".join(parts)))
        sock.recv(4096)
    sock.sendall(PING)
    if sock.recv(64) != PONG:
        return
    wake_on_time()
    print(json.dumps(watch(sock)), flush=True)


def watch(sock):
    """Return [(when it was due, seconds until its reply)] of the PINGs until the input closes.

    A PING that could not be sent in time, because the machine gave this process no CPU, counts from
    when it was due, too.
    """
    samples, waiting, last = [], collections.deque(), b""
    due, end, closed = time.perf_counter(), None, False
    print("ready", flush=True)
    while waiting or end is None:
        now = time.perf_counter()
        while end is None and due <= now:
            sock.sendall(PING)
            waiting.append(due)
            due += EVERY_S
        if closed and end is None:  # first what was due meanwhile is sent
            end = now + PATIENCE_S
        if end is not None and (now > end or not waiting):
            break
        patience = max(0.0, due - time.perf_counter()) if end is None else PATIENCE_S
        ready = select.select([sock] if end else [sock, sys.stdin], (), (), patience)[0]
        if sock in ready:
            data = sock.recv(65536)
            if not data:
                break
            at = time.perf_counter()
            for _ in range((last + data).count(b"\r\n")):  # also an error is a reply, such as BUSY
                sent = waiting.popleft()
                samples.append((sent, at - sent))
            last = data[-1:] if data.endswith(b"\r") else b""
        if sys.stdin in ready:
            closed = True
    now = time.perf_counter()
    return samples + [(sent, now - sent) for sent in waiting]


def wake_on_time():
    """Let Linux wake this sleeper on time: up to 50 µs late unless told otherwise."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)


try:
    main()
except OSError:  # the server is gone, or whoever listens: both end when a kernel is killed
    os._exit(1)
