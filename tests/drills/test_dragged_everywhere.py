"""Every figure to drag on a phone, a tablet and a laptop: light and dark, by keys, by a finger."""
# ruff: noqa: F811  (fixtures are imported)

from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from explored import CONSTANTS, browser, opened  # noqa: F401
from tries import SIZE

DRAGGED = {"batch": ".panels", "threads": ".chart", "where": ".map", "who": ".line"}
KNOBS, GUESS = "[type=range]", "form [type=number]"
FOCUSED = f"[...document.querySelectorAll('{KNOBS}')].indexOf(document.activeElement)"
MOST_TABS = 20
LIGHT = {"color_scheme": "light"}
DARK_AND_STILL = {"color_scheme": "dark", "reduced_motion": "reduce"}


WIDTHS = 360, 768, 1280
EVERY = [*product(CONSTANTS, WIDTHS, [LIGHT, DARK_AND_STILL])]
# CI tries each figure at each width, light and dark in turn; DRILLS=full all.
CHOSEN = EVERY if SIZE == "full" else EVERY[::4] + EVERY[3::4]


@pytest.mark.parametrize("name, width, look", CHOSEN)
def test_it_is_for_everybody(opened, name, width, look):
    page = opened(
        "",
        name,
        viewport={"width": width, "height": 900},
        has_touch=True,
        is_mobile=width < 1000,
        **look,
    )
    assert page.locator(GUESS).count() == (not name.startswith("who")), "there its chapter asks"
    if page.locator(GUESS).count():
        page.keyboard.press("Tab")
        page.keyboard.type("5\n")
        assert page.inner_text(".answer").endswith(" You said 5.")
    turned = set()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if (knob := page.evaluate(FOCUSED)) >= 0:
            page.keyboard.press("Home")
            least = page.get_attribute(":focus", "aria-valuetext")
            page.keyboard.press("End")
            turned |= {knob} if page.get_attribute(":focus", "aria-valuetext") != least else set()
    assert len(turned) == page.locator(KNOBS).count()
    fig = name.split()[0]
    page.wait_for_url(f"**?fig={fig}&*#{fig}")
    for place in page.locator(f"{KNOBS}, {DRAGGED.get(fig, '.none')}").all():
        told = [drag(page, place, to) or page.inner_text(".explorable") for to in (0.02, 0.98)]
        assert told[0] != told[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert [rule["id"] for rule in Axe().run(page).response["violations"]] == []
    if "reduced_motion" in look:
        before = page.screenshot()
        page.wait_for_timeout(200)
        assert page.screenshot() == before, "something moves"


def drag(page, place, to):
    """Draw a finger from the middle of a place to this part of its width."""
    place.scroll_into_view_if_needed()
    finger, box = page.context.new_cdp_session(page), place.bounding_box()
    y = box["y"] + box["height"] / 2
    for kind, *part in ("Start", 0.5), ("Move", (0.5 + to) / 2), ("Move", to), ("End",):
        points = [{"x": box["x"] + at * box["width"], "y": y} for at in part]
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
