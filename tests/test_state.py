"""What the lab remembers: never lost, never in the way of a lesson, whatever stands in its place."""

import json
import os
import subprocess
import sys
import time

import pytest

import lab_utils as lab
from lab_utils.course import state

SOLVED = {"solved": True, "tries": 0}
BROKEN = {
    "nothing": "", "half": "{", "zeros": "\0\0", "a list": "[]", "null": "null", "deep": "[" * 200_000, "bytes": b"\xff\xfe\x00{",
    "a long number": '{"progress": {"03.1": {"tries": ' + "9" * 5_000 + "}}}", "a number": '{"progress": {"03.1": 5}}',
}


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(state, "said", set())


@pytest.fixture
def file(remembered):
    remembered.mkdir()
    return remembered / "state.json"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def remember(name, key, entry):
    with state.changing(name) as content:
        content[key] = entry


def test_what_is_saved_is_loaded_and_looking_leaves_nothing(remembered):
    assert state.load("progress") == {} and not remembered.exists()
    remember("progress", "03.1", SOLVED)
    remember("room", "board", {"anonymous": True})
    assert (state.load("progress"), state.load("room")) == ({"03.1": SOLVED}, {"board": {"anonymous": True}})
    assert names(remembered) == ["state.json"]  # and no scratch file stays


def test_what_an_older_lab_kept_in_files_of_their_own_comes_along(file):
    (file.parent / "progress.json").write_text(json.dumps({"03.1": SOLVED}), encoding="utf-8")
    (file.parent / "guesses.json").write_text("[]", encoding="utf-8")
    remember("progress", "03.2", SOLVED)
    assert state.load("progress") == {"03.1": SOLVED, "03.2": SOLVED} and state.load("guesses") == {}


def test_it_stands_beside_the_notebooks_unless_told_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("LAB_STATE", raising=False)
    monkeypatch.chdir(tmp_path)
    remember("progress", "03.1", SOLVED)
    assert (tmp_path / ".lab" / "state.json").exists()


def test_a_change_that_fails_is_not_remembered(remembered):
    remember("progress", "03.1", SOLVED)
    with pytest.raises(ZeroDivisionError), state.changing("progress") as progress:
        progress["03.2"] = 1 / 0
    assert state.load("progress") == {"03.1": SOLVED}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_kept_aside_as_it_was_and_the_lesson_goes_on(file, monkeypatch, capsys, content):
    monkeypatch.setenv("LAB_FIGURES", "off")
    content = content if isinstance(content, bytes) else content.encode()
    for number in (1, 2):  # a second one does not replace the first
        file.write_bytes(content)
        assert state.load("progress") == {}
        assert (file.parent / f"state.json.broken-{number}").read_bytes() == content
    assert capsys.readouterr().out.count("\n") == 2
    lab.check("01.1", lambda rtt_ms, connections: connections * 1000 / rtt_ms)
    lab.claim("D1", near_ms=1, far_ms=5, loop_near_s=1.0, loop_far_s=5.0, pipeline_far_s=0.01)
    assert state.load("progress") == {"01.1": SOLVED} and lab.ledger()["D1"]["because"]


def test_a_folder_in_its_place_is_kept_aside_with_what_is_in_it(file):
    file.mkdir()
    (file / "mine.txt").write_text("precious", encoding="utf-8")
    remember("progress", "03.1", SOLVED)
    assert state.load("progress") == {"03.1": SOLVED}
    assert (file.parent / "state.json.broken-1" / "mine.txt").read_text(encoding="utf-8") == "precious"


def test_a_pipe_or_a_dangling_link_in_its_place_is_not_opened(file, tmp_path):
    os.mkfifo(file)
    assert state.load("progress") == {}
    file.symlink_to(tmp_path / "elsewhere")
    remember("progress", "03.1", SOLVED)
    assert not (tmp_path / "elsewhere").exists() and state.load("progress") == {"03.1": SOLVED}


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
    remember("progress", "03.1", SOLVED)
    monkeypatch.undo()
    assert capsys.readouterr().out.count("Read-only file system") == 2
    assert (names(file.parent), file.read_text(encoding="utf-8")) == (["state.json"], "[]")


def test_what_json_does_not_know_is_remembered_as_text(remembered):
    remember("claims", "A4", {"measured": {"loop_s": {1, 2}}})
    assert lab.ledger()["A4"]["measured"] == {"loop_s": "{1, 2}"}


WRITER = """
import sys
from lab_utils.course import state
who, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    with state.changing("progress") as progress:
        progress[f"{who}.{number}"] = {"solved": True, "tries": number}
"""


def test_kernels_that_write_at_once_lose_nothing(remembered):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(who), "50"], env={**os.environ, "LAB_STATE": str(remembered)})
               for who in range(4)]
    assert [process.wait(60) for process in writers] == [0] * 4
    assert state.load("progress") == {f"{who}.{number}": {"solved": True, "tries": number}
                                      for who in range(4) for number in range(50)}
    assert names(remembered) == ["state.json"]


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
