"""What a figure asks: the line of versions, whether it is drawn, and IPython's shell.

So a figure needs to know nothing of servers. LAB_FIGURES=off draws none, where nobody looks.
"""

import os
import sys
from collections.abc import Callable

_tellers = []


def tells(function: Callable) -> Callable:
    """Register the function that returns the line of small type: server, client, Python, system."""
    _tellers.append(function)
    return function


def line() -> str:
    """Return 'Redis 8.2.3 · redis-py 8.1.0 · Python 3.13.0 · Linux x86_64'; '' without a server."""
    return _tellers[-1]() if _tellers else ""


def is_drawn() -> bool:
    """Return False where figures are neither drawn nor told in words."""
    return os.environ.get("LAB_FIGURES") != "off"


def shows_pictures() -> bool:
    """Return True in a Jupyter kernel, where a picture carries its sentence: none is printed."""
    return hasattr(shell(), "kernel")


def shell():
    """Return IPython's shell, which runs the cells; None in plain Python."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
