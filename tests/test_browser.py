"""`make lab` in a real browser: it opens on chapter 00 without a pop-up, and every chapter runs from top to bottom."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest
from helpers import ROOT, wait_until

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")
CHAPTERS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
START_S = 30

# nbval runs every cell of every chapter; here Run All is for chapter 00, and of the others the first cell runs, and what only
# a browser can show. LAB_BROWSER=all runs all of every chapter here too, which takes minutes.
WHOLE = CHAPTERS if os.environ.get("LAB_BROWSER") == "all" else CHAPTERS[:1]

# In the page: opens a chapter, runs all of it or some cells, and tells what then stands in the notebook's model.
RUN = """
async ([path, whole]) => {
    const app = window.jupyterapp;
    const panel = await app.commands.execute('docmanager:open', {path});
    await panel.context.ready;
    await panel.sessionContext.ready;
    app.shell.activateById(panel.id);
    if (whole) {
        await app.commands.execute('notebook:run-all-cells');
    } else {
        const first = panel.content.widgets.findIndex(cell => cell.model.type === 'code');
        const shown = panel.content.widgets.findIndex(cell => cell.model.sharedModel.source.startsWith('lab.plot_map('));
        for (const place of [first, shown].filter(place => place >= 0)) {
            panel.content.activeCellIndex = place;
            await app.commands.execute('notebook:run-cell');
        }
    }
    return panel.content.model.toJSON().cells.filter(cell => cell.cell_type === 'code').map(cell => ({
        source: [].concat(cell.source).join(''), tags: cell.metadata.tags || [], run: cell.execution_count,
        outputs: cell.outputs.length,
        errors: cell.outputs.filter(output => output.output_type === 'error').map(output => output.evalue),
    }));
}
"""
SCROLL_TO_SLIDER = """
async () => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    const place = notebook.widgets.findIndex(cell => cell.model.sharedModel.source.startsWith('lab.plot_map('));
    notebook.activeCellIndex = place;
    await notebook.scrollToItem(place);
}
"""
CLOSE = """
async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.context.save();
    await panel.sessionContext.shutdown();
    panel.dispose();
}
"""


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM:
        words = "no chromium on this machine, so the lab was not opened in a browser; `apt-get install chromium` brings it"
        pytest.fail(words) if os.environ.get("CI") == "true" else pytest.skip(words)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address, with its token, of a lab opened by tools/lab.py in a folder with spaces while port 8888 is taken."""
    folder = tmp_path_factory.mktemp("somebody") / "my own lab"
    for name in ("tools", "notebooks", ".jupyter"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"))
    runtime = folder.parent / "runtime"
    environment = {**os.environ, "LAB_SCALE": "ci", "LAB_STATE": str(folder.parent / "state"),
                   "JUPYTER_RUNTIME_DIR": str(runtime), "JUPYTER_CONFIG_DIR": str(folder.parent / "config")}
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # somebody else has it: as good
            stack.enter_context(socket.create_server(("127.0.0.1", 8888)))
        process = stack.enter_context(subprocess.Popen(
            [sys.executable, "tools/lab.py", "--no-browser", "--LabApp.expose_app_in_browser=True"], cwd=folder, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
        stack.callback(end, process)
        assert wait_until(lambda: process.poll() is not None or list(runtime.glob("jpserver-*.json")), START_S)
        known = json.loads(next(runtime.glob("jpserver-*.json")).read_text(encoding="utf-8"))
        assert known["port"] != 8888 and known["token"]
        assert known["root_dir"] == str(folder / "work")
        yield f"{known['url']}?token={known['token']}"


def end(process):
    """Ends the lab as Ctrl-C twice does, its kernels with it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def page(browser, address):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(START_S * 1000)
    page.goto(address)
    page.wait_for_function("window.jupyterapp && window.jupyterapp.restored.then(() => true)")
    return page


def test_without_the_token_nothing_is_shown(browser, address):
    page = browser.new_page()
    page.goto(address.split("?")[0])
    assert "/login" in page.url
    page.close()


def test_it_opens_on_chapter_00(page):
    page.wait_for_selector(".jp-NotebookPanel")
    assert page.evaluate("window.jupyterapp.shell.currentWidget.context.path") == "00_start_here.ipynb"


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_runs(page, name):
    whole = name in WHOLE
    cells = page.evaluate(RUN, [name, whole])
    wrong = [(cell["source"], cell["errors"]) for cell in cells if cell["errors"] and "raises-exception" not in cell["tags"]]
    assert wrong == []
    if whole:
        assert [cell["run"] for cell in cells] == list(range(1, len(cells) + 1))
    assert cells[0]["run"] == 1
    assert sum(cell["outputs"] for cell in cells) > len(cells) / 3  # those it was not told to run show the committed outputs
    if any(cell["source"].startswith("lab.plot_map(") for cell in cells):
        page.evaluate(SCROLL_TO_SLIDER)
        page.wait_for_selector(".jupyter-widgets.widget-slider")
    page.evaluate(CLOSE)


def test_no_pop_up_asks_about_news(page):
    assert page.locator(".Toastify__toast, .jp-Dialog").all_inner_texts() == []
