"""The reading edition, built as `make book` does, without a network, and looked at in a browser."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import quote, unquote

import environments
import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers import ROOT
from machine import ended
from test_browser import WRONG, browser  # noqa: F401  a fixture

sys.path.insert(0, str(ROOT / "book"))

import sources

# Runs before the build: whatever asks for an address or a connection fails.
NO_NETWORK = """
import socket
def refused(*arguments, **named):
    raise AssertionError(f"the build asked the network for {arguments[-1]}")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused
"""
AXED = (
    "index",
    "search",
    "docs/symptoms",
    "notebooks/08_threads_and_asyncio",
    "notebooks/14_scoreboard",
)
WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
# How many words of code have a colour of their own, and the least contrast among them (WCAG 2).
FAINT = """() => {
  const seen = (node, what) => getComputedStyle(node)[what].match(/[\\d.]+/g).map(Number);
  const light = colour => colour.slice(0, 3).map(part => part / 255)
    .map(part => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [.2126, .7152, .0722][at], 0);
  const clear = node => seen(node, "backgroundColor")[3] === 0;
  const behind = node => clear(node) ? behind(node.parentElement) : node;
  const words = [...document.querySelectorAll(".highlight span[class]")];
  const contrasts = words.map(word => [seen(word, "color"), seen(behind(word), "backgroundColor")])
    .map(both => both.map(light).sort((one, other) => other - one))
    .map(([bright, dim]) => (bright + .05) / (dim + .05));
  return {words: words.length, faintest: Math.min(...contrasts)};
}"""
CHAPTER = nbformat.v4.new_notebook(
    cells=[nbformat.v4.new_markdown_cell("# 14 · A chapter\n\nWords.")],
    metadata={"measured": {"date": "2026-01-31", "on": "Redis 8"}},
)


@pytest.fixture(scope="module")
def python():
    return environments.python_with("book", ROOT / "requirements" / "book.txt")


def build(python, root, folder, **told):
    """Run book/build.py of the folder `root` without a network; return (exit status, output).

    `python` is the path of a Python, `told` are environment variables; pages go into `folder`. The
    output is what was printed, as text.
    """
    folder.mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    return ended(
        [python, root / "book" / "build.py", folder],
        env={**os.environ, "PYTHONPATH": str(folder), **told},
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


def test_from_page_to_page_all_chapters_and_cases_come_in_order(book, page):
    page.goto(address(book, "index.html"))
    chapters = sources.PARTS["Chapters"] + sources.PARTS["How to read a benchmark"]
    pages = dict.fromkeys(path for names in chapters for path in sources.pages_like(names))
    assert len(pages) == len([*ROOT.glob("notebooks/*.ipynb")])
    cases = sources.pages_like("notebooks/cases/*.ipynb")
    for path in [*pages, ROOT / "docs" / "symptoms.md", *cases]:
        before = page.url
        page.locator(".related-pages .next-page").click()
        page.wait_for_url(f"**/{path.stem}.html")
        assert page.locator(".related-pages .prev-page").evaluate("link => link.href") == before


def test_the_page_that_one_reads_is_in_sight_among_the_chapters(book, browser):  # noqa: F811
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    for name in ("01_round_trips", "14_scoreboard", "cases/jobs_get_lost"):
        page.goto(address(book, f"notebooks/{name}.html"))
        here = page.locator(".sidebar-tree .current-page").bounding_box()
        assert 0 < here["y"] < 800 - here["height"], name
    page.goto(address(book, "index.html"))
    rows = page.locator(".sidebar-tree a:visible").all()
    assert [row.inner_text()[:2] for row in rows][:3] == ["00", "01", "02"] and len(rows) < 20
    assert rows[-1].bounding_box()["y"] < 800
    page.close()


def test_a_link_to_a_page_shows_a_picture_and_a_sentence_and_pages_hold_no_pictures(book):
    texts = {path: path.read_text(encoding="utf-8") for path in book.rglob("*.html")}
    moved = {path for path, text in texts.items() if 'http-equiv="refresh"' in text}
    assert book / "notebooks" / "12_scoreboard.html" in moved
    for path in texts.keys() - moved:
        text = texts[path]
        said = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)"', text))
        assert len(said["og:title"]) > 5 and said["og:description"] == said["description"], path
        assert 20 < len(said["description"]) <= 240 and (path.parent / said["og:image"]).exists()
        assert "data:image/" not in text, path


def test_axe_finds_nothing_on_a_page_of_each_kind(book, page):
    for name in AXED:
        page.goto(address(book, f"{name}.html"))
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        # What is opened fades in, and has little contrast meanwhile.
        page.evaluate("Promise.all(document.getAnimations().map(each => each.finished))")
        assert [rule["id"] for rule in Axe().run(page).response["violations"]] == [], name


def found(book, page, words):
    """Search the book for `words` in a browser's `page`; return the first three places found.

    A place is a text such as "chapter#id" or "cases/case".
    """
    page.goto(f"{address(book, 'search.html')}?q={quote(words)}")
    page.get_by_text("Search finished").wait_for()
    links = page.locator("ul.search a").evaluate_all(
        "links => links.slice(0, 3).map(link => [link.pathname, link.hash])"
    )
    for path, anchor in links:
        text = Path(unquote(path)).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor[1:]}"' in text, (path, anchor)
    return [path.split("/notebooks/")[-1].removesuffix(".html") + anchor for path, anchor in links]


def place(section):
    """Return a section's place in the book: "chapter#its-heading" for "chapter#Its heading?"."""
    page, _, heading = section.partition("#")
    return f"{page}#{re.sub(r'[^a-z0-9]+', '-', heading.lower()).strip('-')}".rstrip("#")


def test_its_search_finds_a_section_by_the_text_of_an_error(book, page):
    page.goto(address(book, "search.html"))
    page.locator("article input[name=q]").fill("CROSSSLOT")
    page.locator("article").get_by_role("button", name="Search").click()
    page.wait_for_url("**/search.html?q=CROSSSLOT")
    symptoms = (ROOT / "docs" / "symptoms.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`#]{6,})`.+/notebooks/(\S+)\) \|$", symptoms, re.MULTILINE)
    lost = {}
    for error, to in rows:
        seen = found(book, page, error)
        if place(unquote(to).replace(".ipynb", "")) not in seen:
            lost[error] = seen
    assert len(rows) > 50 and lost == {}


def test_its_search_answers_questions_from_public_threads(book, browser):  # noqa: F811
    """Of at least 40 questions, at most six find no right section among the first three places.

    Each question names the thread that it comes from; half of them name a framework.
    """
    page = browser.new_page(viewport=WIDE)
    questions = json.loads((Path(__file__).parent / "searches.json").read_text(encoding="utf-8"))
    missed = {}
    for question in questions:
        seen = found(book, page, question["words"])
        if not set(map(place, question["sections"])) & set(seen):
            missed[question["words"]] = seen
    page.close()
    assert len(questions) >= 40 and len(missed) <= 6, missed


def test_pages_fit_all_pictures_come_and_nothing_from_afar(book, page):
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(error))
    names = sorted(path.relative_to(book).as_posix() for path in book.rglob("*.html"))
    names.remove("notebooks/12_scoreboard.html")  # which leads away
    # A word that stands in furo's icons, and is marked on the next page.
    page.goto(f"{address(book, 'search.html')}?q=light")
    for name in names:
        page.goto(address(book, name))
        # What is shown where no script runs is not fetched.
        page.evaluate("document.querySelectorAll('.film').forEach(film => film.remove())")
        assert page.evaluate(WRONG) == [], name
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == [] and errors == []


def test_the_first_screen_asks_a_still_stands_above_and_doors_lead_on(book, page):
    page.goto(address(book, "index.html"))
    assert page.inner_text("h1").startswith("Your Redis is fast.") and page.is_hidden(".film")
    slider = page.get_by_role("slider", name="Your guess").bounding_box()
    assert slider["y"] + slider["height"] < page.viewport_size["height"]
    doors = page.locator(".doors a")
    built = [page for *_, page in sources.DOORS if (book / page).exists()]
    assert doors.evaluate_all("all => all.map(door => door.getAttribute('href'))") == built
    assert len(built) >= 3
    doors.first.click()
    page.wait_for_url("**/notebooks/00_start_here.html")
    still, dragged = (page.locator(f".to-drag {part}").first for part in ("img", ".explorable"))
    assert 0 < still.bounding_box()["y"] < dragged.bounding_box()["y"]


def test_a_chapter_keeps_its_address_until_a_knob_is_turned(book, browser):  # noqa: F811
    wanted = [
        f"{address(book, 'notebooks')}/{path.stem}.html?rtt=2#exercises"
        for path in sorted(ROOT.glob("notebooks/*.ipynb"))
    ]
    with browser.new_context() as pages:
        for url in wanted:
            pages.new_page().goto(url)
        pages.pages[-1].wait_for_timeout(1_000)  # a figure writes its setting after 400 ms
        assert [page.url for page in pages.pages] == wanted


def test_what_was_measured_opens_with_a_click_and_on_paper(book, page):
    page.goto(address(book, "notebooks/01_round_trips.html"))
    folds = page.locator("details.hide")
    figure = folds.locator("img").first
    assert folds.count() > 5 and page.locator("article details[open]").count() == 0
    assert not figure.is_visible()
    figure.locator("xpath=ancestor::details/summary").click()
    assert figure.is_visible() and page.locator("article details[open]").count() == 1
    page.pdf()
    assert page.locator("article details:not([open])").count() == 0


@pytest.mark.parametrize("scheme, paper", [("light", "#ffffff"), ("dark", "#131416")])
def test_a_figure_stands_on_a_white_card_and_a_phone_scrolls_it(book, browser, scheme, paper):  # noqa: F811
    page = browser.new_page(viewport=PHONE, color_scheme=scheme)
    page.goto(address(book, "notebooks/03_loops_pipelines_mset.html"))
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    assert rgb(paper) == page.evaluate("getComputedStyle(document.body).backgroundColor")
    figure = page.locator(".cell_output > .output > img, .cell_output img[src$='.svg']").first
    figure.scroll_into_view_if_needed()
    assert figure.evaluate("img => getComputedStyle(img).backgroundColor") == rgb("#ffffff")
    box = figure.locator("xpath=ancestor::div[contains(@class, 'cell_output')]")
    assert box.evaluate("box => box.scrollWidth > 1.5 * box.clientWidth && box.tabIndex === 0")
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_word_of_code_can_be_read(book, browser, scheme):  # noqa: F811
    page = browser.new_page(color_scheme=scheme)
    for name in ("index", "notebooks/03_loops_pipelines_mset", "notebooks/14_scoreboard"):
        page.goto(address(book, f"{name}.html"))
        faint = page.evaluate(FAINT)
        assert faint["words"] > 20 and faint["faintest"] >= 4.5, (name, faint)
    page.close()


def rgb(color):
    return f"rgb({', '.join(str(int(color[at : at + 2], 16)) for at in (1, 3, 5))})"


def test_who_hears_the_page_hears_its_own_words(book):
    """No fold has another name than the words that it shows; each figure to drag has a name."""
    for path in book.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "Toggle hidden content" not in text, path
        for figure in re.findall(r'<figure class="to-drag"[^>]*>', text):
            assert re.search(r'aria-label="[^"]{4,}"', figure), path


def test_what_is_wrong_fails_the_build(python, tmp_path):
    # The lab that is built here has one page, and the chapter to which an old address leads.
    tree, unread = tmp_path / "broken", shutil.ignore_patterns("_build", "__pycache__", "*.md")
    for name in ("book", "tools", "docs", "lab_utils"):
        shutil.copytree(ROOT / name, tree / name, ignore=unread)
    (tree / "notebooks").mkdir()
    nbformat.write(CHAPTER, tree / "notebooks" / "14_scoreboard.ipynb")
    # The search reads it; the page's own links lead nowhere either.
    shutil.copy(ROOT / "docs" / "symptoms.md", tree / "docs" / "symptoms.md")
    broken = (
        "[a](docs/none.md) [b](#nowhere) ![](docs/race.gif) "
        "<script src='https://somewhere.org/a.js'></script>"
    )
    (tree / "README.md").write_text(f"# A lab\n\n{broken}\n", encoding="utf-8")
    # Without node the page to try is not built, which has more of the lab in it.
    others = {"BOOK_URL": "https://lab.example/", "PATH": ""}
    status, told = build(python, tree, tmp_path / "not built", **others)
    assert status == 1 and "Traceback" not in told
    chapter = (tmp_path / "not built" / "html" / "notebooks" / "14_scoreboard.html").read_text()
    assert 'og:image" content="https://lab.example/' in chapter
    for problem in ("none.md", "nowhere", "has no words", "from the internet"):
        assert problem in told
