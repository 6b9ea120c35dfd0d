"""Runs in each Python that a program under `roundtrips` starts; then the sitecustomize there was.

The command puts this folder on the PYTHONPATH of what its program starts.
"""

import os
import sys


def count_here() -> None:
    """Begin to count in this process, if it has the roundtrips that the command has."""
    try:
        from roundtrips import processes

        processes.begin_child()
    except Exception:  # it has none, or another one: the command says what it did not count
        pass


def give_way() -> None:
    """Take this folder out of sys.path, and run the sitecustomize that it hides."""
    here, own = os.path.dirname(os.path.abspath(__file__)), sys.modules["sitecustomize"]
    sys.path[:] = [each for each in sys.path if os.path.abspath(each) != here]
    del sys.modules["sitecustomize"]
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", own)  # who imports this one looks for it


count_here()
give_way()
