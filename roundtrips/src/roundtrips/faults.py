"""Faults of this package's own while it looks on: noted, and never the program's."""

from __future__ import annotations

import contextlib


def note(fault: Exception) -> None:
    """Note a fault with whoever is open; the program goes on, and the trace says it at the end."""
    with contextlib.suppress(Exception):
        from . import redis_py

        for each in redis_py.open_recorders:
            each.failed(fault)
