"""A server that stands still for a while: alive, its connections open, and no answer from it."""

import contextlib
import os
import signal
import threading
import time

from ..arguments import check_client, check_number
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
    check_client(client, "lab.frozen")
    check_number(seconds, "seconds", 0, LONGEST_S)
    stands_on = guard.check(client)
    if not stands_on.private:
        raise LabError(
            "lab.frozen stops the process of a server, so it takes one that the lab started. "
            "Write spare = lab.spare(), then lab.frozen(spare, 0.5)."
        )
    return Frozen(stands_on.pid, seconds)


class Frozen(Whole):
    """The block. If the kernel is killed in it, the keeper kills the server too."""

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
