"""tools/notebooks.py: a notebook's file changes where a fact of its outputs did, nowhere else."""

import json

import nbformat
import pytest

from tools import notebooks

BUSY = "from lab_utils import disturbance as d; d.note(d.Disturbance({}))"
ASK_WHETHER_BUSY = notebooks.ASK_WHETHER_BUSY


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return the module tools/notebooks.py, set to ask no server and to find no busy machine."""
    for name in ("TQDM_DISABLE", "LAB_CHAPTER", "MATPLOTLIBRC"):
        monkeypatch.setenv(name, "1")  # put back after the test
    for name, value in (
        ("ASK_VERSIONS", "print('Redis 1')"),
        ("ASK_WHETHER_BUSY", "print('')"),
        ("MEASURED", tmp_path / "claims.json"),
    ):
        monkeypatch.setattr(notebooks, name, value)
    return notebooks


@pytest.fixture
def path(tmp_path):
    return tmp_path / "chapter.ipynb"


def write(path, *sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)), encoding="utf-8")


def test_a_run_that_brings_no_new_fact_leaves_the_file_alone(command, path, capsys):
    write(
        path,
        "import time\nprint(f'3 turns, took ~{time.time()} s')",
        "print('one'); print('two', flush=True); print('three')",
    )
    command.main([str(path)])
    first = path.read_bytes()
    command.main([str(path)])
    assert path.read_bytes() == first
    assert capsys.readouterr().out == "chapter.ipynb: rewritten\nchapter.ipynb: no fact changed\n"
    assert [len(cell.outputs) for cell in nbformat.read(path, as_version=4).cells] == [1, 1]


def test_what_was_measured_busy_is_not_written(command, path, capsys, monkeypatch):
    monkeypatch.setattr(command, "ASK_WHETHER_BUSY", ASK_WHETHER_BUSY)
    write(path, BUSY.format("3, 40, 0.25") + "; print('a fact')")
    before = path.read_bytes()
    assert command.main([str(path)]) == command.main(["--force", str(path)]) == 1
    assert path.read_bytes() == before
    said = capsys.readouterr().out
    assert (
        said.count(
            "chapter.ipynb: NOT rewritten, the machine was busy: other programs took "
            "~25% of the time"
        )
        == 2
    )
    assert "Run it again" in said


CLAIM = "import lab_utils as lab\nlab.claim('C2', commands=40, loop_trips=40, pipeline_trips={})"


def test_a_word_that_changed_is_written_and_its_measurements_with_it(
    command, path, capsys, remembered
):
    write(path, "turns = 1", CLAIM.format("turns"))
    assert command.main([str(path)]) == 0
    book = nbformat.read(path, as_version=4)
    assert command.verdicts(book)["C2"].word == "holds"
    measured = {"commands": 40, "loop_trips": 40, "pipeline_trips": 1}
    assert json.loads(command.MEASURED.read_text(encoding="utf-8")) == {"chapter": {"C2": measured}}
    [shown] = book.cells[1].outputs
    text = shown.data["text/plain"]
    shown.data["text/plain"] = text.replace("verdict: holds", "verdict: depends")
    path.write_text(nbformat.writes(book), encoding="utf-8")
    assert command.main([str(path)]) == 0
    assert command.verdicts(nbformat.read(path, as_version=4))["C2"].word == "holds"
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == [
        "rewritten"
    ] * 2
