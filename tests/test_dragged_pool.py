"""A pool and a pause, to drag: its curve is Python's, and the queue's end is the curve's."""
# ruff: noqa: F811  (fixtures are imported)

import random

import pytest
from explored import CONSTANTS, asked_on_a_phone, browser, computed, opened, said  # noqa: F401

from lab_utils.explorables.pool import under_way

TOLD = CONSTANTS["pool"]
CURVE = """([arrivals, held, size, pause]) =>
    underWay({ arrivals, held, size, pause }).filter((_, step) => step % 100 === 0)"""


def test_python_and_javascript_agree(computed):
    chance = random.Random(8).uniform
    vectors = [
        (chance(10, 500), chance(5, 50), int(chance(1, 100)), chance(0, 0.8)) for _ in range(500)
    ]
    for found, vector in zip(computed("pool", CURVE, vectors), vectors, strict=True):
        assert found == pytest.approx(under_way(*vector)[::100], rel=1e-9, abs=1e-9)


def test_a_pool_at_the_average_never_recovers_and_a_larger_one_does_when_the_curve_says_so(opened):
    page = opened("?size=4&arrivals=200&held=20&pause=0.3", "pool")
    assert said(page).endswith(
        "on average 4 in use. If they come evenly: a pool of 4 serves at most 200 a second, "
        "just what comes: 60 calls wait, and never fewer."
    )
    assert under_way(200, 20, 4, 0.3)[-1] == pytest.approx(64)
    assert page.locator(".ring").count() == 0
    page.locator("input[type=range]").first.press("ArrowRight")
    page.wait_for_url(lambda url: "size=5&" in url)
    nobody_waits = next(
        step
        for step, calls in enumerate(under_way(200, 20, 5, 0.3))
        if step > 220 and calls < 5.001
    )
    assert nobody_waits == pytest.approx(220 + 1.18 * 200, abs=1)
    assert "50 more than come: 1.18 s after the pause" in said(page)


def test_it_asks_first_and_shows_what_was_measured_on_a_phone(opened):
    page = asked_on_a_phone(opened, "pool", 16, ".chart")
    average = f"{TOLD['arrivals'] * TOLD['held'] / 1000:.2g}"
    assert page.inner_text(".answer") == f"{average} on average. You said 16."
    assert page.locator(".ring").count() == len(TOLD["noted"]["4"]) > 30
