"""Where the learner stands in the chapters: exercises solved and open, guesses made."""

import json

from IPython.display import HTML

from lab_utils.course import state
from lab_utils.course.exercises import names, open_in
from lab_utils.course.retrials import NOTEBOOKS
from lab_utils.course.verdict_table import table, verdict

HALF_DAY = ("00", "01", "03", "10", "12")


def progress() -> HTML:
    """Return a table of the chapters: links, exercises solved and open, how many guesses."""
    guesses, rows = state.load("guesses"), []
    for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")):
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
                *map(verdict, done),
            ]
        )
    return HTML(table(["chapter", "path", "solved", "open", "guesses"], rows))
