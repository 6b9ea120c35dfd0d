"""Which exercises are checked in the page `try/`, and what stands in its box for each.

Offered are those of which every answer, right or wrong, gets the lab's verdict there.
"""

import ast
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Why each of the others is for the lab alone: "it needs …".
NEEDS = {
    "01.3": "a race against a real server",
    "05.3": "OBJECT ENCODING, a real server's own memory",
    "08.2": "threads",
    "08.3": "threads",
    "09.1": "hiredis, which is written in C",
    "09.2": "hiredis, which is written in C",
    "09.3": "CLIENT TRACKING of a real server",
    "10.2": "a server that can be frozen",
    "11.2": "a replica",
    "11.3": "threads",
    "13.1": "numpy for one of its answers",
}
EXERCISE = re.compile(r"exercise:(\d\d\.\d)")


def offered():
    """Return {exercise: {"imports", "cell", "chapter"}} of those that the page `try/` checks.

    "cell" is the code of the exercise's cell. "imports" are the import lines that stand before it:
    those of the chapter's setup cells that some answer uses. "chapter" is the notebook's name
    without suffix.
    """
    return {name: told for name, told in sorted(exercises()) if name not in NEEDS}


def exercises():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [(cell["metadata"].get("tags", []), "".join(cell["source"])) for cell in cells]
        setup = [source for tags, source in code if "setup" in tags]
        for tags, source in code:
            for name in filter(None, map(EXERCISE.fullmatch, tags)):
                lines = imports(setup, answers(name[1]))
                yield name[1], {"imports": lines, "cell": source, "chapter": path.stem}


def answers(name):
    return [path.read_text("utf-8") for path in ROOT.glob(f"exercises/{name}/*/*.py")]


def imports(setup, sources):
    """Return as one text the import lines of `setup` whose names are used in `sources`.

    `setup` is a list with the code of a chapter's setup cells, `sources` a list with the code of
    answers. `lab` is left out. The text ends with two empty lines, and is "" if there is no import.
    """
    used = {node.id for source in sources for node in named(source, ast.Name)}
    lines = [
        statement_of(node, [alias])
        for source in setup
        for node in named(source, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if (alias.asname or alias.name) in used - {"lab"}
    ]
    return "".join(f"{line}\n" for line in lines) + ("\n\n" if lines else "")


def named(source, kind):
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, kind)]


def statement_of(node, names):
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(names))
    return ast.unparse(ast.ImportFrom(node.module, names, node.level))
