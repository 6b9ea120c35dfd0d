"""A learner starts in the middle, runs a cell again, takes up an invitation: nothing may raise."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import alone
import nbformat
import pytest
from chapter_runs import AT_ONCE, CHAPTERS, CHOSEN
from machine import ended

LIMIT_S = 900  # of a chapter


@pytest.mark.timeout(LIMIT_S * len(CHOSEN))
def test_every_section_runs_alone_each_cell_twice_and_with_its_invitations(record_property):
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = [*filter(None, pool.map(problems, CHOSEN))]
    record_property("tries", len(CHOSEN))
    record_property("failures", len(told))
    assert not told, "\n".join(told)


def problems(chapter):
    """What the chapter's run said if anything raised; None if nothing did."""
    try:
        status, told = ended([sys.executable, alone.__file__, chapter], timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"{chapter.name}: not done after {LIMIT_S} s"
    return told if status else None


@pytest.mark.parametrize("chapter", [pytest.param(path, id=path.stem) for path in CHAPTERS])
def test_every_invitation_names_what_a_cell_says(chapter):
    assert alone.sections(chapter)


def written(folder, *cells):
    """A notebook of these cells: prose where a text begins with # or *, code otherwise."""
    new = {True: nbformat.v4.new_markdown_cell, False: nbformat.v4.new_code_cell}
    path = folder / "99_made_up.ipynb"
    cells = [new[text[0] in "#*"](text) for text in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.mark.parametrize(
    "cells, said",
    [
        (
            ["base = 1", "## One", "first = base", "## Two", "second = first + base"],
            "“Two”, alone: NameError: name 'first' is not defined in the cell",
        ),
        (
            ["## One", "names = ['a']", "## Two", "names = ['a']", "del names[0], names"],
            "“Two”, alone: NameError: name 'names' is not defined in the cell",
        ),
        (
            [
                "## One",
                "size = 2",
                "kept = globals().setdefault('kept', size)",
                "assert 4 / (size - 3) and kept != 5",
                "**Change it.** Change `size = 2` to `size = 3`.",
            ],
            "“One”, with `size = 3`: ZeroDivisionError: division by zero in the cell",
        ),
        (
            [
                "## One",
                "size = 2",
                "kept = max(size, globals().get('kept', 0))",
                "assert kept < 5 or size == 5",
                "**Change it.** Change `size = 2` to `size = 5`.",
            ],
            "“One”, after `size = 5`: AssertionError:  in the cell",
        ),
    ],
    ids=["needs another section", "cannot run twice", "breaks its section", "is not set back"],
)
def test_what_raises_is_told(tmp_path, cells, said):
    [told] = alone.problems(written(tmp_path, *cells))
    assert told.splitlines()[0] == f"99_made_up.ipynb, {said}"


def test_an_invitation_to_change_what_nothing_says_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no cell above says `size = 9`"):
        alone.sections(
            written(
                tmp_path, "## One", "size = 2", "**Change it.** Change `size = 9` to `size = 5`."
            )
        )
