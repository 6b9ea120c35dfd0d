"""tools/notebooks.py: a notebook's file changes where a fact in its outputs did, and nowhere else."""

import importlib.util
import json
import sys

import nbformat
import pytest
from helpers import ROOT

from lab_utils.testbed import fingerprints


@pytest.fixture
def command(tmp_path, monkeypatch):
    """tools/notebooks.py as a module, and a notebook with a fact and a measurement."""
    found = importlib.util.spec_from_file_location("notebooks_command", ROOT / "tools" / "notebooks.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.setenv("LAB_CHAPTER", "")  # put back after the test
    module.ASKED, module.ASK_VERSIONS = module.ASK_VERSIONS, "print('Redis 1')"  # or each run would start a server
    return module


def write(path, *sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)), encoding="utf-8")


def test_a_run_that_brings_no_new_fact_leaves_the_file_alone(command, tmp_path, capsys):
    path = tmp_path / "chapter.ipynb"
    write(path, "import time\nprint(f'3 turns, took ~{time.time()} s')", "print('one'); print('two', flush=True); print('three')")
    command.main([str(path)])
    first = path.read_bytes()
    command.main([str(path)])
    assert path.read_bytes() == first
    assert capsys.readouterr().out == "chapter.ipynb: rewritten\nchapter.ipynb: no fact changed\n"
    book = nbformat.read(path, as_version=4)
    assert [cell.execution_count for cell in book.cells] == [1, 2]
    assert [len(cell.outputs) for cell in book.cells] == [1, 1]
    assert [cell.id for cell in book.cells] == ["cell-00", "cell-01"]
    assert book.metadata.measured.on == "Redis 1"
    assert b"execution" not in first.replace(b"execution_count", b"") and str(sys.prefix).encode() not in first


def test_the_versions_are_those_under_the_figures(command, capsys):
    exec(command.ASKED, {})
    assert capsys.readouterr().out == fingerprints.environment_line() + "\n"


def test_what_was_measured_busy_is_not_written(command, tmp_path, capsys):
    path = tmp_path / "chapter.ipynb"
    write(path, "from lab_utils import calm\ncalm.note(calm.Calm(3, 40, 0.25))\nprint('a new fact')")
    before = path.read_bytes()
    assert command.main([str(path)]) == command.main(["--force", str(path)]) == 1
    assert path.read_bytes() == before
    said = capsys.readouterr().out
    assert said.count("chapter.ipynb: NOT rewritten, the machine was busy: other programs took ~25% of the time") == 2
    assert "Run it again" in said


def test_a_figure_of_a_failed_measurement_is_not_written(command, tmp_path, capsys, monkeypatch):
    path = tmp_path / "chapter.ipynb"
    write(path, "sweep.plot()")
    before, after = path.read_bytes(), nbformat.read(path, as_version=4)
    alt = {"image/png": {"alt": "RTT 1 ms: no knee shown, 2 s at 10"}}
    after.cells[0].outputs = [nbformat.v4.new_output("display_data", data={"text/plain": "one"}, metadata=alt)]
    monkeypatch.setattr(command, "run", lambda _: (after, ""))
    assert command.main([str(path)]) == 1 and path.read_bytes() == before
    assert "NOT rewritten, a figure says “no knee shown”: RTT 1 ms" in capsys.readouterr().out


def test_a_scoreboard_is_busy_if_a_trial_was(command, tmp_path, capsys, remembered, monkeypatch):
    known = {"text": "", "article": "", "word": "holds", "because": "", "measured": {}}
    tried = {"C2": known | {"chapters": {"14_scoreboard": {"word": "holds", "taken_share": 0.3}}},
             "C3": known | {"chapters": {"14_scoreboard": {"word": "holds", "taken_share": 0.0}, "10": {"taken_share": 0.5}}}}
    command.os.makedirs(remembered)
    (remembered / "state.json").write_text(json.dumps({"claims": tried}), encoding="utf-8")
    path = tmp_path / "14_scoreboard.ipynb"
    write(path, "lab.retrial()")
    monkeypatch.setattr(command, "run", lambda path: (nbformat.v4.new_notebook(), ""))
    assert command.main([str(path)]) == 1
    assert "NOT rewritten, the machine was busy when claims were tried: C2" in capsys.readouterr().out


CLAIM = "import lab_utils as lab\nlab.claim('C2', commands=40, loop_trips=40, pipeline_trips={})"


def test_a_word_that_changed_is_written_and_its_measurements_with_it(command, tmp_path, capsys, remembered):
    command.MEASURED = tmp_path / "claims.json"
    path = tmp_path / "chapter.ipynb"
    write(path, "turns = 1", CLAIM.format("turns"))
    assert command.main([str(path)]) == 0
    book = nbformat.read(path, as_version=4)
    assert command.words(book) == {"C2": "holds"}
    measured = {"commands": 40, "loop_trips": 40, "pipeline_trips": 1}
    assert json.loads(command.MEASURED.read_text(encoding="utf-8")) == {"chapter": {"C2": measured}}
    [shown] = book.cells[1].outputs
    shown.data["text/plain"] = shown.data["text/plain"].replace("verdict: holds", "verdict: depends")
    path.write_text(nbformat.writes(book), encoding="utf-8")
    assert command.main([str(path)]) == 0
    assert command.words(nbformat.read(path, as_version=4)) == {"C2": "holds"}
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == ["rewritten"] * 2


def test_what_is_a_change(command):
    def book(text, source="print()"):
        cell = nbformat.v4.new_code_cell(source, execution_count=1)
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        return command.comparable(nbformat.v4.new_notebook(cells=[cell]))

    assert book("3 turns, ~5.2 ms") == book("3 turns, ~7.9 ms")
    assert book("3 turns, ~5.2 ms") != book("4 turns, ~5.2 ms")
    assert book("3 turns") != book("3 turns", source="print( )")
