"""A budget: a block that makes more round trips fails, and says which, from where, what instead.

It fails closed: where something was not counted (threads of before, other processes, a client that
is not redis-py), Uncounted is raised rather than nothing, unless that is allowed.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar, cast

from .errors import RoundTripsError
from .report.text import sites, table
from .traces import Trace, Tracing
from .words import counted

WAY_OUT = "What is sent several times can be one round trip: MGET or HMGET, a pipeline, a script."
AROUND = "Write the budget around the loop that uses it."
LIMITED = {  # {name of the limit: (number of a Trace, what it is a number of)}
    "max": ("round_trips", "round trip"),
    "exactly": ("round_trips", "round trip"),
    "waits": ("waits", "wait"),
    "setup": ("setup_trips", "set-up round trip"),
}
F = TypeVar("F", bound=Callable[..., Any])


class OverBudget(AssertionError):
    """A block made more round trips, waits or set-up round trips than it was allowed."""


class Uncounted(OverBudget):
    """What a block did could not all be counted, so that its budget can't be judged."""


class Budget(Tracing):
    """What `budget()` returns: to be opened by `with` or `async with`, or put on a function."""

    def __init__(self, limits: dict[str, int], allow_uncounted: bool = False) -> None:
        super().__init__()
        self.limits, self.allow_uncounted = limits, allow_uncounted

    def __exit__(self, *failure: Any) -> None:
        __tracebackhide__ = True  # pytest shows the line of the test
        super().__exit__(*failure)
        if failure[:1] == (None,):
            check(self.trace, self.limits, self.allow_uncounted)

    def __call__(self, function: F) -> F:
        """Return the function with this budget around each call of it."""
        return around(function, lambda: Budget(self.limits, self.allow_uncounted))


def budget(
    max: int | None = None,
    waits: int | None = None,
    setup: int | None = None,
    exactly: int | None = None,
    allow_uncounted: bool = False,
) -> Budget:
    """Trace a block, and raise OverBudget if it made more: `with budget(max=3, waits=2) as t:`.

    `max` or `exactly` is for round trips, `waits` for the longest chain of those that had to follow
    one another, `setup` for the round trips of setting connections up; None is any number. It goes
    with `async with` as well, and as a decorator of a function, sync or async: `@budget(max=3)`.

    OverBudget is an AssertionError that tells the call sites and what to change. Where not all was
    counted it is Uncounted, unless `allow_uncounted`. If the block raises, that stands. Raises
    RoundTripsError for anything but whole numbers of 0 or more.
    """
    given = {"max": max, "exactly": exactly, "waits": waits, "setup": setup}
    limits = {name: value for name, value in given.items() if value is not None}
    for name, value in limits.items():
        if type(value) is not int or value < 0:
            raise RoundTripsError(f"{name} is {value!r}. Pass a whole number of 0 or more.")
    if "max" in limits and "exactly" in limits:
        raise RoundTripsError("max and exactly are both given. Choose one of them.")
    return Budget(limits, allow_uncounted)


def around(function: F, opened: Callable[[], Any]) -> F:
    """Return the function with a new `with opened()` around each call. Raises RoundTripsError."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise RoundTripsError(f"{function.__name__} is a generator. {AROUND}")

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with opened():
            result = function(*args, **kwargs)
            if inspect.isawaitable(result):
                raise RoundTripsError(f"{function.__name__} is no async def. Make it one.")
            return done(function, result)

    @functools.wraps(function)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with opened():
            return done(function, await function(*args, **kwargs))

    return cast(F, awaited if inspect.iscoroutinefunction(function) else wrapped)


def done(function: Any, result: Any) -> Any:
    """Return the result. Raises RoundTripsError where it is read only later, past the budget."""
    if isinstance(result, (Iterator, AsyncIterator)):
        raise RoundTripsError(f"{function.__name__} gives a {type(result).__name__}. {AROUND}")
    return result


def check(trace: Trace, limits: dict[str, int], allow_uncounted: bool = False) -> None:
    """Raise OverBudget for a Trace outside its limits (named as in budget()), or Uncounted."""
    __tracebackhide__ = True
    over = excess(trace, limits)
    missed = trace.uncounted if limits and not allow_uncounted else []
    if over:
        raise OverBudget(told(trace, over, missed))
    if missed:
        first = f"{counted(trace.round_trips, 'round trip')} counted, but not all that was done:"
        last = "Do it all within the block, or allow it: allow_uncounted=True."
        raise Uncounted("\n  ".join([first, *missed]) + "\n" + last)


class RoundTripsMixin:
    """For a TestCase of unittest or Django, beside Django's own assertNumQueries."""

    def assertRoundTrips(
        self, num: int, func: Callable[..., Any] | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Fail unless the block, or func(*args, **kwargs), makes exactly `num` round trips."""
        exactly = budget(exactly=num)
        return exactly if func is None else exactly(func)(*args, **kwargs)


def excess(trace: Trace, limits: dict[str, int]) -> list[str]:
    """Return ['12 round trips, 3 allowed']: each number outside its limit, in words."""
    found = []
    for name, limit in limits.items():
        number, exact = getattr(trace, LIMITED[name][0]), name == "exactly"
        if number > limit or (exact and number < limit):
            word = "expected" if exact else "allowed"
            found.append(f"{counted(number, LIMITED[name][1])}, {limit:,} {word}")
    return found


def told(trace: Trace, over: list[str], missed: list[str]) -> str:
    """Return what is too much, where it comes from, and what to change, as several lines."""
    first = "; ".join(over)
    lines = [*(table(first, sites(trace, setup="set-up" in over[-1])) or [first]), *missed]
    try:
        if trace.findings:
            lines.append(repr(trace.findings))
        elif any(site.round_trips > 1 for site in trace.call_sites):
            lines.append(WAY_OUT)
    except Exception as fault:  # the budget is judged all the same
        lines.append(f"roundtrips failed to say what to change: {type(fault).__name__}: {fault}")
    return "\n".join(lines)
