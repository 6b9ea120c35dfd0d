"""Each chapter and case was run whole, holds on other machines, and points to what exists."""

import ast
import itertools
import re

import nbformat
import pytest
from helpers import ROOT

import lab_utils as lab

NOTEBOOKS = ROOT / "notebooks"
CHAPTERS, CASES = sorted(NOTEBOOKS.glob("*.ipynb")), sorted(NOTEBOOKS.glob("cases/*.ipynb"))
LONGEST_CELL, LONGEST_ON_THE_MAIN_PATH, LONGEST_LINE = 25, 15, 100
MOST_WORDS, MOST_CELLS, MOST_LINES, MOST_MINUTES = 2_300, 30, 120, 30  # of a main path
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
    """Return {name: cell} of the exercises in the chapter at `path`."""
    return {
        tag.removeprefix("exercise:"): cell
        for cell in code(path)
        for tag in tags(cell)
        if tag.startswith("exercise:")
    }


def main_path(path):
    """Return the cells of the chapter at `path` that all readers read, as a list.

    The cells of exercises are left out, and all cells from the heading "Deeper" on.
    """
    main, in_an_exercise = [], False
    for cell in read(path).cells:
        if cell.source.startswith("## Deeper"):
            break
        if cell.source.startswith(("## ", "### ")):
            in_an_exercise = bool(re.match(r"##+ Exercise", cell.source))
        if not in_an_exercise:
            main.append(cell)
    return main


def path_of_the_readme():
    """Return [(chapter's file name, its minutes)], texts, in the order of the README's table."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"\(notebooks/(\d\d_\w+\.ipynb)\) \|.*\| (\d+) \|", readme)


def outputs(path):
    """Yield (cell, output, text) for each output of the chapter at `path`.

    The text has every form of the output that is not a picture. Of an error it is the message and
    the traceback.
    """
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
    assert sorted(path_of_the_readme()) == [
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
    """What differs on other machines, such as versions and CPUs, stands in lines that say so.

    These begin with "this machine: " or "measured: ".
    """
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
        assert [
            cell.source
            for cell in main_path(notebook)
            if cell.cell_type == "code"
            and len(re.findall(r"(?m)^.*\S", cell.source)) > LONGEST_ON_THE_MAIN_PATH
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
def test_the_main_path_is_half_an_hour_of_reading(notebook):
    """Exercises and Deeper, a chapter's last section, are not counted in that half hour."""
    headings = re.findall(r"^##? (.*)$", prose(notebook), re.MULTILINE)
    assert "Deeper" not in headings[:-1]
    main = main_path(notebook)
    texts = [cell.source for cell in main if cell.cell_type == "markdown"]
    sources = [cell.source for cell in main if cell.cell_type == "code"]
    assert len(" ".join(texts).split()) <= MOST_WORDS
    assert len(sources) <= MOST_CELLS
    lines = sum(len(re.findall(r"(?m)^.*\S", source)) for source in sources)
    assert lines <= MOST_LINES
    said = re.search(r"\*\*Time:\*\* about (\d+) minutes", texts[0])
    assert int(said[1]) <= MOST_MINUTES


# Where it points: that each link leads somewhere is asked of every page, by test_links.py


@every_chapter
def test_it_links_to_the_next_chapter(notebook):
    path = [name for name, _ in path_of_the_readme()]
    following = path[path.index(notebook.name) + 1 :][:1]
    [end] = re.findall(r"(?ms)^## Next$(.*?)(?=^## |\Z)", prose(notebook)) or [prose(notebook)]
    assert all(f"]({name})" in end for name in following)


@every_chapter
def test_an_exercise_ends_the_section_that_it_practises_and_the_first_cell_counts_them(notebook):
    cells, section, task = read(notebook).cells, "", ""
    for cell, after in itertools.pairwise(cells):
        if cell.cell_type == "markdown":
            section, task = (
                next(iter(re.findall(r"(?m)^## (.*)$", cell.source)), section),
                cell.source,
            )
        for name in [tag[9:] for tag in tags(cell) if tag.startswith("exercise:")]:
            assert task.startswith(f"### Exercise {name}\n")
            ends = ("## ", "### ") if section == "Deeper" else ("## ", "### Exercise ")
            assert after.source.startswith(ends), "an exercise is the last of its section"
            assert section not in ("", "Exercises", "In practice", "Next"), name
    said = re.search(r"\*\*Time:\*\* .* (\d+) exercises? \d+ more", cells[0].source)
    assert int(said[1]) == len(exercises_of(notebook))


@every_chapter
def test_exercises_are_numbered_end_with_the_check_and_link_to_their_solutions(notebook):
    """Chapter 03's exercises are 03.1, 03.2 and so on, in any order.

    The prose links to each one's solution.py, and the cell with its check has printed "open".
    """
    found = exercises_of(notebook)
    assert sorted(found) == [f"{notebook.name[:2]}.{number}" for number in range(1, len(found) + 1)]
    for name, cell in found.items():
        assert f"(../exercises/{name}/solution.py)" in prose(notebook)
        assert f"{name} open: " in "".join(output.text for output in cell.outputs)


@every_chapter
def test_what_it_gives_to_copy_is_run_and_needs_nothing_of_the_lab(notebook):
    """Code that a chapter names after "To copy:" stands in a cell or in an exercise's solution.

    Other tests run both. Only chapter 14 may name nothing.
    """
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
