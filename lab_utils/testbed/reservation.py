"""A database on somebody's server that is this kernel's own, for as long as the kernel lives.

A process beside the kernel holds it (`_reservation_process.py`), shows it to the lab's other
kernels, and empties it when the kernel ends. This is the kernel's side of it.
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

# Of the channel's name; then the database, whose it is, since when, a token.
PREFIX = "redis-round-trip-lab reserves "
START_S = 20  # for a Python to start, on a machine that may be busy
ANSWER_S = 4  # for the server, all of its answers together
END_S = 2


class Reservation:
    """A reserved database: `database` is its number, `channel` the name that shows it."""

    def __init__(self):
        self.database = self.channel = None
        self.owner = os.getpid()
        with uninterrupted():
            program = Path(__file__).with_name("_reservation_process.py")
            read_end, self.lifeline = lifeline()
            self.process = subprocess.Popen(
                [sys.executable, "-I", program],
                process_group=0,
                stdin=read_end,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            os.close(read_end)
            atexit.register(self.end)

    def reserve(self, options: dict, again: bool = False) -> dict:
        """Reserve the database of redis-py's `options`, or the next higher one that is nobody's.

        Where that one holds keys and is nobody's, only a kernel that lost its reservation, `again`,
        gets another. Returns the answer of the process: `info` of the server, and `database` or
        what went wrong. Raises TimeoutError where the server takes longer than ANSWER_S.
        """
        since = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        holder = f"by {person()}@{socket.gethostname()} pid {os.getpid()} since {since}"
        holder = f"{re.sub('[^ -z]', '?', holder)} token {secrets.token_hex(16)}"
        wanted = {"options": options, "database": options["db"], "again": again}
        wanted |= {"prefix": PREFIX, "channel": f"{PREFIX}{{database}} {holder}"}
        self.answer(START_S)
        with contextlib.suppress(BrokenPipeError):
            os.write(self.lifeline, json.dumps(wanted).encode() + b"\n")
        answer = self.answer(ANSWER_S)
        self.database, self.channel = answer.get("database"), answer.get("channel")
        return answer

    def answer(self, seconds):
        """Return the next line of the process, however slowly its bytes come; {} where it ended."""
        deadline, read = time.monotonic() + seconds, b""
        while not read.endswith(b"\n"):
            left = max(0, deadline - time.monotonic())
            if not select.select([self.process.stdout], (), (), left)[0]:
                raise TimeoutError
            chunk = os.read(self.process.stdout.fileno(), 65_536)
            if not chunk:
                return {"error": "Ended", "text": "", "commands": []}
            read += chunk
        return json.loads(read)

    def known_to(self, client) -> bool:
        """Return whether the server behind this client says that the reservation stands."""
        try:
            return self.stands(client)
        except redis.ResponseError:  # another server, where this user may not ask
            return False

    def stands(self, client) -> bool:
        """Return what `known_to` does, of a client that is known to be the server's."""
        decoded = client.connection_pool.connection_kwargs.get("decode_responses")
        told = dict(client.pubsub_numsub(self.channel))
        return told.get(self.channel if decoded else self.channel.encode(), 0) == 1

    def alive(self) -> bool:
        """Return False when its process has ended, and in a forked child: it is its parent's."""
        return self.owner == os.getpid() and self.process.poll() is None

    def refuse_lost(self):
        raise LabError(
            f"The lab's reservation of database {self.database} is lost: its connection broke, or "
            "the server was restarted. Somebody else may be using that database now, so nothing is "
            "written there. Run r = lab.connect() again: it reserves one anew."
        )

    def end(self):
        """Empty the database and let go of it. A forked child leaves its parent's alone."""
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
        """End the process at once: nothing is reserved, or the server doesn't answer."""
        self.process.kill()
        self.end()


def person():
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name, as in many containers
        return f"uid {os.getuid()}"
