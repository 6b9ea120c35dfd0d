"""Measures the lab itself beside a peer that does the same, in the same run: `make bench`.

Each figure is a ratio to its peer, so that those of two machines compare.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import timeit
from functools import partial
from itertools import chain
from pathlib import Path

os.environ.pop("REDIS_URL", None)  # the lab's own server is what is measured
os.environ["TQDM_DISABLE"] = "1"
os.environ["LAB_SCALE"] = "ci"  # where the least time is spent, a wrong figure is likeliest

import lab_utils as lab
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.fingerprints import environment_line
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import steady
from lab_utils.words import duration

ROUNDTRIPS = Path(__file__).parents[1] / "roundtrips"
DRILLS = ROUNDTRIPS / "tests" / "drills"
sys.path += [str(DRILLS.parent), str(DRILLS)]
import environments  # noqa: E402
import servers  # noqa: E402

SAMPLE_S = 0.002  # of timeit
DISTANCES_MS = {0.25: 1.15, 1: 1.05, 5: 1.02, 20: 1.01}  # to at most how many times a sleep


def distances():
    """Yield a row for each distance: the median time of a PING, beside that of a sleep as long.

    A row is (what is measured, its seconds, the peer's seconds, the peer's name, how many times the
    peer's seconds it may take at most). The peer is what it is compared with, here time.sleep.
    """
    for rtt_ms, most in DISTANCES_MS.items():
        client = lab.connect(rtt_ms)
        client.ping()
        with steady(server().pid, link()):
            took = in_turn(100, client.ping, partial(time.sleep, rtt_ms / 1000))
        yield f"PING at {rtt_ms:g} ms", *took, "a sleep as long", most


def timing():
    """Yield one row, as `distances` does: the time of a SET by lab.compare, beside that by timeit.

    Both are the seconds of one call, measured on the same server.
    """
    client = lab.connect()
    timer = timeit.Timer(lambda: client.set("key1", "value1"))
    with steady(server().pid):
        number = max(1, round(SAMPLE_S / (timer.timeit(20) / 20)))
        peer_s = statistics.median(timer.repeat(100, number)) / number
    yield (
        "lab.compare, one SET",
        lab.compare({"SET": lambda r: r.set("key1", "value1")}).seconds("SET"),
        peer_s,
        "timeit",
        1.05,
    )


def traces():
    """Yield rows, as `distances` does: what counting adds to programs, beside OpenTelemetry.

    The seconds are those that a trace of roundtrips, or spans of OpenTelemetry, add to a program.
    """
    command = [environments.libraries(), str(DRILLS / "overhead.py")]
    with servers.running(password="") as options:
        ran = subprocess.run(
            [*command, str(options["port"])],
            env={"PYTHONPATH": str(ROUNDTRIPS / "src")},
            capture_output=True,
            text=True,
            check=True,
        )
    for what, (ours_s, peer_s) in json.loads(ran.stdout.splitlines()[-1]).items():
        yield f"what a trace adds to {what}", ours_s, peer_s, "what OpenTelemetry adds", 0.25


def in_turn(pairs, *functions):
    """Return the median seconds of a call of each of `functions`, as an iterator in their order.

    They are called in turn, each `pairs` times, without arguments.
    """
    took = [[timeit.timeit(fn, number=1) for fn in functions] for _ in range(pairs)]
    return map(statistics.median, zip(*took, strict=True))


def main():
    print(f"{environment_line()} · {os.cpu_count()} CPUs\n")
    for what, ours_s, peer_s, peer, most in chain(distances(), timing(), traces()):
        ratio = ours_s / peer_s
        print(f"{'ok' if ratio <= most else 'NO'}  {what}: {duration(ours_s)}")
        print(f"    {ratio:.3f}x of {peer}, {duration(peer_s)}; at most {most:g}x", flush=True)


if __name__ == "__main__":
    main()
