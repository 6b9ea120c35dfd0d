"""The board under fire: it and its Redis are killed while learners guess."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from boards import Board, environment, gone
from helpers import ROOT, wait_until
from tries import SEED, tries

from room.board.questions import course

KILLS = tries(40)
KERNELS = tries(40)


@pytest.fixture
def board(tmp_path):
    started = Board(tmp_path / "board")
    yield started
    if started.process.poll() is None:
        started.stop()


# A kernel that makes all guesses of the course at once, and waits until the board has them.
KERNEL = """
import json, os, sys, time
import lab_utils as lab
from lab_utils.course import reporting, state
reporting.PAUSE_S = 0.2
for name, unit in json.loads(sys.stdin.readline()):
    lab.guess(name, len(name) + 0.5, unit).against(3)
    time.sleep(0.05)
deadline = time.monotonic() + 150
while state.load("board") and time.monotonic() < deadline:
    time.sleep(0.05)
sys.exit(bool(state.load("board")))
"""


def test_nothing_is_lost_or_doubled_while_it_is_killed(board, tmp_path, record_property):
    asked = json.dumps([(each.name, each.unit) for each in course().questions.values()])
    chance = random.Random(SEED)
    kernels = []
    for number in range(KERNELS):
        token = tmp_path / f"{number}.token"
        token.write_text(board.join(f"Learner {number}"), encoding="utf-8")
        told = environment(
            LAB_BOARD_URL=board.url,
            LAB_BOARD_TOKEN_FILE=str(token),
            LAB_STATE=str(tmp_path / f"state {number}"),
        )
        kernels.append(
            subprocess.Popen(
                [sys.executable, "-c", KERNEL],
                cwd=ROOT,
                env=told,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
            )
        )
    for kernel in kernels:
        kernel.stdin.write(asked + "\n")
        kernel.stdin.close()
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.2, 1))
        server = board.server_pid()
        if chance.random() < 0.5:
            os.kill(server, signal.SIGKILL)
            assert gone(server) and wait_until(lambda: board.post("nobody's")[0] == 401)
        else:
            board.stop(chance.choice([signal.SIGKILL, signal.SIGTERM]))
            assert gone(server)
            board.start()
    assert [kernel.wait(180) for kernel in kernels] == [0] * KERNELS
    board.stop(signal.SIGKILL)
    board.start()
    board.let_leader_in()
    expected = [
        f"Learner {number},{each.chapter},{kind},{each.name},{value},{each.unit},{late},"
        for number in range(KERNELS)
        for each in course().questions.values()
        for kind, value, late in (("guess", len(each.name) + 0.5, "no"), ("measured", 3.0, ""))
    ]
    assert sorted(board.rows()) == sorted(expected)
    record_property("tries", KILLS)
    record_property("of", f"{KERNELS} kernels, {len(expected)} events")
