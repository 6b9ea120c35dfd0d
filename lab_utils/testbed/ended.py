"""What a client is told whose server has ended: one sentence, beside redis-py's error or instead.

The clients are plain redis-py, so the error is too. After a cell that ended with one, Jupyter
prints the sentence below it; a helper raises it as a LabError.
"""

import functools
import sys
import traceback

import redis
import redis.asyncio

from ..errors import LabError
from . import guard
from .chosen_server import server
from .link import GONE, link


def sentence(error: Exception) -> str | None:
    """Say why a client of the lab's lost its server, and what to do; None for other reasons."""
    known, address = server.known(), address_of(error)
    door = guard.behind(address)
    if door:
        if not link.known().alive() or address[1] not in link.known().delays:
            return GONE
        address = door.address
    if known and not known.private and not known.alive():
        return (
            "The server of REDIS_URL was restarted, or lost the lab's reservation. Run r = "
            "lab.connect() again: it makes it anew."
        )
    lost = address is None and known and not known.alive()
    return guard.ENDED if lost or guard.has_ended(address) else None


def address_of(error):
    """Return (host, port) of the connection that raised it, which redis-py does not always tell."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            if isinstance(value, (redis.Connection, redis.asyncio.Connection)):
                return value.host, value.port
    return None


def explained(function):
    """Let a helper say so when it fails because the server behind a client has ended."""

    @functools.wraps(function)
    def explaining(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (redis.ConnectionError, LabError) as error:
            lost = error if isinstance(error, redis.ConnectionError) else error.__context__
            told = sentence(lost) if isinstance(lost, redis.ConnectionError) else None
            if told:
                raise LabError(told) from None
            raise

    return explaining


def after_cell(result):
    """Print why below the error of a cell of the learner's own."""
    error = result.error_in_exec
    if isinstance(error, redis.ConnectionError) and (told := sentence(error)):
        print(told, file=sys.stderr)
