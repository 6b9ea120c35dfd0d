"""Fail code that makes too many round trips, and say which lines make them.

If something was not counted (threads that were there before, other processes, a client that is not
redis-py), Uncounted is raised, unless `allow_uncounted`.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from .errors import OverBudget, RoundTripsError, Uncounted
from .made_later import AROUND, check_is_complete, name_of
from .page_growth import growth
from .report.text import sites, table
from .traces import Trace, Tracing
from .words import counted

LIMITED = {  # {name of the limit: (attribute of a Trace, its noun)}
    "max": ("round_trips", "round trip"),
    "exactly": ("round_trips", "round trip"),
    "waits": ("waits", "wait"),
    "setup": ("setup_trips", "set-up round trip"),
}
LIMITS = ("max", "waits", "setup")  # the same words in a test, in pytest, for the command
F = TypeVar("F", bound=Callable[..., Any])


class Budget(Tracing):
    """What `budget()` returns: open it with `with` or `async with`, or use it as a decorator.

    `limits` is {argument of `budget`: number}, such as {"max": 3}. With `allow_uncounted` the
    budget is also met if not everything was counted.
    """

    def __init__(self, limits: dict[str, int], allow_uncounted: bool = False) -> None:
        super().__init__()
        self.limits = limits
        self.allow_uncounted = allow_uncounted

    def __exit__(self, *failure: Any) -> None:
        __tracebackhide__ = True  # pytest shows the line of the test
        super().__exit__(*failure)
        if failure[:1] == (None,):
            check(self.trace, self.limits, self.allow_uncounted)

    def __call__(self, function: F) -> F:
        """Return `function` wrapped, so that each call is held to this budget's limits."""
        return around(function, lambda: Budget(self.limits, self.allow_uncounted))


def budget(
    max: int | None = None,
    waits: int | None = None,
    setup: int | None = None,
    exactly: int | None = None,
    allow_uncounted: bool = False,
) -> Budget:
    """Fail a `with` block that makes too many round trips: `with budget(max=3, waits=2) as t:`.

    `max` or `exactly` limits round trips, `waits` the longest chain of round trips that had to
    follow one another, `setup` the round trips that set connections up; None is no limit. Returns a
    Budget, to be used with `with`, `async with`, or as a decorator of a function, sync or async:
    `@budget(max=3)`. `with … as t` gives the Trace.

    The end of the block raises OverBudget, an AssertionError that lists the call sites and what to
    change, or Uncounted if something was not counted, unless `allow_uncounted`. If the block raises
    an error of its own, only that error is raised. budget() itself raises RoundTripsError for
    anything but whole numbers of 0 or more.
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
    """Return `function` wrapped: each call runs in a new `with opened():`.

    `opened()` returns a context manager. Raises RoundTripsError for a generator function, and for a
    function that is not `async def` but returns an awaitable: their work would run after the `with`
    block.
    """
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise RoundTripsError(f"{name_of(function)} is a generator. {AROUND}")
    # Of a callable object it is the class that says whether its call is awaited.
    either = function, type(function).__call__
    is_async = any(map(inspect.iscoroutinefunction, either))

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with opened():
            result = function(*args, **kwargs)
            if inspect.isawaitable(result):
                raise RoundTripsError(f"{name_of(function)} is no async def. Make it one.")
            return check_is_complete(function, result)

    @functools.wraps(function)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with opened():
            return check_is_complete(function, await function(*args, **kwargs))

    return cast(F, awaited if is_async else wrapped)


def check(trace: Trace, limits: dict[str, int], allow_uncounted: bool = False) -> None:
    """Raise OverBudget if a Trace exceeds its limits, or Uncounted if something was not counted.

    `limits` is {argument of `budget`: number}. With `allow_uncounted` Uncounted is not raised.
    """
    __tracebackhide__ = True
    over = excess(trace, limits)
    missed = trace.uncounted if limits and not allow_uncounted else []
    if over:
        raise OverBudget(failure_text(trace, over, missed))
    if missed:
        first = f"{counted(trace.round_trips, 'round trip')} counted, but not all that was done:"
        last = (
            "Do it all within the block, or allow it: allow_uncounted=True. A thread or task that "
            "has nothing to do with it: ignore_threads in [tool.roundtrips]."
        )
        raise Uncounted("\n  ".join([first, *missed]) + "\n" + last)


class RoundTripsMixin:
    """Adds assertRoundTrips and assertConstantRoundTrips to a TestCase of unittest or Django.

    They are like Django's own assertNumQueries.
    """

    def assertRoundTrips(
        self, num: int, func: Callable[..., Any] | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Fail unless the `with` block, or func(*args, **kwargs), makes exactly `num` round trips.

        Without `func` a context manager is returned: `with self.assertRoundTrips(2):`. With `func`
        the function is called, and its result is returned. Raises RoundTripsError for an `async
        def`, whose coroutine a test may forget to await.
        """
        if inspect.iscoroutinefunction(func):
            raise RoundTripsError(f"Write `with self.assertRoundTrips({num}):`, and await in it.")
        exactly = budget(exactly=num)
        return exactly if func is None else exactly(func)(*args, **kwargs)

    def assertConstantRoundTrips(
        self,
        page: Callable[[], Any],
        fill: Callable[[int], Any],
        sizes: Sequence[int] = (2, 4, 8),
    ) -> None:
        """Fail unless page() makes the same number of round trips for every amount of data.

        fill(n) must replace the data by n rows. fill(n) and then page() are called for each n in
        `sizes`, and all of that twice. The test fails, too, if nothing can be told about growth:
        see Growth.is_known. Raises RoundTripsError for an `async def`, whose coroutine a test may
        forget to await.
        """
        found = growth(page, fill, sizes)
        if inspect.isawaitable(found):
            getattr(found, "close", bool)()
            raise RoundTripsError("Write `(await growth(page, fill)).check_constant()`.")
        found.check_constant()


def excess(trace: Trace, limits: dict[str, int]) -> list[str]:
    """Return a list of texts, one for each number of a Trace that is outside its limit.

    `limits` is {argument of `budget`: number}. A text is such as '12 round trips, 3 allowed'.
    """
    texts = []
    for name, limit in limits.items():
        number = getattr(trace, LIMITED[name][0])
        exact = name == "exactly"
        if number > limit or (exact and number < limit):
            word = "expected" if exact else "allowed"
            texts.append(f"{counted(number, LIMITED[name][1])}, {limit:,} {word}")
    return texts


def failure_text(trace: Trace, over: list[str], missed: list[str]) -> str:
    """Return the text of a failed budget: the exceeded limits, call sites, and what to change.

    `over` are the texts that `excess` returned, `missed` sentences on what was not counted.
    """
    first = "; ".join(over)
    lines = [*(table(first, sites(trace, setup="set-up" in over[-1])) or [first]), *missed]
    if trace.findings:
        lines.append(repr(trace.findings))
    return "\n".join(lines)
