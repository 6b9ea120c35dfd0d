"""The race of what ran here plays each request as it went, and computes other settings."""
# ruff: noqa: F811  (fixtures are imported)

import pytest
from axe_playwright_python.sync_playwright import Axe
from explored import browser, opened  # noqa: F401
from flown import made
from roundtrips.roundtrip import RoundTrip
from test_explorables import times

from lab_utils.model import Model, milliseconds
from lab_utils.runs import Run
from lab_utils.timing import races

LASTS_MS = 7_000  # on the screen

AT_ONCE = Run([RoundTrip(0.0001, 0.002, names={"GET": 100})], 0.003, {}, 1)  # 1 ms of work
RACES = {
    "two": {"loop": made(100), "pipeline": AT_ONCE},
    "threads": {"loop": made(40), "8 threads": made(5, 8)},
    "one": {
        "a way with quite a long name, as those have that say everything they do and more": made(10)
    },
    "eight": {f"way {number}": made(10, number) for number in range(1, 9)},
    "crowd": {"loop": made(1_200), "50 connections": made(2, 50, rtt_ms=None)},
}


@pytest.fixture
def raced(opened, monkeypatch):
    """Yield a function `race(runs, **options)` that opens a race as a notebook shows it.

    It returns (page, the constants of the race). `runs` is {name of a way: Run}, `options` are
    Playwright's. The page's clock stands still; the tests move it.
    """
    monkeypatch.setattr(races, "fit_model", lambda: Model(50e-6, 8e-6))

    def race(runs, **options):
        page = opened(told=(told := races.constants(runs)), **options)
        page.clock.install(time=0)
        page.clock.pause_at(60)  # seconds, later than it gets there
        page.reload()
        return page, told

    return race


def ended(page, *keys):
    """Press `keys` on the sliders of the race, and let it end; return the list of the ways' ms.

    `keys` are two or none: for the distance and for the commands. `page` is a browser's page, which
    shows these ms beside each way.
    """
    if keys:
        for knob, key in zip(("Distance", "Commands"), keys, strict=True):
            page.get_by_label(knob).press(key)
    page.clock.run_for(LASTS_MS + 500)
    return times(page)


def test_it_plays_each_request_as_it_went_and_asks_nothing(raced):
    run = made(3, turn_s=0.004, gap_s=0.002)
    page, _ = raced({"loop": run})
    dot, trip, passed = page.locator(".packet"), run.trips[1], 0
    for part, looks, along in (
        (0.25, "packet", 50),
        (0.75, "packet back", 50),
        (1.1, "packet works", 0),
    ):
        moment = round(LASTS_MS * (trip.sent + part * trip.seconds) / run.seconds)
        page.clock.run_for(moment - passed)
        passed = moment
        assert dot.get_attribute("class") == looks
        way = float(dot.evaluate("dot => dot.style.transform.match(/[\\d.]+/)[0]"))
        assert way == pytest.approx(along, abs=5)
    assert page.inner_text(".said") == "2 of 3 round trips" and page.locator("form").count() == 0


def test_a_knob_that_is_turned_computes_by_the_model(raced):
    page, told = raced(RACES["two"])
    loop, pipeline = told["ways"].values()
    assert ended(page) == pytest.approx([110, 3], rel=0.006)
    assert page.inner_text(".measured-here").startswith("Measured")
    assert page.inner_text(".sentence").startswith(
        "100 GETs, 1 ms away: 110\u00a0ms in a loop, 3\u00a0ms in a pipeline, "
    )
    assert f"~{100 - 100 * milliseconds(pipeline, 100, 1) / 3:.0f}% off at most" in told["from"]
    assert ended(page, "ArrowRight", "End") == pytest.approx(
        [milliseconds(way, 1_000, 2) for way in (loop, pipeline)], rel=0.006
    )
    assert page.inner_text(".sentence").startswith("1,000 GETs, 2 ms away: about ")
    assert page.inner_text(".measured-here").startswith("Computed")
    assert ended(page, "Home", "Home") == pytest.approx([0.058, 0.058]), "as fitted without a link"


@pytest.mark.parametrize("name", RACES)
def test_any_race_ends_fits_a_phone_and_keeps_nobody_out(raced, name):
    page, told = raced(RACES[name], viewport={"width": 360, "height": 740}, color_scheme="dark")
    ran = [way["run"]["ms"] for way in told["ways"].values()]
    assert ended(page) == pytest.approx(ran, rel=0.006)
    page.clock.resume()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert [rule["id"] for rule in Axe().run(page).response["violations"]] == []
