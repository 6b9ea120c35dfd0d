"""Faults of this package's own while it looks on: noted, and never the program's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

MOST = 1_000  # that are kept
REDIS_PY = __name__.replace("faults", "redis_py")  # which imports this


def fenced(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return function(*arguments), or None where it fails, which is noted.

    Code that every GET runs has a `try` of its own.
    """
    try:
        return function(*arguments)
    except Exception as fault:
        note(fault)
        return None


def note(fault: Exception) -> None:
    """Note a fault with whoever is open; the program goes on, and the trace says it at the end.

    It calls nothing that is written in Python: the fault may be that the stack has no room.
    """
    fault.__traceback__ = fault.__context__ = None  # they keep alive what the program drops
    for each in sys.modules[REDIS_PY].open_recorders:
        each.faults.append(fault)
        del each.faults[MOST:]
