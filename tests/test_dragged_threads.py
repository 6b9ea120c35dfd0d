"""Threads or a pipeline, to drag: what it says is what a client with one CPU would take, played call by call."""
# ruff: noqa: F811  (fixtures are imported)

import math
import random

import pytest
from explored import CONSTANTS, FOLDER, browser, opened  # noqa: F401

from lab_utils.explorables.threads import CALLS, explore, side_by_side

TOLD = CONSTANTS["threads"]


def played(calls, connections, rtt_ms, cpu_ms):
    """A call begins when the CPU is free and a connection is back; its reply arrives an RTT after its work."""
    back, free = [0.0] * connections, 0.0
    for _ in range(calls):
        free = max(free, back.pop(0)) + cpu_ms
        back.append(free + rtt_ms)
    return max(back)


def test_javascript_and_python_are_what_was_played(opened):
    chance = random.Random(8).uniform
    vectors = [(int(chance(1, 200)), int(chance(1, 65)), chance(0, 20), chance(0.001, 1)) for _ in range(500)]
    (page := opened()).add_script_tag(content=(FOLDER / "model.js").read_text("utf-8").replace("export ", ""))
    computed = page.evaluate("vectors => vectors.map((vector) => sideBySide(...vector))", vectors)
    for way in (played, side_by_side):
        assert computed == pytest.approx([way(*vector) for vector in vectors], rel=1e-9)


def test_its_constants_are_those_of_what_was_measured():
    told = explore(None, {1: 20.0, 8: 6.4, 64: 8.0}, 0.9, 0.25).constants
    assert (told["cpu_us"], told["pipeline_work"], told["took"][0]) == (100, 0.65, [1, 20.0])
    assert told["from"].endswith(f"by {1 - played(CALLS, 64, 0.25, 0.1) / 8:.0%} at most, with 64 connections.")


def test_a_link_a_key_and_dragging_set_it(opened):
    page = opened("?rtt=4&connections=16&cpu=190", "threads")
    page.locator("input[type=range]").nth(1).press("ArrowLeft")
    (chart := page.locator(".chart")).drag_to(chart, target_position={"x": chart.bounding_box()["width"] / 3, "y": 9})
    page.wait_for_url(lambda url: url.endswith("&connections=4&rtt=2&cpu=200#threads"))
    whole, pipeline = played(CALLS, 4, 2, 0.2), 2 + TOLD["pipeline_work"] * 200 / TOLD["cpu_us"]
    busy = math.floor(100 * CALLS * 0.2 / whole)
    said = f"16 rounds of waiting, about {whole:.3g} ms, your CPU busy for {busy}% of it. One pipeline: about "
    assert page.inner_text(".sentence").replace("\u00a0", " ").endswith(f": {said}{pipeline:.3g} ms.")
    every = {size: played(CALLS, size, 2, 0.2) for size in range(1, CALLS + 1)}
    enough = min(size for size, ms in every.items() if ms < 1.2 * min(every.values()))
    assert page.get_by_text(f"From {enough} connections on less than a fifth is left to gain").is_visible()
    assert page.get_attribute(".you", "style") == f"left:33.33%;bottom:{100 * math.log10(whole / 0.5) / 3.2:.2f}%"


def test_it_asks_first_and_fits_a_phone(opened):
    page = opened("", "threads", viewport={"width": 360, "height": 740}, color_scheme="dark")
    assert page.is_hidden(".chart") and page.evaluate("document.documentElement.scrollWidth") <= 360
    page.fill("input[type=number]", "16")
    page.keyboard.press("Enter")
    rtt, cpu = TOLD["rtt"], TOLD["cpu_us"] / 1000
    enough = next(size for size, ms in TOLD["took"] if ms < 1.2 * min(ms for _, ms in TOLD["took"]))
    assert page.inner_text(".answer").startswith(f"As measured, from {enough} connections on less than a fifth is left to gain")
    assert page.inner_text(".answer").endswith(f" of a call is {rtt / cpu:.2g}. You said 16.")
    assert page.is_visible(".chart") and page.evaluate("document.documentElement.scrollWidth") <= 360
