"""The plugin for pytest: budgets of round trips for tests.

    def test_page(round_trips, client):
        with round_trips(max=3):
            client.get("/")

    @pytest.mark.max_round_trips(3, waits=2)
    def test_page(client):
        client.get("/")

The marker takes what `budget()` takes; `max_round_trips(None)` lifts what `--max-round-trips` sets
for all tests. Each option (`pytest --help`) is a setting of pytest's ini file too, by the same name
with underscores. Counted is the test's own call, sync or async, whatever runs it; not its fixtures,
nor setUp. Where that can't be done the test fails. `ignore`, `programs`, `allow_uncounted` and
`ratchet_tolerance` of [tool.roundtrips] hold here too. A run that uses none of it loads nothing of
redis.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from .errors import RoundTripsError
from .pytest_run import SETTINGS, Run

if TYPE_CHECKING:
    from .budgets import Budget

MARKER = "max_round_trips"
HOW = f"Write @pytest.mark.{MARKER}(3), or (3, waits=2, setup=4), (exactly=3), (None)."
RUN = pytest.StashKey[Run]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("roundtrips", "round trips to Redis")
    for name, (kind, text) in SETTINGS.items():
        how: dict[str, Any] = {"action": "store_true"} if kind == "bool" else {"metavar": kind}
        group.addoption(f"--{name.replace('_', '-')}", dest=name, default=None, help=text, **how)
        known: Any = "string" if kind == "int" and pytest.version_tuple < (8, 4) else kind
        parser.addini(name, text, type=known, default=None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{MARKER}(max, waits, setup, exactly): fail if the test makes more round trips"
    )
    try:
        run = config.stash[RUN] = Run(config)
    except RoundTripsError as error:
        raise pytest.UsageError(str(error)) from None
    if run.used:
        config.pluginmanager.register(run, "roundtrips_run")


@pytest.fixture
def round_trips() -> Callable[..., Budget]:
    """Give `budget`: `with round_trips(max=3, waits=2) as t:` fails if the block makes more."""
    from .budgets import budget

    return budget


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Wrap the test itself, not its run: a coroutine runs in a context of its own."""
    run = item.config.stash[RUN]
    if not run.used and item.get_closest_marker(MARKER) is None:
        return (yield)
    from .budgets import around

    entered: list[Any] = []
    function = item if isinstance(item, pytest.Function) else None
    try:
        budget = budget_of(item, run)
        if function is not None:
            test, instance = function.obj, function.instance
            function.obj = around(test, lambda: judged(item, budget, run, entered))
    except RoundTripsError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    if function is None:  # a doctest, another plugin's kind of test
        with judged(item, budget, run, entered):
            return (yield)
    of_unittest = hasattr(instance, "_testMethodName")  # which looks there, not at item.obj
    if of_unittest:
        setattr(instance, item.name, function.obj)
    try:
        result = yield
    finally:
        function.obj = test
        if of_unittest:
            vars(instance).pop(item.name, None)
    if not entered:
        pytest.fail(f"What runs this test goes past {MARKER}: nothing was counted.", pytrace=False)
    return result


def budget_of(item: pytest.Item, run: Run) -> Budget:
    """Return a test's budget. Raises RoundTripsError for a marker that says none."""
    from .budgets import budget

    limits, marker = run.limits_of(item.nodeid), item.get_closest_marker(MARKER)
    if marker is not None:
        if len(marker.args) > 1 or not (marker.args or marker.kwargs):
            raise RoundTripsError(f"This marker says no number of round trips. {HOW}")
        if "max" in marker.kwargs and marker.args:
            raise RoundTripsError(f"This marker says twice how many round trips. {HOW}")
        given = {**dict(zip(["max"], marker.args, strict=False)), **marker.kwargs}
        limits = {**limits, **({"max": None} if "exactly" in given else {}), **given}
    try:
        return budget(**limits)
    except TypeError as error:
        raise RoundTripsError(f"{error}\n{HOW}") from None


@contextmanager
def judged(item: pytest.Item, budget: Budget, run: Run, entered: list[Any]) -> Iterator[None]:
    """Trace what a test does, keep its numbers for the end, and fail it if they are too high."""
    from .budgets import OverBudget, check
    from .traces import trace

    __tracebackhide__ = True
    entered.append(item)
    tracing = trace()
    try:
        with tracing:
            yield
    finally:
        t = tracing.trace
        made = {"round_trips": t.round_trips, "waits": t.waits, "uncounted": len(t.uncounted)}
        item.user_properties += made.items()
    try:
        check(t, budget.limits, budget.allow_uncounted)
        if run.asked["fail_on_findings"]:
            found = run.table.kept([each for each in t.findings if each.sure])
            if found:
                raise OverBudget(repr(type(t.findings)(found)))
    except OverBudget as error:
        hint = "\nIf that is meant: --round-trips-accept." if run.ratchet else ""
        raise pytest.fail.Exception(f"{error}{hint}", pytrace=False) from None
