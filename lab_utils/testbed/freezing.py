"""A server that stands still for a while: alive, its connections open, and no answer from it."""

import contextlib
import os
import signal
import threading
import time

from ..arguments import shown
from ..errors import LabError
from ..interrupts import Whole
from . import guard

CATCH_UP_S = 0.1  # for what had piled up in its sockets
LONGEST_S = 600


def frozen(client, seconds: float) -> "Frozen":
    """Let the private server behind `client` stand still, inside the `with` block.

    It does as a machine that swaps or is moved: its process gets SIGSTOP, and SIGCONT after
    `seconds` or at the block's end, whichever comes first. On leaving, it has had a moment to run
    what had arrived meanwhile. Only servers that the lab started, and 0 to 600 seconds, else
    LabError.
    """
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, (int, float))
        or not 0 <= seconds <= LONGEST_S
    ):
        raise LabError(
            f"lab.frozen needs a number of seconds from 0 to {LONGEST_S}, after which the server "
            f"goes on, and got {shown(seconds)}. Write lab.frozen(spare, 0.5), for instance."
        )
    stands_on = guard.check(client)
    pid = stands_on.pid
    if not stands_on.private:
        raise LabError(
            "lab.frozen stops the process of a server, so it only takes one that the lab started: "
            "spare = lab.spare(), then lab.frozen(spare, 0.5)."
        )
    if not stands_on.alive():
        raise LabError(
            "The server of this client has ended. Start another: spare = lab.spare(), then "
            "lab.frozen(spare, 0.5)."
        )
    return Frozen(pid, seconds)


class Frozen(Whole):
    """The block. Where the kernel is killed inside it, the server's keeper kills that too."""

    def __init__(self, pid, seconds):
        self.pid = pid
        self.waking = threading.Timer(seconds, self.wake)
        self.waking.daemon = True

    def enter(self):
        os.kill(self.pid, signal.SIGSTOP)
        self.waking.start()

    def leave(self):
        self.waking.cancel()
        self.wake()
        time.sleep(CATCH_UP_S)

    def wake(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)
