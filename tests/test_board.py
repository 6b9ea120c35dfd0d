"""The room's board: what it keeps, what it shows to whom, and that no learner's page feels it."""

import json
import os
import re
import signal
import stat
import subprocess
import sys

import pytest
from boards import Board, check, guess, measured
from helpers import ROOT

from tools import lab


@pytest.fixture
def board(tmp_path):
    started = Board(tmp_path / "board")
    yield started
    if started.process.poll() is None:
        started.stop()


# What it keeps and shows


def test_a_guess_counts_until_its_answer_is_known_and_is_late_after_the_reveal(board):
    ada, bob, cyd = map(board.join, ("Ada", "Bob", ""))
    board.post(ada, guess(2))
    board.post(ada, guess(20))  # a slip, mended in time
    board.post(bob, guess(50), measured(105))
    board.post(bob, guess(105))
    board.reveal()
    board.post(ada, guess(99))
    board.post(cyd, guess(100))
    assert board.guesses() == [("Ada", 20, False), ("Bob", 50, False), ("guest 3", 100, True)]
    assert [dot["who"] for dot in board.view(names=False)["question"]["dots"]] == [None] * 3


def test_what_was_measured_is_not_told_until_it_is_revealed(board):
    board.post(board.join("Ada"), measured(105.25))
    board.post(board.join("Bob"), measured(107.25))

    def asked():
        return board.view("00.loop")["question"]

    hidden = asked()
    assert hidden["measurements"] == 2 and "105" not in json.dumps(hidden)
    board.reveal()
    assert (asked()["measured"], asked()["median"]) == ([105.25, 107.25], 106.25)
    board.reveal(shown=False)
    assert asked() == hidden


def test_who_tries_again_and_again_is_stuck_until_it_is_solved(board):
    ada = board.join("Ada")
    board.post(ada, check())
    assert board.view()["stuck"] == []
    board.post(ada, check(), check())
    [stuck] = board.view()["stuck"]
    assert (stuck["exercise"], stuck["who"], stuck["tries"]) == ("00.1", "Ada", 3)
    assert board.view(names=False)["stuck"][0]["who"] == "guest 1"
    board.post(ada, check(solved=True))
    assert board.view()["stuck"] == []
    assert [chapter["here"] for chapter in board.view()["chapters"][:2]] == [1, 0]


def test_a_kill_loses_nothing_and_a_broken_last_line_spoils_no_other(board):
    token = board.join("Ada")
    assert board.post(token, guess(20), measured(105), check()) == (200, {"taken": 3})
    board.reveal()
    before = board.view("00.loop"), board.password
    board.stop(signal.SIGKILL)
    with open(board.folder / "events.jsonl", "ab") as file:
        file.write(b'{"kind": "guess", "name": "00.lo\xff')
    board.start()
    assert (board.view("00.loop"), board.password) == before
    assert board.post(token, guess(4, "01.zones", "x")) == (200, {"taken": 1})
    board.stop()
    board.start()
    assert board.guesses("01.zones") == [("Ada", 4, False)]


def test_its_folder_is_the_leaders_alone_and_the_leaders_password_is_on_no_screen(board):
    assert stat.S_IMODE(board.folder.stat().st_mode) == 0o700
    for name in ("passwords.json", "leader.html"):
        assert stat.S_IMODE((board.folder / name).stat().st_mode) == 0o600
    assert f"#key={board.key}" in (board.folder / "leader.html").read_text(encoding="utf-8")
    told = board.stop()
    assert board.password in told and "leader.html" in told and board.key not in told


def test_a_second_board_on_the_port_says_what_to_do(board, tmp_path):
    command = [*board.command[:4], str(tmp_path / "other"), *board.command[5:]]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1 and "make board PORT=" in ended.stderr


# Who may what


def test_strangers_get_nothing_and_learners_nothing_of_others(board):
    token = board.join("Ada")
    assert board.ask("/api/join", {"password": "guessed", "name": "Eve"})[0] == 403
    assert board.post("guessed", guess(1))[0] == 401
    board.key = "guessed"
    for path, body in (("/view", None), ("/reveal", {"name": "00.loop", "shown": True})):
        assert board.ask(path, body)[0] == board.ask(path, body, token)[0] == 401
    assert board.ask("/remove", {"name": "00.loop", "number": 1})[0] == 401


@pytest.mark.parametrize(
    "event",
    [
        5,
        guess(1, "99.nothing"),
        guess(1, unit="MB"),
        guess(0),
        guess("20"),
        guess(float("nan")),
        check(name="99.1"),
        {**check(), "solved": "yes"},
        {"kind": "joined", "name": "00.loop"},
    ],
    ids=str,
)
def test_what_is_no_event_of_the_course_is_passed_over(board, event):
    token = board.join("Ada")
    assert board.post(token, event, guess(20)) == (200, {"taken": 1})
    assert board.guesses() == [("Ada", 20, False)]


# A laptop joins


def test_a_laptop_joins_and_goes_on_under_its_name_when_it_joins_again(board, monkeypatch, capsys):
    typed = ["wrong", board.password, board.password]
    monkeypatch.setattr("getpass.getpass", lambda _: typed.pop(0))
    monkeypatch.setenv("LAB_BOARD_URL", "")
    monkeypatch.setenv("LAB_BOARD_TOKEN", "")
    for value in (10, 20):
        lab.join_board(board.url.removeprefix("http://"), "Ada")
        assert "as Ada" in capsys.readouterr().out
        board.post(os.environ["LAB_BOARD_TOKEN"], guess(value))
    assert os.environ["LAB_BOARD_URL"] == board.url
    assert typed == [] and board.guesses() == [("Ada", 20, False)]


@pytest.mark.parametrize("address", ["127.0.0.1:1", "http://[", "file:///etc/passwd"])
def test_no_board_there_is_said_with_what_to_do(address, monkeypatch):
    monkeypatch.setattr("getpass.getpass", lambda _: "typed")
    with pytest.raises(SystemExit, match="Check the address with the leader"):
        lab.join_board(address, "Ada")


def test_without_a_terminal_it_says_where_the_password_is_typed():
    program = "from tools import lab; lab.join_board('127.0.0.1:1', 'Ada')"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert ended.returncode == 1 and "Traceback" not in ended.stderr
    assert ended.stderr.count("Run `make lab BOARD=http://127.0.0.1:1` in a terminal.") == 1


# A learner's page: cells run by IPython, as in a kernel


LESSON = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
cells = ["import lab_utils as lab; lab.guess",
         'lab.guess("00.loop", 20, "ms").against(105); lab.check("00.1", lambda r: r.get("x"))',
         "1 + 1"]
for cell in cells:
    began = time.monotonic()
    assert shell.run_cell(cell).success
    print("took", time.monotonic() - began)
time.sleep(2)
"""


def lesson(tmp_path, url, token=""):
    """Run three cells in a kernel that posts to the board at `url`; return the last one's seconds.

    Fails if the cells print an error or a word about the board. `token`, a text, is the learner's.
    """
    told = {"LAB_BOARD_URL": url, "LAB_BOARD_TOKEN": token, "LAB_STATE": str(tmp_path / "state")}
    environment = {**os.environ, **told, "IPYTHONDIR": str(tmp_path / "ipython")}
    ran = subprocess.run(
        [sys.executable, "-c", LESSON], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr and "board" not in ran.stdout
    assert "you said 20 ms, measured 105 ms" in ran.stdout
    return float(re.findall(r"took ([\d.]+)", ran.stdout)[-1])


def test_guess_measurement_and_exercise_are_on_the_board_after_the_cell(board, tmp_path):
    lesson(tmp_path, board.url, board.join("Ada"))
    asked = board.view("00.loop")["question"]
    assert board.guesses() == [("Ada", 20, False)] and asked["measurements"] == 1


def test_a_learner_alone_notices_nothing(tmp_path):
    lesson(tmp_path, "")
    written = json.loads((tmp_path / "state" / "state.json").read_text(encoding="utf-8"))
    assert set(written) == {"guesses", "progress"}


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://["])
def test_a_board_that_is_gone_disturbs_no_cell(tmp_path, url):
    assert lesson(tmp_path, url) < 5
