"""tools/ci_summary.py: of a run's reports it tells facts from words, and says what failed and what took long."""

import importlib.util
import subprocess
import sys

import pytest
from helpers import ROOT

TOOL = ROOT / "tools" / "ci_summary.py"
CELL = '<testcase classname="notebooks.01_round_trips.ipynb" name="Cell 3" time="2.5">{}</testcase>'
WORD = '<testcase classname="tests.test_verdict_words" name="test_the_words_are_the_committed_ones" time="0.1">{}</testcase>'
FIGURE = '<testcase classname="tests.test_figures_of_chapters" name="test_legible" time="0.1">{}</testcase>'
OWN = '<testcase classname="tests.test_link" name="test_late" time="0.5">{}</testcase>'
DRILL = '<testcase classname="tests.drills.test_killed" name="test_sigkill" time="9">{}</testcase>'


@pytest.fixture
def summary(tmp_path):
    """summary(*cases): (exit status, what it says of a report with these cases)."""
    def told(*cases):
        (tmp_path / "test.xml").write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>", encoding="utf-8")
        ran = subprocess.run([sys.executable, TOOL, tmp_path], stdout=subprocess.PIPE, text=True)
        return ran.returncode, ran.stdout
    return told


def test_all_is_well(summary):
    status, said = summary(CELL, WORD, FIGURE, OWN.format("<skipped/>"))
    assert status == 0 and "❌" not in said and "⚠️" not in said
    assert "Facts: all are the committed ones. 1 tests" in said and "Words of verdicts: all are the committed ones." in said
    assert "1 of them skipped" in said
    assert "| 2.5 | 1 | notebooks.01_round_trips.ipynb |" in said and "all: 3 s" in said


def test_a_word_that_changed_is_no_fact(summary):
    _, said = summary(CELL, FIGURE, OWN, WORD.format('<failure message="x">01: C1 turned from “holds” to “depends”.</failure>'))
    assert "✅ Facts" in said and "❌ **Words of verdicts changed**: 1 of 1" in said and "C1 turned from “holds”" in said


def test_a_fact_that_changed_is_no_word(summary):
    _, said = summary(WORD, FIGURE, OWN, CELL.format('<failure message="x">#x1B[91mround trips#x1B[0m 100, not 1</failure>'))
    assert "❌ **Facts changed, or a cell failed**: 1 of 1, in notebooks.01_round_trips.ipynb" in said
    assert "✅ Words of verdicts" in said and "round trips 100, not 1" in said and "Cell 3" in said


def test_a_long_failure_is_cut_and_an_empty_one_counts(summary):
    lines = "\n".join(f"line {number}" for number in range(100))
    _, said = summary(OWN.format(f'<error message="x">{lines}</error>'), DRILL.format('<failure message=""></failure>'))
    assert "line 0\n" in said and "line 99" in said and "line 50\n" not in said
    assert "❌ **The lab's own tests fail**" in said and "❌ **Drills fail**" in said


def test_what_did_not_run_is_said(summary):
    _, said = summary(OWN)
    assert "**chapters**: none ran" in said and "**words of verdicts**: none ran" in said and "drills" not in said
    _, said = summary(DRILL)
    assert "⚠️" not in said and "The drills pass." in said


def test_claims_that_a_busy_machine_left_untested(summary):
    properties = "<properties><property name='untested' value='B2'/><property name='untested' value='A4'/></properties>"
    _, said = summary(CELL, WORD.format(properties))
    assert "untested, which is no failure: A4, B2" in said


def test_no_report_is_a_failure(tmp_path):
    ran = subprocess.run([sys.executable, TOOL, tmp_path / "nowhere"], stdout=subprocess.PIPE, text=True)
    assert ran.returncode == 1 and "No test ran" in ran.stdout


def test_a_report_that_was_cut_off(tmp_path):
    (tmp_path / "test.xml").write_text("<testsuites><testsuite><testcase", encoding="utf-8")
    ran = subprocess.run([sys.executable, TOOL, tmp_path], stdout=subprocess.PIPE, text=True)
    assert ran.returncode == 0 and "❌" in ran.stdout and "cannot be read" in ran.stdout


def test_the_kinds_are_those_of_the_labs_tests():
    found = importlib.util.spec_from_file_location("ci_summary", TOOL)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    for path in (ROOT / "tests").glob("test_*.py"):
        kind = {"test_verdict_words": module.WORDS, "test_figures_of_chapters": module.FIGURES}.get(path.stem, module.OWN)
        assert module.kind_of(f"tests.{path.stem}") == kind
    assert module.kind_of("tests.drills.test_killed") == module.DRILLS
    assert module.kind_of("notebooks.01_round_trips.ipynb") == module.CHAPTERS
