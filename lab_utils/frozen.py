"""A server that stands still for a while: alive, its connections open, and no answer from it."""

import contextlib
import os
import signal
import threading
import time

from . import guard
from .errors import LabError

CATCH_UP_S = 0.1  # for what had piled up in its sockets


@contextlib.contextmanager
def frozen(client, seconds):
    """Inside the `with` block the private server behind `client` stands still, as a machine does that swaps or is moved.

    Its process gets SIGSTOP, and SIGCONT after `seconds` or at the block's end, whichever comes first. On leaving, it has
    had a moment to run what had arrived meanwhile. Only servers that the lab started, else LabError; not on Windows.
    """
    stands_on = guard.check(client)
    pid = stands_on.pid
    if not stands_on.private:
        raise LabError("lab.frozen stops the process of a server, so it only takes one that the lab started: "
                       "spare = lab.spare(), then lab.frozen(spare, 0.5).")
    waking = threading.Timer(seconds, os.kill, (pid, signal.SIGCONT))
    os.kill(pid, signal.SIGSTOP)
    waking.start()
    try:
        yield
    finally:
        waking.cancel()
        os.kill(pid, signal.SIGCONT)
        time.sleep(CATCH_UP_S)
