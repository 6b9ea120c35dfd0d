"""Print how many Python statements each part of the repository has: `make sizes`.

Such a part is called a room here, and each has a budget, which tests/test_house.py checks.
Statements (`ast.stmt`) are counted and not lines, so nobody gains by packing code into fewer lines.
"""

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 1.05
# Room: (which of git's files, at most so many statements; of JavaScript and CSS, lines).
ROOMS = {
    "lab_utils": (r"lab_utils/.*\.py", 5_150),
    # 290 of these stood in the notebooks' cells, where nothing counted them, 50 in lab_utils; 100
    # more print what frameworks send.
    "notebooks' helpers and game": (r"notebooks/.*\.py", 1_390),
    # 3,000 without a page's growth and what an adopter sets.
    "roundtrips/src": (r"roundtrips/src/.*\.py", 3_500),
    "exercises' checks": (r"exercises/[^/]+/check\.py", 1_450),
    "claims": (r"claims/.*\.py", 400),
    # 8,500 without those of growth, of adopters' programs, of Valkey and of the pages to try.
    "tests of all rooms": (r"(conftest|(roundtrips/)?tests/.*)\.py", 9_500),
    # 1,250 without the picture of the verdicts and the field guide.
    "tools, room, bench": (r"(tools|room|bench)/.*\.py", 1_350),
    # 260 without the page to try, which has a Redis in the page's memory.
    "book": (r"book/.*\.py", 960),
    # 1,600 without the front page, the page for a MONITOR log and the page to try.
    "JavaScript and CSS, lines": (r"(lab_utils|book|room|tools)/.*\.(m?js|css)", 2_600),
}


def size(path: Path) -> int:
    """Return the number of statements in the file `path`, or of lines if it is not Python."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return len(text.splitlines())
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))


def table() -> list[tuple[str, int, int]]:
    """Return [(room, number now, budget)], counted over the files that git tracks.

    The two numbers are statements of Python, or lines for JavaScript and CSS.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = listed.stdout.split("\0")
    rows = []
    for room, (pattern, budget) in ROOMS.items():
        paths = [ROOT / name for name in names if re.fullmatch(pattern, name)]
        rows.append((room, sum(size(path) for path in paths if path.exists()), budget))
    return rows


if __name__ == "__main__":
    print(f"{'':28} {'now':>7} {'budget':>7}")
    for room, now, budget in table():
        over = f"   {now - budget:,} more than its budget" if now > budget else ""
        print(f"{room:28} {now:7,} {budget:7,}{over}")
