"""Prints how many lines of Python each room has, beside the most that it should: `make sizes`."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Room: (folders, at most). What stands in two rooms counts in the one that is named first.
BUDGETS = {
    "lab_utils/testbed": (["lab_utils/testbed"], 2_250),
    "lab_utils/timing": (["lab_utils/timing"], 1_100),
    "lab_utils/counting": (["lab_utils/counting"], 600),
    "lab_utils/figures": (["lab_utils/figures"], 1_900),
    "lab_utils/course": (["lab_utils/course"], 900),
    "lab_utils, whole": (["lab_utils"], 7_000),
    "roundtrips": (["roundtrips/src"], 4_500),
    "exercises": (["exercises"], 2_900),
    "claims": (["claims"], 1_000),
    "tests of all rooms": (["tests", "roundtrips/tests"], 15_000),
    "tools, room, bench": (["tools", "room", "bench"], 3_700),
}
ANSWERS = ("/solution.py", "/also/", "/wrong/")  # of exercises: what a learner may write is no code of ours


def lines(folders):
    """Return the lines of Python that git tracks in these folders."""
    asked = ["git", "ls-files", "-z", *[f"{folder}/*.py" for folder in folders]]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in told.split("\0") if name and not any(part in name for part in ANSWERS)]
    return sum(len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in names if (ROOT / name).exists())


def table():
    """Return [(room, lines now, at most)]."""
    return [(room, lines(folders), most) for room, (folders, most) in BUDGETS.items()]


if __name__ == "__main__":
    for room, now, most in table():
        print(f"{room:20} {now:7,}  of {most:7,}" + ("" if now <= most else f"   {now - most:,} over"))
