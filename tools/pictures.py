"""Draws the README's pictures into docs/ with the lab's own means: python tools/pictures.py [race]

With `race` only the race is drawn, and the README's sentence under it is written with the figures of the run drawn.
"""

from pathlib import Path

import lab_utils as lab

DOCS = Path(__file__).resolve().parent.parent / "docs"
VALUES = {f"key{i}": f"value{i}" for i in range(100)}


def three(r):
    for i in range(3):
        r.set(f"key{i}", f"value{i}")


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


def main():
    DOCS.mkdir(exist_ok=True)
    lab.capture(three, lab.connect(rtt_ms=1)).plot().savefig(DOCS / "ladder.png")
    times = lab.compare({"loop": loop, "pipeline": pipeline, "mset": mset}, ops=100, rtt_ms=(0, 1))
    times.plot_budget().savefig(DOCS / "budget.png")
    lab.retrial().plot().savefig(DOCS / "scoreboard.png")


if __name__ == "__main__":
    main()
