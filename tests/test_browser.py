"""`make lab` in a real browser: it opens on chapter 00, without a pop-up; chapters run and fit."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import playwright.sync_api
import pytest
from helpers import ROOT, wait_until

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
)
CHAPTERS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
START_S = 100

# nbval runs every cell of every chapter; here Run All is for the first. A drill, with
# LAB_BROWSER=02,05, has others.
WHOLE = [name for name in CHAPTERS if name[:2] in os.environ.get("LAB_BROWSER", "00").split(",")]
MAP = "01_round_trips.ipynb"  # it is dragged in a browser only
SIZE = {"width": 1280, "height": 800}  # of a small laptop, with the file browser open

JS = (ROOT / "tests" / "browser.js").read_text(encoding="utf-8")
IN_PAGE = "run", "scrollToMap", "tooWide", "close", "wrong", "drawings"
RUN, SCROLL_TO_MAP, TOO_WIDE, CLOSE, WRONG, DRAWINGS = (
    f"argument => {{{JS}return {name}(argument);}}" for name in IN_PAGE
)


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM:
        words = (
            "no chromium on this machine, so the lab was not opened in a browser; "
            "`apt-get install chromium` brings it"
        )
        pytest.fail(words) if os.environ.get("CI") == "true" else pytest.skip(words)
    with playwright.sync_api.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address, with its token, of a lab in a folder with spaces while port 8888 is taken."""
    folder = tmp_path_factory.mktemp("somebody") / "my own lab"
    for name in ("tools", "notebooks", ".jupyter"):
        left = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=left)
    shutil.copytree(ROOT / "notebooks", folder / "work" / "committed")  # with their outputs
    runtime = folder.parent / "runtime"
    environment = {
        **os.environ,
        "LAB_SCALE": "ci",
        "LAB_STATE": str(folder.parent / "state"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "JUPYTER_CONFIG_DIR": str(folder.parent / "config"),
    }
    with contextlib.ExitStack() as stack:
        held = False
        with contextlib.suppress(OSError):  # somebody else has it, for now
            held = bool(stack.enter_context(socket.create_server(("127.0.0.1", 8888))))
        process = stack.enter_context(
            subprocess.Popen(
                [
                    sys.executable,
                    "tools/lab.py",
                    "--no-browser",
                    "--LabApp.expose_app_in_browser=True",
                ],
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        stack.callback(end, process)
        assert wait_until(lambda: process.poll() is not None or said_by(runtime), START_S)
        assert process.poll() is None
        known = said_by(runtime)
        assert known["token"] and (known["port"] != 8888 or not held)
        assert known["root_dir"] == str(folder / "work")
        yield f"{known['url']}?token={known['token']}"


def said_by(folder):
    """What a server that is up says of itself in its folder; None before all of it is written."""
    for path in folder.glob("jpserver-*.json"):
        with contextlib.suppress(json.JSONDecodeError):
            return json.loads(path.read_text(encoding="utf-8"))


def end(process):
    """Ends the lab as Ctrl-C twice does, its kernels with it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def page(browser, address):
    page = browser.new_page(viewport=SIZE)
    page.set_default_timeout(START_S * 1000)
    page.goto(address)
    page.wait_for_selector(".jp-NotebookPanel")  # chapter 00, after all else
    return page


def test_without_the_token_nothing_is_shown(browser, address):
    page = browser.new_page()
    page.goto(address.split("?")[0])
    assert "/login" in page.url
    page.close()


def test_it_opens_on_chapter_00(page):
    shown = "window.jupyterapp.shell.currentWidget?.context?.path"
    page.wait_for_function(f"{shown} == '00_start_here.ipynb'")


@pytest.mark.parametrize("name", WHOLE)
def test_a_chapter_runs(page, name):
    cells = page.evaluate(RUN, [name, True])
    unmeant = [cell for cell in cells if "raises-exception" not in cell["tags"]]
    assert [(cell["source"], cell["errors"]) for cell in unmeant if cell["errors"]] == []
    assert [cell["run"] for cell in cells] == list(range(1, len(cells) + 1))
    assert sum(cell["outputs"] for cell in cells) > len(cells) / 3
    page.evaluate(CLOSE)


def test_the_map_can_be_dragged(page):
    """Cells that are still being laid out may push it away again."""
    assert page.evaluate(RUN, [MAP, False])[0]["run"] == 1
    for _ in range(10):
        page.evaluate(SCROLL_TO_MAP)
        with contextlib.suppress(playwright.sync_api.TimeoutError):
            page.wait_for_selector(".where input[type=range]", timeout=3_000)
            sentence = page.locator(".where .sentence").inner_text(timeout=3_000)
            break
    else:
        pytest.fail("no map is shown")
    assert sentence.startswith("5 ms away, 40 commands a round trip")
    page.evaluate(CLOSE)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_fits_the_page(page, name):
    found = page.evaluate(TOO_WIDE, f"committed/{name}")
    assert found["drawn"] == found["code"] and 800 < found["width"] < SIZE["width"]
    assert (found["broken"], found["cut"]) == ([], [])
    page.evaluate(CLOSE)


def test_no_pop_up_asks_about_news(page):
    assert page.locator(".Toastify__toast, .jp-Dialog").all_inner_texts() == []
