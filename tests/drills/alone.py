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
    """A section of a chapter: its code cells `code`, and how to change them.

    `changes` are (index in `code`, text to be changed, new text). The cells in `before` run first.
    """

    title: str
    code: list = field(default_factory=list)
    changes: list = field(default_factory=list)
    before: list = field(default_factory=list)


def sections(path) -> list[Section]:
    """Return the Sections of the chapter at `path`.

    Raises ValueError if a text invites the reader to change something in a cell, and no cell above
    it has that.
    """
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


def problems(path) -> list[str]:
    """Run each section of the chapter at `path` alone; return a line for each error.

    The line names the section. Each cell runs twice, then with each change that the section invites
    to, and once more after it.
    """
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


def raises(execute, cell, when: str) -> str:
    """Run a cell by `execute(source)`; return a line about the error that it raised, or "".

    A cell tagged "raises-exception" is not run. `when` begins the line.
    """
    if tagged(cell, "raises-exception"):
        return ""
    error = execute(cell.source)
    shown = cell.source.replace("\n", "\n    ")
    return f"{when}: {error} in the cell\n    {shown}" if error else ""


@contextlib.contextmanager
def kernel(path):
    """In a `with` block, run a kernel in the folder of `path`; yield a function `execute(source)`.

    That function runs a cell and returns 'Name: message' of the error that it raised, or "".
    """
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
