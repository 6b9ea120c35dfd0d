"""Faults of this package's own while it looks on: noted, and never the program's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any


def fenced(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return function(*arguments), or None where it fails, which is noted.

    What every GET comes by is fenced in its own place: it has no time for another call.
    """
    try:
        return function(*arguments)
    except Exception as fault:
        note(fault)
        return None


def note(fault: Exception) -> None:
    """Note a fault with whoever is open; the program goes on, and the trace says it at the end."""
    with contextlib.suppress(Exception):
        from . import redis_py

        for each in redis_py.open_recorders:
            each.failed(fault)
