"""Open pages with figures to drag in a real browser, and run the figures' JavaScript."""

import json
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


def shown_in_chapters() -> dict[str, dict]:
    """Return {figure's name: its constants} of the figures to drag in the committed chapters.

    The constants are the dict from which the figure's JavaScript draws. If chapter 03 shows a
    figure "where" that an earlier chapter shows too, its name here is "where 03".
    """
    shown = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources.mends.mark(cells, path.parent / "game")
        outputs = [output for cell in cells for output in cell.get("outputs", ())]
        figures = [output.get("metadata", {}).get("image/png", {}) for output in outputs]
        for drag in [figure["drag"] for figure in figures if "drag" in figure]:
            name = drag["name"]
            shown[f"{name} {path.name[:2]}" if name in shown else name] = drag["constants"]
    return shown


FIRST_PAGES = json.loads((explorables.FOLDER / "constants.json").read_text(encoding="utf-8"))
CONSTANTS = {**shown_in_chapters(), "race": FIRST_PAGES}
PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture
def opened(browser, tmp_path):  # noqa: F811
    """Yield a function `open_page(search="", name="race", told=None, **options)` that opens a page.

    It returns the page. `search` is the address's query, `name` names the figures, joined by " + ",
    and `told` are constants in place of the committed ones; `options` are Playwright's for a new
    page. After the test the fixture fails if a page had an error or fetched anything but files.
    """
    wrong, pages = [], []

    def open_page(search="", name="race", told=None, **options):
        shown = "".join(
            sources.explorable(
                each.split()[0], "still", "A figure", told or CONSTANTS[each], not told
            )
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
    """Yield a function `compute(name, function, vectors)`, which runs JavaScript of a figure.

    `function` is the name of a function of the figure `name`, or an expression that is one.
    `compute` calls it with each of `vectors`, and returns the list of the results.
    """

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


def asked_on_a_phone(opened, name: str, number: float, shown: str):
    """Open a figure in a narrow window, answer its question by `number`, and return the page.

    Fails unless the part with the selector `shown` is hidden before the answer and visible after
    it, and all fits into the window.
    """
    page = opened("", name, **PHONE)
    assert page.is_hidden(shown) and fits(page)
    guess(page, number)
    assert page.inner_text(".answer").endswith(f" You said {number}.")
    assert page.is_visible(shown) and fits(page)
    return page


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
