"""Random programs by the thousand, each redis-py, a million round trips; DRILLS=full tries all."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import environments
import pytest

from roundtrips import RoundTripsError, ratchets, trace
from runs import ran

pytestmark = pytest.mark.timeout(3600)
FULL = os.environ.get("DRILLS") == "full"
TESTS = Path(__file__).parent.parent
VERSIONS = ["5.0.0", "5.2.1", "6.4.0", "7.1.0", "8.1.0"]
FILES = [
    "test_truth.py", "test_trace.py", "test_changes.py", "test_blocks.py", "test_growth.py",
]  # fmt: skip
MANY = 1_000_000 if FULL else 200_000
KEPT = 100_000
MOST_BYTES = 50_000_000


def passes(*arguments, **environment):
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    given = {**os.environ, **environment}
    done = subprocess.run(asked, cwd=TESTS.parent, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr


@pytest.mark.parametrize("part", range(4 if FULL else 1))
def test_two_thousand_programs(part):
    # Without DRILLS=full 200 are enough.
    passes(str(TESTS / "test_truth.py"), "--timeout", "3000", PROGRAMS="500" if FULL else "200")


@pytest.mark.parametrize("parser", ["hiredis", "python"] if FULL else ["hiredis"])
@pytest.mark.parametrize("version", VERSIONS)
def test_every_redis_py(version, parser):
    folder = str(environments.redis_py(version))
    files = [str(TESTS / name) for name in FILES]
    number = "150" if FULL else "20"
    told = {"PYTHONPATH": folder, "REDIS_PY": version, "PARSER": parser, "PROGRAMS": number}
    passes(*files, "--timeout", "1500", **told)


def test_an_older_redis_py_is_refused():
    program = "from roundtrips import trace\nwith trace():\n    pass"
    path = str(environments.redis_py("4.6.0"))
    done = ran(TESTS, {}, "-W", "ignore", "-c", program, by=(), PYTHONPATH=path)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and "knows from version 5.0" in last and "4.6.0" in last, done


def test_a_million_round_trips_take_little_room(r):
    r.ping()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    with trace() as t:
        for number in range(MANY):
            r.get(f"user:{number}")
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert t.round_trips == MANY == t.commands["GET"] == t.waits
    assert (len(t.log), t.unlisted) == (KEPT, MANY - KEPT)
    assert f"{MANY - KEPT:,} round trips more" in t.report()
    with pytest.raises(RoundTripsError, match="call sites of the first 100,000"):
        ratchets.state_of(t, ".")
    assert grown <= MOST_BYTES, f"{grown:,} bytes"
