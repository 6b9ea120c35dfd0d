"""What a kernel has one of, such as its server: made when asked for, anew when it has ended."""

import functools
import threading


def living(make):
    """Cache what `make()` returns for as long as its `alive()` says so.

    `known()` of the decorated function is what it holds, alive or not, or None.
    """
    held, lock = [], threading.RLock()

    @functools.wraps(make)
    def current():
        with lock:
            if held and not held[0].alive():
                print(f"this machine: {held[0].ended()}")
                held[0] = make()
            elif not held:
                held.append(make())
            return held[0]

    current.known = lambda: held[0] if held else None
    return current
