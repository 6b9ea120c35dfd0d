"""What the lab remembers: never lost, never in a lesson's way, whatever stands in its place."""

import os
import subprocess
import sys

import pytest

import lab_utils as lab
from lab_utils.course import state

SOLVED = {"solved": True}
BROKEN = {
    "nothing": "",
    "half": "{",
    "zeros": "\0\0",
    "a list": "[]",
    "null": "null",
    "deep": "[" * 200_000,
    "bytes": b"\xff\xfe\x00{",
    "a long number": '{"progress": {"03.1": {"tries": ' + "9" * 5_000 + "}}}",
    "a number": '{"progress": {"03.1": 5}}',
}


@pytest.fixture(autouse=True)
def nothing_said_yet():
    state.said.clear()


def remember(name, key, entry):
    with state.changing(name) as content:
        content[key] = entry


def test_what_is_saved_is_loaded_and_looking_leaves_nothing(remembered):
    assert state.load("progress") == {} and not remembered.exists()
    remember("progress", "03.1", SOLVED)
    remember("claims", "A4", {"measured": {"loop_s": {1, 2}}})  # what JSON does not know: as text
    assert state.load("progress") == {"03.1": SOLVED}
    assert state.load("claims") == {"A4": {"measured": {"loop_s": "{1, 2}"}}}
    with pytest.raises(ZeroDivisionError), state.changing("progress") as progress:
        progress["03.2"] = 1 / 0
    assert state.load("progress") == {"03.1": SOLVED}
    assert os.listdir(remembered) == ["state.json"]  # and no scratch file stays


def test_it_stands_beside_the_notebooks_unless_told_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("LAB_STATE", raising=False)
    monkeypatch.chdir(tmp_path)
    remember("progress", "03.1", SOLVED)
    assert (tmp_path / ".lab" / "state.json").exists()


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_kept_aside_as_it_was_and_the_lesson_goes_on(remembered, capsys, content):
    content = content if isinstance(content, bytes) else content.encode()
    remembered.mkdir()
    (remembered / "state.json").write_bytes(content)
    assert state.load("progress") == {}
    assert (remembered / "state.json.broken").read_bytes() == content
    assert capsys.readouterr().out.count("\n") == 1
    lab.check("01.1", lambda rtt_ms, connections: connections * 1000 / rtt_ms)
    lab.claim("D1", near_ms=1, far_ms=5, loop_near_s=1.0, loop_far_s=5.0, pipeline_far_s=0.01)
    assert state.load("progress") == {"01.1": SOLVED} and state.load("claims")["D1"]["because"]


def test_a_folder_that_cannot_be_written_is_no_error_and_is_said_once(
    tmp_path, monkeypatch, capsys
):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be", encoding="utf-8")
    monkeypatch.setenv("LAB_STATE", str(blocked))
    for _ in range(2):
        remember("progress", "03.1", SOLVED)
        assert state.load("progress") == {}
    said = capsys.readouterr().out
    assert (
        said.startswith("this machine: ")
        and said.count("\n") == 1
        and "blocked cannot be written" in said
    )
    assert os.listdir(tmp_path) == ["blocked"]


WRITER = """
import sys
from lab_utils.course import state
for number in range(50):
    with state.changing("progress") as progress:
        progress[f"{sys.argv[1]}.{number}"] = {"solved": True, "tries": number}
"""


def test_kernels_that_write_at_once_lose_nothing(remembered):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(who)]) for who in range(4)]
    assert [process.wait(60) for process in writers] == [0] * 4
    assert state.load("progress") == {
        f"{who}.{number}": {"solved": True, "tries": number}
        for who in range(4)
        for number in range(50)
    }
    assert os.listdir(remembered) == ["state.json"]
