"""The bystander: a client in a process of its own that sends a PING every millisecond and notes how long each took.

Run by `bystander.py`, by path. Its first line of input: host, port, commands to send first (AUTH), as JSON. It starts when
it has its first reply, prints a line to say so, and ends when its standard input closes; then it prints what it noted.
"""

import json
import select
import socket
import sys
import time

EVERY_S = 0.001


def main():
    host, port, first = json.loads(sys.stdin.readline())
    sock = socket.create_connection((host, port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for command in first:
        parts = [part.encode() for part in command]
        sock.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        sock.recv(4096)
    samples = [ping(sock)]
    print("ready", flush=True)
    while not select.select([sys.stdin], (), (), EVERY_S)[0]:
        samples.append(ping(sock))
    print(json.dumps(samples), flush=True)


def ping(sock):
    """(when it was sent, seconds until the reply)"""
    sent = time.perf_counter()
    sock.sendall(b"*1\r\n$4\r\nPING\r\n")
    sock.recv(64)
    return sent, time.perf_counter() - sent


main()
