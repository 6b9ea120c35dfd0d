"""Thirty learners in a room on this machine run chapter 00 and the first half of 01 at once.

The facts are the committed ones, the words too or "untested", each learner's processes stay small,
and nothing is left over. At DRILLS=ci three learners do, by shorter measurements. All goes through
hub, proxy and WebSockets, as browsers do.
"""

import json
import statistics
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import nbformat
import psutil
import pytest
from helpers import ROOT, as_compared
from rooms import Learner, Room, opened
from tries import SIZE, tries
from verdict_words import shown_in

from lab_utils.course.claims import UNTESTED

LEARNERS = tries(30)
SCALE = {"ci": "ci", "full": "workshop"}[SIZE]
CHAPTERS = {
    "00_start_here.ipynb": None,
    "01_round_trips.ipynb": "## Can I know the time before I run the code?",
}
MOST_MB = 130  # of a learner, beside the JupyterLab server
TOGETHER_S = 3000


def cells_of(name, until):
    """(source, what it shows as nbval compares it) of cells up to a heading, exercises aside."""
    found = []
    for cell in nbformat.read(ROOT / "notebooks" / name, as_version=4).cells:
        if until and cell.cell_type == "markdown" and cell.source.startswith(until):
            break
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and not any(tag.startswith("exercise") for tag in tags):
            found.append((cell.source, shown(cell.outputs)))
    return found


def shown(outputs):
    """{name: text} of what a cell printed and showed, as nbval compares it, widgets aside."""
    found = defaultdict(str)
    for output in outputs:
        if output.output_type == "stream":
            found[output.name] += output.text
        elif output.output_type == "error":
            found["error"] = f"{output.ename}: {output.evalue}"
        elif "image/png" in output.data or not any("widget" in kind for kind in output.data):
            found["text/plain"] += output.data.get("text/plain", "")
    return {name: as_compared(text) for name, text in found.items() if name != "stderr"}


def work(learner):
    """Comes in and runs it all; returns the facts that differ, seconds, and memory in MB."""
    status, page = learner.come_in()
    assert status == 302, page
    started_s, began, differing, memory = learner.start(), time.monotonic(), [], []
    for name, until in CHAPTERS.items():
        with learner.notebook(name) as channels:
            for source, facts in cells_of(name, until):
                found = shown(learner.run(channels, source))
                if found != facts:
                    differing.append((learner.name, source, facts, found))
            memory.append(memory_mb(learner))
    return {
        "free": psutil.virtual_memory().available,
        "differing": differing,
        "start_s": started_s,
        "seconds": time.monotonic() - began,
        "server_mb": max(server for server, _ in memory),
        "beside_mb": max(beside for _, beside in memory),
    }


def memory_mb(learner):
    """(of the JupyterLab server, of all else of a learner's); what is shared is divided."""
    server = beside = 0
    for process, environment in learner.room.processes().items():
        if environment.get("LAB_WORK", "").endswith(f"/learners/{learner.name}/work"):
            memory = process.memory_full_info()
            size = getattr(memory, "pss", memory.uss) / 1e6
            if "jupyterhub.singleuser" in process.cmdline():
                server += size
            else:
                beside += size
    return server, beside


def words(learner):
    path = learner.room.folder / "learners" / learner.name / "work" / ".lab" / "state.json"
    claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
    return {name: entry["word"] for name, entry in claims.items()}


@pytest.mark.timeout(TOGETHER_S)
def test_a_room_full_of_learners(tmp_path, record_property):
    record_property("tries", LEARNERS)
    room = Room(tmp_path, "--learners", str(LEARNERS + 1), LAB_SCALE=SCALE)
    free_before = psutil.virtual_memory().available
    with opened(room):
        alone = run([Learner(room, "alone")])[0] if SIZE == "full" else None
        learners = [Learner(room, f"learner {number}") for number in range(LEARNERS)]
        together = run(learners)
        tell(alone, together, learners)
        taken = free_before - min(found["free"] for found in together)
        print(f"{taken / 1e6:.0f} MB less were free with all of them at work")
        expected = shown_in(ROOT / "notebooks" / "01_round_trips.ipynb")
        for learner, found in zip(learners, together, strict=True):
            assert found["differing"] == []
            said = words(learner)
            assert (
                said
                and {
                    name: word
                    for name, word in said.items()
                    if word not in (expected[name][0], UNTESTED)
                }
                == {}
            )
            assert found["beside_mb"] <= MOST_MB
    assert room.left_over() == []


def run(learners):
    """What each learner found; all begin at the same moment."""
    with ThreadPoolExecutor(len(learners)) as pool:
        return list(pool.map(work, learners))


def tell(alone, together, learners):
    def row(what, unit, of):
        found = sorted(of(entry) for entry in together)
        lone = f"{of(alone):7.0f}" if alone else f"{'-':>7}"
        print(f"{what:34} {lone} {statistics.median(found):7.0f} {found[-1]:7.0f} {unit}")

    print(f"\n{len(together)} learners:                         alone  median    most")
    row("until the lab is there", "s", lambda found: found["start_s"])
    row("chapter 00 and half of 01", "s", lambda found: found["seconds"])
    if alone:
        row(
            "waiting for a turn and for a CPU",
            "s",
            lambda found: found["seconds"] - alone["seconds"],
        )
    row("JupyterLab server", "MB", lambda found: found["server_mb"])
    row("beside it: kernel, link, Redis", "MB", lambda found: found["beside_mb"])
    said = [word for learner in learners for word in words(learner).values()]
    waited = sum(len(learner.waited_for) for learner in learners)
    print(
        f"cells that said they wait for a turn: {waited}; "
        f"claims untested: {said.count(UNTESTED)} of {len(said)}"
    )
