"""Run the same work over Linux' TCP and over the lab's link, in turn; print the times as JSON.

`python beside_linux.py WIRE RTT_MS ROUNDS [LOSS]`, as root; LOSS is the share of segments that get
lost, and then calls are only repeated, ROUNDS times. Two network namespaces are joined by the
program WIRE, made of wire.c; a Redis stands in one of them, a client of it in the other. Cubic is
Linux' own way of sending, which distributions have as their default.

`python beside_linux.py`, by any user: work of up to 300 KB over the link alone, 5 to 100 ms away;
what it took, and the law.

Client, servers, link and wire run before all other programs: without that the times scatter by 20
to 60%.
"""

import contextlib
import ctypes
import functools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import redis

import lab_utils as lab
from lab_utils.testbed.private_server import find_binary

SIZES_KB = (14, 30, 100, 300)
PIPELINE, SMALL = 100, 500  # so many GETs of so many bytes
# The receiver's window is wide from the start, as in the link, which has none. With Linux' own the
# second call of 100 to 300 KB takes two round trips, and a new SET of 300 KB five or six.
WIDE_RECEIVER = "4096 6291456 33554432"
STATES = ("new", "second", "warm", "silent")
SILENT_S = 0.7
LAW_ROUNDS = {5: 10, 20: 3, 100: 2}  # by the distance in ms
PORT = 7391
CLONE_NEWNET = 0x40000000  # linux/sched.h
libc = ctypes.CDLL(None, use_errno=True)


def namespace() -> int:
    """Return the file descriptor of a new network namespace of Linux.

    The namespace ends when no process uses it.
    """
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(libc.unshare, CLONE_NEWNET)
    made = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(libc.setns, own, CLONE_NEWNET)
    os.close(own)
    return made


def enter(call, *arguments):
    if call(*arguments):
        raise OSError(ctypes.get_errno(), call.__name__)


@contextlib.contextmanager
def inside(descriptor: int):
    """In a `with` block, make sockets and processes in the network namespace of `descriptor`."""
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(libc.setns, descriptor, CLONE_NEWNET)
    try:
        yield
    finally:
        enter(libc.setns, own, CLONE_NEWNET)
        os.close(own)


@contextlib.contextmanager
def far_redis(wire, rtt_ms: float, loss: float = 0.0):
    """In a `with` block, run a Redis at a distance by Linux' own TCP; yield a function `client()`.

    The function returns a new redis.Redis. `wire` is the program that delays and loses segments,
    `rtt_ms` the RTT in ms, and `loss` the share of segments that get lost, 0 to 1.
    """
    near, far = namespace(), namespace()
    with contextlib.ExitStack() as ending:
        for descriptor in (near, far):
            ending.callback(os.close, descriptor)
        # It ends when its standard input closes.
        passing = subprocess.Popen(
            [wire, str(near), str(far), str(int(rtt_ms * 500)), str(loss)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(near, far),
        )
        ending.callback(passing.wait)
        ending.callback(passing.stdin.close)
        passing.stdout.readline()
        for descriptor, address in ((near, "10.9.0.1"), (far, "10.9.0.2")):
            with inside(descriptor):
                Path("/proc/sys/net/ipv4/tcp_rmem").write_text(WIDE_RECEIVER)
                for command in (
                    "link set lo up",
                    f"addr add {address}/24 dev t0",
                    "link set t0 mtu 1500 txqueuelen 50000 up",
                    "route replace 10.9.0.0/24 dev t0 congctl cubic",
                ):
                    subprocess.run(["ip", *command.split()], check=True)
        # It is killed when this program is gone, so that its namespace goes too.
        program = ["setpriv", "--pdeathsig", "KILL", find_binary(), "--port", str(PORT)]
        options = ["--save", "", "--protected-mode", "no", "--bind", "10.9.0.2"]
        with inside(far):
            server = subprocess.Popen([*program, *options], stdout=subprocess.DEVNULL)
        ending.callback(server.wait)
        ending.callback(server.terminate)

        def client():
            made = redis.Redis(host="10.9.0.2", port=PORT, retry=None, socket_timeout=60)
            with inside(near):
                made.ping()
            return made

        for _ in range(100):
            with contextlib.suppress(redis.ConnectionError):
                client().close()
                break
            time.sleep(0.05)
        yield client


def seconds(work, client) -> float:
    started = time.perf_counter()
    work(client)
    return time.perf_counter() - started


def fill(client):
    """Store the values that the measured work reads, by `client`, a redis.Redis."""
    client.set("small", b"x" * SMALL)
    for size in SIZES_KB:
        client.set(f"value {size}", b"x" * size * 1000)


def pipeline(client):
    pipe = client.pipeline(transaction=False)
    for _ in range(PIPELINE):
        pipe.get("small")
    pipe.execute()


def works() -> dict[str, tuple]:
    """Return the work to measure: {name: (function, commands, bytes sent, bytes received)}.

    The function takes a client; the three others are numbers.
    """
    made = {"pipeline": (pipeline, PIPELINE, 0, PIPELINE * SMALL)}
    for size in SIZES_KB:
        value = b"x" * size * 1000
        reads = functools.partial(redis.Redis.get, name=f"value {size}")
        writes = functools.partial(redis.Redis.set, name="written", value=value)
        made[f"GET {size} KB"] = reads, 1, 0, len(value)
        made[f"SET {size} KB"] = writes, 1, len(value), 0
    return made


def measured(wire, rtt_ms: float, rounds: int) -> dict[str, list[float]]:
    """Return {name of the work and state: [seconds over Linux' TCP, seconds over the link]}.

    Each is the fastest of `rounds` rounds, since whatever disturbs a round makes it longer. `wire`
    is the program between the namespaces, `rtt_ms` the RTT in ms.
    """
    rows = {}
    with far_redis(wire, rtt_ms) as linux:
        fill(linux())
        fill(lab.connect())
        for name, (work, *_) in works().items():
            for make in (linux, lambda: lab.connect(rtt_ms, socket_timeout=60)):
                took = [in_each_state(work, make()) for _ in range(rounds)]
                for state, times in zip(STATES, zip(*took, strict=True), strict=True):
                    rows.setdefault(f"{name}, {state}", []).append(min(times))
    return rows


def in_each_state(work, client) -> tuple[float, float, float, float]:
    """Return four times of `work(client)` in seconds, on one connection in four states.

    The states are new, used once, warm (used four times), and silent for a while.
    """
    client.ping()
    new_s, second_s, *_, warm_s = [seconds(work, client) for _ in range(5)]
    time.sleep(SILENT_S)
    silent_s = seconds(work, client)
    client.close()
    return new_s, second_s, warm_s, silent_s


def repeated(wire, rtt_ms: float, rounds: int, loss: float) -> dict[str, list[float]]:
    """Return {"linux": [seconds of each PING], "link": [the same]}, where segments get lost.

    There are `rounds` PINGs over Linux' TCP, and as many over the link. `loss` is the share of
    segments that get lost, 0 to 1, `rtt_ms` the RTT in ms, and `wire` the program between the
    namespaces.
    """
    with far_redis(wire, rtt_ms, loss) as linux:
        clients = {"linux": linux(), "link": lab.connect(rtt_ms, loss=loss, socket_timeout=60)}
        return {
            place: [seconds(redis.Redis.ping, client) for _ in range(rounds)]
            for place, client in clients.items()
        }


def beside_the_law() -> dict[str, list[float]]:
    """Return {"work, RTT and state": [seconds that `lab.predict` computes, seconds measured]}.

    The second number is the fastest of several rounds over the lab's link.
    """
    fill(lab.connect())
    rows = {}
    for rtt_ms, rounds in LAW_ROUNDS.items():
        for name, (work, commands, sent, received) in works().items():
            clients = [lab.connect(rtt_ms) for _ in range(rounds)]
            took = [[seconds(work, client), seconds(work, client)] for client in clients]
            new_s, warm_s = map(min, zip(*took, strict=True))
            new = lab.predict(1, commands, rtt_ms, sent=sent, received=received)
            rows[f"{name}, {rtt_ms} ms, new"] = [new, new_s]
            rows[f"{name}, {rtt_ms} ms, warm"] = [lab.predict(1, commands, rtt_ms), warm_s]
    return rows


if __name__ == "__main__":
    if os.geteuid() == 0 and hasattr(os, "sched_setscheduler"):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(2))
    if sys.argv[1:]:
        rtt_ms, rounds, *loss = map(float, sys.argv[2:])
        run_all = repeated if loss else measured
        rows = run_all(Path(sys.argv[1]).resolve(), rtt_ms, int(rounds), *loss)
    else:
        rows = beside_the_law()
    print(json.dumps(rows))
