"""A learner starts in the middle, runs a cell again, takes up an invitation: nothing may raise."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import alone
import nbformat
import pytest
from chapter_runs import AT_ONCE, CHAPTERS
from tries import SIZE

LIMIT_S = 900  # of a chapter
# CI tries every fourth chapter, others every day; DRILLS=full all.
CHOSEN = CHAPTERS if SIZE == "full" else CHAPTERS[int(time.time() // 86_400) % 4::4]


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
        ended = subprocess.run([sys.executable, Path(alone.__file__), chapter],
                               capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"{chapter.name}: not done after {LIMIT_S} s"
    return ended.stdout + ended.stderr[-2000:] if ended.returncode else None


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


def test_a_section_that_needs_another_is_told(tmp_path):
    told = alone.problems(written(tmp_path, "base = 1", "## One", "first = base",
                                  "## Two", "second = first + base"))
    assert [line.splitlines()[0] for line in told] == [
        "99_made_up.ipynb, “Two”, alone: NameError: name 'first' is not defined in the cell"]


def test_a_cell_that_cannot_run_twice_is_told(tmp_path):
    told = alone.problems(written(tmp_path, "## One", "names = ['a']",
                                  "## Two", "names = ['a']", "del names[0], names"))
    assert len(told) == 1 and "“Two”, alone: NameError" in told[0]


def test_an_invitation_that_breaks_its_section_is_told_and_so_is_one_that_is_not_set_back(tmp_path):
    told = alone.problems(written(tmp_path, "## One", "size = 2",
                                  "kept = globals().setdefault('kept', size)",
                                  "assert 4 / (size - 3) and kept != 5",
                                  "**Change it.** Change `size = 2` to `size = 3`."))
    assert len(told) == 1 and "with `size = 3`: ZeroDivisionError" in told[0]
    told = alone.problems(written(tmp_path, "## One", "size = 2",
                                  "kept = max(size, globals().get('kept', 0))",
                                  "assert kept < 5 or size == 5",
                                  "**Change it.** Change `size = 2` to `size = 5`."))
    assert len(told) == 1 and "after `size = 5`: AssertionError" in told[0]


def test_an_invitation_to_change_what_nothing_says_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no cell above says `size = 9`"):
        alone.sections(written(tmp_path, "## One", "size = 2",
                               "**Change it.** Change `size = 9` to `size = 5`."))
