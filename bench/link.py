"""The link: is a distance what was asked for, and do bytes get through?"""

import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import lab_utils as lab
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import link, through
from lab_utils.testbed.pinning import steady
from lab_utils.timing.rounds import no_garbage_collection

from .row import Row, endless_loops, percentile_95

RTTS = (0.25, 0.5, 1, 5, 20)
BLOCKS, BLOCK_S, FEWEST_CALLS, MOST_CALLS = 5, 0.25, 20, 100
MEDIAN_AIM_MS, TAIL_AIM_MS = 0.05, 0.2
PINGS, PING_AIMS_MS = 200, {"quiet": 0.05, "busy": 0.3}
COMMANDS, PIPELINE_ROUNDS = 10_000, 9
FAR_MS = 20
BULK_BYTES, BLOCK, BULK_ROUNDS, BULK_AIM = 256_000_000, 1_000_000, 5, 500e6
ENDS = Path(__file__).with_name("bulk_server.py")


def rows():
    with no_garbage_collection():
        yield from ping_rows()
        yield ping_row("quiet")
        with endless_loops(os.cpu_count()):
            yield ping_row("busy")
        yield from pipeline_rows()
        yield from bulk_rows()


def ping_rows():
    clients = {rtt: lab.connect(rtt) for rtt in (0, *RTTS)}
    times = {rtt: [] for rtt in clients}
    with steady(server().pid, link()):
        for _ in range(BLOCKS):
            for rtt, client in clients.items():
                calls = min(MOST_CALLS, max(FEWEST_CALLS, int(BLOCK_S / (rtt / 1000)))) if rtt else MOST_CALLS
                client.ping()
                times[rtt] += [seconds(client.ping) for _ in range(calls)]
    plain = statistics.median(times[0]) * 1000
    for rtt in RTTS:
        for name, of, aim in (("median", statistics.median, MEDIAN_AIM_MS), ("95th percentile", percentile_95, TAIL_AIM_MS)):
            over = of(times[rtt]) * 1000 - rtt
            yield Row(f"link: PING at {rtt:g} ms, {name} of {len(times[rtt])}", f"{over:+.3f} ms",
                      f"the RTT asked; a PING without the link takes {plain:.3f} ms", f"within {aim:g} ms", abs(over) <= aim)


def ping_row(machine):
    """PINGs at 1 ms: on a quiet machine, and beside one endless loop for each CPU. For a loop of SETs see `timing`."""
    far, late = lab.connect(1), link().late_s()
    with steady(server().pid, link()):
        far.ping()
        over = statistics.median(seconds(far.ping) for _ in range(PINGS)) * 1000 - 1
    late = link().late_s() - late
    return Row(f"link, {machine}: PING at 1 ms, median of {PINGS}", f"{over:+.3f} ms",
               f"the RTT asked; the link was late by {late / PINGS * 1000:.3f} ms a PING",
               f"within {PING_AIMS_MS[machine]:g} ms", abs(over) <= PING_AIMS_MS[machine])


def pipeline_rows():
    clients = {"direct": server().connect(), 0: through(server(), link().port_without_delay(server())),
               FAR_MS: lab.connect(FAR_MS)}
    times = {name: [] for name in clients}
    with steady(server().pid, link()):
        for _ in range(PIPELINE_ROUNDS):
            for name, client in clients.items():
                client.ping()
                times[name].append(seconds(many_sets, client))
    direct = statistics.median(times["direct"])
    for rtt in (0, FAR_MS):
        took = statistics.median(times[rtt])
        beyond = f", {direct / (took - rtt / 1000):.0%} but for the one RTT" if rtt else ""
        yield Row(f"link: pipeline of {COMMANDS:,} SETs at {rtt} ms", f"{direct / took:.0%}{beyond}",
                  f"without the link, {COMMANDS / direct:,.0f} SETs a second")


def many_sets(r):
    pipe = r.pipeline(transaction=False)
    for i in range(COMMANDS):
        pipe.set(f"key{i}", f"value{i}")
    pipe.execute()


def bulk_rows():
    """Bytes without Redis, which has a limit of its own: to a process that only takes them, and from one that only gives."""
    ends = subprocess.Popen([sys.executable, str(ENDS)], stdout=subprocess.PIPE, text=True)
    try:
        port = int(ends.stdout.readline())
        ports = {"direct": port} | {rtt: link().ask("listen", address=["127.0.0.1", port], delay_s=rtt / 2000)["port"]
                                    for rtt in (0, FAR_MS)}
        with steady(ends.pid, link()):
            times = bulk_times(ports)
    finally:
        ends.kill()
        ends.wait()
    for way in ("to", "from"):
        direct = BULK_BYTES / statistics.median(times["direct", way])
        for rtt in (0, FAR_MS):
            speed = BULK_BYTES / statistics.median(times[rtt, way])
            yield Row(f"link: {BULK_BYTES / 1e6:.0f} MB {way} a plain socket at {rtt} ms",
                      f"{speed / 1e6:,.0f} MB/s, {speed / direct:.0%}",
                      f"without the link, {direct / 1e6:,.0f} MB/s", f"{BULK_AIM / 1e6:.0f} MB/s", speed >= BULK_AIM)


def bulk_times(ports):
    sockets = {name: socket.create_connection(("127.0.0.1", port)) for name, port in ports.items()}
    times = {(name, way): [] for name in ports for way in ("to", "from")}
    for _ in range(BULK_ROUNDS):
        for name, sock in sockets.items():
            times[name, "to"].append(seconds(give, sock))
            times[name, "from"].append(seconds(take, sock))
    for sock in sockets.values():
        sock.close()
    return times


def give(sock):
    """Sends, and waits until the other end says that it has it all."""
    sock.sendall(b"g" + BULK_BYTES.to_bytes(8, "big"))
    block = b"x" * BLOCK
    for _ in range(BULK_BYTES // BLOCK):
        sock.sendall(block)
    sock.recv(1)


def take(sock):
    sock.sendall(b"t" + BULK_BYTES.to_bytes(8, "big"))
    room, left = bytearray(1 << 18), BULK_BYTES
    while left:
        left -= sock.recv_into(room, min(left, len(room)))


def seconds(fn, *args):
    started = time.perf_counter()
    fn(*args)
    return time.perf_counter() - started
