"""Timing: does lab.compare agree with timeit and pyperf, and speak only of what differs?"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path
from unittest import mock

import pyperf

import lab_utils as lab
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import steady

from .row import Row, endless_loops
from .with_pyperf import FUNCTIONS

PYPERF = Path(__file__).with_name("with_pyperf.py")
# Where the least time is spent, so where a wrong verdict is likeliest.
AT_CI_SCALE = mock.patch.dict(os.environ, LAB_SCALE="ci")
PASSES, REPEATS, SAMPLE_S = 5, 25, 0.002
AIM = 0.03
IDENTICAL = {0: 60, 1: 40}  # comparisons at each RTT
DIFFERENT = 20
MOST_CALLED_BUSY = 0.05
SETS, SETS_AIMS = 30, {"quiet": 0.03, "busy": 0.15}  # of the best of timeit, beside the same loops
FEWEST_RIGHT = 0.95


def rows():
    with steady(server().pid):
        ours, by_timeit, by_pyperf = measured()
    for name, (_, ops) in FUNCTIONS.items():
        for yardstick, theirs in (("timeit", by_timeit[name]), ("pyperf", by_pyperf[name])):
            yield Row(
                f"timing: lab.compare, {name}, median of one operation",
                share(ours[name], theirs),
                f"{yardstick}: {theirs / ops * 1e6:.2f} µs",
                f"within {AIM:.0%}",
                abs(ours[name] / theirs - 1) <= AIM,
            )
    for machine, beside in (
        ("quiet", contextlib.nullcontext()),
        ("busy", endless_loops(os.cpu_count())),
    ):
        with beside:
            yield from verdict_rows(machine)
            yield sets_row(machine)


def measured():
    """Return a call's median seconds by function: ours and timeit's, in turn, and pyperf's."""
    by_pyperf = run_pyperf()
    client = server().connect()
    ours, by_timeit = {}, {}
    for name, (fn, _) in FUNCTIONS.items():
        timer = timeit.Timer(lambda fn=fn: fn(client))
        number = max(1, round(SAMPLE_S / (timer.timeit(20) / 20)))
        samples, medians = [], []
        for _ in range(PASSES):
            samples += [seconds / number for seconds in timer.repeat(REPEATS, number)]
            medians.append(lab.compare({name: fn}).seconds(name))
        ours[name], by_timeit[name] = statistics.median(medians), statistics.median(samples)
    return ours, by_timeit, by_pyperf


def run_pyperf():
    """Return pyperf's medians, of samples in processes of its own, which inherit our CPU."""
    held = hasattr(os, "sched_getaffinity")
    affinity = [f"--affinity={','.join(map(str, os.sched_getaffinity(0)))}"] if held else []
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "pyperf.json"
        subprocess.run(
            [
                sys.executable,
                str(PYPERF),
                "--quiet",
                "--inherit-environ=LAB_BENCH_SERVER",
                f"--output={found}",
                *affinity,
            ],
            env={**os.environ, "LAB_BENCH_SERVER": json.dumps(server().options)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return {
            bench.get_name(): bench.median() for bench in pyperf.BenchmarkSuite.load(str(found))
        }


def verdict_rows(machine):
    found = {rtt: [ten_against(ten, rtt) for _ in range(times)] for rtt, times in IDENTICAL.items()}
    right = {
        rtt: sum(not times.speedup("other", "ten").differs for times in all_)
        for rtt, all_ in found.items()
    }
    asked, alike = sum(IDENTICAL.values()), sum(right.values())
    yield Row(
        f"timing, {machine}: two identical variants",
        f"{alike} of {asked} say no difference",
        "; ".join(f"RTT {rtt} ms: {right[rtt]} of {IDENTICAL[rtt]}" for rtt in right),
        f"{FEWEST_RIGHT * asked:.0f} of {asked}",
        alike >= FEWEST_RIGHT * asked,
    )
    called = sum(times.calm.busy for all_ in found.values() for times in all_)
    slower = sum(ten_against(eleven, 0).speedup("other", "ten").high < 1 for _ in range(DIFFERENT))
    quiet, most, fewest = machine == "quiet", MOST_CALLED_BUSY * asked, FEWEST_RIGHT * DIFFERENT
    yield Row(
        f"timing, {machine}: comparisons that say that the machine was busy",
        f"{called} of {asked}",
        "all of them",
        f"at most {most:.0f}" if quiet else "",
        called <= most if quiet else None,
    )
    yield Row(
        f"timing, {machine}: a variant with 10% more work",
        f"{slower} of {DIFFERENT} say slower",
        "the same work",
        f"{fewest:.0f} of {DIFFERENT}" if quiet else "",
        slower >= fewest if quiet else None,
    )


def sets_row(machine):
    """Compare lab.compare's median at 1 ms with the quickest that timeit saw."""
    client = lab.connect(1)
    with steady(server().pid, link()):
        best = min(timeit.repeat(lambda: thirty(client), number=1, repeat=REPEATS))
    with AT_CI_SCALE:
        times = lab.compare({"sets": thirty}, rtt_ms=1)
    ours = times.seconds("sets", 1)
    return Row(
        f"timing, {machine}: lab.compare, {SETS} SETs at 1 ms, median",
        share(ours, best),
        f"timeit's best: {best * 1000:.2f} ms; {times.calm.sentence().replace('~', '')}",
        f"within {SETS_AIMS[machine]:.0%}",
        abs(ours / best - 1) <= SETS_AIMS[machine],
    )


def share(part, whole):
    """Return by how much `part` differs from `whole`: '+1.2%'."""
    return f"{part / whole - 1:+.1%}"


def thirty(r):
    for number in range(SETS):
        r.set("key1", number)


def ten_against(other, rtt_ms):
    with AT_CI_SCALE:
        return lab.compare({"ten": ten, "other": other}, rtt_ms=rtt_ms)


def ten(r):
    for i in range(10):
        r.set(f"key{i}", "value1")


def eleven(r):
    ten(r)
    r.set("key0", "value1")
