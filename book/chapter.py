"""Turn a chapter's notebook into one for a reader without a Jupyter kernel.

Outputs that answer a question are folded, and solutions are added. A notebook is a dict, from JSON;
the outputs' content is never changed.
"""

import datetime
import re

GUESS = re.compile(r'(\w+) = lab\.guess\("')
BET = re.compile(r"Scoreboard\(\)|\.against\(said_")  # chapter 14's bets are a dict of dots
# What a fold says when it is closed, and when it is open.
MEASURED = "Your number first. Then open what was measured.", "What was measured"
ANSWER = "Your answer first. Then open what came out.", "What came out"


def as_read(
    notebook: dict,
    solutions: dict[str, str],
    front: str = "../index.md",
    folds: bool = True,
    tried=(),
) -> dict:
    """Return the notebook as the book shows it.

    `solutions` is {exercise: its code}, `front` the relative path from the chapter to the book's
    front page. `tried` is {exercise: address of the page that checks it}, and may lack exercises.
    With `folds`, outputs that answer a question are hidden until a click.
    """
    if folds:
        fold_answers(notebook["cells"])
    cells = []
    for cell in notebook["cells"]:
        cells.append(cell)
        for tag in cell["metadata"].get("tags", ()):
            if tag.startswith("exercise:"):
                name = tag.removeprefix("exercise:")
                if name in tried:
                    cells.append(link_to_try(name, tried[name]))
                cells += folded_solution(name, solutions[name])
    say_when(cells[0], notebook["metadata"], front)
    return notebook | {"cells": cells}


def fold_answers(cells: list[dict]) -> None:
    """Hide the outputs that answer a question until a click, so that readers can answer it first.

    `cells` are the notebook's cells, and are changed. If a cell makes a guess, the outputs of the
    cells after it are hidden, up to and with the cell that names the guess. If a text ends with a
    question, the outputs of the cells below are hidden, up to the next text.
    """
    open_guesses = set()
    asked = False
    for cell in cells:
        source = source_of(cell)
        if cell["cell_type"] != "code":
            asked = asks(source)
        elif guess := GUESS.match(source):
            open_guesses.add(guess[1])
        elif open_guesses or BET.search(source):
            fold(cell, "output", *MEASURED)
            open_guesses -= {name for name in open_guesses if re.search(rf"\b{name}\b", source)}
        elif asked:
            fold(cell, "output", *ANSWER)


def asks(text: str) -> bool:
    """Return whether the last paragraph of a Markdown text is a question.

    A heading never counts as one, nor does a paragraph that begins with "Change it.".
    """
    last = text.strip().split("\n\n")[-1]
    return last.endswith("?") and not last.startswith(("#", "**Change it.**"))


def fold(cell: dict, part: str, closed: str, opened: str) -> None:
    """Hide a part of a code cell until a click: "input", or "output" if the cell has outputs.

    `closed` and `opened` are the words to click on, while the part is hidden and while it is shown.
    """
    if part == "input" or cell["outputs"]:
        cell["metadata"].setdefault("tags", []).append(f"hide-{part}")
        cell["metadata"]["mystnb"] = {"code_prompt_show": closed, "code_prompt_hide": opened}


def folded_solution(name: str, code: str) -> list[dict]:
    """Return two cells for an exercise: the anchor of its solution, and the solution, hidden.

    A click shows the solution. `name` is the exercise's, such as "01.2"; `code` is the solution's
    text.
    """
    anchor = solution_anchor(name)
    solution = {
        "cell_type": "code",
        "id": f"{anchor}-code",
        "metadata": {},
        "source": code,
        "outputs": [],
        "execution_count": None,
    }
    fold(solution, "input", f"Solution of {name}", f"Solution of {name}")
    place = {"cell_type": "markdown", "id": anchor, "metadata": {}, "source": f"({anchor})="}
    return [place, solution]


def link_to_try(name: str, address: str) -> dict:
    """Return a Markdown cell with a link to the page that checks an exercise in the browser.

    `name` is the exercise's, such as "01.2"; `address` is the link's target.
    """
    words = f'<a class="try-it" href="{address}">Try it here</a>, checked, with nothing installed.'
    return {
        "cell_type": "markdown",
        "id": f"try-{name.replace('.', '-')}",
        "metadata": {},
        "source": words,
    }


def solution_anchor(name: str) -> str:
    """Return the anchor of a solution on its chapter's page, such as "solution-01-2" for "01.2"."""
    return f"solution-{name.replace('.', '-')}"


def say_when(cell: dict, metadata: dict, front: str) -> None:
    """Write into a chapter's first cell on which day and with which versions it was measured.

    `cell` is that cell, with the title, and is changed. `metadata` is the notebook's, and `front`
    the relative path to the book's front page.
    """
    measured = metadata["measured"]
    day = datetime.date.fromisoformat(measured["date"])
    title, rest = source_of(cell).split("\n", 1)
    cell["source"] = (
        f"{title}\n\n{{.measured}}\n"
        f"Measured on {day.day} {day:%B %Y} with {measured['on']}. A saved page: nothing runs "
        f"here. [Run it]({front}) yourself.\n{rest}"
    )


def source_of(cell: dict) -> str:
    return "".join(cell["source"])
