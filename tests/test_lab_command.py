"""`make lab` and its like: a learner's edits are never lost, targets explain themselves."""

import importlib.util
import shutil
import subprocess

import nbformat
import pytest
from helpers import ROOT


@pytest.fixture
def command(tmp_path):
    """Return the module tools/lab.py in a folder of its own, with one chapter and one solution."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "lab.py", tmp_path / "tools")
    found = importlib.util.spec_from_file_location("lab_command", tmp_path / "tools" / "lab.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    publish(module, "first")
    (module.EXERCISES / "01.1" / "wrong").mkdir(parents=True)
    for name in ("check.py", "wrong/loop.py", "solution.py"):
        (module.EXERCISES / "01.1" / name).write_text("answer = 1\n", encoding="utf-8")
    return module


CHAPTER, NEW, SOLUTION = "01_chapter.ipynb", "01_chapter.new.ipynb", "solutions/01.1.py"


def notebook(text, output):
    cell = nbformat.v4.new_code_cell(text, id="cell-00", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=output)]
    return nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))


def publish(command, text):
    """Write a new version of the chapter, which says `text`, as a `git pull` would bring it.

    `command` is the module of the fixture of that name.
    """
    command.CHAPTERS.mkdir(exist_ok=True)
    (command.CHAPTERS / CHAPTER).write_text(notebook(text, "published output"), encoding="utf-8")


def edit(command, text, name=CHAPTER):
    (command.WORK / name).write_text(notebook(text, "the learner's output"), encoding="utf-8")


def copies(command):
    """Return {name in work/: text} of every copy; of a notebook the text is its first cell's."""
    found = {}
    for path in command.WORK.rglob("*"):
        if path.is_file() and ".lab" not in path.parts:
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".ipynb":
                text = nbformat.reads(text, as_version=4).cells[0].source
            found[path.relative_to(command.WORK).as_posix()] = text
    return found


def test_the_first_time_everything_is_copied_without_answers(command):
    assert command.bring_up_to_date() == []
    assert copies(command) == {CHAPTER: "first", SOLUTION: "answer = 1\n"}
    cell = nbformat.read(command.WORK / CHAPTER, as_version=4).cells[0]
    assert cell.outputs == [] and cell.execution_count is None
    (command.WORK / CHAPTER).unlink()
    command.bring_up_to_date()  # what was deleted comes back
    assert copies(command)[CHAPTER] == "first"


def test_an_edited_copy_stays_and_each_new_version_is_laid_beside_it(command):
    """A learner may go on in the new version, so edits in it are kept too."""
    command.bring_up_to_date()
    edit(command, "mine")
    known = copies(command)
    assert command.bring_up_to_date() == [] and copies(command) == known
    publish(command, "second")
    [said] = command.bring_up_to_date()
    assert NEW in said and copies(command) == known | {CHAPTER: "mine", NEW: "second"}
    assert command.bring_up_to_date() == []  # said once
    publish(command, "third")  # replaces a new version that nobody edited
    command.bring_up_to_date()
    assert copies(command) == known | {NEW: "third"}
    edit(command, "mine again", NEW)
    publish(command, "fourth")
    [said] = command.bring_up_to_date()
    newest = "01_chapter.new2.ipynb"
    assert newest in said and copies(command) == known | {NEW: "mine again", newest: "fourth"}


def test_what_the_lab_has_no_more_goes_unless_it_was_edited(command):
    command.bring_up_to_date()
    (command.CHAPTERS / CHAPTER).rename(command.CHAPTERS / "02_chapter.ipynb")
    (command.WORK / SOLUTION).write_text("answer = 3\n", encoding="utf-8")
    (command.EXERCISES / "01.1" / "solution.py").unlink()
    assert command.bring_up_to_date() == []
    assert copies(command) == {"02_chapter.ipynb": "first", SOLUTION: "answer = 3\n"}


@pytest.mark.parametrize(
    "content", ["", "[1]", '{"cells": 5}', '{"cells": [{}]}', "[" * 100_000, "{half a file"]
)
def test_a_notebook_of_any_shape_is_kept(command, content):
    command.bring_up_to_date()
    (command.WORK / CHAPTER).write_text(content, encoding="utf-8")
    publish(command, "second")
    assert NEW in command.bring_up_to_date()[0]
    assert (command.WORK / CHAPTER).read_text(encoding="utf-8") == content
    (command.WORK / CHAPTER).unlink()
    assert copies(command)[NEW] == "second"


@pytest.mark.parametrize("record", ["[]", "{", "[" * 100_000, '{"01_chapter.ipynb": [5]}'])
def test_a_record_that_is_damaged_loses_no_edits(command, record):
    command.bring_up_to_date()
    edit(command, "mine")
    command.RECORD.write_text(record, encoding="utf-8")
    command.bring_up_to_date()
    assert copies(command).items() >= {CHAPTER: "mine", NEW: "first"}.items()
    assert command.bring_up_to_date() == []


@pytest.mark.parametrize("place", ["work", "work/.lab", "work/solutions"])
def test_where_work_cannot_be_written_make_lab_says_so_and_ends(command, place):
    path = command.ROOT / place
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        command.main([])
    assert place in ended.value.code and "Rename" in ended.value.code  # printed, and status 1
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_link_out_of_work_is_never_written_through(command, tmp_path):
    elsewhere = tmp_path / "elsewhere.ipynb"
    elsewhere.write_text(notebook("first", ""), encoding="utf-8")  # the version that was laid
    before = elsewhere.read_bytes()
    command.WORK.mkdir()
    (command.WORK / CHAPTER).symlink_to(elsewhere)
    for text in ("first", "second"):
        publish(command, text)
        command.bring_up_to_date()
    assert elsewhere.read_bytes() == before and (command.WORK / CHAPTER).is_symlink()
    assert copies(command)[NEW] == "second"


def test_a_folder_in_place_of_a_notebook_is_kept_with_what_is_in_it(command):
    mine = command.WORK / CHAPTER / "mine.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("precious", encoding="utf-8")
    assert len(command.bring_up_to_date()) == 1
    assert mine.read_text(encoding="utf-8") == "precious" and copies(command)[NEW] == "first"
    assert command.bring_up_to_date() == []  # said once


def test_a_copy_that_was_only_run_or_has_links_to_solutions_is_no_edit(command):
    command.bring_up_to_date()
    edit(command, "first")  # the same cells, the learner's outputs
    publish(command, "second")
    assert command.bring_up_to_date() == []
    assert copies(command) == {CHAPTER: "second", SOLUTION: "answer = 1\n"}
    # A link to a solution leads to its copy and is no edit.
    cell = nbformat.v4.new_markdown_cell("[Solution](../exercises/01.1/solution.py)", id="cell-00")
    linked = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    (command.CHAPTERS / CHAPTER).write_text(linked, encoding="utf-8")
    command.bring_up_to_date()
    assert copies(command)[CHAPTER] == "[Solution](solutions/01.1.py)"
    publish(command, "second")
    assert command.bring_up_to_date() == [] and copies(command)[CHAPTER] == "second"


def test_what_chapters_lead_to_is_copied_and_leads_back(command):
    """Pages that chapters link to are copied too, since JupyterLab shows nothing outside work/."""
    sheet = command.ROOT / "docs" / "symptoms.md"
    sheet.parent.mkdir()
    sheet.write_text("[01](../notebooks/01_chapter.ipynb#In-practice)\n", encoding="utf-8")
    cell = nbformat.v4.new_markdown_cell("[Symptoms](../docs/symptoms.md#errors)", id="cell-00")
    linked = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    (command.CHAPTERS / CHAPTER).write_text(linked, encoding="utf-8")
    for _ in range(2):  # the copy is no edit
        assert command.bring_up_to_date() == []
    assert copies(command)[CHAPTER] == "[Symptoms](symptoms.md#errors)"
    assert copies(command)["symptoms.md"] == "[01](01_chapter.ipynb#In-practice)\n"
    sheet.write_text("[01](../notebooks/01_chapter.ipynb)\n", encoding="utf-8")
    assert command.bring_up_to_date() == []
    assert copies(command)["symptoms.md"] == "[01](01_chapter.ipynb)\n"


# make


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed here")
def test_make_alone_lists_the_targets_and_without_a_python_says_what_to_do(tmp_path):
    told = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0
    listed = {line.split()[0] for line in told.stdout.splitlines()}
    assert {"lab", "test", "room", "board", "doctor", "book", "wheelhouse", "clean"} <= listed
    assert all(len(line.split()) > 2 for line in told.stdout.splitlines())
    shutil.copy(ROOT / "Makefile", tmp_path)
    told = subprocess.run(["make", "lab", "PYTHON="], cwd=tmp_path, capture_output=True, text=True)
    assert told.returncode != 0 and "3.11" in told.stdout and "PYTHON=/path/to/" in told.stdout
