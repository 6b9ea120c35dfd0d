"""A room by HTTP and WebSockets: three learners at once, and nothing left when it is closed."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from helpers import ROOT, as_compared, wait_until
from rooms import Learner, opened

NAMES = "anna b", "jörg", "zoë"
CHAPTER = "00_start_here.ipynb"
SAID = {"anna b": 20, "jörg": 100, "zoë": 500}


@pytest.fixture
def room(tmp_path):
    with opened(tmp_path / "ü {x}") as found:
        yield found


def first_cells():
    """Return the code cells of chapter 00 up to the one that measures what was guessed first."""
    cells = nbformat.read(ROOT / "notebooks" / CHAPTER, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    last = next(
        n
        for n, cell in enumerate(code)
        if "guess_loop.against(" in cell.source or "said=guess_loop" in cell.source
    )
    return code[: last + 1]


def lesson(room, name, printed):
    """Log in to `room` as `name`, start a JupyterLab, and run the first cells of chapter 00.

    What they print is appended to `printed`, {number of the cell: [texts as nbval compares them]}.
    """
    learner = Learner(room, name)
    assert learner.come_in()[0] == 302
    learner.start()
    with learner.notebook(CHAPTER) as channels:
        for number, cell in enumerate(first_cells()):
            said = cell.source.replace("...", str(SAID[name]), 1)
            source = said if "lab.guess(" in cell.source else cell.source
            outputs = learner.run(channels, source)
            assert not [each for each in outputs if each.output_type == "error"], outputs
            text = "".join(each.get("text", "") for each in outputs)
            printed.setdefault(number, []).append(as_compared(text))
        assert wait_until(lambda: room.board.view()["question"]["measurements"])


def test_three_at_once_guess_and_measure_and_nothing_is_left(room):
    printed = {}
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda name: lesson(room, name, printed), NAMES))
    # All of them count the same.
    assert printed and all(len(texts) == 3 for texts in printed.values())
    assert room.board.guesses() == [(name, SAID[name], False) for name in NAMES]
    hidden = room.board.view("00.loop")["question"]
    assert hidden["measurements"] == 3 and "measured" not in hidden
    room.board.reveal()
    assert len(room.board.view("00.loop")["question"]["measured"]) == 3
    assert len(room.processes()) >= 3 + len(NAMES)  # hub, proxy, board; a lab for each
    told = room.close(signal.SIGTERM)
    assert "The room is closed" in told and room.process.returncode == 0
    assert room.left_over() == []
    assert (room.folder / "learners" / "anna b" / "work" / CHAPTER).is_file()
    # Opened again, it has the passwords, the guesses, and the learners' files.
    before = room.password
    room.open()
    assert room.password == before and len(room.board.guesses()) == 3


def test_the_password_and_the_memory_are_what_keeps_others_out(room):
    stranger, learner = Learner(room, "stranger"), Learner(room, "anna")
    assert stranger.come_in("guessed")[0] == 403
    assert room.leaders_password not in room.told and "leader.html" in room.told
    assert learner.come_in()[0] == 302
    learner.start()
    with learner.notebook(CHAPTER) as channels:
        [output] = learner.run(channels, "x = bytearray(3 << 30)")
        assert output.ename == "MemoryError"
        # What leaves its kernel and its session ends with the room, too.
        learner.run(
            channels,
            "import subprocess; subprocess.Popen(['sleep', '500'], start_new_session=True)",
        )
    hub = next(each for each in room.processes() if "jupyterhub" in each.cmdline())
    os.kill(hub.pid, signal.SIGKILL)
    told = room.process.communicate(timeout=60)[0]
    assert "The hub ended by itself" in told and room.process.returncode == 1
    assert room.left_over() == []
