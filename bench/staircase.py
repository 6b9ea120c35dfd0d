"""The staircase: the same 10,000 values written, from the slowest way to what the server can take."""

import functools
import shutil
import socket
import statistics
import subprocess

import lab_utils as lab
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.pinning import steady

from .row import Row

COUNT, ROUNDS = 10_000, 7
VALUES = {f"key{i}": f"value{i}" for i in range(COUNT)}
REPLY = b"+OK\r\n"
BENCHMARK_BATCH, BENCHMARK_COMMANDS, BENCHMARK_RUNS = 1_000, 1_000_000, 3
RAW_AIM = 0.5  # of what redis-benchmark reaches
TIMEOUT_S = 30
RAW = "bytes encoded beforehand, sent raw"


def rows():
    ways = {"loop": loop, "pipeline in a transaction": transaction, "pipeline": pipeline, "MSET": mset,
            RAW: raw}
    times = lab.compare(ways, ops=COUNT, rounds=ROUNDS)
    speeds = {name: 1 / times.per_op(name) for name in ways}
    name = f"redis-benchmark -P {BENCHMARK_BATCH}"
    peer = run_benchmark() if shutil.which("redis-benchmark") else None  # it comes with a system's own redis package
    for way, speed in sorted(speeds.items(), key=lambda item: item[1]):
        share = f"{speed / peer:.1%} of {name}, {peer:,.0f}" if peer else f"{name} is not installed here"
        aim = (f"at least {RAW_AIM:.0%}", speed >= RAW_AIM * peer) if peer and way == RAW else ("", None)
        yield Row(f"staircase: {way}", f"{speed:,.0f} SETs a second", share, *aim)


def loop(r):
    for key, value in VALUES.items():
        r.set(key, value)


def transaction(r):
    batch(r.pipeline())


def pipeline(r):
    batch(r.pipeline(transaction=False))


def batch(pipe):
    for key, value in VALUES.items():
        pipe.set(key, value)
    pipe.execute()


def mset(r):
    r.mset(VALUES)


def raw(_):
    """Send bytes that were built before and pass over the replies: what is left without redis-py."""
    sock = raw_socket()
    sock.sendall(encoded())
    missing = len(REPLY) * COUNT
    while missing:
        missing -= len(sock.recv(1 << 16))


@functools.cache
def encoded():
    return b"".join(resp("SET", key, value) for key, value in VALUES.items())


@functools.cache
def raw_socket():
    sock = socket.create_connection(server().address, TIMEOUT_S)
    sock.sendall(resp("AUTH", server().options["password"]))
    assert sock.recv(len(REPLY)) == REPLY
    return sock


def resp(*words):
    lines = [f"*{len(words)}"]
    for word in words:
        lines += [f"${len(word)}", word]
    return ("\r\n".join(lines) + "\r\n").encode()


def run_benchmark():
    """Return the SETs a second of redis-benchmark, over one connection, on the CPU that the others had."""
    host, port = server().address
    command = ["redis-benchmark", "-h", host, "-p", str(port), "-a", server().options["password"], "-t", "set", "--csv",
               "-c", "1", "-d", "9", "-r", str(COUNT), "-P", str(BENCHMARK_BATCH), "-n", str(BENCHMARK_COMMANDS)]
    with steady(server().pid):
        return statistics.median(
            float(subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
                  .stdout.split('"SET","')[1].split('"')[0]) for _ in range(BENCHMARK_RUNS))
