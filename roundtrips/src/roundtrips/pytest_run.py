"""Count each test's round trips, and fail a test that exceeds its limits.

Loaded once pytest uses the plugin. Only the test function itself is counted, sync or async;
fixtures and setUp are not. A test that can't be counted fails. `ignore`, `programs`,
`allow_uncounted` and `ratchet_tolerance` of [tool.roundtrips] apply here too.

PYTEST_DONT_REWRITE
"""

import functools
import inspect
import json
import os
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from . import blocks, ratchets
from .budgets import LIMITS, Budget, around, budget, check
from .config import settings
from .errors import OverBudget, RoundTripsError, Uncounted
from .report import github
from .traces import Trace, Tracing, trace

NUMBERS = "round_trips", "waits", "setup_trips"
IF_UNCOUNTED = (
    "To allow it for this test: @pytest.mark.round_trips(None, allow_uncounted=True). For a server "
    "in a thread, as LiveServerTestCase has, count the process as well: trace(scope='process')."
)
HOW = "Write @pytest.mark.{0}(max=3), or (max=3, waits=2, setup=4), (exactly=3), (None)."


class Suite:
    """The plugin's options and the numbers of all tests; it is registered as a plugin itself.

    `asked` is {option of the plugin: value}.
    """

    def __init__(self, config: pytest.Config, asked: dict[str, Any]) -> None:
        self.folder = config.rootpath
        self.limits = {name: number_of(asked, f"round_trips_{name}") for name in LIMITS}
        self.asked = asked
        self.table = settings(str(self.folder))
        ratchets.most(0, self.table.ratchet_tolerance)  # raises for a bad tolerance
        self.accepts = bool(asked["round_trips_accept"])
        if asked["round_trips_summary"]:
            github.step_summary("--round-trips-summary")  # raises where there is none
        self.before: ratchets.State = Counter()
        self.made: dict[str, dict[str, Any]] = {}
        self.passed: set[str] = set()
        self.ratchet = ""
        if asked["round_trips_ratchet"]:
            self.ratchet = os.path.join(self.folder, asked["round_trips_ratchet"])
            if not self.accepts or os.path.exists(self.ratchet):
                self.before = ratchets.read(self.ratchet, "pytest")
        elif self.accepts:
            raise RoundTripsError("--round-trips-accept goes with --round-trips-ratchet FILE.")

    def ratchet_limit(self, item: pytest.Item, t: Trace) -> dict[str, int]:
        """Return the limit that the ratchet's file sets for a test, as arguments of `budget`.

        It is {} without a ratchet. While the ratchet is written anew, it is what the test's Trace
        `t` has: so a test of which not all was counted gets no row. The marker `round_trips(None)`
        does not lift this limit.
        """
        if not self.ratchet:
            return {}
        made = t.round_trips if self.accepts else self.before[ratchet_key(id_of(item))]
        return {"max": ratchets.most(made, self.table.ratchet_tolerance)}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store a test's numbers in `made`, and whether it passed in `passed`.

        With xdist this happens in the main process, for all workers.
        """
        made = dict(report.user_properties)
        if report.when == "call" and "round_trips" in made:
            test: Any = made.pop("test")
            over = made["over"] if report.failed else ""  # and not if it was expected to fail
            at = {"file": report.location[0], "line": report.location[1] or 0}
            self.made[test] = {**at, **made, "over": over}
            (self.passed.add if report.passed else self.passed.discard)(test)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print what the options ask for: a line for each test, and annotations for GitHub.

        The lines are sorted, most round trips first.
        """
        if self.asked["round_trips_report"]:
            terminalreporter.section("round trips to Redis")
            for nodeid, made in sorted(self.made.items(), key=lambda each: -each[1]["round_trips"]):
                missed = "  not all counted" if made["uncounted"] else ""
                numbers = f"{made['round_trips']:>7,} round trips {made['waits']:>7,} waits"
                terminalreporter.line(f"{numbers}  {nodeid}{missed}")
        for made in self.made.values():
            if self.asked["round_trips_annotations"] and made["over"]:
                file = github.in_workspace(os.path.normpath(self.folder / made["file"]))
                at = f"file={github.value(file)},line={made['line'] + 1},title=round trips"
                terminalreporter.line(f"::error {at}::{github.message(made['over'])}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files that the options ask for: the ratchet's, the JSON file, GitHub's summary.

        In the ratchet's file the rows of tests that did not pass stay as they were. With xdist only
        the main process writes.
        """
        if hasattr(session.config, "workerinput"):
            return
        now = {ratchet_key(nodeid): self.made[nodeid]["round_trips"] for nodeid in self.passed}
        try:
            if self.accepts:
                ratchets.write(self.ratchet, Counter({**self.before, **now}))
            if self.asked["round_trips_json_file"]:
                tests = [{"test": nodeid, **made} for nodeid, made in self.made.items()]
                path = self.folder / self.asked["round_trips_json_file"]
                path.write_text(json.dumps({"format": 1, "tests": tests}, indent=1) + "\n")
            if self.asked["round_trips_summary"]:
                with open(github.step_summary(""), "a", encoding="utf-8") as file:
                    file.write(github.summary_of_tests(self.made))
        except OSError as error:
            pytest.exit(f"{error.filename} can't be written: {error}", returncode=4)


SUITE = pytest.StashKey[Suite]()


def suite_of(config: pytest.Config, asked: dict[str, Any]) -> Suite:
    """Return the Suite of this pytest process; the first call makes it.

    `asked` is {option of the plugin: value}. Raises RoundTripsError for an option or a ratchet that
    can't be used.
    """
    if SUITE not in config.stash:
        config.stash[SUITE] = Suite(config, asked)
        config.pluginmanager.register(config.stash[SUITE], "roundtrips_suite")
    return config.stash[SUITE]


def number_of(asked: dict[str, Any], name: str) -> int | None:
    """Return the number given for an option or setting as an int; None if none was given.

    `asked` is {option of the plugin: value}, `name` the option. Raises RoundTripsError for anything
    but a whole number of 0 or more.
    """
    given = asked[name]
    if given and not given.isdigit():
        raise RoundTripsError(f"{name} is {given!r}. Pass a whole number of 0 or more.")
    return int(given) if given else None


def id_of(item: pytest.Item) -> str:
    """Return a test's id, such as 'tests/test_pages.py::test_show'.

    It is pytest's own, but for files outside the root folder: there pytest's has no folders, and
    two tests may have the same.
    """
    file = os.path.relpath(item.path, item.config.rootpath).replace(os.sep, "/")
    return "::".join([file, *item.nodeid.split("::")[1:]])


def ratchet_key(nodeid: str) -> tuple[str, str, str]:
    """Return a test's key in a ratchet, (file, test, 'test'), for an id of `id_of`."""
    file, _, name = nodeid.partition("::")
    return file, name, ratchets.OF_A_TEST


def run_test(
    item: pytest.Item, asked: dict[str, Any], marker: str
) -> Generator[None, object, object]:
    """Run a test with its round trips counted: a generator that yields once, where the test runs.

    It is a part of pytest's hook `pytest_runtest_call`. `asked` is {option of the plugin: value},
    `marker` the marker's name. The test's function is wrapped, and not only its call, since a
    coroutine has its own context.
    """
    entered: list[Tracing] = []
    function = item if isinstance(item, pytest.Function) else None
    try:
        suite = suite_of(item.config, asked)
        limits = budget_of(item, suite, marker)
        if function is not None:
            test = function.obj
            instance = function.instance
            function.obj = around(test, lambda: judging(item, limits, suite, entered))
            examples = getattr(test, "hypothesis", None)  # what Hypothesis has made of it
            if examples is not None:
                example = examples.inner_test
                examples.inner_test = in_blocks_of(entered, example)
    except RoundTripsError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    if function is None:  # a doctest, another plugin's kind of test
        with judging(item, limits, suite, entered):
            return (yield)
    of_unittest = hasattr(instance, "_testMethodName")  # which looks there, not at item.obj
    if of_unittest:
        setattr(instance, item.name, function.obj)
    try:
        result = yield
    finally:
        function.obj = test
        if examples is not None:
            examples.inner_test = example
        if of_unittest:
            vars(instance).pop(item.name, None)
    if not entered:
        pytest.fail(f"What runs this test goes past {marker}: nothing was counted.", pytrace=False)
    return result


def in_blocks_of(entered: list[Tracing], example: Any) -> Any:
    """Return Hypothesis' function for one example, so that its round trips belong to the test.

    Only an `async def` is wrapped: its context may be older than the test's counting block, which
    is that of the last Tracing in `entered`. Any other function is returned unchanged.
    """
    if not inspect.iscoroutinefunction(example):
        return example

    @functools.wraps(example)
    async def joined(*args: Any, **kwargs: Any) -> Any:
        recorder: Any = entered[-1].recorder
        before = blocks.blocks.set((*recorder.above, recorder))
        try:
            return await example(*args, **kwargs)
        finally:
            blocks.blocks.reset(before)

    return joined


def budget_of(item: pytest.Item, suite: Suite, name: str) -> Budget:
    """Return the Budget of a test, from its marker and from the options.

    `name` is the marker's name, `suite` has the options. Raises RoundTripsError for a marker
    without a number.
    """
    marker = item.get_closest_marker(name)
    args = marker.args if marker else ()
    given = marker.kwargs if marker else {}
    how = HOW.format(name)
    if marker and not (args or given):
        raise RoundTripsError(f"This marker says no number of round trips. {how}")
    of_all: dict[str, Any] = {"allow_uncounted": suite.table.allow_uncounted}
    if args != (None,):
        left = LIMITS[len(args) :] if "exactly" not in given else LIMITS[1:]
        of_all |= {limit: suite.limits[limit] for limit in left}
    try:
        return budget(*args, **{**of_all, **given})
    except TypeError as error:
        raise RoundTripsError(f"{error}\n{how}") from None


@contextmanager
def judging(
    item: pytest.Item, limits: Budget, suite: Suite, entered: list[Tracing]
) -> Iterator[None]:
    """Trace a test in a `with` block; then fail the test if it exceeds `limits` or the ratchet.

    The numbers are added to `item.user_properties`, with the text of an exceeded limit, also of a
    budget in the test or of growth(). The opened Tracing is appended to `entered`.
    """
    __tracebackhide__ = True
    tracing = trace()
    entered.append(tracing)
    over = ""
    try:
        with tracing:
            yield
    except OverBudget as error:
        over = str(error)
        raise
    finally:
        t = tracing.trace
        over = over or over_text(t, item, limits, suite)
        item.user_properties += [
            ("test", id_of(item)), *[(name, getattr(t, name)) for name in NUMBERS],
            ("uncounted", len(t.uncounted)), ("over", over),
        ]  # fmt: skip
    if over:
        raise pytest.fail.Exception(over, pytrace=False)


def over_text(t: Trace, item: pytest.Item, limits: Budget, suite: Suite) -> str:
    """Return the text of a limit or of the ratchet that a test's Trace exceeds; '' if of none."""
    hint = ""
    try:
        check(t, limits.limits, limits.allow_uncounted)
        hint = "\nIf that is meant: --round-trips-accept."
        check(t, suite.ratchet_limit(item, t), limits.allow_uncounted)
    except Uncounted as error:
        return f"{error}\n{IF_UNCOUNTED}"
    except OverBudget as error:
        return f"{error}{hint}"
    return ""
