"""Kernels that measure on one machine take turns: each core is held by one of them at a time.

A core is held by a lock (flock) on its folder in /sys, which is there on every Linux machine and
may be opened by every user. The system gives it back when the process ends, however it ends.
Containers with a network of their own have a /sys, and so turns, of their own.

Who wants cores first takes the door, the folder around them, and leaves it when it has them: so two
cores can be had too. On other systems nothing can be held to a CPU, and nobody waits.
"""

import os
import sys
import time
from collections.abc import Callable

from ..scale import scale
from ..system import fcntl

CORES, DOOR = "/sys/devices/system/cpu/cpu{}", "/sys/devices/system/cpu"
LOOK_S = 0.02  # how often a lock that somebody else has is tried
PATIENCE_S, REFRESH_S = 1, 0.5  # show that one waits after so many seconds, and how often
_held = set()  # the locks of this process, for a forked child to close


def hold(cores: list, number: int, stopped: Callable = lambda: False) -> dict:
    """Wait for `number` of the named cores, and return {core: its lock}, to be `release`d.

    It holds the first ones that are free, and none while it waits. Returns {} once `stopped()`.
    """
    if sys.platform != "linux":
        return dict.fromkeys(cores[:number])
    door, waiting = None, Waiting()
    try:
        while not stopped():
            door = door or locked(DOOR)
            if door and (found := free_ones(cores, number)):
                return found
            waiting.look()
        return {}
    finally:
        waiting.close()
        release({"door": door})


def free_ones(cores, number):
    """Lock so many of the cores, or none: {core: lock}."""
    found = {}
    try:
        for core in cores:
            if len(found) < number and (lock := locked(CORES.format(core))):
                found[core] = lock
    finally:  # after an error too nobody else would give back those before
        if len(found) < number:
            release(found)
    return found if len(found) == number else {}


def locked(path):
    """Return a lock on a path, or None while another one holds it."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        lock = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)  # a sandbox without /sys: all alone
        _held.add(lock)
        return lock
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    _held.add(lock)
    return lock


def release(found: dict):
    """Give cores back."""
    for lock in found.values():
        if lock:
            _held.discard(lock)
            os.close(lock)


class Waiting:
    """A bar that shows for how long one has waited, and leaves nothing behind. None in CI."""

    def __init__(self):
        self.started, self.bar, self.shown = time.monotonic(), None, 0.0

    def look(self):
        """Wait a moment, and show it where one has waited long."""
        time.sleep(LOOK_S)
        waited = time.monotonic() - self.started
        if (
            waited < PATIENCE_S + self.shown
            or not scale().progress
            or os.environ.get("TQDM_DISABLE")
        ):
            return
        if self.bar is None:
            from tqdm.auto import tqdm

            self.bar = tqdm(
                desc="waiting: another kernel is measuring on this machine",
                leave=False,
                disable=False,
                bar_format="{desc}, {elapsed}",
            )
            self.bar.start_t -= waited
        self.bar.refresh()
        self.shown = waited + REFRESH_S - PATIENCE_S

    def close(self):
        if self.bar is not None:
            self.bar.close()


def _close_in_child():
    """A forked child holds nothing, or its parent's cores would stay held until it ends too."""
    for lock in _held:
        os.close(lock)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)
