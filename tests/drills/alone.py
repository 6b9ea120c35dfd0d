"""Runs every section of a chapter alone: in a fresh kernel, after the setup cells, each cell twice.

Setup cells are the code cells before the first `## ` heading and those tagged `setup`. A section
goes from a `## ` heading to the next, in Deeper from a `### ` heading. One that calls `lab.claim`
runs after all cells before it: what claims rest on. At an invitation, "Change `this`
to `that`" after **Change it.**, the nearest code cell above that says `this` is changed, and the
section runs again; then once more as it was.
"""

import contextlib
import re
from dataclasses import dataclass, field

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

CELL_TIMEOUT_S = 300
CHANGE = "**Change it.**"
INVITED = re.compile(r"[Cc]hange `([^`]+)` to `([^`]+)`")


@dataclass
class Section:
    """`changes` are (place in `code`, what is to be changed, to what); `before` runs first."""

    title: str
    code: list = field(default_factory=list)
    changes: list = field(default_factory=list)
    before: list = field(default_factory=list)


def sections(path):
    """[Section] of a chapter. Raises ValueError for an invitation that no cell above fits."""
    setup, all_cells = [], []
    found, deeper = [Section("before the first heading")], False
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            found[-1].code.append(cell)
            setup += [cell] if len(found) == 1 or tagged(cell, "setup") else []
            all_cells.append(cell)
            continue
        heading = re.search(r"^(##|###) (.*)", cell.source, re.MULTILINE)
        if heading and (heading[1] == "##" or deeper):
            deeper = heading[2].strip() == "Deeper" or (deeper and heading[1] == "###")
            found.append(Section(heading[2]))
        for old, new in invitations(cell.source):
            found[-1].changes.append((place_of(old, found[-1], path), old, new))
    for section in found[1:]:
        section.before = [cell for cell in setup if cell not in section.code]
        if any("lab.claim(" in cell.source for cell in section.code):
            section.before = all_cells[: all_cells.index(section.code[0])]
    return [section for section in found[1:] if section.code]


def tagged(cell, tag):
    return tag in cell.metadata.get("tags", [])


def invitations(prose):
    return [
        pair for part in prose.split(CHANGE)[1:] for pair in INVITED.findall(part.split("\n\n")[0])
    ]


def place_of(old, section, path):
    places = [place for place, cell in enumerate(section.code) if old in cell.source]
    if not places:
        raise ValueError(f"{path.name}, “{section.title}”: no cell above says `{old}`")
    return places[-1]


def problems(path):
    """What raised, in lines that name the section. A section is measured twice."""
    told = []
    for section in sections(path):
        with kernel(path) as execute:
            for cell in section.before:
                execute(cell.source)
            told += [f"{path.name}, “{section.title}”, {what}" for what in tried(section, execute)]
    return told


def tried(section, execute):
    raised = [raises(execute, cell, "alone") for cell in section.code for _ in range(2)]
    for place, old, new in section.changes:
        changed = [cell.copy() for cell in section.code]
        changed[place].source = changed[place].source.replace(old, new)
        raised += [raises(execute, cell, f"with `{new}`") for cell in changed]
        raised += [raises(execute, cell, f"after `{new}`") for cell in section.code]
    return list(dict.fromkeys(filter(None, raised)))


def raises(execute, cell, when):
    """What a cell raises though it should not, in a line; "" if nothing."""
    if tagged(cell, "raises-exception"):
        return ""
    error = execute(cell.source)
    shown = cell.source.replace("\n", "\n    ")
    return f"{when}: {error} in the cell\n    {shown}" if error else ""


@contextlib.contextmanager
def kernel(path):
    """Yields execute(source), which returns the last line of what it raised, or ""."""
    python3 = {"name": "python3", "display_name": "", "language": "python"}
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": python3})
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )

    def execute(source):
        cell = nbformat.v4.new_code_cell(source)
        notebook.cells.append(cell)
        try:
            client.execute_cell(cell, len(notebook.cells) - 1)
        except CellExecutionError as error:
            return f"{error.ename}: {error.evalue}".splitlines()[0]
        return ""

    with client.setup_kernel():
        yield execute
