"""Freeze a server for lab.frozen: alive and with its connections open, but silent."""

import contextlib
import os
import signal
import threading
import time

from ..arguments import Client, check_client, check_number
from ..errors import LabError
from ..interrupts import Whole
from . import ownership

CATCH_UP_S = 0.1  # for the commands that have piled up in its sockets
LONGEST_S = 600


def frozen(client: Client, seconds: float) -> "Frozen":
    """In a `with` block, freeze the server behind `client`: it runs, but does not answer.

    The server behaves like one on a machine that swaps or is moved: its process gets SIGSTOP, and
    SIGCONT after `seconds` (0 to 600) or at the end of the `with` block, whichever comes first. The
    end of the `with` block then waits 0.1 s, in which the server runs the commands that had
    arrived. Raises LabError for anything but a redis.Redis, and for a server that the lab did not
    start.
    """
    check_client(client, "lab.frozen")
    check_number(seconds, "seconds", 0, LONGEST_S)
    pid = ownership.check(client).pid
    if pid is None:
        raise LabError(
            "lab.frozen stops the process of a server, so it takes one that the lab started. "
            "Write spare = lab.spare(), then lab.frozen(spare, 0.5)."
        )
    return Frozen(pid, seconds)


class Frozen(Whole):
    """The context manager of `frozen`: stops the process with the id `pid` for at most `seconds`.

    If the Jupyter kernel is killed inside the `with` block, the server is killed too.
    """

    def __init__(self, pid: int, seconds: float) -> None:
        self.pid = pid
        self.waking = threading.Timer(seconds, self.wake)
        self.waking.daemon = True

    def enter(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        self.waking.start()

    def leave(self) -> None:
        self.waking.cancel()
        self.wake()
        time.sleep(CATCH_UP_S)

    def wake(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)
