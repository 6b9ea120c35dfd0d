"""A budget of round trips: a block that makes more of them fails, and says which, from where, and what to write instead."""

import warnings

from .errors import RoundTripsError
from .traces import Tracing
from .words import counted

MOST_SITES = 8
WAY_OUT = "What is sent several times can be one round trip: MGET or HMGET, a pipeline, or a script."


class OverBudget(AssertionError):
    """A block made more round trips, or more waits, than it was allowed."""


class Budget(Tracing):
    """What `budget()` returns: open it with `with` or `async with`; it is a Trace, and afterwards it is looked at."""

    def __init__(self, most, most_waits):
        super().__init__()
        self.most, self.most_waits = most, most_waits

    def __exit__(self, *failure):
        __tracebackhide__ = True  # pytest shows the line of the test
        super().__exit__(*failure)
        if failure[:1] == (None,):
            check(self.trace, self.most, self.most_waits)

    async def __aexit__(self, *failure):
        __tracebackhide__ = True
        self.__exit__(*failure)


def budget(max=None, waits=None):
    """`with budget(max=3, waits=2) as t:` traces the block, and raises OverBudget if it made more.

    `max` is for round trips, `waits` for those of them that had to follow one another; what is left out is not looked at. Set-up
    of connections counts for neither. OverBudget is an AssertionError that tells the call sites and what to change. If the block
    raises, that stands. Raises RoundTripsError for anything but whole numbers of 0 or more.
    """
    for name, value in (("max", max), ("waits", waits)):
        if value is not None:
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise RoundTripsError(f"{name} is {value!r}. Pass a whole number of 0 or more.")
    return Budget(max, waits)


def check(trace, most=None, most_waits=None):
    """Raises OverBudget if a Trace has more round trips or waits than allowed; warns of what it could not see."""
    __tracebackhide__ = True
    if trace.unattributed and (most is not None or most_waits is not None):
        warnings.warn(f"The budget leaves out {counted(trace.unattributed, 'write')} to Redis by threads that were there before "
                      "it: whose they are can't be said. Start the threads inside it.", stacklevel=3)
    over = excess(trace, most, most_waits)
    if over:
        raise OverBudget(told(trace, over))


def excess(trace, most=None, most_waits=None):
    """['12 round trips, 3 allowed']: each number that is too high, in words."""
    return [f"{counted(number, thing)}, {limit:,} allowed"
            for number, thing, limit in ((trace.round_trips, "round trip", most), (trace.waits, "wait", most_waits))
            if limit is not None and number > limit]


def told(trace, over):
    """What is too much, where it comes from, and what to change, as a text of several lines."""
    sites = [site for site in trace.call_sites if not site.setup]
    rows = [(site.label + (f" × {site.round_trips:,}" if site.round_trips > 1 else ""), site.site) for site in sites[:MOST_SITES]]
    width = min(60, max((len(what) for what, _ in rows), default=0))
    lines = ["; ".join(over), *[f"  {what:<{width}}  {site}" for what, site in rows]]
    if len(sites) > MOST_SITES:
        lines.append(f"  and {counted(len(sites) - MOST_SITES, 'call site')} more")
    if trace.findings:
        lines.append(repr(trace.findings))
    elif any(site.round_trips > 1 for site in sites):
        lines.append(WAY_OUT)
    return "\n".join(lines)


def budget_of(arguments, options):
    """(max, waits) as a marker was given them. Raises RoundTripsError for anything else."""
    if len(arguments) > 1 or set(options) - {"max", "waits"} or (arguments and "max" in options):
        raise RoundTripsError("A budget is a number of round trips, of waits, or both. Write @pytest.mark.max_round_trips(3) or "
                       "@pytest.mark.max_round_trips(3, waits=2).")
    made = budget(*arguments, **options)
    if made.most is None and made.most_waits is None:
        raise RoundTripsError("This budget allows any number. Write @pytest.mark.max_round_trips(3), or (waits=2).")
    return made.most, made.most_waits
