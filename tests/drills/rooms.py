"""Open a room as `make room` does, with learners who log in by HTTP and run cells."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from urllib.parse import quote

import requests
import websocket
from boards import Visitor
from helpers import ROOT, wait_until
from nbformat.v4 import output_from_msg

from tools import room

START_S, END_S = 300, 120


class Room:
    """A room: the program tools/room.py, run with its files in a folder below `folder`.

    `open` starts the program and waits until learners can come; `told` is what it has printed by
    then. `board` is a Visitor of the room's board with the leader's password.
    """

    def __init__(self, folder):
        self.folder, self.tmp = folder / "room", folder / "t"  # a Unix socket's path must be short
        self.tmp.mkdir(parents=True, exist_ok=True)
        self.port = random.randrange(20_000, 32_000, 4)
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, "TMPDIR": str(self.tmp), "LAB_SCALE": "ci"}
        for name in ("REDIS_URL", "TQDM_DISABLE", "LAB_STATE", "LAB_BOARD_URL"):
            self.environment.pop(name, None)

    def open(self):
        command = [sys.executable, ROOT / "tools" / "room.py", "--port", self.port]
        self.process = subprocess.Popen(
            [*map(str, command), "--folder", str(self.folder)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.told = ""
        for line in self.process.stdout:
            self.told += line
            if line.startswith("Ctrl-C closes"):
                break
        assert self.process.poll() is None, self.told
        passwords = json.loads((self.folder / "passwords.json").read_text(encoding="utf-8"))
        self.password, self.leaders_password = passwords["learner"], passwords["leader"]
        self.board = Visitor(f"{self.url}/services/board", self.leaders_password)

    def close(self, number: int = signal.SIGINT) -> str:
        """Send a signal, by default Ctrl-C's; return what the program printed until its end."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=END_S)[0]

    def processes(self):
        return room.processes_of(self.folder)

    def left_over(self):
        """Return a list of the processes and folders that a closed room left.

        Waits up to 10 s for the last ones to go.
        """

        def found():
            return [*self.processes(), *self.tmp.glob("redis-round-trip-lab-*")]

        wait_until(lambda: not found(), 10)
        return found()


@contextlib.contextmanager
def opened(folder):
    found = Room(folder)
    found.open()
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.close()


class Learner:
    """A learner of a room, named `name`, who sends the requests that a browser would send."""

    def __init__(self, room: Room, name: str):
        self.room, self.name, self.http = room, name, requests.Session()
        self.home = f"{room.url}/user/{quote(name)}"

    def come_in(self, password: str | None = None):
        """Log in, by default with the room's password; return (status, page) of the answer."""
        self.http.get(f"{self.room.url}/hub/login", timeout=60)
        form = {
            "username": self.name,
            "password": password or self.room.password,
            "_xsrf": self.token("/hub/"),
        }
        answer = self.http.post(
            f"{self.room.url}/hub/login", data=form, allow_redirects=False, timeout=60
        )
        return answer.status_code, answer.text

    def token(self, path):
        return next(
            cookie.value
            for cookie in self.http.cookies
            if (cookie.name, cookie.path) == ("_xsrf", path)
        )

    def start(self):
        """Ask the hub for this learner's JupyterLab, and wait until it runs."""
        self.http.get(f"{self.room.url}/hub/spawn", timeout=START_S)
        assert wait_until(self.has_a_server, START_S), f"{self.name}'s server did not start"

    def has_a_server(self):
        answer = self.http.get(f"{self.home}/lab/tree/00_start_here.ipynb", timeout=START_S)
        time.sleep(0.5)
        return answer.status_code == 200 and answer.url.startswith(f"{self.home}/lab")

    def ask(self, method: str, address: str, body=None):
        """Send a request to this learner's JupyterLab, and return the answer, of requests.

        `body` is sent as JSON. Raises requests.HTTPError for an error's status.
        """
        of = f"/user/{quote(self.name)}"
        known_by = {"X-XSRFToken": self.token(f"{of}/"), "Referer": f"{self.room.url}/hub/home"}
        answer = self.http.request(
            method, f"{self.room.url}{of}{address}", json=body, headers=known_by, timeout=START_S
        )
        answer.raise_for_status()
        return answer

    @contextlib.contextmanager
    def notebook(self, name: str):
        """In a `with` block, run a kernel for the learner's notebook `name`.

        Yields the kernel's WebSocket.
        """
        session = self.ask(
            "POST",
            "/api/sessions",
            {"path": name, "name": name, "type": "notebook", "kernel": {"name": "python3"}},
        ).json()
        cookies = "; ".join(
            f"{cookie.name}={cookie.value}"
            for cookie in self.http.cookies
            if f"/user/{quote(self.name)}/".startswith(cookie.path)
        )
        kernels = f"{self.home.replace('http', 'ws', 1)}/api/kernels"
        address = f"{kernels}/{session['kernel']['id']}/channels"
        channels = websocket.create_connection(address, cookie=cookies, timeout=START_S)
        try:
            yield channels
        finally:
            channels.close()
            self.ask("DELETE", f"/api/sessions/{session['id']}")

    def run(self, channels, source: str, patience_s: float = 600):
        """Run the cell `source` in a kernel; return the list of its outputs, as nbformat has them.

        `channels` is the kernel's WebSocket. Waits at most `patience_s` seconds for each message.
        """
        outputs, number = [], uuid.uuid4().hex
        channels.settimeout(patience_s)
        channels.send(
            json.dumps(
                {
                    "channel": "shell",
                    "parent_header": {},
                    "metadata": {},
                    "buffers": [],
                    "header": {
                        "msg_id": number,
                        "msg_type": "execute_request",
                        "version": "5.3",
                        "username": "",
                        "session": "drill",
                    },
                    "content": {
                        "code": source,
                        "silent": False,
                        "store_history": True,
                        "user_expressions": {},
                        "allow_stdin": False,
                        "stop_on_error": True,
                    },
                }
            )
        )
        while True:
            message = channels.recv()
            if isinstance(message, bytes):
                continue  # with buffers: a widget's
            message = json.loads(message)
            if message["parent_header"].get("msg_id") != number:
                continue
            kind, content = message["header"]["msg_type"], message["content"]
            if kind in ("stream", "display_data", "execute_result", "error"):
                outputs.append(output_from_msg(message))
            elif kind == "status" and content["execution_state"] == "idle":
                return outputs
