"""The figures to drag: their model is Python's, and what they show is the model's."""
# ruff: noqa: F401, F811  (fixtures are imported)

import itertools
import json
import random

import pytest
from axe_playwright_python.sync_playwright import Axe
from explored import CONSTANTS, PHONE, asked_on_a_phone, browser, computed, guess, opened, said

from chapter_helpers.waiting_map import commands_at, share_waiting
from lab_utils.explorables import FOLDER, sent, where
from lab_utils.figures import style
from lab_utils.model import Model
from tools import constants

TOLD = CONSTANTS["race"]
MAP = Model(*(CONSTANTS["where"]["way"][part] / 1e6 for part in ("turn_us", "command_us")))
WIDEST = """ms => new Promise(done => {
    let [widest, until] = [0, performance.now() + ms];
    const look = now => {
        widest = Math.max(widest, document.documentElement.scrollWidth);
        now > until ? done(widest) : requestAnimationFrame(look);
    };
    look(0);
})"""
LENGTHS = """[...document.querySelectorAll('.bar')].map(bar =>
    new DOMMatrix(getComputedStyle(bar).transform).a)"""


def ms(way, commands, rtt_ms):
    return constants.milliseconds(TOLD["ways"][way], commands, rtt_ms)


def test_python_and_javascript_agree(computed):
    chance = random.Random(27)

    def costs():
        return {"turn_us": chance.uniform(0, 300), "command_us": chance.uniform(0, 100)}

    def way():
        direct = chance.choice([None, costs()])
        return {"at_once": chance.choice([None, 1, 2, 16]), **costs(), "direct": direct}

    vectors = [
        (way(), chance.randint(1, 1_000), chance.choice([0, chance.uniform(0, 250)]))
        for _ in range(500)
    ]
    found = computed("race", "vector => milliseconds(...vector)", vectors)
    expected = [constants.milliseconds(*vector) for vector in vectors]
    assert found == pytest.approx(expected, rel=1e-9)


def test_the_constants_are_those_of_the_points_beside_them():
    assert constants.constants(TOLD["points"]) == TOLD["ways"]
    assert constants.off_percent(TOLD["ways"], TOLD["points"]) == TOLD["off_percent"]


def test_first_the_guess_then_the_race(opened):
    page = opened(reduced_motion="reduce")
    assert page.is_hidden(".race ul") and page.is_hidden(".still")
    page.fill("input[type=number]", "-3")
    page.click("button[type=submit]")
    assert page.is_hidden(".race ul")
    guess(page, 7)
    right = ms("one by one", 100, 1) / ms("pipeline", 100, 1)
    assert page.inner_text(".answer") == (
        f"100 writes, 1 ms away: about {right:.0f} times faster in a pipeline. You said 7."
    )
    page.reload()
    assert page.is_visible(".race ul"), "who guessed once is not asked again"


def test_a_link_carries_the_setting_and_keys_change_it(opened):
    page = opened("?rtt=4.4&commands=1000000", reduced_motion="reduce")
    assert page.inner_text(".sentence").startswith("1,000 writes, 5 ms away")
    distance, commands = page.locator("input[type=range]").all()
    distance.press("ArrowRight")
    commands.press("Home")
    page.wait_for_function(
        "document.querySelector('.sentence').textContent.startsWith('1 write, 10 ms away')"
    )
    texts = [knob.get_attribute("aria-valuetext") for knob in (distance, commands)]
    assert texts == ["10 ms", "1 write"]
    page.wait_for_url(lambda url: url.endswith("?fig=race&rtt=10&commands=1#race"))
    word = "not" if ms("one by one", 1, 10) < ms("pipeline", 1, 10) else "hardly"
    assert page.inner_text(".sentence").endswith(f"in a pipeline, {word} faster.")


def test_a_link_is_for_the_figure_that_it_names(opened):
    page = opened("?fig=where&rtt=0.5&commands=7", "ladder + where")
    assert page.inner_text(".where .sentence").startswith("0.5 ms away, 7 commands a round trip: ")
    assert page.is_hidden(".ladder svg"), "it still asks"
    page.click(".ladder button.plain")
    assert page.inner_text(".ladder .sentence").startswith("3 SETs, 5 ms away: ")
    page.locator(".ladder input[type=range]").first.press("ArrowRight")
    page.wait_for_url("**?fig=ladder&rtt=7&commands=3&pipeline=0#ladder")


@pytest.mark.parametrize(
    "point", TOLD["points"], ids=lambda point: f"{point['commands']} at {point['rtt_ms']} ms"
)
def test_it_shows_the_models_numbers_and_the_measured_ones(opened, point):
    commands, rtt = point["commands"], point["rtt_ms"]
    page = opened(f"?rtt={rtt}&commands={commands}", reduced_motion="reduce")
    expected = [ms(way, commands, rtt) for way in TOLD["ways"]]
    assert times(page) == pytest.approx(expected, rel=0.006)
    words = said(page, ".measured-here").rstrip(".").split(": ")[1].split(", ")
    measured = {
        way: in_ms(each.removeprefix(f"{way} "))
        for way, each in zip(point["ms"], words, strict=True)
    }
    assert measured == pytest.approx(point["ms"], rel=0.006)


def times(page):
    """Return what each way took, in ms, as the page says."""
    words = page.locator(".said").all_inner_texts()
    return [in_ms(each.split(", ")[-1].replace("\u00a0", " ")) for each in words]


def in_ms(words):
    number, unit = words.split()
    return float(number.replace(",", "")) * {"s": 1000, "ms": 1, "µs": 0.001}[unit]


@pytest.mark.parametrize(
    "search", ["?rtt=1&commands=100", "?rtt=250&commands=1000", "?rtt=0&commands=1"]
)
def test_a_phone_has_room_and_the_race_ends(opened, search):
    page = opened(search, **PHONE, color_scheme="dark")
    before = page.locator(".bar").first.get_attribute("style")
    widest = page.evaluate(WIDEST, 2_000)  # while dots move
    page.wait_for_function("document.querySelector('.sentence').textContent.includes('away')")
    assert widest <= 360
    assert before != page.locator(".bar").first.get_attribute("style"), "it moved"
    end = in_ms(page.locator(".ends span").last.inner_text().replace("\u00a0", " "))
    bars = page.evaluate(LENGTHS)
    assert bars == pytest.approx([ms / end for ms in times(page)], rel=0.006)
    assert 0.4 < max(bars) <= 1, "a bar stands for its time"


def test_the_map_is_the_models_and_one_goes_where_one_drags(opened):
    page = opened("?rtt=5&commands=40&trips=10", "where")
    took = f"{10_000 * MAP.seconds(1, 40, 5):.3g} ms"
    assert said(page, ".where .page").startswith(
        f"A page of 10 such round trips, one after another: about {took}"
    )
    box = (plot := page.locator(".map")).bounding_box()
    plot.drag_to(plot, target_position={"x": box["width"] / 4, "y": box["height"] / 4})
    page.wait_for_url(lambda url: url.endswith("&rtt=0.1&commands=1000&trips=10#where"))
    share, half = share_waiting(MAP, 0.1, 1_000), commands_at(MAP, 0.5, 0.1)
    words = (
        f"half and half at about {half:.2g} commands"
        if half >= 1
        else "at most half with any number"
    )
    assert said(page).endswith(f", {share:.0%} of it waiting; {words}.")
    distance, commands, _ = page.locator("input[type=range]").all()
    for knob, key in ((distance, "End"), (commands, "Home")):
        knob.press(key)
    half = float(f"{commands_at(MAP, 0.5, 100):.3g}")
    assert page.inner_text(".sentence").startswith(
        "100 ms away, 1 command a round trip: about 100\u00a0ms, 100% of it waiting"
    )
    assert said(page).endswith(f"half and half at about {half:,.0f} commands.")


def test_the_map_shows_who_has_the_time_and_what_a_page_took(opened):
    model = Model(200e-6, 5e-6, server=Model(100e-6, 1e-6))
    told = where.explore("still", model, [(30, 30, 1, 0.04)]).constants
    assert told["you"] == {"rtt": 1, "commands": 1, "trips": 30, "ms": 40, "share": 0.75}
    page = opened("", "where", told)
    assert said(page, ".page").endswith(
        " Of that, Redis computes 3.03 ms; client and way between take 3.12 ms. Measured: 40 ms."
    )
    page.get_by_label("Distance").press("Home")
    parts = page.locator(".parts i").all_inner_texts()
    assert parts == ["", "client 104\u00a0µs", "server 101\u00a0µs"]


def test_the_map_is_coloured_as_the_still_one():
    colours = f"const COLOURS = {json.dumps(list(style.SHARE_OF_WAITING))};"
    assert colours in (FOLDER / "where.js").read_text(encoding="utf-8")


def test_the_map_asks_first_and_fits_a_phone(opened):
    page = asked_on_a_phone(opened, "where", 50, ".map")
    half = commands_at(MAP, 0.5, 5)  # the cart of chapter 01
    assert page.inner_text(".answer") == (
        f"5 ms away: half and half at about {half:.0f} commands. You said 50."
    )


@pytest.mark.parametrize("search", ["", "?rtt=5&size=5&keys=300000"], ids=["asked", "shown"])
@pytest.mark.parametrize(("name", "scheme"), [*itertools.product(CONSTANTS, ["light", "dark"])])
def test_axe_finds_nothing_and_paper_has_the_still_figure(opened, name, scheme, search):
    page = opened(search, name, color_scheme=scheme, reduced_motion="reduce")
    assert [rule["id"] for rule in Axe().run(page).response["violations"]] == []
    page.emulate_media(media="print")
    assert page.is_visible(".still") and page.is_hidden(".explorable")


def test_all_of_it_is_small():
    """What a page gets of them, what they share once."""
    assert sum(len(text.encode()) for text in set(map(sent, FOLDER.glob("*.*s")))) < 60_000
