"""Write docs/field_guide.md from what the cases of the field guide printed, side by side.

python tools/field_guide.py [folder of notebooks that were run]     notebooks/cases by default
"""

import json
import re
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
CASES, PAGE = ROOT / "notebooks" / "cases", ROOT / "docs" / "field_guide.md"
OLDER = CASES / "older_libraries.json"  # what a case's first cells printed under other versions
# What a header that notebooks/cases/field_guide.py prints begins with: its heading and columns.
TABLES = {
    "call": ("What a call sends", "library | call | round trips | set-up | commands"),
    "connection": ("What is held", "library | connections | how many | their name"),
    "idle": ("What is sent when idle", "library | idle | in a month | in dollars | commands"),
}
# Of the columns printed, those that the page has.
COLUMNS = {"call": (0, 1, 2, 5), "connection": (0, 1, 2), "idle": (0, 1, 2, 3)}
WORDS = """# What your framework sends

{}

Each row was printed by the case that it names, with the library's newest version, and is copied
from there by a tool. *As changed* is what the case's own settings make of it. Round trips that set
a connection up stand apart. What stands behind a ~ was measured once. A month is that of one
process that does nothing; dollars are at $0.20 for 100,000 commands, as Upstash's "Pay as You Go"
had it in November 2026.
"""


def printed(notebook):
    """Yield (table, library, cells) for each row of a table that a notebook's stored outputs hold.

    `notebook` is a notebook of nbformat. `table` is a key of TABLES, `library` the library's name,
    `cells` a list of texts. The name ends with "*as changed*" for rows that stand below the
    notebook's heading "What to change".
    """
    changed = ""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            text = "".join(output.get("text", "") for output in cell.outputs)
            yield from rows_of(text.splitlines(), title(notebook), changed)
        elif "## What to change" in cell.source:
            changed = " *as changed*"


def rows_of(lines: list[str], library: str, note: str = ""):
    """Yield (table, name, cells) for each row of a table among printed lines.

    `table` is a key of TABLES, `cells` a list of texts. The name is `library` + `note`. Below a
    line "library: NAME" it is NAME + `note`.
    """
    table = None
    for line in lines:
        cells = re.split(r" {2,}", line.strip())
        if line.startswith("library: "):
            library = line.removeprefix("library: ")
        elif cells[0] in TABLES and len(cells) > 2:
            table, width = cells[0], len(cells)
        elif table and len(cells) == width:
            yield table, library + note, cells
        else:
            table = None


def title(notebook) -> str:
    """Return the title of a notebook of nbformat up to its colon, which names the library."""
    return re.match(r"# ([^:\n]+)", notebook.cells[0].source)[1]


def page(folder: Path) -> str:
    """Return the text of docs/field_guide.md, from the cases in `folder`, what_*_sends.ipynb."""
    rows = {table: [] for table in TABLES}
    links = []
    for path in sorted(folder.glob("what_*_sends.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        links.append(f"[{title(notebook)}](../notebooks/cases/{path.name})")
        for table, library, cells in printed(notebook):
            rows[table].append((library, *(cells[column] for column in COLUMNS[table])))
    parts = [WORDS.format(" · ".join(links))]
    for table, (heading, columns) in TABLES.items():
        parts.append(shown(heading, columns, rows[table]))
    columns = "version | call | round trips | commands | round trips now | commands now"
    parts.append(shown("Otherwise in older versions", columns, older(rows["call"])))
    return "\n".join(parts)


def shown(heading: str, columns: str, rows) -> str:
    """Return a section of the page as Markdown: a heading, and a table below it.

    `columns` are the names of the columns, separated by " | "; `rows` is a list of tuples of texts.
    """
    lines = [columns, " | ".join("---" for _ in columns.split("|")), *map(" | ".join, rows)]
    return f"## {heading}\n\n" + "\n".join(f"| {line} |" for line in lines) + "\n"


def older(newest: list[tuple]) -> list[tuple]:
    """Return a row for each call that took other round trips or commands with an older version.

    `newest` are the rows with the newest versions, (library, call, round trips, commands). A row
    returned is (version, call, round trips, commands, round trips now, commands now). A version
    without such a call has one row that says so.
    """
    now, rows = {row[:2]: row[2:] for row in newest}, []
    for version, kept in json.loads(OLDER.read_text(encoding="utf-8")).items():
        found = []
        for _, library, cells in rows_of(kept["printed"], kept["library"]):
            was, new = cells, now.get((library, cells[0]), [""] * 3)
            if (was[1], was[5]) != (new[0], new[2]):
                found.append((version, was[0], was[1], was[5], new[0], new[2]))
        rows += found or [(version, "every call", *["the same"] * 4)]
    return rows


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]) if sys.argv[1:] else CASES), encoding="utf-8")
