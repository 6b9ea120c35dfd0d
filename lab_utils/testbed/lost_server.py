"""Tell the learner, below a cell's error, that the server or the link has ended.

The text says what to do. The cell's own error is redis-py's.
"""

import sys
from typing import Any

import redis

from .chosen_server import server
from .held_database import LOST
from .link import link
from .ownership import ENDED, GONE


def sentence() -> str | None:
    """Return a sentence that says that the server or the link has ended, and what to do.

    The link is the process that simulates distances. Returns None while both run.
    """
    known = server.known()
    if known and known.held:
        return None if known.held.stands() else LOST
    if known and not known.alive():
        return ENDED
    return GONE if link.known() and not link.known().alive() else None


def after_cell(result: Any) -> None:
    """Print that the server or the link has ended, below a cell that raised a ConnectionError.

    IPython calls this after each cell, with the cell's ExecutionResult.
    """
    if isinstance(result.error_in_exec, redis.ConnectionError) and (told := sentence()):
        print(told, file=sys.stderr)
