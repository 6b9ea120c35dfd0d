"""Draw the pictures of the README into docs/, from measurements made now: `make pictures`.

A browser draws the race and the verdicts. docs/race.json gets the times of the race that was drawn,
and the README's sentences about both pictures are rewritten to match them.
"""

import contextlib
import io
import json
import re
import shutil
import sys
from pathlib import Path

import lab_utils as lab
from lab_utils.explorables import parts
from lab_utils.words import plain_duration
from tools.constants import ways

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "notebooks"))
DOCS = ROOT / "docs"
RACE_RTT_MS = 1
# None of the race's: what is measured twice comes out a little different, and a reader sees both.
BUDGET_RTT_MS = (0, 5)
SIZE = {"width": 720, "height": 280}
PICTURES, EACH_MS, LAST_MS, COLOURS = 89, 80, 2_500, 64  # of the race, which takes seven seconds
PAGE = """<!doctype html><style>{style}
body {{ font: 16px sans-serif; margin: 12px; background: white; color: #222222; }}
.knobs, .player, .measured-here, .shown ~ .quiet {{ display: none !important; }}</style>
<main></main><script type="module">{module}
render({{ model: {{ get: (name) => ({told})[name] }}, el: document.querySelector("main") }});
</script>"""
BROWSERS = "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
PLAIN = "<style>body { font: 14px sans-serif; margin: 12px; background: white }</style>"
VERDICTS = re.compile(r"!\[Of \d+ claims [^\]]*\]")
SENTENCE = re.compile(r"The same 100 writes, 1 ms away: .*\n")
WRITES = ways(100, None)


def draw_race() -> None:
    """Measure the race of a loop with a pipeline, and draw docs/race.gif.

    Also write its times into docs/race.json and into the README's sentence.
    """
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    raced = {name: WRITES[name] for name in ("one by one", "pipeline")}
    told = lab.race(raced, lab.connect(rtt_ms=RACE_RTT_MS)).constants
    film(told, DOCS / "race.gif")
    took = {name: plain_duration(way["run"]["ms"] / 1000) for name, way in told["ways"].items()}
    (DOCS / "race.json").write_text(json.dumps(took, indent=1) + "\n", encoding="utf-8")
    readme.write_text(SENTENCE.sub(sentence(took), text, count=1), encoding="utf-8")


def draw_budget() -> None:
    named = {
        "loop": WRITES["one by one"],
        "pipeline": WRITES["pipeline"],
        "mset": WRITES["MSET"],
    }
    lab.compare(named, ops=100, rtt_ms=BUDGET_RTT_MS).plot_budget().savefig(DOCS / "budget.png")


def board():
    """Return the Scoreboard of the verdicts in the committed notebooks, not of this machine's."""
    from chapter_helpers.scoreboard import Scoreboard
    from lab_utils.course import claims, ledger

    claims.load_all()
    return Scoreboard(
        {
            name: ledger.Judged(claims.CLAIMS[name], verdict, True, *place)
            for name, (verdict, *place) in ledger.committed().items()
        }
    )


def draw_verdicts() -> None:
    """Draw docs/verdicts.png: a square for each claim of the committed notebooks.

    Also write into the README, as the picture's text, how many claims got each verdict.
    """
    readme = ROOT / "README.md"
    verdicts = board()
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 820, "height": 300}, device_scale_factor=2)
        page.set_content(f"{PLAIN}{verdicts.picture()._repr_html_()}")
        page.locator("table").screenshot(path=DOCS / "verdicts.png")
    text = readme.read_text(encoding="utf-8")
    readme.write_text(VERDICTS.sub(verdicts_text(verdicts), text, count=1), encoding="utf-8")


def verdicts_text(verdicts) -> str:
    return f"![{verdicts.sentence().capitalize()}: a square each, a row an article]"


@contextlib.contextmanager
def browser():
    """In a `with` block, run chromium without a window; yield it, a Browser of Playwright.

    It is closed when the `with` block ends.
    """
    import playwright.sync_api

    with playwright.sync_api.sync_playwright() as started:
        yield started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )


def film(told: dict, path) -> None:
    """Draw a race, played in a browser, as an animated GIF into the file `path`.

    `told` is the dict `constants` of the Explorable that `lab.race` returned. The page's clock
    stands still while a picture of the page is taken.
    """
    from PIL import Image

    module, style = parts("race")
    with browser() as chromium:
        page = chromium.new_page(viewport=SIZE)
        page.clock.install(time=0)
        page.clock.pause_at(1)
        page.set_content(
            PAGE.format(module=module, style=style, told=json.dumps({"constants": told}))
        )
        page.wait_for_selector(".race ul")
        pictures = []
        for _ in range(PICTURES):
            page.clock.run_for(EACH_MS)
            pictures.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    first, *others = [picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE) for picture in pictures]
    first.save(
        path,
        save_all=True,
        append_images=others,
        loop=0,
        duration=[EACH_MS] * len(others) + [LAST_MS],
    )


def sentence(took: dict[str, str]) -> str:
    return (
        f"The same 100 writes, 1 ms away: {took['one by one']} one by one, or "
        f"{took['pipeline']} in a pipeline.\n"
    )


if __name__ == "__main__":
    draw_race()
    draw_budget()
    draw_verdicts()
