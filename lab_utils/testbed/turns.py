"""Kernels that measure on one machine take turns: each core is held by one of them at a time.

A core is held by binding an abstract Unix socket to its name. The system lets only one process do so, whichever user it
belongs to, and gives the name back when that process ends, however it ends. Who waits connects to the holder and is
told by the end of that connection. Containers with a network of their own have names of their own.

Who wants cores first takes the door, waits there until it has them, then leaves it: so two cores can be had too.
Linux only: elsewhere nothing can be held to a CPU, and nobody waits.
"""

import contextlib
import errno
import os
import select
import socket
import sys
import time

from ..scale import scale

NAME = "\0redis-round-trip-lab/{}"
WAITERS = 1024  # that can queue for one name
PATIENCE_S = 1  # who waits longer sees that it waits
REFRESH_S = 0.5  # of what it sees
_held = []  # the sockets that hold what this process holds, for a forked child to close


def hold(cores, number, wait=contextlib.nullcontext):
    """Holds `number` of the named cores, the first ones that are free, and waits until they are.

    Returns {core: socket}: closing a socket gives its core back. None at all is held while it waits for one.
    The waiting itself is done inside `wait()`, a context manager.
    """
    if sys.platform != "linux":
        return dict.fromkeys(cores[:number])
    with Display() as display:
        door = hold_one_of(["door"], 1, wait, display)
        try:
            return hold_one_of(cores, number, wait, display)
        finally:
            release(door)


def hold_one_of(names, number, wait, display):
    while True:
        found, busy = free_ones(names, number)
        if len(found) == number:
            return found
        release(found)
        wait_for_one_of(busy, wait, display)


def free_ones(names, number):
    """({name: socket} of up to so many names that were free, the names that others hold); none is held after an error."""
    found, busy = {}, []
    try:
        for name in names:
            if len(found) < number:
                sock = bound(name)
                if sock is None:
                    busy.append(name)
                else:
                    found[name] = sock
    except BaseException:  # no socket to be had for the next name: nobody would give the ones before back
        release(found)
        raise
    return found, busy


def release(found):
    for sock in found.values():
        if sock:
            _held.remove(sock)
            sock.close()


def bound(name):
    """A socket that holds a name, or None while another one does."""
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.bind(NAME.format(name))
        sock.listen(WAITERS)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            return None
        sock = socket.socket(socket.AF_UNIX)  # a sandbox without such names: nobody to take turns with
    _held.append(sock)
    return sock


def wait_for_one_of(names, wait, display):
    """Returns soon after one of the names was given back."""
    with contextlib.ExitStack() as stack:
        queues = []
        for name in names:
            sock = stack.enter_context(socket.socket(socket.AF_UNIX))
            sock.setblocking(False)
            try:
                sock.connect(NAME.format(name))
            except BlockingIOError:
                continue  # the queue is full: look again later
            except OSError:
                return  # given back meanwhile
            queues.append(sock)
        with wait():
            select.select(queues, (), (), display.next_look_s())


class Display:
    """A bar that shows for how long one has waited, and leaves nothing behind. None in CI, as elsewhere in the lab."""

    def __init__(self):
        self.started, self.bar = time.monotonic(), None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()

    def next_look_s(self):
        """Shows that one waits where that takes long; returns for how many seconds to wait on."""
        waited = time.monotonic() - self.started
        if waited < PATIENCE_S:
            return PATIENCE_S - waited
        if self.bar is None and scale().progress and not os.environ.get("TQDM_DISABLE"):
            from tqdm.auto import tqdm

            self.bar = tqdm(desc="waiting: another kernel is measuring on this machine", leave=False, disable=False,
                            bar_format="{desc}, {elapsed}")
            self.bar.start_t -= waited
        if self.bar is not None:
            self.bar.refresh()
        return REFRESH_S


def _close_in_child():
    """A forked child holds nothing: what its parent holds would else stay held until the child ends too."""
    for sock in _held:
        sock.close()
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)
