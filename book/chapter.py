"""A chapter for a reader without a kernel: answers folded, figures in words, solutions in place.

It is handed a notebook as JSON and works on that alone; what a chapter prints is never changed.
"""

import datetime
import html
import json
import re

GUESS = re.compile(r'(\w+) = lab\.guess\("')
BET = re.compile(r"lab\.retrial\(\)|\.against\(said_")  # chapter 14's bets are a dict of dots
EXERCISE = re.compile(r"exercise:(\d\d\.\d)$")
MEASURED = "Your number first. Then open what was measured.", "What was measured"
ANSWER = "Your answer first. Then open what came out.", "What came out"
PHONE = "screen and (max-width: 46em)"  # so says book.css


def as_read(notebook, solutions, front="../index.md", folds=True, drawn=(), at=""):
    """Return the notebook for the book. `solutions` is {exercise: its code}.

    `drawn` names the drawings that take the place of its pictures, in folders `at`, light and
    dark. `front` is the front page, as a path from the chapter.
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
    """Fold what cells put out between a guess and the cell that compares it, that one included.

    Fold it below a text that ends with a question too, up to the next text.
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
            fold(cell, "output", *MEASURED)
            open_guesses -= {name for name in open_guesses if re.search(rf"\b{name}\b", source)}
        elif asked:
            fold(cell, "output", *ANSWER)


def asks(text):
    """Whether its last paragraph asks the reader; an invitation to change a cell does not."""
    last = text.strip().split("\n\n")[-1]
    return last.endswith("?") and not last.startswith(("#", "**Change it.**"))


def fold(cell, part, to_open, opened):
    """Fold a code cell's "input" or "output", where there is any."""
    if part == "output" and not cell["outputs"]:
        return
    cell["metadata"].setdefault("tags", []).append(f"hide-{part}")
    prompts = {"code_prompt_show": to_open, "code_prompt_hide": opened}
    cell["metadata"].setdefault("mystnb", {}).update(prompts)


def say_figure(cell, output):
    """Put a figure's sentence into its `alt`, where Sphinx looks for it."""
    if "image/png" in output.get("data", {}):
        alt = output["metadata"]["image/png"]["alt"]
        shown = cell["metadata"].setdefault("mystnb", {})
        said = shown.setdefault("image", {}).setdefault("alt", alt)
        assert said == alt, f"two figures in one cell would get one sentence: {source_of(cell)}"


def as_image(output):
    """Return a figure as an element: its drawings, or else its picture, held in it."""
    if "text/html" in output["data"]:
        return output["data"]["text/html"]
    alt = html.escape(output["metadata"]["image/png"]["alt"], quote=True)
    picture = "".join(output["data"]["image/png"]).strip()
    return f'<img src="data:image/png;base64,{picture}" alt="{alt}">'


def drag_of(output):
    """Return what a figure to drag computes from, and its name; None of another output."""
    return output.get("metadata", {}).get("image/png", {}).get("drag")


def draw(cell, output, drawn, at):
    """Put a figure as SVG in place of its picture, light and dark; on a phone the narrow one."""
    if f"{cell}.svg" not in drawn or "image/png" not in output.get("data", {}):
        return
    alt = html.escape(output["metadata"]["image/png"]["alt"], quote=True)
    elements = ""
    for page in ("light", "dark"):
        file = f"{at}/{page}/{cell}"
        narrow = f'<source media="{PHONE}" srcset="{file}-narrow.svg">'
        elements += (
            f'<picture class="only-{page}">'
            + narrow * (f"{cell}-narrow.svg" in drawn)
            + f'<img src="{file}.svg" alt="{alt}"></picture>'
        )
    output["data"] = {"text/html": elements}


def exercises(cell):
    return [found[1] for found in map(EXERCISE.match, cell["metadata"].get("tags", ())) if found]


def folded_solution(name, code):
    cell = {
        "cell_type": "code",
        "metadata": {},
        "source": code,
        "outputs": [],
        "execution_count": None,
    }
    fold(cell, "input", f"Solution of {name}", f"Solution of {name}")
    return [markdown(f"({solution_anchor(name)})="), cell]


def solution_anchor(name):
    """Return the anchor of a solution on its chapter's page: "solution-01-2" of exercise 01.2."""
    return f"solution-{name.replace('.', '-')}"


def say_when(cell, metadata, front):
    """Below the title: when it was measured, and on what."""
    measured = metadata["measured"]
    day = datetime.date.fromisoformat(measured["date"])
    title, rest = source_of(cell).split("\n", 1)
    when = (
        f"Measured on {day.day} {day:%B %Y} with {measured['on']}. A saved page: nothing runs "
        f"here. [Run it]({front}) yourself."
    )
    cell["source"] = f"{title}\n\n{{.measured}}\n{when}\n{rest}"


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def source_of(cell):
    return "".join(cell["source"])


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))
