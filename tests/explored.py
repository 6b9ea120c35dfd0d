"""A page with one figure to drag, opened in a real browser; and what the figures compute from."""

import sys

import pytest
from helpers import ROOT
from test_browser import browser  # noqa: F401  a fixture

from lab_utils import explorables

sys.path.insert(0, str(ROOT / "book"))

import sources

PAGE = (
    "<!doctype html><html lang=en style='color-scheme:light dark'><meta charset=utf-8>"
    "<meta name=viewport content='width=device-width'><title>A</title><main><h1>A</h1>"
)
CONSTANTS = {**sources.shown_in_chapters(), "race": sources.race()}  # of races the first page's
PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture
def opened(browser, tmp_path):  # noqa: F811
    """Opens a page: (search, figures, a notebook's constants, for new_page). No fetch, no error."""
    wrong, pages = [], []

    def open_page(search="", name="race", told=None, **options):
        shown = "".join(
            sources.explorable(each.split()[0], "still", told or CONSTANTS[each], not told)
            for each in name.split(" + ")
        )
        shown = shown.replace(f'"figure": "{name}"', '"figure": null') if told else shown
        (path := tmp_path / f"{name}.html").write_text(PAGE + shown)
        page = browser.new_page(**options)
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: wrong.append(asked.url) if not asked.url.startswith("file:") else None,
        )
        page.goto(path.as_uri() + search)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert wrong == []


@pytest.fixture
def computed(browser):  # noqa: F811
    """computed(name, function, vectors): what JavaScript of a figure makes of each vector."""

    def compute(name, function, vectors):
        module = explorables.parts(name)[0].replace("export default { render };", "")
        with browser.new_page() as page:
            page.add_script_tag(content=module.replace("export ", ""))
            return page.evaluate(f"vectors => vectors.map({function})", vectors)

    return compute


def said(page, where=".sentence"):
    return page.inner_text(where).replace("\u00a0", " ")


def guess(page, number):
    page.fill("input[type=number]", str(number))
    page.keyboard.press("Enter")


def asked_on_a_phone(opened, name, number, shown, **options):
    """Open a figure that shows this part once a number is said, and say it; return the page."""
    page = opened("", name, **PHONE, color_scheme="dark", **options)
    assert page.is_hidden(shown) and fits(page)
    page.fill("input[type=number]", str(number))
    assert page.is_hidden(shown), "typed is not said"
    page.keyboard.press("Enter")
    assert page.inner_text(".answer").endswith(f" You said {number}.")
    assert page.is_visible(shown) and fits(page)
    return page


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
