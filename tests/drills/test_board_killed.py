"""The board under fire: kills while learners guess, boards that answer nonsense."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

import chapter_runs
import pytest
from boards import Board, environment
from helpers import ROOT, wait_until
from tries import SEED, tries

from room.board.questions import course

START_HERE = chapter_runs.CHAPTERS[0]
KILLS = tries(40)
KERNELS = tries(40)


@pytest.fixture
def board(tmp_path):
    started = Board(tmp_path / "board")
    yield started
    if started.process.poll() is None:
        started.stop()


# A kernel that makes all guesses of the course, as fast as cells run, and waits until the board has them.
KERNEL = """
import json, os, sys, time
import lab_utils as lab
from lab_utils.course import reporting, state
reporting.PAUSE_S = 0.2
for name, unit in json.loads(sys.stdin.readline()):
    lab.guess(name, len(name) + 0.5, unit).against(3)
    time.sleep(0.05)
deadline = time.monotonic() + 60
while state.load("board") and time.monotonic() < deadline:
    time.sleep(0.05)
sys.exit(bool(state.load("board")))
"""


def test_nothing_is_lost_or_doubled_while_board_and_redis_are_killed(board, tmp_path, record_property):
    asked, chance = json.dumps([(each.name, each.unit) for each in course().questions.values()]), random.Random(SEED)
    kernels = []
    for number in range(KERNELS):
        token = tmp_path / f"{number}.token"
        token.write_text(board.join(f"Learner {number}"), encoding="utf-8")
        told = environment(LAB_BOARD_URL=board.url, LAB_BOARD_TOKEN_FILE=str(token), LAB_STATE=str(tmp_path / f"state {number}"))
        kernels.append(subprocess.Popen([sys.executable, "-c", KERNEL], cwd=ROOT, env=told, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.DEVNULL))
    for kernel in kernels:
        kernel.stdin.write(asked + "\n")
        kernel.stdin.close()
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.2, 1))
        if chance.random() < 0.5:
            os.kill(board.server_pid(), signal.SIGKILL)
            assert wait_until(lambda: board.post("nobody's")[0] == 401, 30)
        else:
            board.stop(chance.choice([signal.SIGKILL, signal.SIGTERM]))
            board.start()
    assert [kernel.wait(120) for kernel in kernels] == [0] * KERNELS
    board.stop(signal.SIGKILL)
    board.start()
    board.let_leader_in()
    expected = [f"Learner {number},{each.chapter},{kind},{each.name},{value},{each.unit},{late}," for number in range(KERNELS)
                for each in course().questions.values()
                for kind, value, late in (("guess", len(each.name) + 0.5, "no"), ("measured", 3.0, ""))]
    assert sorted(board.rows()) == sorted(expected)
    record_property("tries", KILLS)
    record_property("of", f"{KERNELS} kernels, {len(expected)} events")


def silent(connection):
    time.sleep(300)


def garbage(connection):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")


def endless(connection):
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


BOARDS = silent, garbage, endless
SOME = random.Random(SEED).sample(BOARDS, min(len(BOARDS), tries(10)))


@pytest.mark.parametrize("answer", SOME, ids=[board.__name__ for board in SOME])
def test_a_bad_board_changes_nothing_on_a_page(answer):
    def serve():
        while True:
            connection = server.accept()[0]
            threading.Thread(target=attend, args=(connection,), daemon=True).start()

    def attend(connection):
        with connection:
            connected.append(1)
            with contextlib.suppress(OSError):  # the learner hung up
                answer(connection)

    connected = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        found = chapter_runs.run([START_HERE], words=False, LAB_BOARD_URL=f"http://127.0.0.1:{server.getsockname()[1]}",
                                 JUPYTERHUB_API_TOKEN="a token")
        assert found.facts == [] and found.cells > 10, found.told()
        assert connected
