"""The page for MONITOR logs in a browser: what it counts, what it never shows, whom it asks."""
# ruff: noqa: F401, F811  (fixtures are imported)

import json
import re
import shutil
import socket

import pytest
from axe_playwright_python.sync_playwright import Axe
from explored import browser, fits, sources
from helpers import ROOT
from monitored import HELD, PROGRAMS, held

AT, SECRET = 1_764_280_000, "hunter2"
READ = re.compile("^(Read: |There is no line|It is empty)")
COUNTED = "text => monitorLog.read(text).then(({ trips, range }) => [trips, ...range])"


def line(us, *words, on="10.0.0.7:5041", before=""):
    return f"{before}{AT + us / 1e6:.6f} [0 {on}] " + " ".join(f'"{word}"' for word in words)


def log(*lines, end="\n"):
    return end.join(lines) + end


ONE, LUA = line(0, "GET", "a"), line(500, "GET", "a", on="lua")
LOOP = [line(1_000 * i, "GET", f"user:{i}") for i in range(9)]
TWO = log(ONE, line(900, "GET", "b"))
CALLS = [("BLPOP", "q", "0"), ("GET", "job:1")] * 9
JOBS = [line(9_000 * i, *words) for i, words in enumerate(CALLS)]
BATCH = [
    line(9_000 + i, *call) for i, call in enumerate([("MULTI",), ("SET", "a", "b"), ("EXEC",)])
]
APART = [line(0, "MULTI"), line(3_000, "SET", "a", "b"), line(3_001, "EXEC")]
SET_UP = [line(0, "HELLO", "3"), line(800, "CLIENT", "SETINFO", "LIB-NAME", "x"), LOOP[2]]
REPORT = {"format": 3, "round_trips": 9, "waits": 3, "setup_trips": 2, "commands": {"GET": 12}}
REPORT |= {"call_sites": [], "findings": [{"kind": "loop", "saves": 1, "file": "a.py", "line": 1}]}
FORMS = {
    "a loop": (log(*LOOP), "9 commands, 9 round trips, one loop: 9 ms or 1 ms, 1 ms away."),
    "Windows": (log(*LOOP, end="\r\n"), "9 commands, 9 round trips, one loop"),
    "OK, and docker": (log("OK", f"redis-1  | {ONE}"), "1 command, 1 round trip, no loop: 1 ms"),
    "IPv6": (log(line(0, "GET", "a", on="[::1]:99")), "1 command, 1 round trip"),
    "a socket": (log(line(0, "GET", "a", on="unix:/tmp/a b")), "1 command, 1 round trip"),
    "quotes": (log(line(0, "SET", '\\"] \\"\\\\', "\\x00\\\\"), LOOP[1]), "2 commands, 2 round"),
    "in a script": (
        log(line(0, "EVAL", "return 1", 0), LUA, line(502, "GET", "b")),
        "2 commands, 1 ",
    ),
    "a transaction": (log(LOOP[0], *BATCH), "4 commands, 2 round trips"),
    "sent one by one": (log(*APART, line(4_000, "GET", "a")), "4 commands, 4 round trips"),
    "connecting": (log(*SET_UP), "1 command, 1 round trip"),
    "jobs, waited for": (log(*JOBS), "18 commands, 18 round trips, no loop: 18 ms, 1 ms away."),
    "two connections": (TWO + log(line(5, "GET", "b", on="10.0.0.7:1")), "3 commands, 3 round"),
    "roundtrips": (json.dumps(REPORT), "12 commands, 9 round trips, no loop: 3 ms or 2 ms"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    built = tmp_path_factory.mktemp("monitor")
    sources.lay_out(built / "sources")
    shutil.copytree(ROOT / "book" / "monitor", built / "html")
    shutil.copytree(built / "sources" / "drawings", built / "html" / "_static")
    return built / "html"


@pytest.fixture
def opened(browser, folder):
    """Yield a function `open_page(width, scheme, of)` that opens the page for MONITOR logs.

    It returns the browser's page. `width` is that of the window in px, `scheme` "light" or "dark",
    and `of` the folder with the page. The test fails if the page has an error, or asks for anything
    but files.
    """
    wrong, pages = [], []

    def open_page(width=1280, scheme="light", of=folder):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: wrong.append(asked.url) if asked.url[:5] != "file:" else 0)
        page.goto((of / "monitor.html").as_uri())
        pages.append(page)
        return page

    yield open_page
    assert [page.close() for page in pages] and wrong == []


def said(page, text):
    """Paste `text` into the page, and return what the page then says."""
    page.evaluate("document.getElementById('state').textContent = ''")
    page.fill("#paste", text)
    page.locator("#state", has_text=READ).wait_for()
    return page.inner_text("#sentence").replace("\u00a0", " ")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_log_is_read(opened, form):
    text, words = FORMS[form]
    assert said(opened(), text + "\n").startswith(words)


def test_most_of_twenty_programs_are_right_a_millisecond_away(opened):
    page = opened()
    runs = [(true, page.evaluate(COUNTED, text)) for _, _, true, text in held(1, [1])]
    assert len(runs) == len(PROGRAMS) == 20
    assert sum(true == trips for true, (trips, _, _) in runs) >= 14
    told = json.loads(HELD.read_text(encoding="utf-8").partition("= ")[2].rstrip(";\n"))
    first = page.locator("#accuracy tr").first.inner_text()
    assert f"{told['distances'][0][1]} of {told['programs'] * told['rounds']}" in first


def test_no_value_is_shown_kept_or_sent(opened):
    with socket.create_server(("127.0.0.1", 0)) as ear:
        ear.settimeout(1)
        address = f"http://127.0.0.1:{ear.getsockname()[1]}/"
        words = [("SET", f"{SECRET}:{at}", SECRET) for at in range(4)]
        words += [("ACL", "SETUSER", "me", f">{SECRET}"), (SECRET, "x")]
        words += [("CONFIG", "SET", "requirepass", SECRET), ("GET", f"<img src={address}>")] * 4
        words += [("HELLO", "3", "AUTH", "me", SECRET), ("AUTH", SECRET), ("ECHO", SECRET)]
        page = opened(of=ROOT / "book" / "monitor")  # as it is in a clone
        said(page, log(*[line(900 * at, *each) for at, each in enumerate(words)]))
        with pytest.raises(Exception, match="Failed to fetch"):
            page.evaluate("address => fetch(address)", address)
        with pytest.raises(TimeoutError):
            ear.accept()
    shown = page.content() + page.input_value("#paste") + page.url
    kept = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]")
    assert SECRET not in shown and kept == [0, 0, ""] and page.url.endswith("/monitor.html")


def test_ten_megabytes_take_two_seconds_and_what_is_no_log_gets_a_sentence(opened, tmp_path):
    clients = [f"10.0.0.{number}:1" for number in range(50)]
    calls = [line(us, "HSET", f"user:{us}", "x" * 52, on=clients[us % 50]) for us in range(10**5)]
    page, file, took = opened(), tmp_path / "log.txt", []
    heard = page.context.new_cdp_session(page)
    heard.send("Performance.enable", {"timeDomain": "threadTicks"})
    for text in (log(*calls), "9" * 10**7, '"' * 10**7, "Dear all,\n", ""):
        page.evaluate("document.getElementById('state').textContent = ''")
        file.write_text(text)
        page.set_input_files("#file", file)
        page.locator("#state", has_text=READ).wait_for()
        words = (
            "Read: 100,000 commands." if text.startswith("17") else "There is no line of MONITOR"
        )
        assert page.inner_text("#state").startswith(words if text else "It is empty.")
        metrics = {
            each["name"]: each["value"] for each in heard.send("Performance.getMetrics")["metrics"]
        }
        took.append(metrics["TaskDuration"])  # of its CPU since it opened
    assert len(log(*calls)) > 10**7 and took[0] < 2, took


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [380, 1280])
def test_it_fits_axe_finds_nothing_and_keys_move_the_distance(opened, width, scheme):
    page = opened(width, scheme)
    page.locator("#where canvas").wait_for()
    assert fits(page) and [rule["id"] for rule in Axe().run(page).response["violations"]] == []
    page.focus("#example")
    for key in ["Tab", "ArrowRight"]:
        page.keyboard.press(key)
    assert ": 136 ms or 12 ms, 2 ms away." in page.inner_text("#sentence").replace("\u00a0", " ")
    page.locator(".where .sentence", has_text="2 ms away").wait_for()
