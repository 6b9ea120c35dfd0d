"""Draws the README's pictures into docs/ with the lab's own means: `make pictures`, or python tools/pictures.py [race]

With `race` only the race is drawn, and the README's sentence under it is written with the figures of the run drawn.
"""

import re
import sys
from pathlib import Path

import lab_utils as lab

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SENTENCE = re.compile(r"The same 100 writes, 1 ms away: .*\n")
VALUES = {f"key{i}": f"value{i}" for i in range(100)}


def loop(r):
    for key, value in VALUES.items():
        r.set(key, value)


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    for key, value in VALUES.items():
        pipe.set(key, value)
    pipe.execute()


def mset(r):
    r.mset(VALUES)


def draw_race():
    """docs/race.gif, and the README's sentence beneath it: its figures are those of the run that was drawn."""
    found = lab.race({"one by one": loop, "pipeline": pipeline}, lab.connect(rtt_ms=1))
    found.save(DOCS / "race.gif")
    took = {name: f"{run.seconds * 1000:.{0 if run.seconds > 0.01 else 1}f} ms" for name, run in found.runs.items()}
    said = f"The same 100 writes, 1 ms away: {took['one by one']} one by one, or {took['pipeline']} in a pipeline.\n"
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    if not SENTENCE.search(text):
        raise SystemExit("README.md has no sentence 'The same 100 writes, 1 ms away: …' to write the figures into.")
    readme.write_text(SENTENCE.sub(said, text, count=1), encoding="utf-8")


def main(wanted):
    DOCS.mkdir(exist_ok=True)
    draw_race()
    if "race" in wanted:
        return
    times = lab.compare({"loop": loop, "pipeline": pipeline, "mset": mset}, ops=100, rtt_ms=(0, 1))
    times.plot_budget().savefig(DOCS / "budget.png")
    lab.retrial().plot().savefig(DOCS / "scoreboard.png")


if __name__ == "__main__":
    main(sys.argv[1:])
