"""Keep this package's own errors out of the program; store them, so that traces report them."""

from collections.abc import Callable
from typing import Any

MOST = 1_000  # that each recorder keeps
# The lists of errors of the recorders that are open; `redis_py` sets it.
lists: tuple[list[Exception], ...] = ()


def fenced(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return function(*arguments); if the call raises, pass the error to `note` and return None.

    Code that runs for every GET has a `try` of its own instead, which is faster.
    """
    try:
        return function(*arguments)
    except Exception as error:
        note(error)
        return None


def note(error: Exception) -> None:
    """Add an error to the list of each open Recorder; their traces report it at the end.

    This calls no function written in Python, since the error may be a RecursionError.
    """
    # A traceback keeps alive what the program has dropped.
    error.__traceback__ = error.__context__ = None
    for errors in lists:
        errors.append(error)
        del errors[MOST:]
