"""Measures the lab itself and says whether it keeps its promises: a table, also in bench.md.

    python -m bench [GROUP ...]      link, timing, model, start, trace, figures; default: all

Each figure is a ratio or a difference to something measured in the same run, so that tables of two
machines compare.
"""

import datetime
import os
import sys
import time
from pathlib import Path

os.environ.pop("REDIS_URL", None)  # the lab's own server is what is measured
os.environ["TQDM_DISABLE"] = "1"

from lab_utils.testbed.fingerprints import environment_line

from . import figures, link, model, roundtrips, start, timing

REPORT = Path(__file__).resolve().parent.parent / "bench.md"
GROUPS = {
    "start": start.rows,  # first: its fresh processes should find a machine like a learner's
    "link": link.rows,
    "timing": timing.rows,
    "model": model.rows,
    "trace": roundtrips.rows,
    "figures": figures.rows,
}


def main(names):
    unknown = set(names) - set(GROUPS)
    if unknown:
        raise SystemExit(
            f"There is no group {', '.join(sorted(unknown))}. The groups: {', '.join(GROUPS)}."
        )
    groups = {}
    for name in names or GROUPS:
        started = time.perf_counter()
        say(f"{name} …")
        groups[name] = list(GROUPS[name]())
        say(f" {time.perf_counter() - started:.0f} s\n")
    text = report(groups)
    print(text)
    REPORT.write_text(text + "\n", encoding="utf-8")


def say(words):
    print(words, end="", file=sys.stderr, flush=True)


def report(groups):
    where = f"{datetime.date.today()} · {environment_line()} · {os.cpu_count()} CPUs"
    lines = ["# The lab, measured", "", where, ""]
    lines += table(
        ["what", "measured", "compared with", "aim", "met"],
        [
            [row.what, row.measured, row.against, row.aim or "–", MET[row.met]]
            for rows in groups.values()
            for row in rows
        ],
    )
    met = [row.met for rows in groups.values() for row in rows if row.met is not None]
    last = f"{sum(met)} of {len(met)} aims met." if met else "No aims here."
    return "\n".join([*lines, "", last])


MET = {True: "yes", False: "NO", None: ""}


def table(head, rows):
    """Return the lines of a Markdown table whose columns line up as plain text too."""
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    lines = ["| " + " | ".join(row) + " |" for row in padded]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


if __name__ == "__main__":
    main(sys.argv[1:])
