"""A database on somebody's server that is this kernel's own, for as long as the kernel lives.

A process beside the kernel holds it (`_reservation_process.py`), shows it to the lab's other kernels, and empties the
database when the kernel ends. This is the kernel's side of it.
"""

import atexit
import contextlib
import getpass
import json
import os
import re
import secrets
import select
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import redis

from ..errors import LabError
from ..interrupts import uninterrupted
from .keeper import cut, lifeline

PREFIX = "redis-round-trip-lab reserves "  # of the channel's name; then the database, whose it is, since when, a token
START_S = 20  # for a Python to start, on a machine that may be busy
ANSWER_S = 4  # for the server, all of its answers together: with what a Python takes to start, 6 even on a busy machine
END_S = 2


class ServerError(Exception):
    """What went wrong at the server: `kind` is the class of redis-py's error, `commands` those that it refused."""

    def __init__(self, kind, text, commands=()):
        super().__init__(text)
        self.kind, self.text, self.commands = kind, text, list(commands)


class Reservation:
    """A reserved database: `database` is its number, `channel` the name that shows it. First `open`, then `reserve`.

    Both raise ServerError with what the server said, or TimeoutError when together they took longer than ANSWER_S.
    """

    def __init__(self):
        self.database = self.channel = None
        self.owner = os.getpid()
        with uninterrupted():
            program = Path(__file__).with_name("_reservation_process.py")
            read_end, self.lifeline = lifeline()
            self.process = subprocess.Popen([sys.executable, "-I", str(program)], process_group=0, stdin=read_end,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            os.close(read_end)
            atexit.register(self.end)
        self.unread = b""
        self.deadline = None

    def open(self, options):
        """Connects with redis-py's `options`; what INFO says, {name: text}. Nothing is reserved yet."""
        self.answer(START_S)
        self.deadline = time.monotonic() + ANSWER_S
        return self.ask(options)["info"]

    def reserve(self, database, again=False):
        """Reserves that database, or the next higher one that is empty and nobody's. Returns what the process answered.

        Where that database holds keys and is nobody's, only a kernel that lost its reservation, `again`, gets another.
        """
        holder = f"by {person()}@{socket.gethostname()} pid {os.getpid()} since {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        channel = f"{PREFIX}{{database}} {re.sub('[^ -z]', '?', holder)} token {secrets.token_hex(16)}"
        answer = self.ask({"database": database, "again": again, "prefix": PREFIX, "channel": channel})
        self.database, self.channel = answer.get("database"), answer.get("channel")
        return answer

    def ask(self, request):
        with contextlib.suppress(BrokenPipeError):
            os.write(self.lifeline, json.dumps(request).encode() + b"\n")
        answer = self.answer(max(0, self.deadline - time.monotonic()))
        if "error" in answer:
            raise ServerError(answer["error"], answer["text"], answer["commands"])
        return answer

    def answer(self, seconds):
        """The next line of the process. All of the lines share one deadline, however slowly their bytes come."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.unread:
            if not select.select([self.process.stdout], (), (), max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError
            read = os.read(self.process.stdout.fileno(), 65_536)
            if not read:
                raise ServerError("Ended", "the process that reserves a database ended")
            self.unread += read
        line, _, self.unread = self.unread.partition(b"\n")
        return json.loads(line)

    def known_to(self, client):
        """True where the server behind this client says that the reservation stands."""
        try:
            return self.stands(client)
        except redis.ResponseError:  # another server, where this user may not ask
            return False

    def stands(self, client):
        """What `known_to` asks, of a client that is known to be the server's."""
        return dict(client.pubsub_numsub(self.channel)).get(self.told(client), 0) == 1

    def told(self, client):
        """The channel's name as this client's replies spell it."""
        decoded = client.connection_pool.connection_kwargs.get("decode_responses")
        return self.channel if decoded else self.channel.encode()

    def alive(self):
        """False when the process that holds it has ended, and in a forked child: the reservation is its parent's."""
        return self.owner == os.getpid() and self.process.poll() is None

    def refuse_lost(self):
        raise LabError(f"The lab's reservation of database {self.database} is lost: its connection broke, or the server was "
                       "restarted. Somebody else may be using that database now, so nothing is written there. Run r = "
                       "lab.connect() again: it reserves one anew.")

    def end(self):
        """Empties the database and lets go of it. A forked child leaves its parent's alone."""
        if self.owner != os.getpid():
            return
        with uninterrupted():
            atexit.unregister(self.end)
            if self.lifeline is not None:
                cut(self.lifeline)
                self.lifeline = None
            try:
                self.process.wait(END_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def abandon(self):
        """Ends the process at once: nothing is reserved, or the server doesn't answer."""
        self.process.kill()
        self.end()


def person():
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name, as in many containers
        return f"uid {os.getuid()}"
