"""Ten kernels run chapter 01 at once: each measures as a lone one does, or says so.

The facts and words are the same in all. At DRILLS=full they measure as long as learners' kernels
do, and what a lone one measures is the median of four, two before and two after. At DRILLS=ci three
kernels run the chapter's trial cells, the fewest that have to wait for each other on two CPUs.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import pytest
from helpers import ROOT, as_compared
from tries import SIZE

CHAPTER = ROOT / "notebooks" / "01_round_trips.ipynb"
KERNELS, LONE, ALL_CELLS, LAB_SCALE = {
    "ci": (3, 3, False, "ci"),
    "full": (10, 2, True, "workshop"),
}[SIZE]
PATIENCE_S = {"ci": 200, "full": 1500}[SIZE]
WIDEST = 1.15  # a median, of a lone kernel's
UNSAID = 1.2  # what is further off than this, the kernel says was measured on a busy machine

KERNEL = """
import contextlib, io, json, sys, time
chapter, all_cells = json.loads(sys.argv[1])
import lab_utils as lab
from lab_utils.timing import comparison
from lab_utils.counting import cost
from lab_utils.course import state
print("ready", flush=True)
input()
with open(chapter, encoding="utf-8") as file:
    cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
tags = lambda cell: set(cell["metadata"].get("tags", []))
names, started = {}, time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as shown:
    for cell in cells:
        exercise = any(tag.startswith("exercise") for tag in tags(cell))
        if "trial" in tags(cell) or all_cells and not exercise:
            exec(compile("".join(cell["source"]), "cell", "exec"), names)
arms = {f"{name}: {arm} at {rtt:g} ms": (found.budget(arm, rtt), found.calm.busy)
        for name, found in names.items() if isinstance(found, comparison.Comparison)
        for arm in found.names for rtt in found.rtts}
print(json.dumps({
    "facts": {name: repr(found) for name, found in names.items()
              if isinstance(found, (cost.Cost, cost.Costs))},
    "words": {name: entry["word"] for name, entry in state.load("claims").items()},
    "medians": {name: spent.total for name, (spent, _) in arms.items()},
    "cpu": {name: spent.client + spent.server for name, (spent, _) in arms.items()},
    "busy": [name for name, (_, busy) in arms.items() if busy],
    "seconds": time.perf_counter() - started,
}))
"""


def start(folder):
    """A Python of its own that runs the chapter when told to."""
    folder.mkdir(parents=True)
    environment = {
        **os.environ,
        "LAB_SCALE": LAB_SCALE,
        "LAB_STATE": str(folder),
        "MPLBACKEND": "agg",
        "TQDM_DISABLE": "1",
    }
    environment.pop("REDIS_URL", None)
    asked = json.dumps([str(CHAPTER), ALL_CELLS])
    kernel = subprocess.Popen(
        [sys.executable, "-c", KERNEL, asked],
        env=environment,
        text=True,
        cwd=CHAPTER.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert kernel.stdout.readline() == "ready\n"
    return kernel


def result(kernel, deadline):
    said, _ = kernel.communicate(timeout=max(1, deadline - time.monotonic()))
    assert kernel.returncode == 0
    return json.loads(said)


def run(number, folder):
    """The results of so many kernels that begin at the same moment."""
    kernels = [start(folder / str(index)) for index in range(number)]
    deadline = time.monotonic() + PATIENCE_S
    try:
        for kernel in kernels:
            kernel.stdin.write("\n")
            kernel.stdin.flush()
        return [result(kernel, deadline) for kernel in kernels]
    finally:
        for kernel in kernels:
            kernel.kill()
            kernel.wait()


def lone_kernels(folder):
    """The results of kernels that run by themselves, one after the other."""
    return [run(1, folder / str(number))[0] for number in range(LONE)]


def medians_of(kernels):
    """{what all of them measured, so not at a fitted distance: the median over the kernels}."""
    shared = [
        name for name in kernels[0]["medians"] if all(name in found["medians"] for found in kernels)
    ]
    return {name: statistics.median(found["medians"][name] for found in kernels) for name in shared}


def at_the_pace_of_lone(found, all_lone):
    """{what: seconds}, had client and server used the CPU that they use in lone kernels.

    A host may run every line slower for minutes: the same work takes more CPU, which no kernel can
    tell. What others take leaves that as it is. (Of work that is all CPU it shows only the rest.)
    """
    cpu = {
        name: statistics.median(one["cpu"][name] for one in all_lone)
        for name in found["medians"]
        if all(name in one["cpu"] for one in all_lone)
    }
    return {name: found["medians"][name] - found["cpu"][name] + cpu[name] for name in cpu}


@pytest.mark.alone
@pytest.mark.timeout(2 * PATIENCE_S)
def test_kernels_that_measure_at_once(tmp_path, record_property):
    before = lone_kernels(tmp_path / "before")
    many = run(KERNELS, tmp_path / "many")
    record_property("tries", KERNELS)
    all_lone = [*before, *lone_kernels(tmp_path / "after")]
    lone = before[0]
    for found in (*all_lone, *many):
        found["medians"] = at_the_pace_of_lone(found, all_lone)
    alone = medians_of(all_lone)
    shared = [name for name in medians_of(many) if name in alone]
    widths = {
        name: sorted(found["medians"][name] / alone[name] for found in many) for name in shared
    }
    print(
        f"\na lone kernel took {lone['seconds']:.0f} s, "
        f"{KERNELS} at once {max(found['seconds'] for found in many):.0f} s"
    )
    for name, width in widths.items():
        print(
            f"{alone[name] * 1000:9.3f} ms alone, at once x{width[0]:.2f} to x{width[-1]:.2f}, "
            f"median x{statistics.median(width):.2f}  {name}"
        )
    assert lone["facts"] and lone["words"] and shared
    for found in (*all_lone, *many):
        assert facts(found) == facts(lone)
        assert {
            word
            for name, word in found["words"].items()
            if word != lone["words"][name] != "untested"
        } <= {"untested"}
    assert unsaid(many, all_lone, shared) == {}
    if SIZE == "full":
        assert all(1 / WIDEST <= width[0] <= width[-1] <= WIDEST for width in widths.values())


def unsaid(many, all_lone, shared):
    """{what: (seconds, those of lone kernels)} of what a kernel had far off, and not as busy."""
    calm = [name for name in shared if not any(name in found["busy"] for found in all_lone)]
    lone = {name: [one["medians"][name] for one in all_lone] for name in calm}
    return {
        name: (found["medians"][name], lone[name])
        for found in many
        for name in calm
        if name not in found["busy"]
        and not min(lone[name]) / UNSAID <= found["medians"][name] <= max(lone[name]) * UNSAID
    }


def facts(found):
    """What was counted, with everything measured blanked."""
    return {name: as_compared(text) for name, text in found["facts"].items()}
