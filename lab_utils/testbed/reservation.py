"""A database on somebody's server that is this kernel's own, for as long as the kernel lives.

A process beside the kernel holds it (`_reservation_process.py`), shows it to the lab's other
kernels, and empties it when the kernel ends. This is the kernel's side of it.
"""

import atexit
import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import redis

from ..errors import LabError
from ..interrupts import uninterrupted
from .keeper import cut, lifeline

# Begins a channel's name; database, holder and token follow.
PREFIX = "redis-round-trip-lab reserves "
END_S = 10  # it gives up by itself after two silences of its server, of 4 s each


class Reservation:
    """A reserved database: `database` is its number, `channel` the name that shows it."""

    def __init__(self) -> None:
        self.database: int | None = None
        self.channel = ""
        self.owner = os.getpid()
        self.process: Any
        self.lifeline: Any
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
        what went wrong.
        """
        person = os.environ.get("USER") or os.getuid()
        holder = f"by {person}@{socket.gethostname()} pid {os.getpid()} {secrets.token_hex(8)}"
        wanted = {"options": options, "database": options["db"], "again": again}
        wanted |= {"prefix": PREFIX, "holder": holder}
        with contextlib.suppress(BrokenPipeError):
            os.write(self.lifeline, json.dumps(wanted).encode() + b"\n")
        answer = json.loads(self.process.stdout.readline() or '{"error": "Ended", "text": ""}')
        self.database, self.channel = answer.get("database"), answer.get("channel", "")
        return answer

    def known_to(self, client: redis.Redis) -> bool:
        """Return whether the server behind this client says that the reservation stands."""
        try:
            return [*dict(client.pubsub_numsub(self.channel)).values()] == [1]
        except redis.ResponseError:  # another server, where this user may not ask
            return False

    def alive(self) -> bool:
        """Return False when its process has ended, and in a forked child: it is its parent's."""
        return self.owner == os.getpid() and self.process.poll() is None

    def refuse_lost(self):
        raise LabError(
            f"The lab's reservation of database {self.database} is lost: its connection broke, or "
            "the server was restarted. Somebody else may be using that database now, so nothing is "
            "written there. Run r = lab.connect() again: it reserves one anew."
        )

    def end(self, empty: bool = True):
        """Let go of the database; `empty` it first. A forked child leaves its parent's alone."""
        if self.owner != os.getpid():
            return
        with uninterrupted():
            atexit.unregister(self.end)
            if not empty:
                self.process.kill()
            if self.lifeline is not None:
                cut(self.lifeline)
                self.lifeline = None
            try:
                self.process.wait(END_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
