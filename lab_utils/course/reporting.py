"""What a room's board is told: guesses, what was measured, exercises tried.

Nothing, unless LAB_BOARD_URL names a board. An event is written to `.lab/state.json` before
anything else, and goes from there when the board has it on disk. It is posted between two cells, by
a thread that stands still while a cell runs, so nothing is sent inside a measurement. The board
knows an event by its sender and its id: what is sent twice counts once. Whatever the board does,
the cell goes on.
"""

import contextlib
import functools
import http.client
import json
import os
import secrets
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from .. import setting
from ..interrupts import uninterrupted
from . import state
from .certificates import trust

POST_S = 2  # for connecting, and for each part of the answer
HOLD_S = 0.1  # so long a cell waits for a post under way; then it is cut, and sent again later
PAUSE_S = 3  # after a post that failed
AT_ONCE = 100  # events in a post
LONGEST_ANSWER = 100_000  # bytes

_sender = None


def begin():
    """Send what an earlier kernel had to leave behind."""
    if is_wanted():
        with contextlib.suppress(Exception):  # no board is worth a lesson
            sender()


def report(kind, name, once=True, revision=0, **what):
    """Note an event for the board; never raise.

    `kind` is "guess", "measured" or "check", `name` a question or an exercise. What is `once`
    counts for this learner the first time only, and once more for each `revision`: the board sees
    to that by the id.
    """
    if is_wanted():
        with contextlib.suppress(Exception):
            event = {"kind": kind, "name": name, "at": time.time(), **what}
            event["anonymous"] = is_anonymous()
            which = what.get("unit", "solved") if once else secrets.token_hex(8)
            sender().note(f"{kind} {name} {which} {revision or ''}".rstrip(), event)


def is_wanted():
    return bool(os.environ.get("LAB_BOARD_URL")) and setting.is_drawn()


def is_anonymous():
    """Tell whether `%env LAB_BOARD_ANONYMOUS=1` was said, in this notebook or an earlier one."""
    said = os.environ.get("LAB_BOARD_ANONYMOUS")
    if said is None:
        return state.load("room").get("board", {}).get("anonymous") is True
    with state.changing("room") as room:
        room["board"] = {"anonymous": said not in ("", "0")}
    return room["board"]["anonymous"]


def sender():
    """Return this kernel's Sender; its thread starts with the first call."""
    global _sender
    if _sender is None:
        _sender = Sender(setting.shell())
        _sender.start()
    return _sender


def forget_sender():
    """Let a forked child have none: what its parent noted is its parent's to send."""
    global _sender
    _sender = None


os.register_at_fork(after_in_child=forget_sender)


class Sender(threading.Thread):
    """Posts what waits in `.lab/state.json`, between cells."""

    def __init__(self, shell):
        super().__init__(daemon=True, name="to the room's board")
        self.noted = set(state.load("board"))
        self.posting = threading.Lock()  # held while a post is under way
        self.work, self.between = threading.Event(), threading.Event()
        self.connection = None
        self.work.set()  # what an earlier kernel left
        if shell:  # the cell that runs now tells when it has ended
            shell.events.register("pre_run_cell", self.before_cell)
            shell.events.register("post_run_cell", self.after_cell)
        else:
            self.between.set()

    def note(self, key, event):
        """Write an event to disk; it is posted after this cell."""
        if key in self.noted:
            return
        self.noted.add(key)
        with state.changing("board") as kept:
            kept[key] = event
        with uninterrupted():  # cut short, it would keep the Event's lock
            self.work.set()

    def before_cell(self, *_):
        with uninterrupted():
            self.between.clear()
        if self.posting.acquire(timeout=HOLD_S):
            self.posting.release()
        else:
            self.cut()

    def after_cell(self, *_):
        with uninterrupted():
            self.between.set()

    def cut(self):
        """End the post that is under way."""
        with contextlib.suppress(OSError, AttributeError):  # not connected yet, or not any more
            self.connection.sock.shutdown(socket.SHUT_RDWR)

    def run(self):
        while True:
            self.work.wait()
            self.between.wait()
            with self.posting:
                went = self.post()
            if not went:
                time.sleep(PAUSE_S)

    def post(self):
        """Post some of what waits, and forget what the board has; False where that did not work."""
        self.work.clear()  # before looking: what is noted meanwhile sets it again
        batch = dict(list(state.load("board").items())[:AT_ONCE])
        if not batch:
            return True
        self.work.set()
        try:
            done = self.answered(batch)
        except Exception:  # whatever the board does: a thread's traceback would land in a cell
            return False
        finally:
            if self.connection:
                self.connection.close()
        with state.changing("board") as kept:
            for key in done:
                kept.pop(key, None)
        return bool(done)

    def answered(self, batch):
        """Return the ids of the events that the board has on disk, or will never take."""
        now = time.time()
        events = [
            {**event, "id": key, "age_s": max(0, now - event["at"])} for key, event in batch.items()
        ]
        answer = self.ask("/api/events", {"events": events}, token())
        return {key for key in [*answer["taken"], *answer["refused"]] if key in batch}

    def ask(self, path, body, known_by):
        address = urlsplit(os.environ["LAB_BOARD_URL"])
        kind = http.client.HTTPConnection
        if address.scheme == "https":  # by the certificate that was confirmed in joining
            context = trust(os.environ.get("LAB_BOARD_CERTIFICATE"))
            kind = functools.partial(http.client.HTTPSConnection, context=context)
        self.connection = kind(address.hostname, address.port, timeout=POST_S)
        self.connection.connect()
        if not self.between.is_set():  # a cell has begun meanwhile
            raise OSError("not now")
        headers = {"Authorization": f"token {known_by}", "Content-Type": "application/json"}
        self.connection.request("POST", address.path.rstrip("/") + path, json.dumps(body), headers)
        reply = self.connection.getresponse()
        text = reply.read(LONGEST_ANSWER)
        if reply.status != 200:
            raise OSError(f"the board answered {reply.status}")
        return json.loads(text)


def token():
    """Return what the board gave for the password; in a hub, the token of the learner's server."""
    if path := os.environ.get("LAB_BOARD_TOKEN_FILE"):
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get("JUPYTERHUB_API_TOKEN", "")
