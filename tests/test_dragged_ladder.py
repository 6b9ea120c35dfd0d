"""The ladder, to drag: its moments are the model's, its bytes are redis-py's and Redis's."""
# ruff: noqa: F811  (fixtures are imported)

import random

import pytest
from explored import CONSTANTS, asked_on_a_phone, browser, computed, fits, opened  # noqa: F401

import lab_utils as lab
from lab_utils.explorables import ladder

WAY = CONSTANTS["ladder"]["ways"][0]
MODEL = ladder.Model(WAY["turn_us"] / 1e6, WAY["command_us"] / 1e6)
RUNGS = """([turn_us, command_us, at_once, ...more]) =>
    rungs({turn_us, command_us, at_once}, ...more)"""
FALLS = "[...document.querySelectorAll('line.request')].map(one => one.getBBox().height)"


def test_python_and_javascript_have_the_same_moments(computed):
    some = random.Random(27).uniform
    vectors = [
        [
            some(0, 300),
            some(0, 99),
            n % 2 or None,
            {"turn_us": some(0, 99), "command_us": some(0, 9)},
            n % 9 + 2,
            some(0, 99),
        ]
        for n in range(500)
    ]
    for vector, turns in zip(vectors, computed("ladder", RUNGS, vectors), strict=True):
        turn, command, loop, server, commands, rtt = vector
        model, at_once = ladder.Model(turn / 1e6, command / 1e6), commands if loop else 1
        expected = ladder.rungs(model, server, at_once, commands, rtt)
        assert turns == [pytest.approx(turn, rel=1e-9) for turn in expected]


@pytest.mark.parametrize("pipeline", [0, 1])
def test_each_message_shows_the_bytes_that_went(opened, r, pipeline):
    def sets(client):
        to = client.pipeline(transaction=False) if pipeline else client
        for value, name in enumerate("abcdefghij", 1):
            to.set(name, value)
        if pipeline:
            to.execute()

    page = opened(f"?rtt=5&commands=10&pipeline={pipeline}", "ladder")
    assert page.evaluate(FALLS)[0] == pytest.approx(370 * 2.5 / 100)
    assert not page.locator("circle").all()
    for message in lab.capture(sets, r).messages:
        shown = page.inner_text("code").replace("\n", "").replace("\\r\\n", "\r\n")
        assert shown.encode() == message.data
        told = page.locator("output").last.inner_text()
        assert told.endswith(f": {len(message.data)}\u00a0bytes")
        page.locator("input[type=range]").last.press("ArrowRight")


def test_it_says_the_models_times_and_the_slope_is_the_distance(opened):
    page = opened("?rtt=4&commands=3", "ladder", reduced_motion="reduce")
    for rtt, shown_ms, rings in ((4, 20, 0), (5, 20, 12), (7, 100, 0)):
        loop, piped = (
            f"about {1000 * MODEL.seconds(turns, 3, rtt):.3g}\u00a0ms" for turns in (3, 1)
        )
        assert page.inner_text(".sentence").endswith(
            f"one by one 3 round trips, {loop}; in a pipeline 1 round trip, {piped}."
        )
        assert page.evaluate(FALLS) == pytest.approx([370 * rtt / 2 / shown_ms] * 3)
        assert page.locator("circle").count() == rings
        page.locator("input[type=range]").first.press("ArrowRight")
    page.wait_for_url("**&rtt=10&commands=3&pipeline=0#ladder")


def test_it_asks_first_and_fits_a_phone_where_a_touch_reads_a_message(opened):
    page = asked_on_a_phone(opened, "ladder", 7, "svg", has_touch=True)
    page.locator("line.request").nth(1).tap(force=True)
    assert page.inner_text("code").count("b") == 1 and fits(page)
    page.check("input[value='1']")
    assert page.inner_text("code").count("SET") == 3
