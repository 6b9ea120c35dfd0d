"""The figures to drag: their model is Python's, and what they show is the model's."""
# ruff: noqa: F401, F811  (fixtures are imported)

import itertools
import json
import random
from math import ceil
from types import SimpleNamespace

import pytest
from axe_playwright_python.sync_playwright import Axe
from explored import (
    CONSTANTS,
    asked_on_a_phone,
    browser,
    computed,
    fits,
    guess,
    opened,
    said,
)

from chapter_helpers.waiting_map import commands_at, share_waiting
from lab_utils.explorables import FOLDER, batch, sent, where
from lab_utils.explorables.pool import under_way
from lab_utils.figures import style
from lab_utils.model import Model, milliseconds
from tools import constants

TOLD = CONSTANTS["race"]
MAP = Model(*(CONSTANTS["where"]["way"][part] / 1e6 for part in ("turn_us", "command_us")))
LENGTHS = "[...document.querySelectorAll('.bar')].map(bar => parseFloat(bar.style.width) / 100)"
FLIGHTS = """vector => {
    const all = flights(...vector);
    return [milliseconds(...vector), all.at(-1)[1], new Set(all.map(([, , , on]) => on)).size];
}"""


def test_python_and_javascript_agree(computed):
    chance = random.Random(27)

    def way(**more):
        costs = {"turn_us": chance.uniform(0, 300), "command_us": chance.uniform(0, 100)}
        return {"at_once": chance.choice([None, 1, 2, 16]), **costs, **more}

    vectors = [
        (way(direct=direct), chance.randint(1, 1_000), chance.choice([0, chance.uniform(0, 250)]))
        for direct in [None, way()] * 250
    ]
    for found, vector in zip(computed("race", FLIGHTS, vectors), vectors, strict=True):
        ms = milliseconds(*vector)
        connections = min(vector[0]["at_once"] or 1, vector[1])
        assert found == pytest.approx([ms, ms, connections], rel=1e-9)


def test_the_constants_are_those_of_the_points_beside_them():
    kept = json.loads(constants.KEPT.read_text(encoding="utf-8"))
    assert constants.constants(kept["points"]) == kept["ways"]
    assert constants.off_percent(kept["ways"], kept["points"]) == kept["off_percent"]


[AT_100] = [each["ms"] for each in TOLD["points"] if (each["commands"], each["rtt_ms"]) == (100, 1)]
GUESSED = "document.querySelector('.race .sentence').textContent.includes('You said')"


def test_the_second_bar_is_guessed_by_keys_then_measured(opened):
    page = opened(reduced_motion="reduce")
    slider = page.get_by_role("slider", name="Your guess: how long in a pipeline?")
    assert page.get_by_label("Distance").is_hidden() and "in a pipeline" not in said(page)
    worded = [
        slider.press(key) or slider.get_attribute("aria-valuetext").replace("\u00a0", " ")
        for key in ("Home", "ArrowRight", "PageUp")
    ]
    assert worded[0].endswith(" in a pipeline") and len(set(worded)) == 3
    guessed = float(worded[-1].split()[0])
    slider.press("Enter")
    loop, pipeline = AT_100["one by one"], AT_100["pipeline"]
    assert times(page)[0::2] == pytest.approx([loop, pipeline], rel=0.005)
    ends = (
        f"in a pipeline, about {loop / pipeline:.2g} times faster. "
        f"You said {guessed:.3g} ms: {guessed / pipeline:.2g} times too long."
    )
    assert said(page).endswith(ends)
    assert page.evaluate("document.activeElement.textContent") == "Play again"
    page.reload()
    assert page.get_by_label("Distance").is_visible(), "who guessed once is not asked again"
    assert said(page).endswith(ends)
    page.get_by_role("button", name="And 16 threads, MSET?").click()
    assert page.locator(".other").first.is_visible()
    page.get_by_label("Distance").press("ArrowRight")
    page.wait_for_function(f"!{GUESSED}")
    assert page.locator(".flag").count() == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_the_second_bars_end_is_dragged_and_a_flag_stays_where_it_was_let_go(opened, width):
    page = opened(viewport={"width": width, "height": 800})
    box = page.locator("li[data-way=pipeline] .track").bounding_box()
    page.mouse.move(box["x"] + 0.55 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"], steps=4)
    assert page.get_by_label("Distance").is_hidden(), "before it is let go"
    page.mouse.up()
    page.wait_for_function(GUESSED)
    flag = page.locator(".flag").bounding_box()
    assert flag["width"] == pytest.approx(box["width"] / 4, abs=5) and fits(page)


def test_the_race_is_paused_scrubbed_and_slowed_and_paper_has_its_end(opened):
    page = opened("?rtt=1&commands=100")
    page.clock.install(time=0)
    page.clock.pause_at(60)
    page.reload()
    moments = []
    for button in ("Pause", "Half speed", "Play"):
        page.clock.run_for(1_000)
        moments.append(int(page.get_by_label("Time").input_value()))
        page.get_by_role("button", name=button).click()
    page.clock.run_for(1_000)
    page.get_by_role("button", name="Pause").click()
    assert moments[0] == moments[1] == moments[2] > 15
    assert 1.4 < int(page.get_by_label("Time").input_value()) / moments[0] < 1.6
    page.get_by_label("Time").press("Home")
    assert page.inner_text(".said >> nth=0") == "0 of 100 round trips"
    page.pdf()
    assert times(page) == pytest.approx([*AT_100.values()], rel=0.005)


@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_mends_itself_as_the_chapter_counted(opened, width):
    viewport = {"width": width, "height": 800}
    page = opened("", "mends", viewport=viewport, reduced_motion="reduce")
    trips = [way["trips"] for way in CONSTANTS["mends"]["ways"]]
    assert sum(site[0] for site in CONSTANTS["mends"]["sites"]) == len(places(page)) == trips[0]
    steps = ("Mend board", "Mend feed", "column by column")
    for name, way in zip(steps, CONSTANTS["mends"]["ways"][1:], strict=True):
        page.get_by_role("button", name=name).press("Enter")
        counted = f"{way['name']}: {way['trips']} round trips instead of {trips[0]}"
        assert said(page) == f"{counted}, measured: {way['took']}."
        assert len(set(places(page))) == way["trips"] and "pipe" in page.inner_text("pre")
    page.get_by_role("button", name="as written").click()
    page.get_by_role("button", name="Mend feed").click()
    assert said(page).endswith(f"instead of {trips[0]}, counted, not timed.")
    assert len(set(places(page))) == trips[0] - trips[1] + trips[2] and fits(page)


def places(page):
    return page.locator(".wall i").evaluate_all("boxes => boxes.map(one => one.style.transform)")


def test_a_link_carries_the_setting_and_keys_change_it(opened):
    page = opened("?rtt=4.4&commands=1000000", reduced_motion="reduce")
    assert page.inner_text(".sentence").startswith("1,000 writes, 5 ms away")
    page.get_by_label("Distance").press("ArrowRight")
    page.get_by_label("Commands").press("Home")
    page.wait_for_url("**?fig=race&rtt=10&commands=1#race")
    assert page.inner_text(".sentence").startswith("1 write, 10 ms away")


NOT_MEASURED = {"commands": 50, "rtt_ms": 2, "ms": {}}


@pytest.mark.parametrize(
    "point",
    [*TOLD["points"], NOT_MEASURED],
    ids=lambda point: f"{point['commands']} at {point['rtt_ms']} ms",
)
def test_it_shows_what_was_measured_and_computes_the_rest(opened, point):
    commands, rtt, measured = point.values()
    page = opened(f"?rtt={rtt}&commands={commands}", reduced_motion="reduce")
    computed = {way: milliseconds(TOLD["ways"][way], commands, rtt) for way in TOLD["ways"]}
    assert times(page) == pytest.approx([*(computed | measured).values()], rel=0.006)
    words = {
        0: "Computed: this setting was not measured.",
        3: "Measured, but one by one: computed.",
        4: "Measured.",
    }
    assert page.inner_text(".measured-here") == words[len(measured)]
    end = in_ms(page.locator(".ends span").last.inner_text().replace("\u00a0", " "))
    bars = page.evaluate(LENGTHS)
    assert bars == pytest.approx([ms / end for ms in times(page)], rel=0.006)
    assert 0.4 < max(bars) <= 1


def times(page):
    """Return a list of the ms that each way took, as the page shows them."""
    words = page.locator(".said").all_inner_texts()
    return [in_ms(each.split(", ")[-1].replace("\u00a0", " ")) for each in words]


def in_ms(words):
    number, unit = words.split()
    return float(number.replace(",", "")) * {"s": 1000, "ms": 1, "µs": 0.001}[unit]


def test_the_map_is_the_models_and_one_goes_where_one_drags(opened):
    page = opened("?rtt=5&commands=40&trips=10", "where")
    box = (plot := page.locator(".map")).bounding_box()
    plot.drag_to(plot, target_position={"x": box["width"] / 4, "y": box["height"] / 4})
    page.wait_for_url("**&rtt=0.1&commands=1000&trips=10#where")
    share, half = share_waiting(MAP, 0.1, 1_000), commands_at(MAP, 0.5, 0.1)
    took = f"{10_000 * MAP.seconds(1, 1_000, 0.1):.3g} ms"
    assert f" 10 such round trips, one after another: about {took}" in said(page, ".page")
    assert said(page).endswith(
        f", {share:.0%} of it waiting; half and half at about {half:.2g} commands."
    )


BOTH = """([way, total, size, rtt]) =>
    [inBatches(way, total, size, rtt), largeEnough(way, total, rtt)]"""


def tried(way, commands, size, rtt):
    """Compute the times of all batch sizes; return (ms at `size`, smallest fast size).

    A fast size is at most a tenth slower than all `commands` in one batch. `way` has the constants
    of the model, `rtt` is in ms.
    """
    model = Model(way["turn_us"] / 1e6, way["command_us"] / 1e6)
    took = [
        1000 * model.seconds(ceil(commands / one), commands, rtt) for one in range(1, commands + 1)
    ]
    return took[size - 1], next(one for one, ms in enumerate(took, 1) if ms <= 1.1 * took[-1])


def test_python_and_javascript_agree_on_batches(computed):
    chance = random.Random(27)
    vectors = [
        (
            {"turn_us": chance.uniform(5, 300), "command_us": chance.uniform(1, 100)},
            total := chance.randint(1, 2_000),
            chance.randint(1, total),
            chance.choice([0, chance.uniform(0, 100)]),
        )
        for _ in range(500)
    ]
    for found, vector in zip(computed("batch", BOTH, vectors), vectors, strict=True):
        assert found == pytest.approx(tried(*vector), rel=1e-9)


def test_a_batch_is_guessed_then_dragged_on_a_phone_too(opened):
    page = asked_on_a_phone(opened, "batch", 100, ".panels")
    ms, enough = tried(CONSTANTS["batch"]["way"], CONSTANTS["batch"]["commands"], 1, 5)
    knee = f"a larger one gains less than a tenth from about {float(f'{enough:.2g}'):,.0f} on."
    assert page.inner_text(".answer") == f"5 ms away: {knee} You said 100."
    page.goto(page.url + "?rtt=5&batch=100")
    plot = page.locator("svg").first
    plot.drag_to(plot, source_position={"x": 99, "y": 9}, target_position={"x": 0, "y": 9})
    page.wait_for_url("**&batch=1&rtt=5#batch")
    held = f"less than {CONSTANTS['batch']['memory'][0][1] / 1000:.2g} KB in your client"
    assert said(page) == (
        f"Batches of 1, 5 ms away, on a connection in use: about {ms / 1000:.3g} s for 20,000 "
        f"commands, {held}; {knee}"
    )
    assert fits(page)


CURVE = """([arrivals, held, size, pause]) =>
    underWay({ arrivals, held, size, pause }).filter((_, step) => step % 100 === 0)"""


def test_python_and_javascript_agree_on_pools(computed):
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
    recovered = under_way(200, 20, 5, 0.3)
    assert recovered[455] > 5.001 > recovered[456], "1.18 s after the pause, which ends at step 220"
    assert "50 more than come: 1.18 s after the pause" in said(page)


def test_a_pool_is_guessed_and_shows_what_was_measured_on_a_phone(opened):
    page = asked_on_a_phone(opened, "pool", 16, ".chart")
    average = f"{CONSTANTS['pool']['arrivals'] * CONSTANTS['pool']['held'] / 1000:.2g}"
    assert page.inner_text(".answer") == f"{average} on average. You said 16."
    assert page.locator(".ring").count() == len(CONSTANTS["pool"]["noted"]["4"]) > 30


@pytest.mark.parametrize("search", ["", "?rtt=5&size=5"], ids=["asked", "shown"])
@pytest.mark.parametrize(("name", "scheme"), [*itertools.product(CONSTANTS, ["light", "dark"])])
def test_axe_finds_nothing_and_paper_has_the_still_figure(opened, name, scheme, search):
    page = opened(search, name, color_scheme=scheme, reduced_motion="reduce")
    assert [rule["id"] for rule in Axe().run(page).response["violations"]] == []
    page.emulate_media(media="print")
    assert page.is_visible(".still") and page.is_hidden(".explorable")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", CONSTANTS)
def test_a_slider_is_as_wide_as_its_figure_as_high_as_a_finger_and_heeds_keys(opened, name, width):
    page = opened("?rtt=5&size=5", name, viewport={"width": width, "height": 900})
    figure = page.locator(".shown").bounding_box()
    for knob in page.locator("input[type=range]").all():
        box = knob.bounding_box()
        assert box["width"] == figure["width"] and box["height"] >= 44
        ends = [knob.press(key) or knob.get_attribute("aria-valuetext") for key in ("Home", "End")]
        assert ends[0] != ends[1]
    assert fits(page)


def test_all_of_it_is_small():
    # As a page gets them: what they share is sent once.
    assert sum(len(text.encode()) for text in set(map(sent, FOLDER.glob("*.*s")))) < 60_000
