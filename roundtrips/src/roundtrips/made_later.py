"""Refuse results whose work is done only after the counting: generators, streamed web replies."""

import inspect
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from .errors import RoundTripsError

AROUND = "Write the budget around the loop that uses it."


def name_of(function: Any) -> str:
    """Return a function's name; for a partial or another callable object, its class's name."""
    return str(getattr(function, "__name__", type(function).__name__))


def check_is_complete(function: Any, result: Any, around: str = AROUND) -> Any:
    """Return `result`; raise RoundTripsError if its work goes on after the counting has ended.

    `function` is what returned it, for the message. `around` is a sentence on what to do about a
    generator.
    """
    kind = type(result).__name__
    if isinstance(result, (GeneratorType, AsyncGeneratorType, map, filter)):
        raise RoundTripsError(f"{name_of(function)} gives a {kind}. {around}")
    if is_made_later(result):
        raise RoundTripsError(
            f"{name_of(function)} gives a {kind}, whose body is made after the counting has ended. "
            "Count in a test, around the client's call and what reads the body, such as "
            "b''.join(reply); if it is rendered later, not streamed, use the middleware of "
            "roundtrips.integrations.web."
        )
    return result


def is_made_later(result: Any) -> bool:
    """Return whether a result is a web reply whose body is streamed or rendered later.

    This knows the replies of Django, Starlette, FastAPI and Flask.
    """
    known = {  # of Django, of Starlette and FastAPI, of Flask
        name
        for name in ("streaming_content", "body_iterator", "is_rendered", "is_streamed")
        if inspect.getattr_static(result, name, None) is not None  # a mock has any attribute
    }
    return (
        not known.isdisjoint({"streaming_content", "body_iterator"})
        or ("is_rendered" in known and result.is_rendered is False)
        or ("is_streamed" in known and result.is_streamed is True)
    )
