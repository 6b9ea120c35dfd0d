"""A real board in a process of its own, and learners who post to it, for tests and drills."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil
import requests
from helpers import ROOT, running, wait_until

from lab_utils.testbed.private_server import free_port

START_S = 30


class Visitor:
    """Somebody who asks the board at `url`; `key` is the leader's, for who has it."""

    def __init__(self, url):
        self.url, self.key = url, ""

    def ask(self, path, body=None, token=""):
        """(status, answer): a GET, or with a body a POST. The answer is JSON, or else text."""
        known_by = f"token {token}" if token else f"leader {self.key}"
        sent = {"Content-Type": "application/json", "Authorization": known_by.encode("latin-1")}
        method = "GET" if body is None else "POST"
        data = None if body is None else json.dumps(body)  # NaN too, which `json=` refuses
        reply = requests.request(method, self.url + path, data=data, headers=sent, timeout=20)
        try:
            return reply.status_code, reply.json()
        except ValueError:
            return reply.status_code, reply.text

    def post(self, token, *events):
        return self.ask("/api/events", {"events": list(events)}, token)


class Board(Visitor):
    """`python -m room.board` in `folder`, on a port of its own that it keeps over restarts."""

    def __init__(self, folder, *options):
        self.folder, self.options, self.port, self.process = folder, options, free_port(), None
        super().__init__(f"http://127.0.0.1:{self.port}")
        self.start()

    def start(self):
        command = [
            sys.executable,
            "-m",
            "room.board",
            "--folder",
            str(self.folder),
            "--port",
            str(self.port),
            *self.options,
        ]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert wait_until(self.is_up, START_S), self.process.communicate(timeout=START_S)

    def is_up(self):
        try:
            return self.process.poll() is None and self.ask("/health") == (200, {"status": "ok"})
        except OSError:
            return False

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.communicate(timeout=START_S)[0]

    def server_pid(self):
        """The process of its Redis, as soon as there is one."""
        found = []
        assert wait_until(lambda: found.extend(self.redises()) or found, START_S)
        return found[0]

    def redises(self):
        """The processes below the board that are a Redis; none where one of them ends just now."""
        with contextlib.suppress(psutil.NoSuchProcess):
            below = psutil.Process(self.process.pid).children(recursive=True)
            servers = [each.pid for each in below if each.name().startswith(("redis", "valkey"))]
            return list(filter(running, servers))
        return []

    @property
    def secrets(self):
        return json.loads((self.folder / "secrets.json").read_text(encoding="utf-8"))

    def let_leader_in(self):
        self.key = self.secrets["key"]

    def reveal(self, name, shown=True):
        return self.ask("/reveal", {"name": name, "shown": shown})[0]

    def join(self, name=""):
        status, answer = self.ask("/api/join", {"password": self.secrets["password"], "name": name})
        assert status == 200, answer
        return answer["token"]

    def rows(self, names=True):
        """The CSV's rows without their time."""
        status, text = self.ask(f"/board.csv?names={int(names)}")
        assert status == 200
        return [line.split(",", 1)[1] for line in text.splitlines()[1:]]


class Answering(BaseHTTPRequestHandler):
    """A server of a test's own, once `serving` has it."""

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(handler):
    """Serve by an Answering; yield the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def guess(value, name="00.loop", unit="ms", age_s=0, **more):
    return {
        "id": f"guess {name} {unit}",
        "kind": "guess",
        "name": name,
        "unit": unit,
        "value": value,
        "age_s": age_s,
        **more,
    }


def measured(value, name="00.loop", unit="ms"):
    return {**guess(value, name, unit), "id": f"measured {name} {unit}", "kind": "measured"}


def check(number, solved=False, name="00.1"):
    return {
        "id": f"check {name} {number}",
        "kind": "check",
        "name": name,
        "solved": solved,
        "age_s": 0,
    }


def gone(pid):
    return wait_until(lambda: not running(pid), 10)


def environment(**more):
    """This process's, without any board."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("LAB_BOARD")}
    return own | more
