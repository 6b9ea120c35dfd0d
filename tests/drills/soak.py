"""`make soak`: all chapters again and again, quiet and busy; then all drills in full.

    python tests/drills/soak.py [QUIET] [BUSY]      default: 5 quiet runs and 3 busy ones

Busy is one endless loop of ordinary priority for each CPU. Prints a row for each run: how many
cells' facts differ from the committed ones, how many verdict words changed, which claims were left
untested for want of calm, and the seconds it took. Exits 1 if any fact differs, any word changes,
or any drill fails. Takes hours; Ctrl-C ends it and all that it started.
"""

import os
import subprocess
import sys

from chapter_runs import ROOT, busy, run


def main(quiet, busily):
    print(
        f"{'run':<14} {'cells':>6} {'facts':>6} {'words':>6} {'untested':>9} {'seconds':>8}",
        flush=True,
    )
    bad = []
    for number in range(quiet):
        bad += row(f"quiet {number + 1}", run())
    with busy(os.cpu_count()):
        for number in range(busily):
            bad += row(f"busy {number + 1}", run())
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-o",
        "addopts=-p no:cacheprovider",
        "tests/drills",
        "roundtrips/tests/drills",
    ]
    drills = subprocess.run(command, cwd=ROOT, env={**os.environ, "DRILLS": "full"})
    return 1 if bad or drills.returncode else 0


def row(name, found):
    """Prints a run's row and what is not as committed, which it returns."""
    print(
        f"{name:<14} {found.cells:>6} {len(found.facts):>6} {len(found.words):>6} "
        f"{len(found.untested):>9} {found.seconds:>8.0f}  {' '.join(found.untested)}",
        flush=True,
    )
    for told in (*found.facts, *found.words):
        print(f"    {told}", flush=True)
    return [*found.facts, *found.words]


if __name__ == "__main__":
    quiet_runs, busy_runs = [*map(int, sys.argv[1:3]), *(5, 3)[len(sys.argv) - 1 :]][:2]
    sys.exit(main(quiet_runs, busy_runs))
