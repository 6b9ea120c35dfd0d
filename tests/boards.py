"""A real board in a process of its own, and those who ask it, for tests and drills."""

import json
import signal
import subprocess
import sys

import requests
from helpers import ROOT, wait_until

from lab_utils.testbed.private_server import free_port

START_S = 30


class Visitor:
    """Somebody who asks the board at `url`; `key` is the leader's, for who has it."""

    def __init__(self, url, key=""):
        self.url, self.key = url, key

    def ask(self, path, body=None, token=""):
        """(status, answer): a GET, or with a body a POST. The answer is JSON, or else text."""
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

    def view(self, question="", names=True):
        """What the leader's page is told."""
        status, found = self.ask(f"/view?question={question}&names={int(names)}")
        assert status == 200, found
        return found

    def guesses(self, question="00.loop"):
        """[(who, their guess, whether it came late)] of a question."""
        dots = self.view(question)["question"]["dots"]
        return [(dot["who"], dot["value"], dot["late"]) for dot in dots]

    def reveal(self, name="00.loop", shown=True):
        assert self.ask("/reveal", {"name": name, "shown": shown})[0] == 200


class Board(Visitor):
    """`python -m room.board` in `folder`, on a port that it keeps over restarts."""

    def __init__(self, folder, *options):
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

    def stop(self, number=signal.SIGTERM):
        """End it, and return what it has printed."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=START_S)[0]

    def join(self, name=""):
        status, answer = self.ask("/api/join", {"password": self.password, "name": name})
        assert status == 200, answer
        return answer["token"]


def guess(value, name="00.loop", unit="ms"):
    return {"kind": "guess", "name": name, "unit": unit, "value": value}


def measured(value, name="00.loop", unit="ms"):
    return {**guess(value, name, unit), "kind": "measured"}


def check(solved=False, name="00.1"):
    return {"kind": "check", "name": name, "solved": solved}
