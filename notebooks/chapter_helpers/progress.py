"""Show the learner's progress: exercises solved and open, and guesses made, by chapter."""

import json

from IPython.display import HTML

from lab_utils.course import state
from lab_utils.course.exercises import names, open_in
from lab_utils.course.ledger import NOTEBOOKS

from .html_table import Unfixed, table

HALF_DAY = ("00", "01", "03", "10", "12")
FIRST = ("00", "01", "02", "03", "04", "05", "12")  # 12 is read before the chapters from 06 on


def progress() -> HTML:
    """Return an HTML table with a row for each chapter, of the learner's progress on this machine.

    The columns are a link, whether the half-day path has the chapter, which exercises are solved,
    which are open, and how many guesses were made.
    """
    guesses, rows = state.load("guesses"), []
    chapters = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
    for path in sorted(chapters, key=lambda path: path.name[:2] not in FIRST):
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
        title = "".join(first).splitlines()[0].removeprefix("# ")
        number, left = path.name[:2], open_in(path.name[:2])
        solved = [name for name in names() if name.startswith(number) and name not in left]
        made = sum(name.startswith(number) for name in guesses)
        done = ", ".join(solved), ", ".join(left), str(made or "")  # no fact: nbval passes over it
        rows.append(
            [
                f'<a href="{path.name}">{title}</a>',
                "half day" if number in HALF_DAY else "",
                *map(Unfixed, done),
            ]
        )
    return HTML(table(["chapter", "path", "solved", "open", "guesses"], rows))
