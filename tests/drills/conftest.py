"""Drills: slow, rough checks. `make drills` runs them, `make test` does not.

Each test_*.py is plain pytest, with the fixtures of tests/conftest.py and `from tries import tries,
seeds`. A test function counts as one try; one that loops over many says so:
`record_property("tries", n)` and `record_property("failures", m)`. The table at the end adds them
up by drill, and by what it is a drill of: `record_property("of", what)`.
"""

import os
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import tries

ROUNDTRIPS = Path(__file__).parents[2] / "roundtrips" / "tests"
sys.path += [str(ROUNDTRIPS), str(ROUNDTRIPS / "drills")]  # for environments.py

ALL_S = 28 * 60  # of all drills in CI; more is for DRILLS=full
RANDOM_S = 24 * 60  # of them: a machine so slow that they are over tries a random drill less often,
AT_LEAST = 3  # but so often
NO_TIME = "the minutes that CI has for random drills are over"
LIMIT_S = {"ci": 900, "full": 3000}  # of one test function that sets no timeout of its own


_began = time.monotonic()
_tried = Counter()  # by test function
os.environ.pop("PYTEST_XDIST_WORKER", None)  # of a worker; a pytest that a drill starts is none


def pytest_report_header():
    return f"drills: DRILLS={tries.SIZE}, DRILLS_SEED={tries.SEED}"


def pytest_collection_modifyitems(items):
    items.sort(key=is_random)
    for item in items:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_S[tries.SIZE]))


def is_random(item):
    """Whether it is one of a drill's `seeds`: any number of them is a sample."""
    return "seed" in getattr(getattr(item, "callspec", None), "params", ())


def pytest_runtest_setup(item):
    no_time = has_a_limit() and time.monotonic() - _began > RANDOM_S
    if no_time and is_random(item) and _tried[item.function] >= AT_LEAST:
        pytest.skip(NO_TIME)
    _tried[item.function] += 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Notes what was installed for a drill, for the table."""
    try:
        return (yield)
    finally:
        if said := getattr(sys.modules.get("environments"), "said", []):
            item.user_properties.append(("installed", [*said]))
            said.clear()


def has_a_limit():
    return tries.SIZE == "ci" and os.environ.get("CI") == "true"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """What takes everybody's CI too long is a failure there, though every drill passed."""
    if took_too_long() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def took_too_long():
    """What to say if all drills together took CI too long; "" otherwise."""
    took = time.monotonic() - _began
    if not has_a_limit() or took <= ALL_S:
        return ""
    return (
        f"The drills took {took / 60:.1f} minutes, and CI has {ALL_S / 60:.0f} for all of "
        "them. The table tells which took longest: let it try less often."
    )


def pytest_terminal_summary(terminalreporter):
    """A row for each drill: how often it tried, how often that failed, how long it took."""
    table, installed = defaultdict(lambda: [0, 0, 0.0]), []
    for outcome in ("passed", "failed", "skipped", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            if report.when == "collect":  # a file that can't be imported: pytest tells it
                continue
            said = dict(report.user_properties)
            installed += said.get("installed", [])
            name = report.nodeid.split("[")[0].removeprefix("tests/drills/")
            add(table[name + (f" of {said['of']}" if "of" in said else "")], report, said)
    terminalreporter.section(f"drills, DRILLS={tries.SIZE} DRILLS_SEED={tries.SEED}")
    terminalreporter.line(f"{'tries':>7} {'failed':>7} {'seconds':>8}  drill")
    for name, (tried, failed, seconds) in sorted(table.items()):
        terminalreporter.line(f"{tried:>7} {failed:>7} {seconds:>8.1f}  {name}")
    for sentence in installed:
        terminalreporter.line(sentence)
    if left_out := sum(map(is_left_out, terminalreporter.stats.get("skipped", []))):
        terminalreporter.line(
            f"{left_out} seeds of random drills were not tried: after "
            f"{RANDOM_S // 60} minutes CI tries {AT_LEAST} of each."
        )
    if sentence := took_too_long():
        terminalreporter.line(sentence, red=True)


def is_left_out(report):
    return isinstance(report.longrepr, tuple) and NO_TIME in report.longrepr[2]


def add(row, report, said):
    """Adds a report. Who was skipped tried nothing, who failed in its set-up tried once."""
    if not report.skipped:
        row[0] += said.get("tries", 1)
        row[1] += said.get("failures", 0) or int(report.failed)
    row[2] += report.duration
