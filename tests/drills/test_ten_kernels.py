"""Several kernels measure at once, and find nothing impossible.

At DRILLS=full they measure as long as learners' kernels do. At DRILLS=ci there are three kernels,
the fewest that have to wait for each other on two CPUs.
"""

import json
import os
import subprocess
import sys
import time

import pytest
from chapter_runs import busy
from helpers import ROOT
from tries import SIZE

KERNELS, LAB_SCALE = {"ci": (3, "ci"), "full": (10, "workshop")}[SIZE]
PATIENCE_S = {"ci": 200, "full": 1500}[SIZE]

# Prints {work: [the least seconds of a result, the seconds of its waits, results, at the bound]}.
PROGRAM = """
import asyncio, json
from concurrent.futures import ThreadPoolExecutor
import lab_utils as lab
def loop(r):
    for i in range(100):
        r.get(f"key{i}")
def pipeline(r):
    pipe = r.pipeline(transaction=False)
    for i in range(100):
        pipe.get(f"key{i}")
    pipe.execute()
def threads(r):
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda i: r.get(f"key{i}"), range(100)))
async def tasks(r):
    await asyncio.gather(*(r.get(f"key{i}") for i in range(100)))
print("ready", flush=True)
input()
ways = {"loop": loop, "pipeline": pipeline, "threads": threads, "tasks": tasks}
least_waits, found = {"threads": 10, "tasks": 1}, {}
for name in ("loop", "pipeline"):
    with lab.connect() as r, lab.trace() as t:
        ways[name](r)
    least_waits[name] = t.waits
for rtt, parallel in ((1, False), (1, True), (5, False)):
    times = lab.compare(ways, 100, rtt, same=False, parallel=parallel)
    for name in ways:
        rounds = times.rounds(name)
        bound = least_waits[name] * rtt / 1000
        found[f"{name}, {rtt} ms, {parallel=}"] = [
            min(rounds), bound, len(rounds), sum(s < bound + 1e-9 for s in rounds)
        ]
print(json.dumps(found))
"""


def start(folder):
    """Start a Python process and return it; it runs the program once it gets a line of input.

    `folder` is where the lab stores its state.
    """
    folder.mkdir(parents=True)
    environment = {
        **os.environ,
        "LAB_SCALE": LAB_SCALE,
        "LAB_STATE": str(folder),
        "TQDM_DISABLE": "1",
    }
    environment.pop("REDIS_URL", None)
    kernel = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        text=True,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert kernel.stdout.readline() == "ready\n"
    return kernel


def run(folder):
    """Run the kernels, which begin at the same moment; return what each printed, from JSON.

    Each has a folder of its own in `folder` for what the lab stores.
    """
    kernels = [start(folder / str(index)) for index in range(KERNELS)]
    deadline = time.monotonic() + PATIENCE_S
    try:
        for kernel in kernels:
            kernel.stdin.write("\n")
            kernel.stdin.flush()
        said = [
            kernel.communicate(timeout=max(1, deadline - time.monotonic()))[0] for kernel in kernels
        ]
        assert [kernel.returncode for kernel in kernels] == [0] * KERNELS
        return list(map(json.loads, said))
    finally:
        for kernel in kernels:
            kernel.kill()
            kernel.wait()


@pytest.mark.alone
@pytest.mark.timeout(2 * PATIENCE_S)
def test_no_result_is_shorter_than_its_round_trips(tmp_path):
    # Two other programs compute meanwhile. cpu_times.py says why hardly any result is at the bound.
    with busy(2):
        kernels = run(tmp_path)
    for what in kernels[0]:
        least, bounds, results, at_bound = zip(*(found[what] for found in kernels), strict=True)
        print(
            f"{what}: {1000 * min(least):.1f} ms, {1000 * bounds[0]:g} ms of waits, "
            f"{sum(at_bound)} of {sum(results)} at the bound"
        )
        assert min(least) >= bounds[0], what
        assert sum(at_bound) <= sum(results) / 10, what
