"""`make lab` in a real browser: it opens on chapter 00, without a pop-up; chapters run and fit."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

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
MAP = "01_round_trips.ipynb"
SIZE = {"width": 1280, "height": 800}  # of a small laptop, with the file browser open
SHORTEST_SLIDER_PX = 150

JS = Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
IN_PAGE = "run", "scrollToMap", "tooWide", "close", "wrong"
RUN, SCROLL_TO_MAP, TOO_WIDE, CLOSE, WRONG = (
    f"argument => {{{JS}return {name}(argument);}}" for name in IN_PAGE
)
NOTEBOOK = "window.jupyterapp.shell.currentWidget.content"
ACTIVE = f"{NOTEBOOK}.activeCellIndex"
COUNTS = f"{NOTEBOOK}.widgets.map(cell => cell.model.executionCount ?? null)"


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


def is_listening(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


class Lab:
    """A JupyterLab, started as by `make lab` in a folder with spaces; it can be reopened."""

    def __init__(self, folder):
        self.folder, self.runtime = folder / "my own lab", folder / "runtime"
        for name in ("tools", "notebooks", ".jupyter"):
            left = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
            shutil.copytree(ROOT / name, self.folder / name, ignore=left)
        # with their outputs
        shutil.copytree(ROOT / "notebooks", self.folder / "work" / "committed")
        self.environment = {
            **os.environ,
            "LAB_SCALE": "ci",
            "LAB_STATE": str(folder / "state"),
            "JUPYTER_RUNTIME_DIR": str(self.runtime),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
        }

    def open(self):
        """Start JupyterLab and wait until it is up; return its URL, which contains the token."""
        for left in self.runtime.glob("jpserver-*"):
            left.unlink()
        options = "--no-browser", "--LabApp.expose_app_in_browser=True"
        self.process = subprocess.Popen(
            [sys.executable, "tools/lab.py", *options],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert wait_until(lambda: self.process.poll() is not None or self.told(), START_S)
        told = self.told()
        assert told["token"] and told["root_dir"] == str(self.folder / "work")
        # Jupyter writes that file before it listens.
        assert wait_until(lambda: is_listening(told["port"]), START_S)
        return f"{told['url']}?token={told['token']}"

    def told(self):
        """Return what a running Jupyter server writes about itself, decoded from JSON.

        None if there is no such file, or an incomplete one.
        """
        for path in self.runtime.glob("jpserver-*.json"):
            with contextlib.suppress(json.JSONDecodeError):
                return json.loads(path.read_text(encoding="utf-8"))

    def close(self):
        """Stop JupyterLab and its kernels by SIGTERM, and wait for the end."""
        self.process.terminate()
        self.process.wait(START_S)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    started = Lab(tmp_path_factory.mktemp("somebody"))
    started.address = started.open()
    yield started
    started.close()


@pytest.fixture(scope="module")
def page(browser, lab):
    page = browser.new_page(viewport=SIZE)
    page.set_default_timeout(START_S * 1000)
    open_first(page, lab.address)
    return page


def open_first(page, address):
    """Open the lab at the URL `address` in the browser's `page`; return once it shows chapter 00.

    The lab shows that chapter after all else.
    """
    page.goto(address)
    shown = "window.jupyterapp?.shell.currentWidget?.context?.path"
    page.wait_for_function(f"{shown} == '{CHAPTERS[0]}'")
    page.evaluate("window.jupyterapp.restored.then(() => null)")
    page.wait_for_selector(".jp-NotebookPanel:visible")


def test_it_opens_on_chapter_00(page):
    assert page.title().startswith("00_start")


def run_all(page, name):
    cells = page.evaluate(RUN, [name, True])
    unmeant = [cell for cell in cells if "raises-exception" not in cell["tags"]]
    assert [(cell["source"], cell["errors"]) for cell in unmeant if cell["errors"]] == []
    assert [cell["run"] for cell in cells] == list(range(1, len(cells) + 1))
    assert sum(cell["outputs"] for cell in cells) > len(cells) / 3
    page.evaluate(CLOSE)


def test_a_chapter_runs(page):
    # One chapter is enough here: nbval runs them all, and a drill runs them all in a browser.
    run_all(page, "00_start_here.ipynb")


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_fits_the_page(page, name):
    found = page.evaluate(TOO_WIDE, f"committed/{name}")
    assert found["drawn"] == found["code"] and 800 < found["width"] < SIZE["width"]
    assert (found["broken"], found["cut"]) == ([], [])
    page.evaluate(CLOSE)


def test_no_pop_up_asks_about_news(page):
    assert page.locator(".Toastify__toast, .jp-Dialog").all_inner_texts() == []


def knobs_of_the_map(page):
    """Scroll to the map until its sliders are there; return them, a list of Playwright's Locators.

    Cells above the map may move it out of sight again.
    """
    knobs = page.locator(".where input[type=range]")
    assert wait_until(lambda: page.evaluate(SCROLL_TO_MAP, MAP) or knobs.count(), START_S)
    return knobs.all()


def said_by(knob):
    return knob.get_attribute("aria-valuetext")


def test_a_figure_takes_arrow_keys_and_presses_and_the_notebook_does_not(page):
    assert page.evaluate(RUN, [MAP, False])[0]["run"] == 1
    distance, commands, _ = knobs = knobs_of_the_map(page)
    assert min(knob.bounding_box()["width"] for knob in knobs) > SHORTEST_SLIDER_PX
    page.evaluate(f"{ACTIVE} += 1")  # where Shift+Enter leaves one
    before, counts = page.evaluate(ACTIVE), page.evaluate(COUNTS)
    distance.click(position={"x": 1, "y": 22})
    commands.click(position={"x": 1, "y": 22})
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    assert [said_by(knob) for knob in knobs[:2]] == ["0.01 ms", "3"]
    page.locator(".where .map").click(position={"x": 1, "y": 50})
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert said_by(distance) == "0.02 ms", "the diamond goes on from where it was put"
    page.locator(".where .sentence").click()
    assert page.evaluate(ACTIVE) == before
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"{ACTIVE} > {before}")
    assert page.evaluate(COUNTS) == counts, "the next cell is a text; the map was not run again"


def test_a_figure_lives_when_the_lab_is_closed_and_opened_again(page, lab):
    page.evaluate(RUN, [MAP, False])
    page.evaluate(CLOSE)
    lab.close()
    open_first(page, lab.open())
    distance = knobs_of_the_map(page)[0]
    assert page.get_by_text("Error displaying widget").count() == 0

    # A page that is opened again draws its cells more than once, and the focus goes with the old:
    # the notebook then takes the key, and Home scrolls to its top.
    def nearest():
        page.evaluate(SCROLL_TO_MAP, MAP)
        distance.press("Home")
        return page.inner_text(".where .sentence").startswith("0.01 ms away")

    assert wait_until(nearest, START_S)
