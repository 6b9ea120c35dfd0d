"""What a run of pytest asks for with its options, and what its tests made: summary and ratchet."""

from __future__ import annotations

import os
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from .errors import RoundTripsError

if TYPE_CHECKING:
    from .config import Settings
    from .ratchets import State

LIMITS = {"max_round_trips": "max", "round_trips_waits": "waits", "round_trips_setup": "setup"}
SETTINGS = {  # each an option, with dashes, and a setting of the ini file: (type, help)
    "max_round_trips": ("int", "fail each test that makes more round trips to Redis"),
    "round_trips_waits": ("int", "fail each test that makes more of them one after the other"),
    "round_trips_setup": ("int", "fail each test that makes more to set connections up"),
    "round_trips_allow_uncounted": ("bool", "let tests pass of which not all could be counted"),
    "fail_on_findings": ("bool", "fail each test that could make fewer for sure"),
    "round_trips_summary": ("bool", "show at the end what each test made"),
    "round_trips_ratchet": ("string", "fail each test that makes more than this file says"),
    "round_trips_accept": ("bool", "write that file anew, from the tests that pass"),
}


class Run:
    """What a run asks for, and {test: its properties} of what its tests made; itself a plugin."""

    def __init__(self, config: pytest.Config) -> None:
        self.asked = {name: value_of(config, name) for name in SETTINGS}
        self.used = any(value is not None and value is not False for value in self.asked.values())
        self.folder = config.rootpath
        self.accepts = bool(self.asked["round_trips_accept"])
        self.before: State = Counter()
        self.made: dict[str, dict[str, Any]] = {}
        self.passed: set[str] = set()
        self.ratchet = ""
        if self.asked["round_trips_ratchet"]:
            from . import ratchets

            self.ratchet = os.path.join(self.folder, self.asked["round_trips_ratchet"])
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

    def limits_of(self, nodeid: str) -> dict[str, Any]:
        """Return what `budget()` takes, for a test that says nothing itself."""
        limits = {limit: self.asked[name] for name, limit in LIMITS.items()}
        if self.ratchet and not self.accepts:
            from .ratchets import tolerance_of

            number, percent = tolerance_of(self.table.ratchet_tolerance)
            kept = self.before[entry(nodeid)]
            kept += number + kept * percent // 100
            limits["max"] = kept if limits["max"] is None else min(kept, limits["max"])
        allowed = self.asked["round_trips_allow_uncounted"] or self.table.allow_uncounted
        return {**limits, "allow_uncounted": bool(allowed)}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a test's numbers; with xdist this is called where all of them come together."""
        made = dict(report.user_properties)
        if report.when == "call" and "round_trips" in made:
            self.made[report.nodeid] = made
            (self.passed.add if report.passed else self.passed.discard)(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show a line for each test, those with the most round trips first."""
        if self.asked["round_trips_summary"]:
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


def value_of(config: pytest.Config, name: str) -> Any:
    """Return what the command line says, or else the ini file; None: neither does."""
    value = config.getoption(name)
    value = config.getini(name) if value is None else value
    if SETTINGS[name][0] != "int" or value is None:
        return value
    if not str(value).isdigit():
        raise RoundTripsError(f"{name} is {value!r}. Pass a whole number of 0 or more.")
    return int(value)


def entry(nodeid: str) -> tuple[str, str, str]:
    """Return a test as a ratchet names it: (file, test, 'test')."""
    file, _, name = nodeid.partition("::")
    return file, name, "test"
