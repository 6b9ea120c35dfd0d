"""A chapter as a reader without a kernel wants it: answers folded, figures in words, solutions below their exercises.

It is handed a notebook as JSON and works on that alone; what a chapter prints is never changed.
"""

import datetime
import html
import json
import re

GUESS = re.compile(r'(\w+) = lab\.guess\("')
BET = re.compile(r"lab\.retrial\(\)|\.against\(said_")  # chapter 14: what the reader bets on is a dict of dots
EXERCISE = re.compile(r"exercise:(\d\d\.\d)$")
TO_OPEN = "Your number first. Then open what was measured."
TO_OPEN_ANSWER = "Your answer first. Then open what came out."
OPENED, OPENED_ANSWER = "What was measured", "What came out"
PHONE = "screen and (max-width: 46em)"  # so says book.css


def as_read(notebook, solutions, front="../index.md", folds=True, drawn=(), at=""):
    """The notebook for the book. `solutions` is {exercise: its code}; `front`, the front page, is a path from the chapter.

    `drawn` are the names of its drawings, which take the place of its pictures; `at`, where their light and dark folders are.
    """
    if folds:
        fold_answers(notebook["cells"])
    cells = []
    for cell in notebook["cells"]:
        cells.append(cell)
        for output in cell.get("outputs", ()):
            say_figure(cell, output)
            draw(cell["id"], output, drawn, at)
        for name in exercises(cell):
            cells += folded_solution(name, solutions[name])
    say_when(cells[0], notebook["metadata"], front)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:02d}"  # a notebook's format asks for one
    return notebook | {"cells": cells}


def fold_answers(cells):
    """Folds what cells put out between a guess and the cell that compares it with what was measured, that one included.

    Folds it below a text that ends with a question too, up to the next text.
    """
    open_guesses, asked = set(), False
    for cell in cells:
        if cell["cell_type"] != "code":
            asked = asks(source_of(cell))
            continue
        source = source_of(cell)
        if guess := GUESS.match(source):
            open_guesses.add(guess[1])
        elif open_guesses or BET.search(source):
            fold(cell, "output", TO_OPEN, OPENED)
            open_guesses -= {name for name in open_guesses if re.search(rf"\b{name}\b", source)}
        elif asked:
            fold(cell, "output", TO_OPEN_ANSWER, OPENED_ANSWER)


def asks(text):
    """Whether its last paragraph puts a question to the reader; an invitation to change a cell is none."""
    last = text.strip().split("\n\n")[-1]
    return last.endswith("?") and not last.startswith(("#", "**Change it.**"))


def fold(cell, part, to_open, opened):
    """Folds a code cell's "input" or "output", where there is any."""
    if part == "output" and not cell["outputs"]:
        return
    cell["metadata"].setdefault("tags", []).append(f"hide-{part}")
    cell["metadata"].setdefault("mystnb", {}).update(code_prompt_show=to_open, code_prompt_hide=opened)


def say_figure(cell, output):
    """A figure's sentence as its `alt`, where Sphinx looks for it."""
    if "image/png" in output.get("data", {}):
        alt = output["metadata"]["image/png"]["alt"]
        said = cell["metadata"].setdefault("mystnb", {}).setdefault("image", {}).setdefault("alt", alt)
        assert said == alt, f"two figures in one cell would get one sentence: {source_of(cell)}"


def as_image(output):
    """A figure as an element: its drawings, or else its picture, held in it."""
    if "text/html" in output["data"]:
        return output["data"]["text/html"]
    alt = html.escape(output["metadata"]["image/png"]["alt"], quote=True)
    return f'<img src="data:image/png;base64,{"".join(output["data"]["image/png"]).strip()}" alt="{alt}">'


def drag_of(output):
    """What a figure that one can drag computes from, and its name; None of another output."""
    return output.get("metadata", {}).get("image/png", {}).get("drag")


def draw(cell, output, drawn, at):
    """A figure as SVG in place of its picture, for a light page and for a dark one; on a phone the narrow one."""
    if f"{cell}.svg" in drawn and "image/png" in output.get("data", {}):
        alt = html.escape(output["metadata"]["image/png"]["alt"], quote=True)
        output["data"] = {"text/html": "".join(
            f'<picture class="only-{page}">'
            + f'<source media="{PHONE}" srcset="{at}/{page}/{cell}-narrow.svg">' * (f"{cell}-narrow.svg" in drawn)
            + f'<img src="{at}/{page}/{cell}.svg" alt="{alt}"></picture>' for page in ("light", "dark"))}


def exercises(cell):
    return [found[1] for found in map(EXERCISE.match, cell["metadata"].get("tags", ())) if found]


def folded_solution(name, code):
    cell = {"cell_type": "code", "metadata": {}, "source": code, "outputs": [], "execution_count": None}
    fold(cell, "input", f"Solution of {name}", f"Solution of {name}")
    return [markdown(f"({solution_anchor(name)})="), cell]


def solution_anchor(name):
    """The anchor of a solution on its chapter's page: "solution-01-2" of exercise 01.2."""
    return f"solution-{name.replace('.', '-')}"


def say_when(cell, metadata, front):
    """Below the title: when it was measured, and on what."""
    measured = metadata["measured"]
    day = datetime.date.fromisoformat(measured["date"])
    title, rest = source_of(cell).split("\n", 1)
    when = f"Measured on {day.day} {day:%B %Y} with {measured['on']}."
    cell["source"] = f"{title}\n\n{{.measured}}\n{when} A saved page: nothing runs here. [Run it]({front}) yourself.\n{rest}"


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def source_of(cell):
    return "".join(cell["source"])


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))
