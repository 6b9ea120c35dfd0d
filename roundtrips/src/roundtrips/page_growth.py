"""Measure whether a page makes more round trips for more data: `growth(page, fill)`.

A budget is a number that somebody has to choose. No choice is needed to say that a page must not
make more round trips for more rows. The page is called with three sizes of data, twice for each:
three, because two points always lie on a line. If the two calls for one size differ (a retry, a
cache that fills), the result says only that growth can't be told.
"""

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from weakref import WeakSet

from . import blocks, redis_py
from .callsites import CallSite
from .counts import Counts
from .errors import OverBudget, RoundTripsError
from .made_later import check_is_complete
from .ratchets import kind_of
from .traces import trace

RUNS = 2  # of each size
USE_UP = "Use it up in the page, as by list(…): what is sent later is not counted."
Numbers = dict[int, list[int]]  # size of the data: what each run made
Runs = dict[int, list[Counts]]


@dataclass(frozen=True)
class Law:
    """How a number of round trips or waits depends on the size n of the data: `base` + `slope`·n.

    `slope` is None if the numbers do not lie on a line. `differs` is a size for which two calls
    made different numbers, or None; if there is one, the law is unknown. `numbers` is {n: [number
    in each call]}.
    """

    numbers: Numbers
    base: Fraction = Fraction(0)
    slope: Fraction | None = None
    differs: int | None = None

    def __str__(self) -> str:
        """Return the law as text: '7 + 6·n', '4' or '1 + n÷100'.

        If the numbers do not lie on a line, they are listed: '2, 8, 32'.
        """
        if self.slope is None:
            return ", ".join(str(first) for first, *_ in self.numbers.values())
        if not self.slope:
            return str(self.base)
        over, under = self.slope.as_integer_ratio()
        times = ("n" if over == 1 else f"{over}·n") + (f"÷{under}" if under > 1 else "")
        return f"{self.base} + {times}" if self.base else times

    def counted(self, thing: str) -> str:
        """Return '7 + 6·n round trips', or the numbers: '2, 8, 32 round trips at n = 2, 4, 8'.

        `thing` is the noun in the singular, such as 'round trip'.
        """
        if self.differs is not None:
            runs = " and ".join(map(str, self.numbers[self.differs]))
            return f"{runs} {thing}s in two runs at n = {self.differs}"
        if self.slope is None:
            return f"{self} {thing}s at n = {', '.join(map(str, self.numbers))}"
        return f"{self} {thing}" if str(self) == "1" else f"{self} {thing}s"


def law_of(numbers: Numbers) -> Law:
    """Return the Law of `numbers`, {n: [number in each call]}, for three sizes n or more."""
    for size, (first, *others) in numbers.items():
        if any(other != first for other in others):
            return Law(numbers, differs=size)
    points = [(size, first) for size, (first, *_) in sorted(numbers.items())]
    (size, made), (last, most) = points[0], points[-1]
    slope = Fraction(most - made, last - size)
    base = made - slope * size
    is_line = all(base + slope * at == number for at, number in points)
    return Law(numbers, base, slope) if is_line else Law(numbers)


@dataclass(frozen=True)
class SiteGrowth:
    """A call site whose number of round trips grows with the data, as the Law `law` says.

    `sends` is a command's name or 'pipeline'.
    """

    site: CallSite
    sends: str
    law: Law

    def __str__(self) -> str:
        if self.law.slope is None:
            return f"{self.site}: {self.sends}: {self.law.counted('round trip')}"
        over, under = self.law.slope.as_integer_ratio()
        each = f"each {under}" if under > 1 else "each"
        return f"{self.site}: {over} {self.sends} more for {each}"


@dataclass(frozen=True)
class Growth:
    """The result of `growth()`: how a page's round trips and waits depend on the size of its data.

    `round_trips` and `waits` are Laws, such as 7 + 6·n. `sites` lists a SiteGrowth for each call
    site that grows; `uncounted` lists what was not counted, a sentence each.
    """

    round_trips: Law
    waits: Law
    sites: list[SiteGrowth]
    uncounted: list[str]

    @property
    def is_known(self) -> bool:
        """True if growth can be told: all was counted, and the calls for one size agree.

        There must have been a round trip, too.
        """
        made = any(map(any, self.round_trips.numbers.values()))
        return made and self.round_trips.differs is None and not self.uncounted

    @property
    def is_constant(self) -> bool:
        """True if the page surely makes the same number of round trips for any amount of data."""
        return self.is_known and self.round_trips.slope == 0

    def check_constant(self) -> None:
        """Raise OverBudget, which names what grows, unless the page is surely constant."""
        __tracebackhide__ = True  # pytest shows the line of the test
        if not self.is_constant:
            raise OverBudget(str(self))

    def __str__(self) -> str:
        waits = "" if self.waits.slope is None else f", {self.waits.counted('wait')}"
        laws = self.round_trips.counted("round trip") + waits
        if self.is_constant:
            return f"constant: {laws}"
        if not self.is_known:
            return "\n  ".join([f"can't be told: {laws}", *self.uncounted])
        return "\n  ".join([f"grows with n: {laws}", *map(str, self.sites)])


def growth(
    page: Callable[[], Any], fill: Callable[[int], Any], sizes: Sequence[int] = (2, 4, 8)
) -> Any:
    """Return the Growth of page()'s round trips with n, where fill(n) brings the data to n rows.

    `growth(page, fill).check_constant()` fails a test whose page makes more round trips for more
    rows. `fill` and `page` are called once before counting, then twice for each of `sizes`; fill(n)
    has to replace the rows of the call before, and to delete a cache of the whole page. If one of
    the two is an `async def`, write `await growth(page, fill)`. A page that sends its commands in
    batches of 100 needs larger sizes, (100, 200, 400).

    Raises RoundTripsError unless `sizes` are three or more different whole numbers of 1 or more;
    for a page whose work is done later; and for a web reply with a status of 300 or more.
    """
    if len(set(sizes)) < 3 or any(type(each) is not int or each < 1 for each in sizes):
        raise RoundTripsError(
            f"sizes is {sizes!r}. Pass three different whole numbers or more, such as (2, 4, 8): "
            "two can't tell a line from anything else."
        )
    if inspect.iscoroutinefunction(page) or inspect.iscoroutinefunction(fill):
        return growth_of_async(page, fill, sizes)
    runs: Runs = {}
    result = None
    with closing(calls(page, fill, sizes, runs)) as to_call:
        for call in to_call:
            if call is not page:  # the run before is over, and its Trace closed
                check_is_page(page, result)
            result = call()
            if inspect.isawaitable(result):
                getattr(result, "close", bool)()
                raise RoundTripsError(
                    "This page or fill is awaited. Write it as `async def`, and `await growth(…)`."
                )
    return growth_in(runs)


async def growth_of_async(
    page: Callable[[], Any], fill: Callable[[int], Any], sizes: Sequence[int]
) -> Growth:
    runs: Runs = {}
    result = None
    with closing(calls(page, fill, sizes, runs)) as to_call:
        for call in to_call:
            if call is not page:
                check_is_page(page, result)
            result = call()
            if inspect.isawaitable(result):
                result = await result
    return growth_in(runs)


def check_is_page(page: Callable[[], Any], result: Any) -> None:
    """Raise RoundTripsError for a result that is made later, and for a redirect or a web error.

    It is to be called when no Trace is open: a property of the result may ask Redis.
    """
    check_is_complete(page, result, USE_UP)
    status = getattr(result, "status_code", getattr(result, "status", None))
    if isinstance(status, int) and status >= 300:
        raise RoundTripsError(
            f"The page answered with status {status}, so its growth can't be told. Have `fill` "
            "bring back what the page needs, such as the session of somebody who has signed in. If "
            "that is its right answer, return nothing from `page`."
        )


def calls(
    page: Callable[[], Any], fill: Callable[[int], Any], sizes: Sequence[int], runs: Runs
) -> Generator[Callable[[], Any], None, None]:
    """Yield the functions to call: in each run one that calls fill(n), and then `page`.

    The caller calls each function before asking for the next, and looks at a page's result before
    it calls another function. The Traces of `page` are added to `runs`, {size: [Trace]}, except
    that of the first run.
    """
    # A test around this has limits for its own work, and not for what is tried here.
    before = blocks.blocks.set(())
    around = blocks.around_growth.set(WeakSet(redis_py.open_recorders))
    try:
        for number, size in enumerate([sizes[0], *[*sizes] * RUNS]):
            yield functools.partial(fill, size)
            with trace() as t:
                yield page
            if number:  # the first is not looked at: it may load a script, or fill a cache
                runs.setdefault(size, []).append(t)
        yield bool  # does nothing: the caller looks at each page's result before the next call
    finally:
        blocks.around_growth.reset(around)
        blocks.blocks.reset(before)


def growth_in(runs: Runs) -> Growth:
    """Return the Growth computed from the Traces in `runs`, {size: [Trace]}."""
    by_site: dict[tuple[CallSite, str], Numbers] = {}
    for size, several in runs.items():
        for at, t in enumerate(several):
            made: Counter[tuple[CallSite, str]] = Counter()
            for each in t.call_sites:
                if not each.setup:
                    made[each.site, kind_of(each)] += each.round_trips
            for place, number in made.items():
                numbers = by_site.setdefault(
                    place, {each: [0] * len(made_of) for each, made_of in runs.items()}
                )
                numbers[size][at] = number
    laws = {place: law_of(numbers) for place, numbers in by_site.items()}
    return Growth(
        round_trips=law_of({size: [t.round_trips for t in each] for size, each in runs.items()}),
        waits=law_of({size: [t.waits for t in each] for size, each in runs.items()}),
        sites=[SiteGrowth(*place, law) for place, law in laws.items() if law.slope != 0],
        uncounted=sorted({text for each in runs.values() for t in each for text in t.uncounted}),
    )
