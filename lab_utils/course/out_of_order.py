"""Say, below a NameError, which cell has to be run first."""

import ast
import dis
import os
import sys
from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """A code cell: the heading it stands under, its first line, and the names that it makes."""

    heading: str
    begins: str
    makes: set[str]


def after_cell(result):
    """Print the sentence, where a name is missing that another cell of the chapter makes."""
    # the notebook that runs here, as it was last saved
    path = Path(os.environ.get("JPY_SESSION_NAME") or f"{os.environ.get('LAB_CHAPTER')}.ipynb")
    error = result.error_in_exec
    if not isinstance(error, NameError) or not error.name or not path.is_file():
        return
    if told := sentence(error.name, result.info.raw_cell, path):
        print(told, file=sys.stderr)


def sentence(name: str, source: str, path: Path) -> str:
    """Say which cell makes `name`, needed by the cell `source`; "" where no other one does."""
    import nbformat  # takes longer than the rest of the lab

    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:  # half written, or no notebook at all: the error itself has been shown
        return ""
    makers = [place for place in places_above(cells, source) if name in place.makes]
    if not makers:
        return ""
    heading, begins, _ = makers[-1]
    section = f", in the section “{heading}”" if heading else ""
    return (
        f"`{name}` is made in the cell that begins `{begins}`{section}. Run that section from "
        "its first cell, then this cell again."
    )


def places_above(cells, source):
    """Return the Places of the code cells above the cell `source`: all, if it is none of them."""
    above, heading = [], ""
    for cell in cells:
        lines = cell.source.strip().splitlines()
        if cell.cell_type == "markdown":
            headings = [line.lstrip("# ") for line in lines if line.startswith("##")]
            heading = headings[-1] if headings else heading
        elif cell.source.strip() == source.strip():
            break
        elif cell.cell_type == "code" and lines:
            above.append(Place(heading, lines[0], made_by(cell.source)))
    return above


def made_by(source):
    """Return the names that a cell assigns, defines or imports outside of functions."""
    try:
        code = compile(source, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError:  # a magic, or what the learner has begun to write
        return set()
    return {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"}
