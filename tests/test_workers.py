"""Workers share tests and chapters; what reads what chapters reached comes last, when the others have ended (see conftest.py)."""

import os
import shutil
import subprocess
import sys

from helpers import ROOT

NOTES = """
import os, time
from pathlib import Path

def note(words):
    with open(Path(__file__).parent / "notes", "a") as file:
        file.write(f"{os.environ['PYTEST_XDIST_WORKER']} {words}\\n")
"""
BESIDE = """
def test_{name}():
    note("{name} begins")
    while "{other} begins" not in (Path(__file__).parent / "notes").read_text():
        time.sleep(0.01)
    note("{name} ends")

def test_{name}_again():
    note("{name} ends")
"""
REACHED = """
def test_reached():
    note("reached")

def test_fails():
    note("reached")
    assert not "{fails}"
"""
CHAPTERS = """
import pytest

class Chapter(pytest.File):
    def collect(self):
        yield Cell.from_parent(self, name="cell")

class Cell(pytest.Item):
    def runtest(self):
        note(self.path.stem + " begins")
        time.sleep(0.4)
        note(self.path.stem + " ends")

def pytest_collect_file(file_path, parent):
    return Chapter.from_parent(parent, path=file_path) if file_path.suffix == ".ipynb" else None
"""
CRASHES = """
def test_crashes():
    os._exit(3)

def test_after_it():
    note("{name} ends")
"""


def run(folder, *options, workers=2, **sources):
    """(exit status, what pytest printed, [[worker, what], …] in the order of time) of these tests with so many workers."""
    shutil.copy(ROOT / "conftest.py", folder)
    shutil.copy(ROOT / "tests" / "nbval_kernels.py", folder)
    for name, source in sources.items():
        (folder / f"test_{name}.py").write_text(NOTES + source, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", str(workers), "-p", "xdist.plugin", *options],
                          cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                          env={**environment, "PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                               "PYTEST_ADDOPTS": "-p no:cacheprovider"})
    notes = folder / "notes"
    assert notes.exists(), done.stdout
    return done.returncode, done.stdout, [line.split(" ", 1) for line in notes.read_text(encoding="utf-8").splitlines()]


def test_two_at_a_time_and_then_what_was_reached(tmp_path):
    status, printed, notes = run(tmp_path, verdict_words=REACHED.format(fails=""), one=BESIDE.format(name="one", other="two"),
                                 two=BESIDE.format(name="two", other="one"))
    assert status == 0 and "6 passed" in printed, printed
    assert {what for _, what in notes[:2]} == {"one begins", "two begins"} and notes[0][0] != notes[1][0]
    assert [what for _, what in notes[-2:]] == ["reached"] * 2 and notes[-1][0] == notes[-2][0]
    assert sum(what.endswith(" ends") for _, what in notes[:-2]) == 4


def test_three_share_the_tests_and_two_the_chapters(tmp_path):
    (tmp_path / "chapters.py").write_text(NOTES + CHAPTERS, encoding="utf-8")
    for number in range(6):
        (tmp_path / f"{number}.ipynb").touch()
    begins = "\ndef test_begins():\n    note('begins')\n    time.sleep(2)\n"
    status, printed, notes = run(tmp_path, "-p", "chapters", workers=3, verdict_words=REACHED.format(fails=""),
                                 one=begins, two=begins, three=begins)
    assert status == 0 and "11 passed" in printed, printed
    assert {what for _, what in notes[:3]} == {"begins"} and len({worker for worker, _ in notes[:3]}) == 3
    assert len({worker for worker, what in notes if what[0].isdigit()}) == 2
    running = [what.endswith("begins") - what.endswith("ends") for _, what in notes[3:-2]]
    assert max(sum(running[:place]) for place in range(len(running))) == 2
    assert [what for _, what in notes[-2:]] == ["reached"] * 2


def test_they_share_what_chapters_reach(tmp_path):
    notes = "\ndef test_where():\n    note(os.environ['LAB_STATE'] + ' ' + os.environ['LAB_FIGURE_LOG'])\n    time.sleep(0.5)\n"
    status, printed, notes = run(tmp_path, one=notes, two=notes, verdict_words=notes)
    assert status == 0, printed
    assert len({worker for worker, _ in notes}) == 2 and len(notes) == 3 and len({where for _, where in notes}) == 1


def test_what_fails_in_either_part_is_told_at_the_end_of_all(tmp_path):
    status, printed, notes = run(tmp_path, figures_of_chapters=REACHED.format(fails="yes"), one=CRASHES.format(name="one"),
                                 other="def test_other():\n    assert False\n")
    told = printed[printed.index("short test summary"):]
    assert status == 1 and "3 failed, 2 passed" in told, printed
    assert all(failed in told for failed in ("one.py::test_crashes", "other.py::test_other", "chapters.py::test_fails")), told
    assert [what for _, what in notes].count("reached") == 2


def test_the_first_failure_ends_both_where_that_is_asked_for(tmp_path):
    (tmp_path / "notes").touch()
    fails = "def test_one():\n    assert False\n"
    status, printed, notes = run(tmp_path, "-x", verdict_words=REACHED.format(fails=""), one=fails)
    assert status == 2 and "1 failed" in printed and notes == []
