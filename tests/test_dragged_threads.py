"""Threads, tasks or a pipeline, to drag: what a client with one CPU takes, played call by call."""
# ruff: noqa: F811  (fixtures are imported)

import math
import random

import pytest
from explored import CONSTANTS, asked_on_a_phone, browser, computed, opened, said  # noqa: F401

from lab_utils.explorables import threads as model

TOLD = CONSTANTS["threads"]
WAYS = TOLD["ways"]["threads"], TOLD["ways"]["tasks"]


def enough(took):
    return min(size for size, ms in took.items() if ms < 1.2 * min(took.values()))


def played(calls, connections, wait_ms, cpu_ms):
    """A call begins when CPU and connection are free; its reply arrives so long after its work."""
    back, free = [0.0] * connections, 0.0
    for _ in range(calls):
        free = max(free, back.pop(0)) + cpu_ms
        back.append(free + wait_ms)
    return max(back)


def test_javascript_and_python_are_what_was_played(computed):
    chance = random.Random(8).uniform
    vectors = [
        (int(chance(1, 200)), int(chance(1, 65)), chance(0, 20), chance(0.001, 1))
        for _ in range(500)
    ]
    found = computed("threads", "vector => sideBySide(...vector)", vectors)
    for way in (played, model.side_by_side):
        assert found == pytest.approx([way(*vector) for vector in vectors], rel=1e-9)


def test_its_constants_are_those_of_what_was_measured():
    threads = {"cpu_us": 90, "turn_us": 50, "start_us": 20, "fastest": 8}
    took = {size: model.computed(threads, size, 0.25) for size in (1, 8, 64)}
    assert model.fitted(took, 0.25) == threads
    took |= {16: 2 * model.computed(threads, 16, 0.25)}
    told = model.explore(None, {"threads": took, "tasks": {1: 20.0, 64: 4.5}}, 0.9, 0.25).constants
    assert (told["pipeline_work"], told["ways"]["tasks"]["took"]) == (0.65, [[1, 20.0], [64, 4.5]])
    assert told["from"].endswith("by 50% at most, with 16 threads.")


def test_a_link_a_key_and_dragging_set_it(opened):
    page = opened("?rtt=4&connections=16&cpu=190", "threads")
    page.locator("input[type=range]").nth(1).press("ArrowLeft")
    chart = page.locator(".chart")
    chart.drag_to(chart, target_position={"x": chart.bounding_box()["width"] / 3, "y": 9})
    page.wait_for_url(lambda url: url.endswith("&connections=4&rtt=2&cpu=200#threads"))
    slower = 200 / TOLD["ways"]["threads"]["cpu_us"]
    calls = range(1, model.CALLS + 1)
    threads, tasks = ({n: model.computed(way, n, 2, slower) for n in calls} for way in WAYS)
    busy = math.floor(100 * model.CALLS * 0.2 / threads[4])
    pipeline = 2 + TOLD["pipeline_work"] * slower
    assert said(page).endswith(
        f": 16 rounds of waiting. Threads: about {threads[4]:.3g} ms, your CPU busy for {busy}% "
        f"of it. Tasks: about {tasks[4]:.3g} ms. One pipeline: about {pipeline:.3g} ms."
    )
    few = f"From {enough(threads)} threads or {enough(tasks)} tasks at a time on"
    assert few in said(page, ".shown")
    height = 100 * math.log10(threads[4] / 0.5) / 3.2
    assert page.get_attribute(".you", "style") == f"left:33.33%;bottom:{height:.2f}%"
    page.locator("input[type=range]").first.press("End")
    assert f"Threads: about {threads[64]:.3g} ms" in said(page)


def test_it_asks_first_and_fits_a_phone(opened):
    page = asked_on_a_phone(opened, "threads", 16, ".chart")
    threads, tasks = (enough(dict(way["took"])) for way in WAYS)
    ratios = " in threads, ".join(
        f"{1 + (1000 * TOLD['rtt'] + way['turn_us']) / way['cpu_us']:.2g}" for way in WAYS
    )
    assert said(page, ".answer") == (
        f"As measured, from {threads} threads or {tasks} tasks at a time on, less than a fifth is "
        f"left to gain; a call's time ÷ its CPU is {ratios} in tasks. You said 16."
    )
    assert page.locator(".ring.tasks:visible").count() == len(WAYS[1]["took"])
