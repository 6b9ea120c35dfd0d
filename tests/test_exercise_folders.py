"""A walk over exercises/: what is right is accepted; each wrong answer gets its own words."""

import functools

import pytest
from helpers import ROOT
from test_chapters import code, exercises_of, tags

import lab_utils as lab
from lab_utils.course import exercises

NAMES = exercises.names()
ANSWERS = sorted(path for path in exercises.FOLDER.glob("*/**/*.py") if path.name != "check.py")
MARK, ACCEPTED = "# refused: ", "# accepted: "  # a part of what must be said, and its end


@functools.cache
def chapter(number):
    """Return ([sources of a chapter's setup cells], {exercise's name: source of its cell}).

    `number` is the chapter's, such as "03".
    """
    [path] = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    setup = [cell.source for cell in code(path) if "setup" in tags(cell)]
    return setup, {name: cell.source for name, cell in exercises_of(path).items()}


@pytest.fixture
def run(lab_server, remembered, monkeypatch, capsys):
    """Return a function `run(exercise, source)` that runs `source` after the setup of its chapter.

    It returns what the cell prints.
    """
    monkeypatch.chdir(ROOT / "notebooks")

    def run_cell(name, source):
        lab.empty(lab.connect())
        space = {"__name__": "__main__"}
        for cell in chapter(name[:2])[0]:
            exec(compile(cell, "<setup>", "exec"), space)
        capsys.readouterr()
        before = keys_of_others(names=("a", "b", "k0", "k1", "k9", "key1", "stock"))
        exec(compile(source, "<answer>", "exec"), space)
        printed = capsys.readouterr()
        assert printed.err == ""
        assert keys_of_others() == before, "the check wrote outside exercise:, or left keys there"
        return printed.out.replace("\n" + " " * 6, " ")  # without the breaks that fit the page

    return run_cell


def keys_of_others(names=()):
    """Return {key: its content as DUMP} of all keys that do not begin with "exercise:".

    Before that, the keys in `names` are set if they are missing.
    """
    with lab.connect() as client:
        for name in names:
            client.setnx(name, "precious")
        assert not list(client.scan_iter("exercise:*")), "keys of an exercise were left behind"
        keys = sorted(client.scan_iter(count=10_000))
        pipe = client.pipeline(transaction=False)
        for key in keys:
            pipe.dump(key)
        return dict(zip(keys, pipe.execute(), strict=True))


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_an_answer(run, path):
    """The check accepts the solution and what is in also/, and refuses what is in wrong/.

    A solution runs twice, since a check has to clean up.
    """
    name, source = path.relative_to(exercises.FOLDER).parts[0], path.read_text(encoding="utf-8")
    first = source.splitlines()[0]
    if path.parent.name != "wrong":
        for _ in range(2 if path.name == "solution.py" else 1):
            said = run(name, source).splitlines()[-2]
            assert said.startswith(f"{name} solved: ")
            assert said.endswith(first.partition(ACCEPTED)[2])
        return
    assert first.startswith(MARK), f"its first line is '{MARK}' and a part of the diagnosis"
    diagnosis, _, hint = run(name, source).partition("\nHint: ")
    assert (
        f"{name} not yet: " in diagnosis and first.removeprefix(MARK).strip() in diagnosis and hint
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_is_whole_and_stands_in_its_chapter(run, name):
    folder, cell = exercises.FOLDER / name, chapter(name[:2])[1][name]
    assert list(folder.glob("also/*.py")) and len(list(folder.glob("wrong/*.py"))) > 1
    known = exercises.load(name)
    assert known.task and len(known.hints) > 1
    assert f"{name} open: {known.task}" in run(name, cell).replace("\n", " ")
    last = (folder / "solution.py").read_text(encoding="utf-8").strip().splitlines()[-1]
    assert last == cell.strip().splitlines()[-1], "the solution is that cell, filled in"


def test_every_exercise_of_a_chapter_has_a_folder_and_no_other_has():
    numbers = {path.name[:2] for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert sorted(name for number in numbers for name in chapter(number)[1]) == NAMES
