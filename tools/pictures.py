"""Draws the README's pictures into docs/ with the lab's own means: `make pictures`, or python tools/pictures.py [race]

With `race` only the race is drawn. docs/race.json has the figures of the run that was drawn, and the README's sentence is written
with them.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import lab_utils as lab
from lab_utils.words import plain_duration

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RACE_RTT_MS = 1
BUDGET_RTT_MS = (0, 5)  # none of the race's: what is measured twice comes out a little different, and a reader sees both
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
    """Draw docs/race.gif, and write the README's sentence beneath it with the figures of that run."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    if not SENTENCE.search(text):
        raise SystemExit("README.md has no sentence 'The same 100 writes, 1 ms away: …' to write the figures into.")
    found = lab.race({"one by one": loop, "pipeline": pipeline}, lab.connect(rtt_ms=RACE_RTT_MS))
    found.save(DOCS / "race.gif")
    took = {name: plain_duration(run.seconds) for name, run in found.runs.items()}  # as the race's own title has them
    (DOCS / "race.json").write_text(json.dumps({"took": took, "sha256": digest(DOCS / "race.gif")}, indent=1) + "\n",
                                    encoding="utf-8")
    readme.write_text(SENTENCE.sub(sentence(took), text, count=1), encoding="utf-8")


def sentence(took):
    return f"The same 100 writes, 1 ms away: {took['one by one']} one by one, or {took['pipeline']} in a pipeline.\n"


def digest(path):
    """Return a picture's SHA-256: by it docs/race.json knows the race that its figures belong to."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(wanted):
    DOCS.mkdir(exist_ok=True)
    draw_race()
    if "race" in wanted:
        return
    times = lab.compare({"loop": loop, "pipeline": pipeline, "mset": mset}, ops=100, rtt_ms=BUDGET_RTT_MS)
    times.plot_budget().savefig(DOCS / "budget.png")


if __name__ == "__main__":
    main(sys.argv[1:])
