"""The ladder, to drag: its moments are the model's, its bytes are redis-py's and Redis's. In a real browser."""
# ruff: noqa: F811  (fixtures are imported)

import random

import pytest
from explored import CONSTANTS, browser, opened  # noqa: F401

import lab_utils as lab
from lab_utils.explorables import ladder, parts
from lab_utils.model import Model

MODEL = Model(*(CONSTANTS["ladder"]["ways"][0][part] / 1e6 for part in ("turn_us", "command_us")))
RUNGS = "vectors => vectors.map(([way, server, commands, rtt]) => rungs(way, server, commands, rtt))"
ENDS = "kind => [...document.querySelectorAll(`line.${kind}`)].map(one => ['y1', 'y2'].map(end => +one.getAttribute(end)))"


def test_python_and_javascript_have_the_same_moments(browser):
    chance = random.Random(27)
    vectors = [[{"at_once": chance.choice([1, None]), "turn_us": chance.uniform(0, 300), "command_us": chance.uniform(0, 99)},
                {"turn_us": chance.uniform(0, 99), "command_us": chance.uniform(0, 9)}, chance.randint(1, 10),
                chance.choice([0, chance.uniform(0, 100)])] for _ in range(500)]
    page = browser.new_page()
    page.add_script_tag(content=parts("ladder")[0].replace("export default { render };", "").replace("export ", ""))
    drawn = page.evaluate(RUNGS, vectors)
    page.close()
    for (way, server, commands, rtt), turns in zip(vectors, drawn, strict=True):
        model = Model(way["turn_us"] / 1e6, way["command_us"] / 1e6)
        computed = ladder.rungs(model, server, commands if way["at_once"] else 1, commands, rtt)
        assert turns == [pytest.approx(turn, rel=1e-9) for turn in computed]


@pytest.mark.parametrize("pipeline", [0, 1])
def test_each_message_shows_the_bytes_that_went(opened, r, pipeline):
    def sets(client):
        to = client.pipeline(transaction=False) if pipeline else client
        for value, name in enumerate("abcdefghij", 1):
            to.set(name, value)
        return to.execute() if pipeline else None

    page = opened(f"?rtt=5&commands=10&pipeline={pipeline}", "ladder")
    knob = page.locator("label:has-text('Message')")
    for message in lab.capture(sets, r).messages:
        assert page.inner_text("code").replace("\n", "").replace("\\r\\n", "\r\n").encode() == message.data
        assert knob.inner_text().endswith(f": {len(message.data)}\u00a0bytes")
        knob.locator("input").press("ArrowRight")


def test_it_says_the_models_times_and_the_slope_is_the_distance(opened):
    page = opened("?rtt=4&commands=3", "ladder", reduced_motion="reduce")
    for rtt, shown_ms in ((4, 20), (5, 20), (7, 100)):
        loop, pipeline = (f"{1000 * MODEL.seconds(turns, 3, rtt):.3g}\u00a0ms" for turns in (3, 1))
        assert page.inner_text(".sentence") == (f"3 SETs, {rtt} ms away: one by one 3 round trips, about {loop}; "
                                                f"in a pipeline 1 round trip, about {pipeline}.")
        (top, bottom), _ = page.evaluate(ENDS, "life")
        assert [stop - start for start, stop in page.evaluate(ENDS, "request")] == pytest.approx([(bottom - top) * rtt / 2 / shown_ms] * 3)
        assert page.locator("circle").count() == (12 if rtt == 5 else 0), "rings where it was measured"
        page.locator("input[type=range]").first.press("ArrowRight")
    page.wait_for_url("**?rtt=10&commands=3&pipeline=0")


def test_it_asks_first_and_a_touch_reads_a_message_on_a_phone(opened):
    page = opened("", "ladder", viewport={"width": 360, "height": 740}, has_touch=True)
    assert page.locator("svg").count() == 0
    page.fill("input[type=number]", "7")
    page.keyboard.press("Enter")
    assert page.inner_text(".sentence").endswith(" You said 7\u00a0ms.")
    box, (start, stop) = page.locator("svg").bounding_box(), page.evaluate(ENDS, "request")[1]
    page.touchscreen.tap(box["x"] + 0.56 * box["width"], box["y"] + (start + stop) / 2)
    assert "$1\\r\\nb\\r\\n$1\\r\\n2" in page.inner_text("code")
    page.check("input[value='1']")
    assert page.inner_text("code").count("SET") == 3 and page.evaluate("document.documentElement.scrollWidth") <= 360
