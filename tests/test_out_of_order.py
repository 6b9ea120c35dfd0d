"""A cell run before one it needs says which one that is."""

import nbformat
import pytest
from nbclient import NotebookClient

from lab_utils.course.out_of_order import made_by, sentence

MADE = [
    ("first, (second, *rest) = a = values", {"first", "second", "rest", "a"}),
    (
        "def loop(r):\n    inner = 1\nasync def work(): ...\nclass Cart:\n    size = 1",
        {"loop", "work", "Cart"},
    ),
    (
        "import redis.asyncio\nimport json as packer\nfrom time import monotonic as now",
        {"redis", "packer", "now"},
    ),
    (
        "for number in range(3):\n    last = number\nwith lab.spare() as sp:\n    pass",
        {"number", "last", "sp"},
    ),
    ("sizes = [len(x) for x in values]\nsort = lambda one: one", {"sizes", "sort"}),
    ("if (found := await look()):\n    pass", {"found"}),
    ("%matplotlib inline", set()),
    ("", set()),
]


def test_the_names_that_a_cell_makes():
    for source, names in MADE:
        assert made_by(source) == names


@pytest.fixture
def path(tmp_path):
    texts = [
        "# A chapter",
        "import lab_utils as lab\n\nlab.connect",
        "## One",
        "values = [1]\nsize = 1",
        "### Two",
        "values = [2]",
        "print(values, size)",
        "## Three",
        "values = [3]",
    ]
    new = {True: nbformat.v4.new_markdown_cell, False: nbformat.v4.new_code_cell}
    cells = [new[text.startswith("#")](text) for text in texts]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "99_made_up.ipynb")
    return tmp_path / "99_made_up.ipynb"


def test_the_nearest_cell_above_is_named_with_its_section(path):
    told = sentence("values", "print(values, size)", path)
    assert told == (
        "`values` is made in the cell that begins `values = [2]`, in the section "
        "“Two”. Run that section from its first cell, then this cell again."
    )
    told = sentence("size", "print(values, size)", path)
    assert "begins `values = [1]`, in the section “One”" in told


def test_a_cell_of_the_learners_own_takes_the_last(path):
    assert "begins `values = [3]`" in sentence("values", "values[0] + 1", path)


def test_what_no_cell_makes_or_cannot_be_read_is_left_to_python(path, tmp_path):
    assert sentence("valeus", "print(values, size)", path) == ""
    assert sentence("r", "print(values, size)", path) == ""
    (tmp_path / "half.ipynb").write_text('{"cells": [', encoding="utf-8")
    assert sentence("values", "values", tmp_path / "half.ipynb") == ""


def test_in_a_kernel_it_stands_below_the_error(path, monkeypatch):
    """And nothing, where the notebook has been saved elsewhere."""
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    monkeypatch.delenv("LAB_CHAPTER", raising=False)
    notebook = nbformat.read(path, as_version=4)
    moved = nbformat.v4.new_code_cell(
        "import os\nos.environ['JPY_SESSION_NAME'] = 'elsewhere.ipynb'"
    )
    notebook.cells = [notebook.cells[1], notebook.cells[6], moved, notebook.cells[6].copy()]
    NotebookClient(notebook, timeout=60, allow_errors=True).execute()
    told, untold = (
        [output.get("text", output.get("ename")) for output in notebook.cells[at].outputs]
        for at in (1, 3)
    )
    assert (
        "NameError" in told and "begins `values = [2]`" in "".join(told) and untold == ["NameError"]
    )
