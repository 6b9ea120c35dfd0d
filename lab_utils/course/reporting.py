"""What a room's board is told: guesses, what was measured, exercises tried. Nothing, unless LAB_BOARD_URL names a board.

An event is written to `.lab/state.json` before anything else, and goes from there when the board has it on disk. It is posted
between two cells, by a thread that stands still while a cell runs, so nothing is sent inside a measurement. The board knows
an event by its sender and its id: what is sent twice counts once. Whatever the board does, the cell goes on.
"""

import contextlib
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
HOLD_S = 0.1  # so long a cell waits for a post that is under way; then it is cut, and sent again later
PAUSE_S = 3  # after a post that failed
AT_ONCE = 100  # events in a post
LONGEST_ANSWER = 100_000  # bytes
AGREED_S = 1  # so far two clocks may be apart that were not set meanwhile

_sender = None


def begin():
    """Sends what an earlier kernel had to leave behind. What the board gets is said where a learner enters the room."""
    if is_wanted():
        with contextlib.suppress(Exception):  # no board is worth a lesson
            sender()


def report(kind, name, once=True, revision=0, **what):
    """Notes an event for the board: `kind` is "guess", "measured" or "check", `name` a question or an exercise.

    What is `once` counts for this learner the first time only, and once more for each `revision`; the board sees to that by
    the id. Never raises.
    """
    if is_wanted():
        with contextlib.suppress(Exception):
            event = {"kind": kind, "name": name, "at": time.time(), "ticks": ticks(), "anonymous": is_anonymous(), **what}
            key = f"{kind} {name} {what.get('unit', 'solved') if once else secrets.token_hex(8)} {revision or ''}".rstrip()
            sender().note(key, event)


def ticks():
    """Seconds of a clock that nobody sets, and that goes on while the machine sleeps; it begins anew with the machine."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.clock_gettime(time.CLOCK_MONOTONIC) if hasattr(time, "CLOCK_MONOTONIC") else time.monotonic()


def aged(event):
    """{"age_s", "agreed"}: how long ago an event was, and whether both clocks say so. If not, one was set, or began anew."""
    age_s = time.time() - event["at"]
    passed = ticks() - event.get("ticks", float("inf"))
    return {"age_s": max(0, age_s), "agreed": abs(age_s - passed) < AGREED_S}


def is_wanted():
    return bool(os.environ.get("LAB_BOARD_URL")) and setting.is_drawn()


def is_anonymous():
    """Whether the learner's name is left out: as `%env LAB_BOARD_ANONYMOUS=1` said in this notebook, or an earlier one."""
    said = os.environ.get("LAB_BOARD_ANONYMOUS")
    if said is None:
        return state.load("room").get("board", {}).get("anonymous") is True
    with state.changing("room") as room:
        room["board"] = {"anonymous": said not in ("", "0")}
    return room["board"]["anonymous"]


def sender():
    """This kernel's Sender; its thread starts with the first call."""
    global _sender
    if _sender is None:
        _sender = Sender(setting.shell())
        _sender.start()
    return _sender


def forget_sender():
    """A forked child has no such thread. What its parent noted is its parent's to send."""
    global _sender
    _sender = None


os.register_at_fork(after_in_child=forget_sender)


class Sender(threading.Thread):
    """Posts what waits, between cells. `waiting` is {id: event}, as in the file."""

    def __init__(self, shell):
        super().__init__(daemon=True, name="to the room's board")
        self.waiting = dict(state.load("board"))
        self.noted = set(self.waiting)
        self.changing = threading.Lock()  # guards `waiting`
        self.posting = threading.Lock()  # held while a post is under way
        self.work, self.between = threading.Event(), threading.Event()
        self.connection = None
        if self.waiting:
            self.work.set()
        if shell:  # the cell that runs now tells when it has ended
            shell.events.register("pre_run_cell", self.before_cell)
            shell.events.register("post_run_cell", self.after_cell)
        else:
            self.between.set()

    def note(self, key, event):
        """On disk first; posted after this cell."""
        if key in self.noted:
            return
        self.noted.add(key)
        with state.changing("board") as kept:
            kept[key] = event
        with self.changing:
            self.waiting[key] = event
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
        """Ends the post that is under way."""
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
        """Posts some of what waits, and forgets what the board has. False where that did not work."""
        with self.changing:
            batch = dict(list(self.waiting.items())[:AT_ONCE])
        try:
            done = self.answered(batch)
        except Exception:  # no answer, none of a board's, an address that is none: a thread's traceback would land in a cell
            return False
        finally:
            if self.connection:
                self.connection.close()
        with state.changing("board") as kept:
            for key in done:
                kept.pop(key, None)
        with self.changing:
            for key in done:
                self.waiting.pop(key, None)
            if not self.waiting:
                self.work.clear()
        return bool(done)

    def answered(self, batch):
        """The ids of the events that the board has on disk, or will never take."""
        events = [{**event, "id": key, **aged(event)} for key, event in batch.items()]
        answer = self.ask("/api/events", {"events": events}, token())
        return {key for key in [*answer["taken"], *answer["refused"]] if key in batch}

    def ask(self, path, body, known_by):
        address = urlsplit(os.environ["LAB_BOARD_URL"])
        if address.scheme == "https":
            context = trust(os.environ.get("LAB_BOARD_CERTIFICATE"))  # the one that was confirmed in joining
            self.connection = http.client.HTTPSConnection(address.hostname, address.port, timeout=POST_S, context=context)
        else:
            self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=POST_S)
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
    """What this learner is known by: in a hub the token of their server, elsewhere what the board gave for the password."""
    path = os.environ.get("LAB_BOARD_TOKEN_FILE")
    return Path(path).read_text(encoding="utf-8").strip() if path else os.environ.get("JUPYTERHUB_API_TOKEN", "")
