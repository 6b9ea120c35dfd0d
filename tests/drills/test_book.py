"""The reading edition, built as `make book` does, without a network, and looked at in a browser."""

import os
import re
import shutil

import environments
import nbformat
import pytest
from helpers import ROOT
from machine import ended
from test_browser import DRAWINGS, WRONG, browser  # noqa: F401  a fixture

# Runs before the build: whatever asks for an address or a connection fails.
NO_NETWORK = """
import socket
def refused(*arguments, **named):
    raise AssertionError(f"the build asked the network for {arguments[-1]}")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused
"""
WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
CHAPTER = nbformat.v4.new_notebook(
    cells=[nbformat.v4.new_markdown_cell("# 14 · A chapter\n\nWords.")],
    metadata={"measured": {"date": "2026-01-31", "on": "Redis 8"}},
)


@pytest.fixture(scope="module")
def python():
    return environments.python_with("book", ROOT / "requirements" / "book.txt")


def build(python, root, folder):
    """(exit status, what it said) of book/build.py of the tree `root`, without a network."""
    folder.mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    return ended(
        [python, root / "book" / "build.py", folder], env={**os.environ, "PYTHONPATH": str(folder)}
    )


@pytest.fixture(scope="module")
def book(python, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading") / "a book with ü"
    status, told = build(python, ROOT, folder)
    assert status == 0, told
    return folder / "html"


@pytest.fixture(scope="module", params=[WIDE, PHONE], ids=["wide", "phone"])
def page(request, browser):  # noqa: F811  the fixture above
    page = browser.new_page(viewport=request.param)
    yield page
    page.close()


def address(book, name):
    return (book / name).as_uri()


def test_from_page_to_page_all_cases_and_chapters_come_in_order(book, page):
    page.goto(address(book, "index.html"))
    notebooks = ROOT / "notebooks"
    cases, chapters = sorted(notebooks.glob("cases/*.ipynb")), sorted(notebooks.glob("*.ipynb"))
    for path in [ROOT / "docs" / "symptoms.md", *cases, *chapters]:
        before = page.url
        page.locator(".related-pages .next-page").click()
        page.wait_for_url(f"**/{path.stem}.html")
        assert page.locator(".related-pages .prev-page").evaluate("link => link.href") == before


def test_an_old_address_leads_to_the_new_one(book, page):
    page.goto(address(book, "notebooks/12_scoreboard.html"))
    page.wait_for_url("**/notebooks/14_scoreboard.html")


def test_its_search_finds_a_page_by_the_text_of_an_error(book, page):
    symptoms = (ROOT / "docs" / "symptoms.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`#]{6,})`.+/(\w+)\.ipynb(?:#.*)?\) \|$", symptoms, re.MULTILINE)
    for error, name in rows:
        page.goto(f"{address(book, 'search.html')}?q={error}")
        page.get_by_text("Search finished").wait_for()
        found = page.locator("ul.search a").evaluate_all(
            "links => links.slice(0, 3).map(link => link.pathname)"
        )
        ends = f"/{name}.html", "/symptoms.html"
        assert any(path.endswith(ends) for path in found), (error, found)
    assert len(rows) > 30


def test_pages_fit_all_pictures_come_and_nothing_from_afar(book, page, record_property):
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(error))
    names = sorted(path.relative_to(book).as_posix() for path in book.rglob("*.html"))
    names.remove("notebooks/12_scoreboard.html")  # which leads away
    for name in names:
        page.goto(address(book, name))
        assert page.evaluate(WRONG) == [], name
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == [] and errors == []
    record_property("tries", len(names))


def test_what_was_measured_opens_with_a_click_and_on_paper(book, page):
    page.goto(address(book, "notebooks/01_round_trips.html"))
    folds = page.locator("details.hide")
    figure = folds.locator("img").first
    assert folds.count() > 5 and page.locator("details[open]").count() == 0
    assert not figure.is_visible()
    figure.locator("xpath=ancestor::details/summary").click()
    assert figure.is_visible() and page.locator("details[open]").count() == 1
    page.pdf()
    assert page.locator("details:not([open])").count() == 0


def test_a_link_to_a_solution_leads_to_it(book, page):
    page.goto(address(book, "notebooks/01_round_trips.html"))
    page.locator("a[href='#solution-01-2']").click()
    assert page.evaluate("document.querySelector(':target').id") == "solution-01-2"
    below = page.locator("#solution-01-2 details, #solution-01-2 ~ * details").first
    below.locator("summary").click()
    assert "pipeline" in below.inner_text()


def test_light_and_dark(book, browser):  # noqa: F811
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(19, 20, 22)")):
        page = browser.new_page(viewport=WIDE, color_scheme=scheme)
        page.goto(address(book, "notebooks/01_round_trips.html"))
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        drawn = page.evaluate(DRAWINGS)
        assert len(drawn) > 4
        assert all(name.startswith(f"{scheme}/") and "narrow" not in name for name, _ in drawn)
        page.set_viewport_size({"width": 380, "height": 800})
        page.wait_for_function(
            "[...document.images].every(image => image.complete) && "
            f"({DRAWINGS})().some(([name]) => name.includes('narrow'))"
        )
        narrow = {name: width for name, width in page.evaluate(DRAWINGS) if "narrow" in name}
        assert len(narrow) > 4 and all(300 < width < 380 for width in narrow.values()), narrow
        page.close()


def test_what_is_wrong_fails_the_build(python, tmp_path):
    """In a lab of one page and the chapter to which an old address leads."""
    tree, unread = tmp_path / "broken", shutil.ignore_patterns("_build", "__pycache__", "*.md")
    for name in ("book", "tools", "docs", "lab_utils"):
        shutil.copytree(ROOT / name, tree / name, ignore=unread)
    (tree / "notebooks").mkdir()
    nbformat.write(CHAPTER, tree / "notebooks" / "14_scoreboard.ipynb")
    broken = (
        "[a](docs/none.md) [b](#nowhere) ![](docs/race.gif) "
        "<script src='https://somewhere.org/a.js'></script>"
    )
    (tree / "README.md").write_text(f"# A lab\n\n{broken}\n", encoding="utf-8")
    status, told = build(python, tree, tmp_path / "not built")
    assert status == 1 and "Traceback" not in told
    for problem in ("none.md", "nowhere", "has no words", "from the internet"):
        assert problem in told
