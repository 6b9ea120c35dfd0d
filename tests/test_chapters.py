"""Every chapter's file, and case's: it was run whole, says nothing that only this machine knows, and points to what exists."""

import ast
import re

import nbformat
import pytest
import reading
from helpers import ROOT

import lab_utils as lab

CHAPTERS, CASES = (sorted((ROOT / "notebooks").glob(pattern)) for pattern in ("*.ipynb", "cases/*.ipynb"))
LONGEST_CELL, LONGEST_ON_THE_MAIN_PATH = 25, 15
LONGEST_LINE = 100
MACHINE_PATH = re.compile(
    r"(?<![\w.:/])(?:/(?:home|root|Users|work|tmp|private|var|opt|usr|workspace)/|[A-Z]:\\)|site-packages|ipykernel_")
MACHINE_ONLY = re.compile(r"(Redis|Valkey|Python|server) v?\d+\.\d+\.\d|x86_64|aarch64|arm64|\d CPUs?\b|jemalloc|\bpid \d")
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"")

every_chapter = pytest.mark.parametrize("notebook", [pytest.param(path, id=path.stem) for path in CHAPTERS])
every_notebook = pytest.mark.parametrize("notebook", [pytest.param(path, id=path.stem) for path in [*CHAPTERS, *CASES]])


def read(path):
    return nbformat.read(path, as_version=4)


def code(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path):
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def tags(cell):
    return cell.metadata.get("tags", [])


def outputs(path):
    """(cell, output, its text in every form that is not a picture)."""
    for cell in code(path):
        for output in cell.outputs:
            if output.output_type == "stream":
                yield cell, output, output.text
            elif output.output_type == "error":
                yield cell, output, "\n".join([output.evalue, *output.traceback])
            else:
                yield cell, output, "\n".join(str(text) for kind, text in output.data.items() if not kind.startswith("image/"))


def test_there_are_chapters_each_with_a_number_of_its_own():
    numbers = [path.name[:3] for path in CHAPTERS]
    assert numbers and len(set(numbers)) == len(numbers)
    assert all(re.fullmatch(r"\d\d_", number) for number in numbers)


def test_the_readme_maps_every_chapter_with_its_minutes():
    rows = re.findall(r"\(notebooks/(\d\d_\w+\.ipynb)\) \|.*\| (\d+) \|", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert rows == [(path.name, re.search(r"[Aa]bout (\d+) minutes", prose(path))[1]) for path in CHAPTERS]


# The file


@every_notebook
def test_it_is_valid(notebook):
    nbformat.validate(read(notebook))


@every_notebook
def test_every_code_cell_was_run_once_in_order(notebook):
    """A cell that was not run has nothing that nbval could compare, and would pass whatever it does."""
    cells = code(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell.source.strip() for cell in cells)


@every_notebook
def test_no_error_but_where_one_is_meant(notebook):
    failed = [cell.source for cell, output, _ in outputs(notebook) if output.output_type == "error"]
    meant = [cell.source for cell in code(notebook) if "raises-exception" in tags(cell)]
    assert failed == meant


@every_notebook
def test_nothing_on_stderr(notebook):
    assert [text for _, output, text in outputs(notebook) if output.get("name") == "stderr"] == []


@every_notebook
def test_nbval_compares_every_cell(notebook):
    for cell in code(notebook):
        assert not [tag for tag in tags(cell) if tag.lower().startswith("nbval")], cell.source
        assert "nbval" not in cell.source.lower(), cell.source


@every_notebook
def test_it_is_as_make_notebooks_leaves_it(notebook):
    """No cell says when, or in which order of editing, it was made; day and versions stand once, in the metadata."""
    book = read(notebook)
    assert [cell.id for cell in book.cells] == [f"cell-{number:02d}" for number in range(len(book.cells))]
    assert set(book.metadata) == {"kernelspec", "language_info", "measured"}
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", book.metadata.measured.date)
    assert re.fullmatch(r"(Redis|Valkey) [\d.]+ · redis-py [\d.]+ · Python [\d.]+ · \w+ \w+", book.metadata.measured.on)
    assert all(set(cell.metadata) <= {"tags"} for cell in book.cells)
    kept = [more for _, output, _ in outputs(notebook) for more in output.get("metadata", {}).values()]
    assert all(set(more) == {"alt"} for more in kept)  # a figure in words


@every_notebook
def test_no_path_of_a_machine_in_any_output(notebook):
    assert [text for _, _, text in outputs(notebook) if MACHINE_PATH.search(text)] == []


@every_notebook
def test_what_only_this_machine_is_stands_in_lines_that_say_so(notebook):
    """A version, a number of CPUs, an architecture: elsewhere it is another one, and nbval would compare it."""
    said = [line for _, _, text in outputs(notebook) for line in text.splitlines()]
    assert [line for line in said if MACHINE_ONLY.search(line) and not line.startswith(("this machine: ", "measured: "))] == []


def test_a_line_about_the_machine_would_be_found():
    for line in ("Redis 8.2.3", "Valkey 9.1.2", "on Python 3.11.7", "Linux x86_64, 2 CPUs", "pid 4711"):
        assert MACHINE_ONLY.search(line), line
    for line in ("redis-py 8.1.0", "Redis 7 does it", "in 2 turns", "SET 3.14"):
        assert not MACHINE_ONLY.search(line), line


@every_notebook
def test_no_address_of_an_object_in_any_output(notebook):
    assert [text for _, _, text in outputs(notebook) if re.search(r"\bat 0x[0-9a-f]{6,}", text)] == []


# What it calls


@every_chapter
def test_the_first_code_cell_imports_and_connects_and_nothing_else(notebook):
    first = code(notebook)[0]
    statements = [ast.unparse(statement) for statement in ast.parse(first.source).body]
    assert statements == ["import lab_utils as lab", "r = lab.connect()"]
    assert "setup" in tags(first)
    assert [cell.source for cell in code(notebook)[1:] if "import lab_utils as lab" in cell.source] == []


@every_chapter
def test_no_cell_is_too_long(notebook):
    assert [cell.source for cell in code(notebook) if len(cell.source.splitlines()) > LONGEST_CELL] == []


@every_notebook
def test_no_line_of_code_is_too_long_to_be_read_without_scrolling(notebook):
    assert [line for cell in code(notebook) for line in cell.source.splitlines() if len(line) > LONGEST_LINE] == []


@every_notebook
def test_every_helper_it_calls_or_names_exists(notebook):
    called = set()
    for cell in code(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lab":
                called.add(node.attr)
    named = set(re.findall(r"`lab\.(\w+)", prose(notebook)))
    assert (called | named) - set(lab.__all__) == set()
    assert called, "the first cell at least calls lab.connect"


@pytest.mark.parametrize("name", lab.__all__)
def test_every_helper_is_there_and_says_what_it_does(name):
    assert getattr(lab, name).__doc__


# How it is made: a tired person finishes it


@every_chapter
def test_the_main_path_is_half_an_hour_and_thirty_cells(notebook):
    path = reading.parts(notebook)[reading.MAIN]
    assert round(path.minutes) <= reading.MOST_MINUTES and path.cells <= reading.MOST_CELLS, path
    assert path.words <= reading.MOST_WORDS, path


@pytest.mark.parametrize("notebook", [pytest.param(path, id=path.stem) for path in CHAPTERS if not path.name.startswith("14")])
def test_no_cell_of_a_main_path_is_over_fifteen_lines(notebook):
    text = nbformat.read(notebook, as_version=4).cells
    deeper = next((at for at, cell in enumerate(text) if cell.source.startswith("## Deeper")), len(text))
    lines = [[line for line in cell.source.splitlines() if line.strip()] for cell in text[:deeper] if cell.cell_type == "code"]
    assert [cell for cell in lines if len(cell) > LONGEST_ON_THE_MAIN_PATH] == []


@every_chapter
def test_it_says_how_long_it_takes(notebook):
    assert reading.stated(notebook) == [part.stated for part in reading.parts(notebook).values()]


@every_chapter
def test_what_goes_deeper_stands_last(notebook):
    headings = re.findall(r"^##? (.*)$", prose(notebook), re.MULTILINE)
    assert "Deeper" not in headings[:-1]


# Where it points: that each link leads somewhere is asked of every page, by test_links.py


@every_chapter
def test_it_links_to_the_next_chapter(notebook):
    later = [link for found in LINK.findall(prose(notebook)) for link in found if re.fullmatch(r"\d\d_\w+\.ipynb", link)]
    following = [path.name for path in CHAPTERS if path.name > notebook.name][:1]
    assert set(following) <= set(later)


def exercises_of(path):
    return [tag.removeprefix("exercise:") for cell in code(path) for tag in tags(cell) if tag.startswith("exercise:")]


@every_chapter
def test_exercises_are_numbered_and_link_to_their_solutions(notebook):
    names = exercises_of(notebook)
    assert names == [f"{notebook.name[:2]}.{number}" for number in range(1, len(names) + 1)]
    for name in names:
        assert f"(../exercises/{name}/solution.py)" in prose(notebook)


@every_chapter
def test_exercises_stand_in_cells_that_end_with_the_check(notebook):
    for cell in code(notebook):
        for name in [tag.removeprefix("exercise:") for tag in tags(cell) if tag.startswith("exercise:")]:
            assert cell.source.splitlines()[-1].startswith(f'lab.check("{name}", ')
            assert f"{name} open: " in "".join(output.text for output in cell.outputs)
