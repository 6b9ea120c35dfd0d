"""The plugin for pytest: the fixture `round_trips` and the marker `max_round_trips` are budgets.

The marker takes what `budget()` takes; `max_round_trips(None)` lifts what `--max-round-trips` sets
for all tests. Each option (`pytest --help`) is a setting of pytest's ini file too, by the same name
with underscores. Counted is the test's own call, sync or async, whatever runs it; not its fixtures,
nor setUp. Where that can't be done the test fails. `ignore`, `programs`, `allow_uncounted` and
`ratchet_tolerance` of [tool.roundtrips] hold here too. A run that uses none of it loads nothing of
redis.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from .errors import RoundTripsError

if TYPE_CHECKING:
    from .budgets import Budget
    from .config import Settings
    from .ratchets import State

MARKER = "max_round_trips"
HOW = f"Write @pytest.mark.{MARKER}(3), or (3, waits=2, setup=4), (exactly=3), (None)."
SETTINGS = {  # each an option, with dashes, and a setting of the ini file: (type, help)
    "max_round_trips": ("string", "fail each test that makes more round trips to Redis"),
    "fail_on_findings": ("bool", "fail each test that could make fewer for sure"),
    "round_trips_summary": ("bool", "show at the end what each test made"),
    "round_trips_ratchet": ("string", "fail each test that makes more than this file says"),
    "round_trips_accept": ("bool", "write that file anew, from the tests that pass"),
}


class Run:
    """What a run asks for, and {test: its properties} of what its tests made; itself a plugin."""

    def __init__(self, config: pytest.Config) -> None:
        asked = {}
        for name in SETTINGS:
            given = config.getoption(name)
            asked[name] = config.getini(name) if given is None else given
        self.used = any(asked.values())
        self.folder = config.rootpath
        self.max = number_of(asked["max_round_trips"])
        self.fails_on_findings = bool(asked["fail_on_findings"])
        self.shows = bool(asked["round_trips_summary"])
        self.accepts = bool(asked["round_trips_accept"])
        self.before: State = Counter()
        self.made: dict[str, dict[str, Any]] = {}
        self.passed: set[str] = set()
        self.ratchet = ""
        if asked["round_trips_ratchet"]:
            from . import ratchets

            self.ratchet = os.path.join(self.folder, asked["round_trips_ratchet"])
            if self.accepts:
                ratchets.refuse_others(self.ratchet)
            if not self.accepts or os.path.exists(self.ratchet):
                self.before = ratchets.read(self.ratchet)
        elif self.accepts:
            raise RoundTripsError("--round-trips-accept goes with --round-trips-ratchet FILE.")

    @cached_property
    def table(self) -> Settings:
        """What [tool.roundtrips] says. Raises RoundTripsError where it can't be read."""
        from .config import settings

        return settings(str(self.folder))

    def ratcheted(self, nodeid: str) -> dict[str, int]:
        """Return the ratchet's limit for a test, which no marker lifts."""
        if not self.ratchet or self.accepts:
            return {}
        from .ratchets import most

        return {"max": most(self.before[entry(nodeid)], self.table.ratchet_tolerance)}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a test's numbers; with xdist this is called where all of them come together."""
        made = dict(report.user_properties)
        if report.when == "call" and "round_trips" in made:
            self.made[report.nodeid] = made
            (self.passed.add if report.passed else self.passed.discard)(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show a line for each test, those with the most round trips first."""
        if self.shows:
            terminalreporter.section("round trips to Redis")
            for nodeid, made in sorted(self.made.items(), key=lambda each: -each[1]["round_trips"]):
                missed = "  not all counted" if made["uncounted"] else ""
                numbers = f"{made['round_trips']:>7,} round trips {made['waits']:>7,} waits"
                terminalreporter.line(f"{numbers}  {nodeid}{missed}")
        fewer = sum(
            max(0, self.before[entry(nodeid)] - self.made[nodeid]["round_trips"])
            for nodeid in self.passed
        )
        if fewer and not self.accepts:
            how = "--round-trips-accept keeps it so"
            terminalreporter.line(f"round trips: {fewer:,} fewer than the ratchet says; {how}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the ratchet: of the tests that passed, with the others as they were."""
        if not self.accepts or hasattr(session.config, "workerinput"):
            return
        from . import ratchets

        now = {entry(nodeid): self.made[nodeid]["round_trips"] for nodeid in self.passed}
        try:
            ratchets.write(self.ratchet, Counter({**self.before, **now}))
        except OSError as error:
            pytest.exit(f"{self.ratchet} can't be written: {error}", returncode=4)


RUN = pytest.StashKey[Run]()


def number_of(given: str | None) -> int | None:
    if not given:
        return None
    if not given.isdigit():
        raise RoundTripsError(f"{MARKER} is {given!r}. Pass a whole number of 0 or more.")
    return int(given)


def entry(nodeid: str) -> tuple[str, str, str]:
    """Return a test as a ratchet names it: (file, test, 'test')."""
    file, _, name = nodeid.partition("::")
    return file, name, "test"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("roundtrips", "round trips to Redis")
    for name, (kind, text) in SETTINGS.items():
        how: dict[str, Any] = {"action": "store_true"} if kind == "bool" else {"metavar": "…"}
        group.addoption(f"--{name.replace('_', '-')}", dest=name, default=None, help=text, **how)
        parser.addini(name, text, type=kind, default=None)  # type: ignore[arg-type]


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

    limits: dict[str, Any] = {"max": run.max, "allow_uncounted": run.table.allow_uncounted}
    marker = item.get_closest_marker(MARKER)
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
    hint = ""
    try:
        check(t, budget.limits, budget.allow_uncounted)
        sure = [each for each in t.findings if each.sure] if run.fails_on_findings else []
        if found := run.table.kept(sure):
            raise OverBudget(repr(found))
        hint = "\nIf that is meant: --round-trips-accept."
        check(t, run.ratcheted(item.nodeid), budget.allow_uncounted)
    except OverBudget as error:
        raise pytest.fail.Exception(f"{error}{hint}", pytrace=False) from None
