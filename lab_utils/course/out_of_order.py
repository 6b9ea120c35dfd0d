"""Say, below a NameError, which cell has to be run first."""

import ast
import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """A code cell: the heading it stands under, its first line, and the names that it makes."""

    heading: str
    begins: str
    makes: frozenset


def watch_cells():
    """Look at each cell that ends, in IPython and Jupyter only."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell:
        shell.events.register("post_run_cell", after_cell)


def after_cell(result):
    """Print the sentence, where a name is missing that another cell of the chapter makes."""
    error, path = result.error_in_exec, chapter_file()
    if not isinstance(error, NameError) or not error.name or not path:
        return
    if told := sentence(error.name, result.info.raw_cell, path):
        print(told, file=sys.stderr)


def chapter_file():
    """Return the notebook that runs here, as it was last saved; None where nobody says which."""
    path = Path(os.environ.get("JPY_SESSION_NAME") or f"{os.environ.get('LAB_CHAPTER')}.ipynb")
    return path if path.is_file() else None


def sentence(name, source, path):
    """Say which cell makes `name`, needed by the cell `source`; "" where no other one does."""
    import nbformat  # takes longer than the rest of the lab

    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:  # half written, or no notebook at all: the error itself has been shown
        return ""
    made, here = places(cells, source)
    makers = ([place for place in made[:here] if name in place.makes]
              or [place for place in made if name in place.makes])
    if not makers:
        return ""
    first = makers[-1]
    return (f"`{name}` is made in the cell that begins `{first.begins}`"
            + (f", in the section “{first.heading}”" if first.heading else "")
            + ". Run that section from its first cell, then this cell again.")


def places(cells, source):
    """Return the Places of the code cells but `source`, and how many of them stand above it."""
    found, here, heading = [], None, ""
    for cell in cells:
        if cell.cell_type == "markdown":
            titles = [line.lstrip("# ") for line in cell.source.splitlines()
                      if line.startswith("##")]
            heading = titles[-1] if titles else heading
        elif cell.cell_type == "code" and cell.source.strip() == source.strip():
            here = len(found)
        elif cell.cell_type == "code" and cell.source.strip():
            found.append(Place(heading, cell.source.strip().splitlines()[0], made_by(cell.source)))
    return found, here if here is not None else len(found)


def made_by(source):
    """Return the names that a cell assigns, defines or imports outside of functions."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic, or what the learner has begun to write
        return frozenset()
    names, waiting = set(), [*tree.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        waiting += [child for child in ast.iter_child_nodes(node)
                    if not isinstance(child, ast.Lambda | ast.comprehension)]
    return frozenset(names)
