"""The plugin for pytest that comes with the package: a fixture and a marker that keep a budget of round trips.

    def test_page(round_trips, client):
        with round_trips(max=3):
            client.get("/")

    @pytest.mark.max_round_trips(3, waits=2)
    def test_page(client):
        client.get("/")

The marker is for the test's own call: what its fixtures send is not counted. Both work in coroutines as well, with whatever runs
them. A run that uses neither loads nothing of redis.
"""

import functools
import inspect

import pytest

MARKER = "max_round_trips"


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARKER}(max, waits=None): fail if the test makes more round trips to Redis, or more of "
                                       "them one after the other")


@pytest.fixture
def round_trips():
    """`with round_trips(max=3, waits=2) as t:` fails if the block makes more; `t` is a trace of it."""
    from .budgets import budget

    return budget


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    """The test itself is wrapped, not its run: a coroutine runs in a context of its own, and the count has to begin there."""
    marker = item.get_closest_marker(MARKER)
    test = getattr(item, "obj", None)
    if marker is None or test is None:
        return (yield)
    item.obj = kept_to(marker, test)
    try:
        return (yield)
    finally:
        item.obj = test


def kept_to(marker, test):
    """The test, as a function of the same kind, with a budget around it."""
    from .budgets import OverBudget, budget, budget_of
    from .errors import RoundTripsError

    try:
        limits = budget_of(marker.args, marker.kwargs)
    except RoundTripsError as error:
        pytest.fail(str(error), pytrace=False)

    if inspect.iscoroutinefunction(test):
        @functools.wraps(test)
        async def wrapped(*args, **kwargs):
            __tracebackhide__ = True
            try:
                async with budget(*limits):
                    return await test(*args, **kwargs)
            except OverBudget as error:
                raise pytest.fail.Exception(str(error), pytrace=False) from None
    else:
        @functools.wraps(test)
        def wrapped(*args, **kwargs):
            __tracebackhide__ = True
            try:
                with budget(*limits):
                    return test(*args, **kwargs)
            except OverBudget as error:
                raise pytest.fail.Exception(str(error), pytrace=False) from None
    return wrapped
