"""Keep a single object for the whole process, such as its server.

It is made when it is first needed, and a new one is made when the old one has ended.
"""

import functools
import threading
from collections.abc import Callable
from typing import Any


def one_a_kernel(make: Callable[[], Any]) -> Any:
    """Decorate `make`, which makes an object: return the same one while it lives, then a new one.

    The object must have `alive()`, which returns a bool, and `ended()`, which returns the sentence
    to print when a new object replaces it. The decorated function takes no arguments. It has a
    method `known()`, which returns the present object, alive or not, or None if none was made yet.
    """
    held, lock = [], threading.RLock()

    @functools.wraps(make)
    def current() -> Any:
        with lock:
            if held and not held[0].alive():
                print(f"this machine: {held[0].ended()}")
                held[0] = make()
            elif not held:
                held.append(make())
            return held[0]

    current.known = lambda: held[0] if held else None  # type: ignore[attr-defined]
    return current
