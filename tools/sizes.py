"""Print how many lines of Python each room has, its bar and its budget: `make sizes`.

A room may not grow past its bar (tests/test_house.py): its budget, or, as long as it has more, what
it had when the bar was set. `make sizes ACCEPT=1` lowers the bars to what the rooms have now, and
never raises one.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARS = ROOT / "tools" / "sizes.json"
# Room: (folders, budget).
BUDGETS = {
    "lab_utils/testbed": (["lab_utils/testbed"], 2_250),
    "lab_utils/timing": (["lab_utils/timing"], 1_100),
    "lab_utils/counting": (["lab_utils/counting"], 600),
    "lab_utils/figures": (["lab_utils/figures"], 1_900),
    "lab_utils/course": (["lab_utils/course"], 900),
    "lab_utils, whole": (["lab_utils"], 7_000),
    "notebooks/chapter_helpers": (["notebooks/chapter_helpers"], 600),
    "roundtrips": (["roundtrips/src"], 4_500),
    "exercises": (["exercises"], 2_900),
    "claims": (["claims"], 1_000),
    "tests of all rooms": (["tests", "roundtrips/tests"], 15_000),
    "tools, room, bench": (["tools", "room", "bench"], 3_700),
}
WAY_OUT = "Raise a bar in tools/sizes.json and lower another by as much, in the same commit."
ANSWERS = "/solution.py", "/also/", "/wrong/"  # what a learner may write is no code of ours


def lines(folders):
    """Return the lines of Python that git tracks in these folders."""
    asked = ["git", "ls-files", "-z", *[f"{folder}/*.py" for folder in folders]]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [
        ROOT / name
        for name in told.split("\0")
        if name and not any(part in name for part in ANSWERS)
    ]
    return sum(
        len(path.read_text(encoding="utf-8").splitlines()) for path in paths if path.exists()
    )


def table():
    """Return [(room, lines now, bar, budget)]."""
    bars = json.loads(BARS.read_text(encoding="utf-8"))
    return [
        (room, lines(folders), bars[room], budget) for room, (folders, budget) in BUDGETS.items()
    ]


def accepted(rows):
    """Return {room: bar} lowered to what each room has now, or to its budget where it has less."""
    return {room: min(bar, max(now, budget)) for room, now, bar, budget in rows}


if __name__ == "__main__":
    if "--accept" in sys.argv:
        BARS.write_text(json.dumps(accepted(table()), indent=1) + "\n", encoding="utf-8")
    print(f"{'':20} {'lines':>7} {'bar':>7} {'budget':>7}")
    for room, now, bar, budget in table():
        over = f"   {now - bar:,} over its bar" if now > bar else ""
        print(f"{room:20} {now:7,} {bar:7,} {budget:7,}{over}")
