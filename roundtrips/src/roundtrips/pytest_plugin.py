"""The pytest plugin: the fixture `round_trips` and the marker of that name are budgets.

The marker takes the arguments of `budget()`; `round_trips(None)` lifts the limits that options set
for all tests. Each option (`pytest --help`) is also a setting of pytest's ini file, by the same
name with underscores; behind `--round-trips-` they are called as those of the command are. A run
that uses none of them does not import redis: `pytest_run` is loaded on first use.

PYTEST_DONT_REWRITE
"""

import functools
from collections.abc import Generator
from typing import Any

import pytest

import roundtrips

from .errors import RoundTripsError

MARKER = "round_trips"
SETTINGS = {  # each an option, with dashes, and a setting of the ini file: (type, help)
    "round_trips_max": ("string", "fail each test that makes more round trips to Redis"),
    "round_trips_waits": ("string", "fail each test in which more had to follow one another"),
    "round_trips_setup": ("string", "fail each test that takes more to set connections up"),
    "round_trips_ratchet": ("string", "fail each test that makes more than this file says"),
    "round_trips_accept": ("bool", "write that file anew, from the tests that pass"),
    "round_trips_report": ("bool", "show at the end what each test made"),
    "round_trips_json_file": ("string", "write what each test made into this file, as JSON"),
    "round_trips_annotations": ("bool", "print GitHub's workflow commands for tests that fail"),
    "round_trips_summary": ("bool", "append Markdown to GITHUB_STEP_SUMMARY"),
}
ASKED = pytest.StashKey[dict[str, Any]]()


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
    roundtrips.folder = str(config.rootpath)  # a test may go elsewhere before the first block
    asked = {}
    for name in SETTINGS:
        given = config.getoption(name)
        asked[name] = config.getini(name) if given is None else given
    config.stash[ASKED] = asked
    if any(asked.values()):
        try:
            run_of(config).suite_of(config, asked)
        except RoundTripsError as error:
            raise pytest.UsageError(str(error)) from None


def run_of(config: pytest.Config) -> Any:
    """Return the module `pytest_run`; the first call loads it and registers it as a plugin."""
    name = "roundtrips.pytest_run"
    config.pluginmanager.import_plugin(name)
    return config.pluginmanager.get_plugin(name)


@pytest.fixture
def round_trips() -> Any:
    """Return `budget`, to be used as `with round_trips(max=3, waits=2) as t:`.

    Its attribute `round_trips.growth` is the function `growth`.
    """
    given = functools.partial(roundtrips.budget)
    vars(given)["growth"] = roundtrips.growth
    return given


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Count the round trips of a test with the marker, or of every test if an option says so.

    This is pytest's hook around the call of a test.
    """
    asked = item.config.stash[ASKED]
    if not any(asked.values()) and item.get_closest_marker(MARKER) is None:
        return (yield)
    return (yield from run_of(item.config).run_test(item, asked, MARKER))
