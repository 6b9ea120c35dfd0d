"""Kernels take turns by core: never two at once, released by the system, no deadlock."""

import contextlib
import json
import select
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no process can be held to a CPU")

NAMES = ["a", "b"]
HOLDER = """
import json, sys
from lab_utils.testbed import cpu_locks
cores, number, place = json.loads(sys.argv[1])
print(*cpu_locks.hold(cores, number, place=place), flush=True)
sys.stdin.read()
"""


def holds(process):
    return process.stdout.readline().split()


def waits(process):
    return not select.select([process.stdout], (), (), 1)[0]


def let_go(process):
    process.kill()
    process.communicate()


@pytest.fixture
def holder(tmp_path):
    """Yield a function `holder(number, names)` that starts a process which locks CPU cores.

    It returns the Popen; `number` says how many cores. The cores are those in `names`, by default
    NAMES; they are made up for the test, so that no other program knows them.
    """
    for name in NAMES:
        (tmp_path / name).mkdir()
    with contextlib.ExitStack() as stack:

        def make(number, names=NAMES):
            wanted = json.dumps([names, number, f"{tmp_path}/{{}}"])
            made = subprocess.Popen(
                [sys.executable, "-c", HOLDER, wanted], stdin=-1, stdout=-1, text=True
            )
            stack.callback(let_go, made)
            return made

        yield make


def test_as_many_at_once_as_cores(holder):
    first, second = holder(1), holder(1)
    assert sorted([*holds(first), *holds(second)]) == NAMES
    third = holder(1)
    assert waits(third)
    let_go(second)
    assert holds(third)


def test_who_wants_two_keeps_none_that_is_out_of_order_so_that_nobody_waits_for_ever(holder):
    first = holder(1)
    assert holds(first) == ["a"]
    both = holder(2, ["b", "a"])
    assert waits(both)
    second = holder(1)
    assert holds(second) == ["b"]
    let_go(first)
    let_go(second)
    assert holds(both) == ["b", "a"]
