"""What the lab remembers between chapters: never lost, never in the way of a lesson, whatever stands in its place."""

import json
import os
import subprocess
import sys
import time

import pytest

import lab_utils as lab
from lab_utils.course import exercises, state
from lab_utils.course.checking import Refused
from lab_utils.course.exercises import Exercise

SOLVED = {"solved": True, "tries": 0}
BROKEN = {
    "nothing": "", "half": "{", "zeros": "\0\0", "a list": "[]", "a number": "5", "null": "null", "deep": "[" * 200_000,
    "a long number": '{"03.1": {"solved": true, "tries": ' + "9" * 5_000 + "}}", "bytes": b"\xff\xfe\x00{",
    "huge": json.dumps({"03.1": "x" * state.LARGEST}),
}
UNSOUND = {
    "an entry that is a number": {"01.1": 5}, "an entry that is a list": {"01.1": []}, "an empty entry": {"01.1": {}},
    "tries in words": {"01.1": {"solved": False, "tries": "many"}}, "solved in words": {"01.1": {"solved": "yes", "tries": 1}},
}


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(state, "said", set())


@pytest.fixture
def file(remembered):
    remembered.mkdir()
    return remembered / "progress.json"


@pytest.fixture
def trial(monkeypatch):
    """An exercise 99.1 that takes any answer but the number 0."""
    def check(answer):
        if answer == 0:
            raise Refused("0")
        return "taken"

    exercises.load_all()
    monkeypatch.setitem(exercises.EXERCISES, "99.1", Exercise("99.1", "write a number.", ("a", "b"), check))


def names(folder):
    """All but the note that the folder knows the chapters' numbers."""
    return sorted(path.name for path in folder.iterdir() if path.name != "plan.json")


def remember(name, key, entry):
    with state.changing(name) as content:
        content[key] = entry


def test_what_is_saved_is_loaded(remembered):
    assert state.load("progress") == {}
    assert not remembered.exists()  # looking leaves nothing
    remember("progress", "03.1", SOLVED)
    assert state.load("progress") == {"03.1": SOLVED}
    assert names(remembered) == ["progress.json"]  # and no scratch file stays


def test_what_was_solved_before_chapters_were_renumbered_counts_by_the_new_numbers_once(file, remembered):
    old = {"12.1": {"solved": True, "tries": 1}, "10.2": {"solved": True, "tries": 2}, "10.3": {"solved": False, "tries": 3},
           "01.1": {"solved": True, "tries": 0}}
    file.write_text(json.dumps(old), encoding="utf-8")
    now = {"14.1": old["12.1"], "11.1": old["10.2"], "10.2": old["10.3"], "01.1": old["01.1"]}
    assert state.load("progress") == now
    assert state.load("progress") == now
    with state.changing("progress") as progress:
        progress["12.1"] = {"solved": True, "tries": 9}  # another exercise, of a chapter that came later
    assert state.load("progress") == {**now, "12.1": {"solved": True, "tries": 9}}


def test_a_new_folder_has_nothing_to_renumber(remembered):
    with state.changing("progress") as progress:
        progress["12.1"] = {"solved": True, "tries": 0}
    assert state.load("progress") == {"12.1": {"solved": True, "tries": 0}}


def test_nothing_is_made_by_reading(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_STATE", str(tmp_path / "none"))
    assert state.load("progress") == {} and names(tmp_path) == []


def test_it_stands_beside_the_notebooks_unless_told_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("LAB_STATE", raising=False)
    monkeypatch.chdir(tmp_path)
    remember("progress", "03.1", SOLVED)
    assert (tmp_path / ".lab" / "progress.json").exists()


def test_a_change_that_fails_is_not_remembered(remembered):
    remember("progress", "03.1", SOLVED)
    with pytest.raises(ZeroDivisionError), state.changing("progress") as progress:
        progress["03.2"] = 1 / 0
    assert state.load("progress") == {"03.1": SOLVED}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_kept_aside_as_it_was_and_said_in_one_line(file, capsys, content):
    content = content if isinstance(content, bytes) else content.encode()
    file.write_bytes(content)
    assert state.load("progress") == {}
    assert capsys.readouterr().out.count("\n") == 1
    assert (file.parent / "progress.json.broken-1").read_bytes() == content
    remember("progress", "03.1", SOLVED)
    assert state.load("progress") == {"03.1": SOLVED}
    assert names(file.parent) == ["progress.json", "progress.json.broken-1"]


@pytest.mark.parametrize("content", UNSOUND.values(), ids=UNSOUND)
def test_the_sound_entries_of_a_broken_file_stay(file, capsys, content):
    whole = json.dumps({**content, "03.1": SOLVED})
    file.write_text(whole, encoding="utf-8")
    assert state.load("progress") == {"03.1": SOLVED}
    assert "holds 1 entries" in capsys.readouterr().out
    assert (file.parent / "progress.json.broken-1").read_text(encoding="utf-8") == whole
    assert json.loads(file.read_text(encoding="utf-8")) == {"03.1": SOLVED}


def test_a_second_broken_file_does_not_replace_the_first(file):
    for content in ("first", "second"):
        file.write_text(content, encoding="utf-8")
        state.load("progress")
    kept = [(file.parent / f"progress.json.broken-{number}").read_text(encoding="utf-8") for number in (1, 2)]
    assert kept == ["first", "second"]


def test_a_folder_in_its_place_is_kept_aside_with_what_is_in_it(file):
    file.mkdir()
    (file / "mine.txt").write_text("precious", encoding="utf-8")
    remember("progress", "03.1", SOLVED)
    assert state.load("progress") == {"03.1": SOLVED}
    assert (file.parent / "progress.json.broken-1" / "mine.txt").read_text(encoding="utf-8") == "precious"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_in_its_place_does_not_make_it_wait(file):
    os.mkfifo(file)
    assert state.load("progress") == {}


def test_a_dangling_link_is_not_written_through(file, tmp_path):
    file.symlink_to(tmp_path / "elsewhere")
    remember("progress", "03.1", SOLVED)
    assert not (tmp_path / "elsewhere").exists()
    assert state.load("progress") == {"03.1": SOLVED}


def test_a_folder_that_cannot_be_written_is_no_error_and_is_said_once(tmp_path, monkeypatch, capsys):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be", encoding="utf-8")
    monkeypatch.setenv("LAB_STATE", str(blocked))
    for _ in range(2):
        remember("progress", "03.1", SOLVED)
        assert state.load("progress") == {}
    said = capsys.readouterr().out
    assert said.startswith("this machine: ") and said.count("\n") == 1 and "blocked cannot be written" in said
    assert os.listdir(tmp_path) == ["blocked"]


def test_a_read_only_folder_is_said_and_left_as_it_was(file, monkeypatch, capsys):
    """Also as root, whom permissions do not stop: so the system is made to refuse."""
    file.write_text("[]", encoding="utf-8")
    refused = OSError(30, "Read-only file system")

    def refuse(*_, **__):
        raise refused

    for name in ("rename", "replace", "open", "mkdir"):
        monkeypatch.setattr(state.Path, name, refuse)
    assert state.load("progress") == {}
    remember("progress", "03.1", SOLVED)
    monkeypatch.undo()
    assert capsys.readouterr().out.count("Read-only file system") == 2
    assert (names(file.parent), file.read_text(encoding="utf-8")) == (["progress.json"], "[]")


def test_what_json_does_not_know_is_remembered_as_text(remembered):
    remember("claims", "A4", {"text": "", "article": "", "word": "", "because": "", "measured": {"loop_s": {1, 2}},
                               "chapters": {}})
    assert lab.ledger()["A4"]["measured"] == {"loop_s": "{1, 2}"}


@pytest.mark.parametrize("content", [*BROKEN.values(), *map(json.dumps, UNSOUND.values())], ids=[*BROKEN, *UNSOUND])
@pytest.mark.parametrize("name", ["progress", "claims", "guesses", "published"])
def test_checks_claims_and_progress_go_on_over_a_broken_file(file, trial, monkeypatch, capsys, name, content):
    monkeypatch.setenv("LAB_FIGURES", "off")
    content = content if isinstance(content, bytes) else content.encode()
    (file.parent / f"{name}.json").write_bytes(content)
    lab.check("99.1", 0)
    lab.check("99.1", 1)
    lab.progress()
    assert isinstance(lab.ledger(), dict)
    lab.claim("D1", near_ms=1, far_ms=5, loop_near_s=1.0, loop_far_s=5.0, pipeline_far_s=0.01)
    assert lab.ledger()["D1"]["because"]
    lab.calibration()
    lab.plot_published("a table", {"loop": 1.0}, {"loop": 1.1}, 1.0)
    told = capsys.readouterr().out
    assert "99.1 not yet" in told and "99.1 solved: taken" in told and "99.1 solved\n" in told
    assert any(name.startswith(f"{known}.json.broken-") for known in ("progress", "claims", "guesses", "published")
               for name in names(file.parent))


# Several kernels


WRITER = """
import sys
from lab_utils.course import state
who, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    with state.changing("progress") as progress:
        progress[f"{who}.{number}"] = {"solved": True, "tries": number}
"""


def writers(folder, count, each):
    environment = {**os.environ, "LAB_STATE": str(folder)}
    return [subprocess.Popen([sys.executable, "-c", WRITER, str(who), str(each)], env=environment) for who in range(count)]


def test_kernels_that_write_at_once_lose_nothing(remembered):
    for process in writers(remembered, 4, 50):
        assert process.wait(60) == 0
    assert state.load("progress") == {f"{who}.{number}": {"solved": True, "tries": number}
                                      for who in range(4) for number in range(50)}
    assert names(remembered) == ["progress.json"]


def test_a_kernel_that_stands_still_with_the_lock_does_not_hold_up_the_others(file, monkeypatch):
    monkeypatch.setattr(state, "PATIENCE_S", 0.2)
    descriptor = os.open(file.parent, os.O_RDONLY)
    state.fcntl.flock(descriptor, state.fcntl.LOCK_EX)
    try:
        started = time.monotonic()
        remember("progress", "03.1", SOLVED)
        assert 0.15 < time.monotonic() - started < 10
    finally:
        os.close(descriptor)
    assert state.load("progress") == {"03.1": SOLVED}


def test_a_folder_that_is_a_link_is_not_followed(tmp_path, monkeypatch, capsys):
    (tmp_path / "outside").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    monkeypatch.setenv("LAB_STATE", str(tmp_path / "link"))
    remember("progress", "03.1", SOLVED)
    assert state.load("progress") == {} and list((tmp_path / "outside").iterdir()) == []
    assert "is a link to somewhere else" in capsys.readouterr().out


@pytest.mark.parametrize("number", ["1" + 400 * "0", "1e308", "NaN"])
def test_a_number_that_nobody_guessed_is_kept_aside(file, number):
    file.with_name("guesses.json").write_text(f'{{"01.cart": {{"guess": {number}, "unit": "ms", "measured": null}}}}',
                                              encoding="utf-8")
    assert state.load("guesses") == {}
    assert file.with_name("guesses.json.broken-1").exists()
