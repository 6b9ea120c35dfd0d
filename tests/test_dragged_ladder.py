"""The ladder, to drag: its moments are the model's, its bytes are redis-py's and Redis's. In a real browser."""
# ruff: noqa: F811  (fixtures are imported)

import random

import pytest
from explored import CONSTANTS, browser, opened  # noqa: F401

import lab_utils as lab
from lab_utils.explorables import ladder, parts

MODEL = ladder.Model(*(CONSTANTS["ladder"]["ways"][0][part] / 1e6 for part in ("turn_us", "command_us")))
RUNGS = "all => all.map(([turn_us, command_us, at_once, ...more]) => rungs({turn_us, command_us, at_once}, ...more))"
FALLS = "[...document.querySelectorAll('line.request')].map(one => one.getBBox().height)"


def test_python_and_javascript_have_the_same_moments(browser):
    some = random.Random(27).uniform
    vectors = [[some(0, 300), some(0, 99), n % 2 or None, {"turn_us": some(0, 99), "command_us": some(0, 9)}, n % 9 + 2,
                some(0, 99)] for n in range(500)]
    with browser.new_page() as page:
        page.add_script_tag(content=parts("ladder")[0].replace("export default { render };", "").replace("export ", ""))
        for (a, c, loop, server, commands, rtt), turns in zip(vectors, page.evaluate(RUNGS, vectors), strict=True):
            computed = ladder.rungs(ladder.Model(a / 1e6, c / 1e6), server, commands if loop else 1, commands, rtt)
            assert turns == [pytest.approx(turn, rel=1e-9) for turn in computed]


@pytest.mark.parametrize("pipeline", [0, 1])
def test_each_message_shows_the_bytes_that_went(opened, r, pipeline):
    def sets(client):
        to = client.pipeline(transaction=False) if pipeline else client
        return [to.set(name, value) for value, name in enumerate("abcdefghij", 1)], pipeline and to.execute()
    page = opened(f"?rtt=5&commands=10&pipeline={pipeline}", "ladder")
    assert page.evaluate(FALLS)[0] == pytest.approx(370 * 2.5 / 100) and not page.locator("circle").all()
    for message in lab.capture(sets, r).messages:
        assert page.inner_text("code").replace("\n", "").replace("\\r\\n", "\r\n").encode() == message.data
        assert page.locator("output").last.inner_text().endswith(f": {len(message.data)}\u00a0bytes")
        page.locator("input[type=range]").last.press("ArrowRight")


def test_it_says_the_models_times_and_the_slope_is_the_distance(opened):
    page = opened("?rtt=4&commands=3", "ladder", reduced_motion="reduce")
    for rtt, shown_ms, rings in ((4, 20, 0), (5, 20, 12), (7, 100, 0)):
        loop, pipeline = (f"about {1000 * MODEL.seconds(turns, 3, rtt):.3g}\u00a0ms" for turns in (3, 1))
        assert page.inner_text(".sentence").endswith(f"one by one 3 round trips, {loop}; in a pipeline 1 round trip, {pipeline}.")
        assert (page.evaluate(FALLS), page.locator("circle").count()) == (pytest.approx([370 * rtt / 2 / shown_ms] * 3), rings)
        page.locator("input[type=range]").first.press("ArrowRight")
    page.wait_for_url("**&rtt=10&commands=3&pipeline=0#ladder")


def test_it_asks_first_and_fits_a_phone_where_a_touch_reads_a_message(opened):
    page = opened("", "ladder", viewport={"width": 360, "height": 740}, has_touch=True)
    assert page.is_hidden("svg")
    page.fill("input[type=number]", "7")
    page.keyboard.press("Enter")
    assert page.inner_text(".answer").endswith(" You said 7.")
    page.locator("line.request").nth(1).tap(force=True)
    assert page.inner_text("code").count("b") == 1 and page.evaluate("document.documentElement.scrollWidth") <= 360
    page.check("input[value='1']")
    assert page.inner_text("code").count("SET") == 3
