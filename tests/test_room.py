"""`make room`: whom it refuses, and that it ends what a room left. A drill opens a whole one."""

import fcntl
import os
import socket

import pytest

from room.entrance import kept_passwords
from tools import room


def test_root_opens_no_room_to_the_network(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SystemExit, match="everyone with the password would be root"):
        room.main(["--open", "--folder", str(tmp_path / "room")])
    assert not (tmp_path / "room").exists()


def test_a_port_that_is_taken_is_said_with_what_to_do(tmp_path):
    """A room needs its own port and the three after it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for first in (port, port - 3):
            with pytest.raises(SystemExit, match=r"(?s)^Port \d+ .*in use.*make room PORT="):
                room.main(["--port", str(first), "--folder", str(tmp_path)])
    with pytest.raises(SystemExit, match="make room PORT="):
        room.main(["--port", "70000", "--folder", str(tmp_path)])


def test_a_second_room_in_the_folder_is_refused(tmp_path):
    with open(tmp_path / "room.lock", "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(SystemExit, match="open already"):
            room.main(["--folder", str(tmp_path)])


def test_a_folder_that_cannot_be_one(tmp_path):
    (tmp_path / "room").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit, match="The room does not open"):
        room.main(["--folder", str(tmp_path / "room")])
    assert (tmp_path / "room").read_text(encoding="utf-8") == "mine"


def test_passwords_are_made_once_and_damaged_ones_are_said(tmp_path):
    made = kept_passwords(tmp_path)
    assert kept_passwords(tmp_path) == made and len(made["leader"]) >= 32
    assert len(made["learner"]) >= 8  # as the hub wants it
    (tmp_path / "passwords.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError):
        kept_passwords(tmp_path)
