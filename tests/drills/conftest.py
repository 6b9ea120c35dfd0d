"""Drills: slow, rough checks. `make drills` or `make nightly` runs them, `make test` does not.

Each test_*.py is plain pytest, with the fixtures of tests/conftest.py and `from tries import tries,
seeds`.
"""

import os
import re
import sys
from pathlib import Path

import pytest
import tries

ROUNDTRIPS = Path(__file__).parents[2] / "roundtrips" / "tests"
sys.path += [str(ROUNDTRIPS), str(ROUNDTRIPS / "drills")]  # for environments.py

# Each is slow, and rarely finds what no other test does: `make nightly` runs it. `make drills` has
# what guards a learner, a room, an installation, the book, and a user of roundtrips.
NIGHTLY = re.compile(
    r"^tests/drills/test_("
    r"alone\.py::test_every_section"  # `make test` runs each chapter whole
    r"|chapters_elsewhere|chapters_in_browser"  # other servers; a browser runs one by day
    r"|beside_linux\.py::test_a_lost"  # a minute of PINGs; that bytes take what they take is by day
    r"|image|other_clients"  # an installation, and Java and Node.js, from the network
    r"|killed"  # test_keeper.py kills three
    r"|older_libraries"  # four environments, from the network
    r")"
    r"|^roundtrips/tests/drills/test_("
    r"drill|packaging"  # each redis-py, each Python
    r"|third_party\.py::.*-[56]\."  # by day with the newest redis-py that each library takes
    r")"
)
LIMIT_S = {"ci": 900, "full": 3000}  # of one test function that sets no timeout of its own
os.environ.pop("PYTEST_XDIST_WORKER", None)  # of a worker; a pytest that a drill starts is none


def pytest_report_header():
    return f"drills: DRILLS={tries.SIZE}, DRILLS_SEED={tries.SEED}"


def pytest_collection_modifyitems(items):
    for item in items:
        if NIGHTLY.search(item.nodeid):
            item.add_marker("nightly")
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_S[tries.SIZE]))
