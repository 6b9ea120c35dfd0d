"""A room as `make room` opens it, and learners who come in by HTTP and run cells by WebSockets."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from urllib.parse import quote

import psutil
import pytest
import requests
import websocket
from boards import Visitor
from helpers import ROOT, wait_until
from nbformat.v4 import output_from_msg

OPEN_S, START_S, END_S = 90, 300, 120


class Room:
    """tools/room.py at work; the leader is told `url`, `password` and `leaders_password`."""

    def __init__(self, folder, *options, **environment):
        self.folder, self.tmp = folder / "room", folder / "t"  # a Unix socket's path must be short
        self.tmp.mkdir(exist_ok=True)
        self.options = options
        self.environment = {
            **os.environ,
            "LAB_ROOM": str(self.folder),
            "TMPDIR": str(self.tmp),
            **environment,
        }
        for name in ("REDIS_URL", "TQDM_DISABLE", "LAB_STATE"):
            self.environment.pop(name, None)

    def open(self):
        """Opens it for learners; `told` is what the leader reads then."""
        command = [sys.executable, ROOT / "tools" / "room.py", "--port", "0", *self.options]
        self.process = subprocess.Popen(
            command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        told = []
        for line in self.process.stdout:
            told.append(line)
            if line.startswith("Ctrl-C closes"):
                break
        self.told = "".join(told)
        settings = json.loads((self.folder / "room.json").read_text(encoding="utf-8"))
        assert self.process.poll() is None, self.told
        self.password, self.leaders_password = settings["password"], settings["leaders_password"]
        self.url, self.boards_key = settings["bind_url"], settings["boards_key"]

    def close(self, number=signal.SIGINT):
        """Ends the room as Ctrl-C does, and returns what the leader reads then."""
        self.process.send_signal(number)
        try:
            return self.process.communicate(timeout=END_S)[0]
        finally:
            self.process.kill()

    def laptop(self, name):
        """(somebody at the board who came in by the room's password, their token)"""
        visitor = Visitor(f"{self.url}/services/board")
        body = {"password": self.password, "name": name}
        return visitor, visitor.ask("/api/join", body)[1]["token"]

    def processes(self):
        """{process: its environment} of all that runs for this room."""
        found = {}
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                environment = process.environ()
                said = environment.get("ROOM", "") + environment.get("LAB_WORK", "")
                if str(self.folder) in said:
                    found[process] = environment
        return found

    def left_over(self):
        """What is still there a moment after the room has closed: processes, folders."""

        def found():
            return [*self.processes(), *self.tmp.glob("redis-round-trip-lab-*")]

        wait_until(lambda: not found(), 10)
        return found()


@contextlib.contextmanager
def opened(room):
    room.open()
    try:
        yield room
    finally:
        if room.process.poll() is None:
            room.close()


@pytest.fixture(scope="module")
def room_of_three(tmp_path_factory):
    with opened(Room(tmp_path_factory.mktemp("ü {x}"), "--learners", "3")) as room:
        yield room


class Learner:
    """Somebody with a browser: what they send is what a browser sends."""

    def __init__(self, room, name):
        self.room, self.name, self.http, self.waited_for = room, name, requests.Session(), set()
        self.home = f"{room.url}/user/{quote(name)}"

    def come_in(self, password=None):
        """Logs in; returns the status and the page."""
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
        """Asks for a server, waits until it is there, and returns after how many seconds."""
        started = time.monotonic()
        self.http.get(f"{self.room.url}/hub/spawn", timeout=START_S)
        assert wait_until(self.has_a_server, START_S), f"{self.name}'s server did not start"
        return time.monotonic() - started

    def has_a_server(self):
        answer = self.http.get(f"{self.home}/lab/tree/00_start_here.ipynb", timeout=START_S)
        time.sleep(0.5)
        return answer.status_code == 200 and answer.url.startswith(f"{self.home}/lab")

    def ask(self, method, address, body=None, of=None):
        """The answer of their server, or `of` "/hub"."""
        of = of or f"/user/{quote(self.name)}"
        known_by = {"X-XSRFToken": self.token(f"{of}/"), "Referer": f"{self.room.url}/hub/home"}
        answer = self.http.request(
            method, f"{self.room.url}{of}{address}", json=body, headers=known_by, timeout=START_S
        )
        answer.raise_for_status()
        return answer

    @contextlib.contextmanager
    def notebook(self, name):
        """A kernel for a notebook of theirs, until it is closed."""
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

    def run(self, channels, source, patience_s=600):
        """Runs a cell, and returns its outputs; notes if it waited for another kernel's turn."""
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
            if "another kernel is measuring" in json.dumps(content):
                self.waited_for.add(number)
            if kind in ("stream", "display_data", "execute_result", "error"):
                outputs.append(output_from_msg(message))
            elif kind == "status" and content["execution_state"] == "idle":
                return outputs
