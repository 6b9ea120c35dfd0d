"""Something that this kernel has one of, such as its server: made when asked for, or ended."""

import functools
import threading


def living(make):
    """Cache what `make()` returns for as long as its `alive()` says so.

    `known()` of the decorated function is what it holds, alive or not, or None; `past()` lists what
    it held and that has ended. Neither makes anything.
    """
    held, past, lock = [], [], threading.RLock()

    @functools.wraps(make)
    def current():
        with lock:
            if held and not held[0].alive():
                print(f"this machine: {held[0].ended()}")
                made = make()
                past.append(held[0])
                held[0] = made
            elif not held:
                held.append(make())
            return held[0]

    current.known = lambda: held[0] if held else None
    current.past = lambda: list(past)
    return current
