"""The page to try in a browser, from a file and without a network, and its Python by node."""

import http.server
import os
import re
import shutil
import threading

import environments
import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers import ROOT
from machine import ended
from playwright.sync_api import expect
from test_browser import browser  # noqa: F401  a fixture
from tried import FOLDER, try_page, write_answers, wrong_verdicts

SLOW = 120_000  # ms: Python for browsers starts, on a crowded machine
# Every way out that a worker's Python has: XHR, fetch, a WebSocket, a script.
TRIES = """
import js
from pyodide.code import run_js
def tried(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__)
request = js.XMLHttpRequest.new()
tried(lambda: request.open("GET", "{away}xhr", False))
tried(lambda: request.send())
tried(lambda: js.fetch("{away}fetch"))
tried(lambda: js.WebSocket.new("{away}socket".replace("http", "ws")))
tried(lambda: run_js("import('{away}module.js')"))
print("all tried", r.get("user:1"))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the Path of a folder that has the page to try, built as `make book` builds it.

    Without npm the test is skipped, and fails in CI.
    """
    if not shutil.which("npm"):
        words = "no npm on this machine, so the page to try was not built; `apt-get install npm`"
        pytest.fail(words) if os.environ.get("CI") == "true" else pytest.skip(words)
    folder = tmp_path_factory.mktemp("to try") / "ü"
    folder.mkdir()
    python = environments.python_with("book", ROOT / "requirements" / "book.txt")
    status, told = ended([python, ROOT / "book" / "try_page.py", folder])
    assert status == 0, told
    return folder


@pytest.fixture
def opened(built, browser):  # noqa: F811  the fixture above
    """Yield a function `open_page(after, name, offline, **options)` that opens the page to try.

    It returns the browser's page, a new tab. `after` follows the address, such as "#03.1", and
    `name` is the file's. There is no network unless `offline` is False. `options` are Playwright's.
    """
    contexts = []

    def open_page(after="", name="index.html", offline=True, **options):
        contexts.append(browser.new_context(offline=offline, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(SLOW)
        page.goto((built / "try" / name).as_uri() + after)
        return page

    yield open_page
    for context in contexts:
        context.close()


def run(page, code):
    """Run `code` in the page's box; once it has ended, return what the page says of it."""
    page.fill("#code", code)
    page.click("#run")
    expect(page.locator("#stop")).to_be_hidden(timeout=SLOW)
    return page.inner_text("#result")


def answer(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def test_an_exercise_is_checked_from_a_file_without_a_network(opened):
    page = opened("#03.1")
    assert "lab.check(" in page.input_value("#code")
    loop = "def read_all(r, keys):\n    return [r.get(key) for key in keys]\n"
    assert (
        "03.1 not yet: right values, but 150 round trips; the budget is 1\nHint: One command"
        in run(page, loop + 'lab.check("03.1", read_all)')
    )
    expect(page.locator("nav .solved")).to_have_count(0)
    said = run(page, answer("03.1/solution.py"))
    assert "03.1 solved: 150 keys in 1 round trip, 1 command" in said
    expect(page.locator("nav .solved")).to_have_text(["03.1"])
    assert "01.3 is for the lab: it needs" in run(page, 'lab.check("01.3", print)')
    assert "LabError: lab.race is for the lab" in run(page, "lab.race({}, r)")


def test_counts_hints_growth_and_lanes(opened):
    page = opened()
    said = run(page, '\nfor i in range(50):\n    r.get(f"user:{i}")')
    assert re.sub(r"\s+", " ", said).startswith(
        "50 round trips 50 waits 50 commands 1,290 bytes sent 640 bytes received line 3 one round"
    )
    page.click("text='line 3'")
    assert page.evaluate("getSelection().toString()") == '    r.get(f"user:{i}")'
    run(page, 'r.mget("user:1", "user:2")')
    rows = page.locator("#runs tr")
    assert [row.split("\t")[2] for row in rows.all_inner_texts()] == ["1", "50"]
    near = [row.split("\t")[1] for row in rows.all_inner_texts()]
    page.focus("#rtt")
    page.keyboard.press("End")
    far = [row.split("\t")[1] for row in rows.all_inner_texts()]
    assert near == ["1.22 ms", "61 ms"] and far == ["200 ms", "9.99 s"]
    program = "for _ in range(7 + 6 * n):\n    r.ping()"
    assert "grows with n: 7 + 6·n round trips" in run(page, program)
    program = "import asyncio, redis.asyncio\nasync with redis.asyncio.Redis() as a:\n"
    program += "    await asyncio.gather(*(a.get(str(i)) for i in range(9)))"
    assert run(page, program).split()[:5] == ["9", "round", "trips", "1", "wait"]
    for _ in range(2):
        run(page, "r.ping()")
    assert rows.count() == 4 and page.locator("#lanes svg").count() == 4


def test_nothing_runs_by_itself_and_stop_ends_a_loop(opened):
    page = opened("#code=" + "while%20True%3A%20pass")
    expect(page.locator("#state")).to_contain_text("nothing runs by itself")
    assert (
        page.input_value("#code") == "while True: pass" and page.locator("script[src]").count() == 0
    )
    page.click("#run")
    expect(page.locator("#state")).to_have_text("Running …", timeout=SLOW)
    page.click("#stop")
    expect(page.locator("#state")).to_contain_text("Stopped")
    assert "ZeroDivisionError" in run(page, "1/0")
    page.click("#share")
    assert page.url.endswith("#code=1%2F0")
    page.goto(page.url.partition("#")[0] + "#code=%E0%A4%A")
    expect(page.locator("#state")).to_contain_text("damaged")


def test_the_keyboard_and_axe_and_a_phone(opened):
    for scheme in ("light", "dark"):
        page = opened(color_scheme=scheme, viewport={"width": 380, "height": 800})
        page.focus("#code")
        page.keyboard.press("Tab")
        assert page.input_value("#code").count("    ") == 1
        page.keyboard.press("Control+Enter")
        expect(page.locator("#cost")).to_be_visible(timeout=SLOW)
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") in ("run", "share")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert [rule["id"] for rule in Axe().run(page).response["violations"]] == []


class Listener(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.heard.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_):
        pass


def test_nothing_gets_out_and_without_the_policy_it_would(built, opened):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        server.heard = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        text = (built / "try" / "index.html").read_text(encoding="utf-8")
        bare = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        (built / "try" / "bare.html").write_text(bare, encoding="utf-8")
        tries = TRIES.format(away=f"http://127.0.0.1:{server.server_port}/")
        heard = {}
        for name in ("index.html", "bare.html"):
            page = opened(name=name, offline=False)
            assert "all tried name 1" in run(page, tries)
            page.wait_for_timeout(1_000)
            heard[name] = sorted(set(server.heard))
        server.shutdown()
        thread.join()
    assert heard == {"index.html": [], "bare.html": ["/fetch", "/module.js", "/socket", "/xhr"]}


@pytest.mark.timeout(3000)  # a minute, ten on a machine that is full
def test_each_answer_gets_the_labs_verdict_from_the_pages_own_python(built):
    folder = built / "scratch"
    write_answers(folder)
    try_page.run(ROOT / "tests" / "walk_to_try.py", folder)
    assert wrong_verdicts(folder) == []
