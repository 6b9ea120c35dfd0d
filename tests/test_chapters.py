"""Each chapter and case was run whole, holds on other machines, and points to what exists."""

import ast
import itertools
import re

import nbformat
import pytest
import reading
from helpers import ROOT
from nbval import kernel

import lab_utils as lab

NOTEBOOKS = ROOT / "notebooks"
CHAPTERS, CASES = sorted(NOTEBOOKS.glob("*.ipynb")), sorted(NOTEBOOKS.glob("cases/*.ipynb"))
LONGEST_CELL, LONGEST_ON_THE_MAIN_PATH, LONGEST_LINE = 25, 15, 100
MACHINE_PATH = re.compile(
    r"(?<![\w.:/])(?:/(?:home|root|Users|work|tmp|private|var|opt|usr|workspace)/|[A-Z]:\\)"
    r"|site-packages|ipykernel_"
)
MACHINE_ONLY = re.compile(
    r"(Redis|Valkey|Python|server) v?\d+\.\d+\.\d|x86_64|aarch64|arm64"
    r"|\d CPUs?\b|jemalloc|\bpid \d"
)
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")  # of an object

every_chapter = pytest.mark.parametrize("notebook", CHAPTERS, ids=lambda path: path.stem)
every_notebook = pytest.mark.parametrize("notebook", CHAPTERS + CASES, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def code(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path):
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def tags(cell):
    return cell.metadata.get("tags", [])


def exercises_of(path):
    """{its name: its cell} of each exercise of a chapter."""
    return {
        tag.removeprefix("exercise:"): cell
        for cell in code(path)
        for tag in tags(cell)
        if tag.startswith("exercise:")
    }


def outputs(path):
    """(cell, output, its text in every form that is not a picture)."""
    for cell in code(path):
        for output in cell.outputs:
            if output.output_type == "stream":
                yield cell, output, output.text
            elif output.output_type == "error":
                yield cell, output, "\n".join([output.evalue, *output.traceback])
            else:
                yield (
                    cell,
                    output,
                    "\n".join(
                        str(text)
                        for kind, text in output.data.items()
                        if not kind.startswith("image/")
                    ),
                )


def test_the_readme_maps_every_chapter_with_its_minutes():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"\(notebooks/(\d\d_\w+\.ipynb)\) \|.*\| (\d+) \|", readme)
    assert rows == [
        (path.name, re.search(r"[Aa]bout (\d+) minutes", prose(path))[1]) for path in CHAPTERS
    ]


@every_notebook
def test_every_code_cell_was_run_once_in_order_and_nbval_compares_it(notebook):
    """A cell that was not run has nothing for nbval to compare, and would always pass."""
    cells = code(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell.source.strip() and "nbval" not in (cell.source + str(tags(cell))).lower(), (
            cell.source
        )


@every_notebook
def test_it_is_as_make_notebooks_leaves_it(notebook):
    """No cell says when it was made; day and versions stand once, in the metadata."""
    book = read(notebook)
    nbformat.validate(book)
    assert [cell.id for cell in book.cells] == [f"cell-{at:02d}" for at in range(len(book.cells))]
    assert set(book.metadata) == {"kernelspec", "language_info", "measured"}
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", book.metadata.measured.date)
    assert re.fullmatch(
        r"(Redis|Valkey) [\d.]+ · redis-py [\d.]+ · Python [\d.]+ · \w+ \w+",
        book.metadata.measured.on,
    )
    assert all(set(cell.metadata) <= {"tags"} for cell in book.cells)
    kept = [
        more for _, output, _ in outputs(notebook) for more in output.get("metadata", {}).values()
    ]
    # a figure in words, and what it computes from
    assert all(set(more) - {"drag"} == {"alt"} for more in kept)


@every_notebook
def test_what_it_prints_is_meant_and_holds_elsewhere_too(notebook):
    """What is another elsewhere, versions and CPUs, stands in a line that says so."""
    found = list(outputs(notebook))
    failed = [cell.source for cell, output, _ in found if output.output_type == "error"]
    assert failed == [cell.source for cell in code(notebook) if "raises-exception" in tags(cell)]
    assert [text for _, output, text in found if output.get("name") == "stderr"] == []
    said = [line for _, _, text in found for line in text.splitlines()]
    assert [line for line in said if MACHINE_PATH.search(line) or ADDRESS.search(line)] == []
    assert [
        line
        for line in said
        if MACHINE_ONLY.search(line) and not line.startswith(("this machine: ", "measured: "))
    ] == []


def test_a_chapters_kernel_takes_no_port():
    """Tests beside it open ports all the time; it would end before a cell has run."""
    manager, client = kernel.start_new_kernel(kernel_name=kernel.CURRENT_ENV_KERNEL_NAME)
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert manager.transport == "ipc"


def test_a_line_about_the_machine_would_be_found():
    assert all(
        map(
            MACHINE_ONLY.search,
            ("Redis 8.2.3", "Valkey 9.1.2", "on Python 3.11.7", "Linux x86_64, 2 CPUs", "pid 4711"),
        )
    )
    assert not any(
        map(MACHINE_ONLY.search, ("redis-py 8.1.0", "Redis 7 does it", "in 2 turns", "SET 3.14"))
    )


@every_chapter
def test_the_first_code_cell_imports_and_connects_and_nothing_else(notebook):
    first, *others = code(notebook)
    assert ast.unparse(ast.parse(first.source)) == "import lab_utils as lab\nr = lab.connect()"
    assert "setup" in tags(first)
    assert [cell.source for cell in others if "import lab_utils as lab" in cell.source] == []


@every_notebook
def test_no_cell_is_too_long_and_no_line_must_be_scrolled(notebook):
    for cell in code(notebook):
        lines = cell.source.splitlines()
        assert len(lines) <= LONGEST_CELL and max(map(len, lines)) <= LONGEST_LINE, cell.source
    if notebook.stem != "14_scoreboard":
        main = itertools.takewhile(
            lambda cell: not cell.source.startswith("## Deeper"), read(notebook).cells
        )
        sources = [cell.source for cell in main if cell.cell_type == "code"]
        assert [
            source
            for source in sources
            if len(re.findall(r"(?m)^.*\S", source)) > LONGEST_ON_THE_MAIN_PATH
        ] == []


@every_notebook
def test_every_helper_it_calls_or_names_exists_and_says_what_it_does(notebook):
    nodes = (node for cell in code(notebook) for node in ast.walk(ast.parse(cell.source)))
    called = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "lab"
    }
    assert called | set(re.findall(r"`lab\.(\w+)", prose(notebook))) <= set(lab.__all__)
    assert all(getattr(lab, name).__doc__ for name in lab.__all__)


# How it is made: a tired person finishes it


@every_chapter
def test_the_main_path_is_half_an_hour_and_thirty_cells(notebook):
    path = reading.parts(notebook)[reading.MAIN]
    assert round(path.minutes) <= reading.MOST_MINUTES and path.cells <= reading.MOST_CELLS, path
    assert path.words <= reading.MOST_WORDS, path


@every_chapter
def test_it_says_how_long_it_takes_and_what_goes_deeper_stands_last(notebook):
    assert reading.stated(notebook) == [part.stated for part in reading.parts(notebook).values()]
    assert "Deeper" not in re.findall(r"^##? (.*)$", prose(notebook), re.MULTILINE)[:-1]


# Where it points: that each link leads somewhere is asked of every page, by test_links.py


@every_chapter
def test_it_links_to_the_next_chapter(notebook):
    following = [path.name for path in CHAPTERS if path.name > notebook.name][:1]
    assert all(f"]({name})" in prose(notebook) for name in following)


@every_chapter
def test_exercises_are_numbered_end_with_the_check_and_link_to_their_solutions(notebook):
    found = exercises_of(notebook)
    assert list(found) == [f"{notebook.name[:2]}.{number}" for number in range(1, len(found) + 1)]
    for name, cell in found.items():
        assert f"(../exercises/{name}/solution.py)" in prose(notebook)
        assert cell.source.splitlines()[-1].startswith(f'lab.check("{name}", ')
        assert f"{name} open: " in "".join(output.text for output in cell.outputs)


@every_chapter
def test_what_it_gives_to_copy_is_run_and_needs_nothing_of_the_lab(notebook):
    """It stands in a cell, or is an exercise's solution: tests run both. 14 has nothing to copy."""
    named = {
        name
        for said in re.findall(r"[Tt]o copy:([^.]*)", prose(notebook))
        for name in re.findall(r"`(\w+)`", said)
    }
    texts = [cell.source for cell in code(notebook)]
    texts += [
        (ROOT / "exercises" / name / "solution.py").read_text(encoding="utf-8")
        for name in exercises_of(notebook)
    ]
    parts = [ast.unparse(part) for text in texts for part in ast.parse(text).body]
    found = {
        part: name
        for part in parts
        for name in re.findall(r"\A(?:async )?(?:def )?(\w+)", part)
        if name in named
    }
    assert set(found.values()) == named and (named or notebook.name.startswith("14"))
    assert [part for part in found if "lab." in part] == []


@every_notebook
def test_it_says_faster_with_a_ratio_only(notebook):
    """A Ratio says "no different" where that was found; "{…}x faster" is always said."""
    assert [
        cell.source for cell in code(notebook) if re.search(r"\}x (faster|slower)", cell.source)
    ] == []
