"""Run a real board (room/board) in a process of its own, and send it requests, for tests."""

import json
import signal
import subprocess
import sys

import requests
from helpers import ROOT, wait_until

from lab_utils.testbed.private_server import free_port

START_S = 30


class Visitor:
    """A client of the board at `url`: it sends the requests of learners and of the leader.

    `key` is the leader's password, "" for a visitor who does not have it.
    """

    def __init__(self, url: str, key: str = ""):
        self.url, self.key = url, key

    def ask(self, path: str, body=None, token: str = "") -> tuple:
        """Send a GET request, or with a `body` a POST; return (status, answer).

        `body` is what is posted as JSON, `token` a learner's, in place of the leader's password.
        The answer is what its JSON holds, or a text if it is no JSON.
        """
        known_by = f"token {token}" if token else f"leader {self.key}"
        sent = {"Content-Type": "application/json", "Authorization": known_by.encode("latin-1")}
        method = "GET" if body is None else "POST"
        data = None if body is None else json.dumps(body)  # NaN too, which `json=` refuses
        reply = requests.request(method, self.url + path, data=data, headers=sent, timeout=30)
        try:
            return reply.status_code, reply.json()
        except ValueError:
            return reply.status_code, reply.text

    def post(self, token, *events):
        return self.ask("/api/events", {"events": list(events)}, token)

    def view(self, question: str = "", names: bool = True) -> dict:
        """Return the data of the leader's page: the board's answer to GET /view.

        `question` is the one whose guesses are shown, such as "00.loop"; "" is the last one. With
        `names` False, learners are shown by number.
        """
        status, found = self.ask(f"/view?question={question}&names={int(names)}")
        assert status == 200, found
        return found

    def guesses(self, question: str = "00.loop") -> list[tuple]:
        """Return [(learner's name, value guessed, whether it came late)] of one question."""
        dots = self.view(question)["question"]["dots"]
        return [(dot["who"], dot["value"], dot["late"]) for dot in dots]

    def reveal(self, name="00.loop", shown=True):
        assert self.ask("/reveal", {"name": name, "shown": shown})[0] == 200


class Board(Visitor):
    """The program `python -m room.board`, with its files in `folder`, and a Visitor of it.

    `options` are further options of the program. The port stays the same if it is started again.
    `password` is the learners', `key` the leader's.
    """

    def __init__(self, folder, *options: str):
        port = free_port()
        super().__init__(f"http://127.0.0.1:{port}")
        self.folder = folder
        self.command = [sys.executable, "-m", "room.board", "--folder", folder, "--port", port]
        self.command = [*map(str, self.command), *options]
        self.start()
        passwords = json.loads((folder / "passwords.json").read_text(encoding="utf-8"))
        self.password, self.key = passwords["learner"], passwords["leader"]

    def start(self):
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert wait_until(self.is_up, START_S), self.process.communicate(timeout=START_S)

    def is_up(self):
        try:
            return self.process.poll() is None and self.ask("/")[0] == 200
        except OSError:
            return False

    def stop(self, number: int = signal.SIGTERM) -> str:
        """Send a signal to the board's process, wait for its end; return what it printed."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=START_S)[0]

    def join(self, name=""):
        status, answer = self.ask("/api/join", {"password": self.password, "name": name})
        assert status == 200, answer
        return answer["token"]


def guess(value: float, name: str = "00.loop", unit: str = "ms") -> dict:
    return {"kind": "guess", "name": name, "unit": unit, "value": value}


def measured(value: float, name: str = "00.loop", unit: str = "ms") -> dict:
    return {**guess(value, name, unit), "kind": "measured"}


def check(solved: bool = False, name: str = "00.1") -> dict:
    return {"kind": "check", "name": name, "solved": solved}
