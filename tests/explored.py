"""A page with one figure that one can drag, opened in a real browser; and what the figures compute from."""

import sys

import pytest
from helpers import ROOT
from test_browser import browser  # noqa: F401  a fixture

sys.path.insert(0, str(ROOT / "book"))

import sources

FOLDER = ROOT / "lab_utils" / "explorables"
PAGE = ("<!doctype html><html lang=en style='color-scheme:light dark'><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'><title>A</title><main><h1>A</h1>")
CONSTANTS = {**sources.shown_in_chapters(), "race": sources.race()}  # of races the first page's


@pytest.fixture
def opened(browser, tmp_path):  # noqa: F811
    """Opens a page: (search, figures, a notebook's constants, for new_page). No fetch, no error."""
    wrong, pages = [], []

    def open_page(search="", name="race", told=None, **options):
        shown = "".join(sources.explorable(each.split()[0], "still", told or CONSTANTS[each], not told)
                        for each in name.split(" + "))
        shown = shown.replace(f'"figure": "{name}"', '"figure": null') if told else shown
        (path := tmp_path / f"{name}.html").write_text(PAGE + shown)
        page = browser.new_page(**options)
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith("file:") else wrong.append(asked.url))
        page.goto(path.as_uri() + search)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert wrong == []


def said(page, where=".sentence"):
    return page.inner_text(where).replace("\u00a0", " ")
