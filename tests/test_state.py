"""What the lab remembers between chapters, and that losing it never stops a lesson."""

import os

import pytest

from lab_utils import state


def test_what_is_saved_is_loaded(remembered):
    assert state.load("progress") == {}
    state.save("progress", {"03.1": {"solved": True}})
    assert state.load("progress") == {"03.1": {"solved": True}}
    assert [path.name for path in remembered.iterdir()] == ["progress.json"]  # and no scratch file stays


def test_it_stands_beside_the_notebooks_unless_told_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("LAB_STATE", raising=False)
    monkeypatch.chdir(tmp_path)
    state.save("claims", {"A4": 1})
    assert (tmp_path / ".lab" / "claims.json").exists()


@pytest.mark.parametrize("content", ["", "{", "\0\0"])
def test_a_damaged_file_is_an_empty_one(remembered, content):
    remembered.mkdir()
    (remembered / "progress.json").write_text(content, encoding="utf-8")
    assert state.load("progress") == {}
    state.save("progress", {"a": 1})
    assert state.load("progress") == {"a": 1}


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be", encoding="utf-8")
    monkeypatch.setenv("LAB_STATE", str(blocked))
    state.save("progress", {"a": 1})
    assert state.load("progress") == {}
    assert os.listdir(tmp_path) == ["blocked"]
