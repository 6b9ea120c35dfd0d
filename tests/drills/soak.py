"""`make soak`: all chapters again and again, quiet and busy; ten kernels at once; every other server; all drills in full.

    python tests/drills/soak.py [QUIET] [BUSY]      default: 5 quiet runs and 3 busy ones

Busy is one endless loop of ordinary priority for each CPU. Prints a row for each run: how many cells' facts differ from the
committed ones, how many verdict words changed, which claims were left untested for want of calm, and the seconds it took.
Exits 1 if any fact differs, any word changes, or any drill fails. Takes hours; Ctrl-C ends it and all that it started.
"""

import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from chapter_runs import CHAPTERS, ROOT, busy, run

KERNELS = 10
TURNS_S = 900  # a cell may wait for nine other kernels
MEDIAN = """
import lab_utils as lab
def loop(r):
    for number in range(30):
        r.set(f"key{number}", "value")
print("median", lab.compare({"loop": loop}, ops=30, rtt_ms=1).seconds("loop"))
"""


def main(quiet, busily):
    print(f"{'run':<14} {'cells':>6} {'facts':>6} {'words':>6} {'untested':>9} {'seconds':>8}", flush=True)
    bad = []
    for number in range(quiet):
        bad += row(f"quiet {number + 1}", run())
    with busy(os.cpu_count()):
        for number in range(busily):
            bad += row(f"busy {number + 1}", run(cell_timeout_s=300))
    bad += ten_kernels()
    for sentence in bad:
        print(f"\n{sentence}", flush=True)
    drills = subprocess.run([sys.executable, "-m", "pytest", "-o", "addopts=-p no:cacheprovider", "tests/drills"], cwd=ROOT,
                            env={**os.environ, "DRILLS": "full"})
    return 1 if bad or drills.returncode else 0


def row(name, found):
    """Prints a run's row; returns what is not as committed."""
    print(f"{name:<14} {found.cells:>6} {len(found.facts):>6} {len(found.words):>6} {len(found.untested):>9} "
          f"{found.seconds:>8.0f}  {' '.join(found.untested)}", flush=True)
    return [f"{name}: {told}" for told in (*found.facts, *found.words)]


def ten_kernels():
    """Chapter 01 in ten kernels at once, then one and the same comparison in each, against a lone kernel's."""
    lone = median()
    with ThreadPoolExecutor(KERNELS) as pool:
        runs = list(pool.map(lambda _: run(CHAPTERS[1:2], cell_timeout_s=TURNS_S), range(KERNELS)))
        medians = list(pool.map(lambda _: median(), range(KERNELS)))
    bad = []
    for number, found in enumerate(runs):
        bad += row(f"one of ten {number + 1}", found)
    shares = [found / lone - 1 for found in medians]
    print(f"30 SETs at 1 ms: a lone kernel {lone * 1000:.2f} ms; ten at once {min(shares):+.1%} to {max(shares):+.1%}, "
          f"median {statistics.median(shares):+.1%}", flush=True)
    return bad + [f"one of ten: 30 SETs at 1 ms took {share:+.1%}" for share in shares if abs(share) > 0.15]


def median():
    """Seconds of 30 SETs at 1 ms, as lab.compare finds them in a process of its own."""
    told = subprocess.run([sys.executable, "-c", MEDIAN], cwd=ROOT, env={**os.environ, "LAB_SCALE": "ci", "TQDM_DISABLE": "1"},
                          stdout=subprocess.PIPE, text=True, check=True, timeout=TURNS_S).stdout
    return float(told.split()[-1])


if __name__ == "__main__":
    quiet_runs, busy_runs = [*map(int, sys.argv[1:3]), *(5, 3)[len(sys.argv) - 1:]][:2]
    sys.exit(main(quiet_runs, busy_runs))
