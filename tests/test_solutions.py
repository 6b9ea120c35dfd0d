"""Every exercise: open as committed, each wrong answer refused with its own diagnosis, the solution solved."""

import functools

import nbformat
import pytest
from helpers import ROOT

import lab_utils as lab

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SOLUTIONS = sorted((ROOT / "notebooks" / "solutions").glob("*.py"))
ALSO = sorted((ROOT / "notebooks" / "solutions" / "also").glob("*.py"))
WRONG = sorted((ROOT / "notebooks" / "solutions" / "wrong").glob("*.py"))
MARK = "# refused: "


@functools.cache
def chapter(number):
    """(the sources of a chapter's setup cells, {exercise: source of its cell})."""
    setup, exercises = [], {}
    for path in CHAPTERS:
        if not path.name.startswith(f"{number}_"):
            continue
        for cell in nbformat.read(path, as_version=4).cells:
            tags = cell.metadata.get("tags", [])
            if "setup" in tags:
                setup.append(cell.source)
            exercises.update({tag.removeprefix("exercise:"): cell.source for tag in tags if tag.startswith("exercise:")})
    return setup, exercises


UNSOLVED = [name for path in CHAPTERS for name in chapter(path.name[:2])[1]]


@pytest.fixture
def run(lab_server, remembered, monkeypatch, capsys):
    """run(exercise, source): what a cell prints in a fresh kernel that has run the chapter's setup cells."""
    monkeypatch.chdir(ROOT / "notebooks")

    def run_cell(exercise, source):
        setup, known = chapter(exercise.split(".")[0])
        assert exercise in known, f"no chapter has a cell tagged exercise:{exercise}"
        space = {"__name__": "__main__"}
        for cell in setup:
            exec(compile(cell, "<setup>", "exec"), space)
        capsys.readouterr()
        before = keys_of_others(names=("a", "b", "k0", "k1", "k9", "key1", "stock"))
        exec(compile(source, "<answer>", "exec"), space)
        printed = capsys.readouterr()
        assert printed.err == ""
        assert keys_of_others() == before, "the check wrote outside exercise:, or left something there"
        return printed.out

    return run_cell


def in_one_line(printed):
    """Without the breaks that fit it to the page."""
    return printed.replace("\n" + " " * 6, " ")


def keys_of_others(names=()):
    """{key: its value as DUMP tells it} of every key outside `exercise:`, after `names` were set where they are missing."""
    with lab.connect() as client:
        for name in names:
            client.setnx(name, "precious")
        assert not list(client.scan_iter("exercise:*")), "keys of an exercise were left behind"
        keys = sorted(client.scan_iter(count=10_000))
        pipe = client.pipeline(transaction=False)
        for key in keys:
            pipe.dump(key)
        return dict(zip(keys, pipe.execute(), strict=True))


def exercise_of(path):
    return path.stem.split("_")[0]


@pytest.mark.parametrize("name", UNSOLVED)
def test_unsolved_it_is_open(run, name):
    _, known = chapter(name.split(".")[0])
    assert f"{name} open: " in run(name, known[name])


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_the_solution_is_accepted_and_accepted_again(run, path):
    """A check cleans up after itself."""
    for _ in range(2):
        printed = in_one_line(run(exercise_of(path), path.read_text(encoding="utf-8")))
        assert printed.splitlines()[-1].startswith(f"{exercise_of(path)} solved: ")


@pytest.mark.parametrize("path", ALSO, ids=lambda path: path.stem)
def test_another_right_answer_is_accepted(run, path):
    printed = in_one_line(run(exercise_of(path), path.read_text(encoding="utf-8")))
    assert printed.splitlines()[-1].startswith(f"{exercise_of(path)} solved: ")


def test_each_exercise_has_another_right_answer_and_a_wrong_one():
    assert {exercise_of(path) for path in ALSO} == {exercise_of(path) for path in WRONG} == set(UNSOLVED)


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_wrong_answer_is_refused_with_its_diagnosis(run, path):
    source = path.read_text(encoding="utf-8")
    first = source.splitlines()[0]
    assert first.startswith(MARK), f"its first line must be '{MARK}' and a fragment of the diagnosis"
    printed = in_one_line(run(exercise_of(path), source))
    assert f"{exercise_of(path)} not yet: " in printed
    assert first.removeprefix(MARK).strip() in printed.split("Hint: ")[0]
    assert "\nHint: " in printed


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_the_solution_defines_what_the_chapter_asks_for(path):
    """It is the chapter's cell, filled in: the same last line."""
    _, known = chapter(exercise_of(path).split(".")[0])
    assert exercise_of(path) in known
    assert path.read_text(encoding="utf-8").strip().splitlines()[-1] == known[exercise_of(path)].strip().splitlines()[-1]
