"""How long a chapter takes to read and do: its main path, its exercises, and Deeper.

    python tests/reading.py [NOTEBOOK ...]      default: every chapter

Minutes are words / 200 + lines of code / 12 + 7 an exercise + 2 a "Change it": an estimate, the
same for every chapter.
"""

import re
import sys
from dataclasses import astuple, dataclass
from pathlib import Path

import nbformat

MAIN, EXERCISES, DEEPER = "main path", "exercises", "Deeper"
WORDS_A_MINUTE, LINES_A_MINUTE, EXERCISE_MINUTES, CHANGE_MINUTES = 200, 12, 7, 2
MOST_MINUTES = MOST_CELLS = 30  # of a main path
MOST_WORDS = 2_300
CHANGE = "**Change it.**"
TIME = re.compile(
    r"\*\*Time:\*\* about (\d+) minutes"
    r"(?:, the exercises (\d+) more)?(?:, Deeper (\d+) more)?\."
)


@dataclass
class Part:
    """What there is to read and to run in a part of a chapter."""

    words: int = 0
    lines: int = 0
    cells: int = 0
    exercises: int = 0
    changes: int = 0

    def __add__(self, other):
        return Part(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def minutes(self):
        return (
            self.words / WORDS_A_MINUTE
            + self.lines / LINES_A_MINUTE
            + EXERCISE_MINUTES * self.exercises
            + CHANGE_MINUTES * self.changes
        )

    @property
    def stated(self):
        """Minutes as a chapter states them: by fives, and not none where there is something."""
        return max(5, 5 * round(self.minutes / 5)) if self.minutes else 0


def sections(path):
    """{heading of the second level: Part} of a chapter, in its order; the first heading is ""."""
    found = {"": Part()}
    now = ""
    for cell in nbformat.read(path, as_version=4).cells:
        now = heading(cell) or now
        add(found.setdefault(now, Part()), cell)
    return found


def heading(cell):
    """The heading of the second level that a cell holds, or None."""
    found = re.search(r"^## (.*)", cell.source, re.MULTILINE)
    return found[1].strip() if found and cell.cell_type == "markdown" else None


def parts(path):
    """{MAIN: Part, EXERCISES: Part, DEEPER: Part} of a chapter."""
    found = {MAIN: Part(), EXERCISES: Part(), DEEPER: Part()}
    for name, section in sections(path).items():
        found[{"Exercises": EXERCISES, "Deeper": DEEPER}.get(name, MAIN)] += section
    return found


def add(part, cell):
    if cell.cell_type == "markdown":
        part.words += len(cell.source.split())
        part.changes += cell.source.count(CHANGE)
    else:
        part.cells += 1
        part.lines += len(cell.source.splitlines())
        part.exercises += sum(tag.startswith("exercise:") for tag in cell.metadata.get("tags", []))


def stated(path):
    """Return [minutes of the main path, the exercises, Deeper], as the first cell states them;
    or None.
    """
    found = TIME.search(nbformat.read(path, as_version=4).cells[0].source)
    return found and [int(minutes or 0) for minutes in found.groups()]


def main(paths):
    print(
        f"{'chapter':<28} {'main path':>16} {'exercises':>16} {'Deeper':>16}   "
        "stated, and as it should be"
    )
    for path in paths:
        found = parts(path).values()
        told = "".join(f"{part.minutes:>6.0f} min {part.cells:>2} cells" for part in found)
        print(f"{path.stem:<28} {told}   {stated(path)} {[part.stated for part in found]}")


if __name__ == "__main__":
    main(
        [*map(Path, sys.argv[1:])]
        or sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
    )
