"""Draws the README's pictures into docs/ with the lab's own means: `make pictures`.

    python tools/pictures.py [race]

With `race` only the race is drawn, as it plays in a browser. docs/race.json has the figures of the
run that was drawn, and the README's sentence is written with them.
"""

import hashlib
import io
import json
import re
import sys
from pathlib import Path

import lab_utils as lab
from lab_utils.explorables import parts
from lab_utils.words import plain_duration
from tools.cheat_sheet import CHROMIUM
from tools.constants import ways

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RACE_RTT_MS = 1
# None of the race's: what is measured twice comes out a little different, and a reader sees both.
BUDGET_RTT_MS = (0, 5)
SIZE = {"width": 720, "height": 224}
PICTURES, EACH_MS, LAST_MS, COLOURS = 89, 80, 2_500, 64  # of the race, which takes seven seconds
PAGE = """<!doctype html><style>{style}
body {{ font: 16px sans-serif; margin: 12px; background: white; color: #222222; }}
.knobs, .shown > button, .measured-here, .shown ~ .quiet {{ display: none !important; }}</style>
<main></main><script type="module">{module}
render({{ model: {{ get: (name) => ({told})[name] }}, el: document.querySelector("main") }});
</script>"""
SENTENCE = re.compile(r"The same 100 writes, 1 ms away: .*\n")
WRITES = ways(100, None)


def draw_race():
    """Draw docs/race.gif, and write the README's sentence beneath it with that run's figures."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    if not SENTENCE.search(text):
        raise SystemExit(
            "README.md has no sentence 'The same 100 writes, 1 ms away: …' to write "
            "the figures into."
        )
    raced = {name: WRITES[name] for name in ("one by one", "pipeline")}
    told = lab.race(raced, lab.connect(rtt_ms=RACE_RTT_MS)).constants
    film(told, DOCS / "race.gif")
    took = {name: plain_duration(way["run"]["ms"] / 1000) for name, way in told["ways"].items()}
    run = json.dumps({"took": took, "sha256": digest(DOCS / "race.gif")}, indent=1)
    (DOCS / "race.json").write_text(run + "\n", encoding="utf-8")
    readme.write_text(SENTENCE.sub(sentence(took), text, count=1), encoding="utf-8")


def film(told, path):
    """Write a race as a GIF: played in a browser, whose clock stops while a picture is taken."""
    import playwright.sync_api
    from PIL import Image

    module, style = parts("race")
    with playwright.sync_api.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=SIZE)
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


def sentence(took):
    return (
        f"The same 100 writes, 1 ms away: {took['one by one']} one by one, or "
        f"{took['pipeline']} in a pipeline.\n"
    )


def digest(path):
    """Return a picture's SHA-256: by it docs/race.json knows the race that its figures are of."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(wanted):
    DOCS.mkdir(exist_ok=True)
    draw_race()
    if "race" not in wanted:
        named = {
            "loop": WRITES["one by one"],
            "pipeline": WRITES["pipeline"],
            "mset": WRITES["MSET"],
        }
        lab.compare(named, ops=100, rtt_ms=BUDGET_RTT_MS).plot_budget().savefig(DOCS / "budget.png")


if __name__ == "__main__":
    main(sys.argv[1:])
