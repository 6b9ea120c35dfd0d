"""Lock CPU cores: of all Jupyter kernels that measure on this machine, one at a time uses a core.

A core's lock is an flock on its folder in /sys, which every Linux machine has and every user may
open. The system releases the lock when the process ends, even if it is killed. Containers with a
network of their own have their own /sys, and so their own locks. On other systems no process can be
held on a CPU, so nobody waits.

Who needs one core takes the first that is free. Who needs two takes the first two in the order of
their names, so that no two wait for each other.
"""

import fcntl
import os
import sys
import time

PLACE = "/sys/devices/system/cpu/cpu{}"
LOOK_S = 0.02  # how often a lock that somebody else has is tried


def hold(cores: list[int], number: int, place: str = PLACE) -> dict[int, int | None]:
    """Wait until `number` of the cores are free and lock them; return {core: lock} for `release`.

    `cores` are numbers as in /sys, the preferred one first. For a `number` of 1 the first free core
    is locked, for more the first ones in the list. A lock is a file descriptor, or None where
    nothing can be locked. `place` is the path of a core's folder with {} for its number; tests pass
    another path.
    """
    if sys.platform != "linux" or not os.path.exists(place.format(cores[0])):  # or no /sys
        return dict.fromkeys(cores[:number])
    choices = [cores] if number == 1 else [[core] for core in sorted(cores[:number])]
    locks = {}
    try:
        for choice in choices:
            while not (lock := lock_first(choice, place)):
                time.sleep(LOOK_S)
            locks |= lock
    except BaseException:  # Ctrl-C
        release(locks)
        raise
    return {core: locks[core] for core in cores if core in locks}


def lock_first(cores: list[int], place: str) -> dict[int, int]:
    """Lock the first core that is not locked by another process; return {core: lock}.

    `cores` are numbers as in /sys, the preferred one first; `place` is the path of a core's folder
    with {} for its number. The lock is a file descriptor. Returns {} if all are locked.
    """
    for core in cores:
        lock = os.open(place.format(core), os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return {core: lock}
        except BlockingIOError:
            os.close(lock)
    return {}


def release(locks: dict[int, int | None]) -> None:
    """Release the locks that `hold` returned, {core: file descriptor or None}."""
    for lock in filter(None, locks.values()):
        # Closing alone would not do: a child that was forked meanwhile has the file open too.
        fcntl.flock(lock, fcntl.LOCK_UN)
        os.close(lock)
