"""Send a PING every millisecond, without waiting for replies: the bystander's process.

`bystanders.py` runs this file by its path. The first line of standard input is JSON: host, port,
and the commands that log in. After its first reply the process prints "ready". When standard input
closes and every PING has its reply, it prints JSON: for each PING when it was due, a time of
time.perf_counter(), and the seconds from then to its reply.
"""

import collections
import contextlib
import ctypes
import json
import select
import socket
import sys
import time

EVERY_S = 0.001
PING, PONG = b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n"
PATIENCE_S = 5  # for replies that are still missing at the end
PR_SET_TIMERSLACK = 29


def main() -> None:
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


def watch(sock: socket.socket) -> list[tuple[float, float]]:
    """Send a PING each millisecond over `sock` until standard input closes; print "ready" first.

    Returns [(when it was due, seconds from then to its reply)] for all PINGs; due times are those
    of time.perf_counter(). A PING that was sent late, because this process got no CPU, also counts
    from when it was due.
    """
    samples = []
    waiting = collections.deque()
    due = time.perf_counter()
    end = float("inf")  # until the input closes
    print("ready", flush=True)
    while waiting or due <= end:
        now = time.perf_counter()
        while due <= min(now, end):
            sock.sendall(PING)
            waiting.append(due)
            due += EVERY_S
        if now > end + PATIENCE_S:
            break
        asking = end == float("inf")
        patience = max(0.0, due - time.perf_counter()) if asking else PATIENCE_S
        ready = select.select([sock, sys.stdin] if asking else [sock], (), (), patience)[0]
        if sock in ready:
            data = sock.recv(65536)
            if not data:
                break
            at = time.perf_counter()
            for _ in range(data.count(b"\n")):  # an error, such as BUSY, is a reply too
                sent = waiting.popleft()
                samples.append((sent, at - sent))
        if sys.stdin in ready:
            end = time.perf_counter()
    now = time.perf_counter()
    return samples + [(sent, now - sent) for sent in waiting]


def wake_on_time() -> None:
    """Have Linux wake this process on time; by default it wakes a process up to 50 µs late.

    This sets the timer slack to its minimum. On other systems nothing happens.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)


main()
