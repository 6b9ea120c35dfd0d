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
PATIENCE_S = 1  # after which a bar shows that one waits
_held: set[int] = set()  # the locks of this process, for a forked child to close


def hold(cores: list, number: int, stopped: Callable = lambda: False) -> dict:
    """Wait for `number` of the named cores, and return {core: its lock}, to be `release`d.

    It holds the first ones that are free, and none while it waits. Returns {} once `stopped()`.
    """
    if sys.platform != "linux":
        return dict.fromkeys(cores[:number])
    door, found, bar = None, {}, None
    try:
        while not stopped():
            door = door or locked(DOOR)
            for core in cores if door else ():
                if len(found) < number and (lock := locked(CORES.format(core))):
                    found[core] = lock
            if len(found) == number:
                return found
            release(found)
            found = {}
            bar = waiting_bar() if bar is None else bar
            bar.update(0)
            time.sleep(LOOK_S)
        return {}
    finally:
        if len(found) < number:
            release(found)
        release({"door": door})
        if bar is not None:
            bar.close()


def locked(path: str) -> int | None:
    """Return a lock on a path, or None while another one holds it."""
    if not os.path.exists(path):  # a sandbox without /sys: all alone
        lock = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    else:
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
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


def waiting_bar():
    """Return a bar that shows for how long one has waited, and leaves nothing behind."""
    from tqdm.auto import tqdm

    return tqdm(
        desc="waiting: another kernel is measuring on this machine",
        bar_format="{desc}, {elapsed}",
        delay=PATIENCE_S,
        leave=False,
        disable=not scale().progress or bool(os.environ.get("TQDM_DISABLE")),
    )


def _close_in_child():
    """Let a forked child hold nothing: its parent's cores would stay held until it ends too."""
    for lock in _held:
        os.close(lock)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)
