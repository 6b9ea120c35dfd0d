"""The figures that one drags: pictures a second in a browser whose CPU is four times slower."""

import sys
import tempfile
from pathlib import Path

from tools.cheat_sheet import CHROMIUM

from .row import Row

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book"))
SLOWER, WATCHED_MS, AIM = 4, 3_000, 0.95
# What the browser draws while the figure moves and the last knob is turned, as a hand would.
COUNT = """ms => new Promise(done => {
    const knob = [...document.querySelectorAll('input[type=range]')].at(-1);
    const began = performance.now();
    let frames = 0;
    const turn = setInterval(() => {
        if (!knob) return;
        knob.value = String((Number(knob.value) + 1) % (Number(knob.max) + 1));
        knob.dispatchEvent(new Event('input', {bubbles: true}));
    }, 300);
    const count = now => {
        frames += 1;
        if (now - began < ms) return requestAnimationFrame(count);
        clearInterval(turn);
        done(1000 * frames / (now - began));
    };
    requestAnimationFrame(count);
})"""


def rows():
    """Yield a row for each figure: its pictures a second while it moves and a knob is turned."""
    import playwright.sync_api
    import sources

    if not CHROMIUM:
        yield Row("figures to drag", "–", "no chromium on this machine")
        return
    with playwright.sync_api.sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        empty = pictures(browser, "")
        for name, constants in {"race": sources.race(), **sources.shown_in_chapters()}.items():
            path = Path(folder) / f"{name}.html"
            shown = sources.explorable(name, "", constants)
            path.write_text(f"<!doctype html><main>{shown}</main>", encoding="utf-8")
            seen = pictures(browser, path.as_uri())
            yield Row(
                f"pictures a second: {name}, CPU {SLOWER} times slower",
                f"{seen:.0f}",
                f"{empty:.0f} of an empty page",
                f"{AIM:.0%}",
                seen >= AIM * empty,
            )
        browser.close()


def pictures(browser, address):
    """Return how many pictures a second a page gets once its guess is made; "" is an empty page."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    if address:
        page.goto(address)
        page.fill("input[type=number]", "10")
        page.keyboard.press("Enter")
        page.wait_for_selector("input[type=range]")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    seen = page.evaluate(COUNT, WATCHED_MS)
    page.close()
    return seen
