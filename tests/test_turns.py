"""Kernels take turns by core: never two at once, released by the system, no deadlock."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from helpers import wait_until

from lab_utils.testbed import pinning, turns
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.cpus import cores
from lab_utils.testbed.pinning import steady

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no process can be held to a CPU")

HOLDER = """
import json, sys
from lab_utils.testbed import turns
turns.CORES, turns.DOOR, cores, number = json.loads(sys.argv[1])
print("begins", file=sys.stderr, flush=True)
print(*turns.hold(cores, number), flush=True)
sys.stdin.read()
"""


class Holder:
    """Another process that holds cores until it is killed."""

    def __init__(self, cores, number):
        wanted = json.dumps([turns.CORES, turns.DOOR, cores, number])
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, wanted], stdin=-1, stdout=-1, stderr=-1, text=True
        )  # pipes
        self.process.stderr.readline()

    def holds(self):
        return self.process.stdout.readline().split()

    def waits(self):
        at_the_door = wait_until(lambda: not free(""))  # there one waits, and behind it
        return at_the_door and not select.select([self.process.stdout], (), (), 0.5)[0]

    def let_go(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Names of cores, and a door, that nobody else on this machine knows."""
    for name in "a", "b":
        (tmp_path / name).mkdir()
    monkeypatch.setattr(turns, "CORES", f"{tmp_path}/{{}}")
    monkeypatch.setattr(turns, "DOOR", str(tmp_path))
    return ["a", "b"]


def free(core):
    """True while nobody holds that core, or "", the door."""
    lock = turns.locked(turns.CORES.format(core))
    turns.release({core: lock})
    return lock is not None


@pytest.fixture
def holder():
    with contextlib.ExitStack() as stack:

        def make(*arguments):
            made = Holder(*arguments)
            stack.callback(made.let_go)
            return made

        yield make


def test_as_many_at_once_as_cores(names, holder):
    first, second = holder(names, 1), holder(names, 1)
    assert sorted([*first.holds(), *second.holds()]) == names
    third = holder(names, 1)
    assert third.waits()
    second.let_go()
    assert third.holds()


def test_who_wants_two_has_them_together_and_is_not_passed_for_ever(names, holder):
    """While one waits for both, those who come later wait behind it."""
    first = holder(names, 1)
    held = first.holds()
    both = holder(names, 2)
    assert both.waits()
    other = next(name for name in names if name not in held)
    assert wait_until(lambda: free(other))  # who waits for two holds none, but tries
    later = holder(names, 1)
    assert later.waits()
    first.let_go()
    assert both.holds() == names
    both.let_go()
    assert later.holds()


def test_a_forked_child_holds_nothing(names, holder):
    held = turns.hold(names[:1], 1)
    child = os.fork() or signal.pause()
    try:
        turns.release(held)
        again = turns.hold(names[:1], 1)
        assert list(again) == ["a"]
        turns.release(again)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_forked_child_leaves_what_its_parent_measures_alone(r):
    before = pinning.affinity(0)
    with steady(server().pid) as held:
        child = os.fork()
        if not child:
            wrong = True
            try:
                held.__exit__(None, None, None)
                wrong = pinning.affinity(0) != before
            finally:
                os._exit(wrong)
        _, status = os.waitpid(child, 0)
        assert status == 0
        assert pinning.affinity(0) == pinning.affinity(server().pid) == set(held.cpus)
        assert not any(free(core) for core in held.turn)


def test_waiting_can_be_interrupted_and_holds_nothing_afterwards(names, holder, monkeypatch):
    holder(names[:1], 1).holds()
    monkeypatch.setattr(
        turns,
        "time",
        SimpleNamespace(  # while it waits
            sleep=lambda _: signal.raise_signal(signal.SIGINT)
        ),
    )
    with pytest.raises(KeyboardInterrupt):
        turns.hold(names[:1], 1)
    assert not turns._held


def test_who_waits_long_sees_it_and_nothing_stays(names, holder, monkeypatch, capfd):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr(turns, "PATIENCE_S", 0.05)
    shown = {}
    for scale in "workshop", "ci":
        monkeypatch.setenv("LAB_SCALE", scale)
        one = holder(names[:1], 1)
        one.holds()
        naps = iter([lambda: time.sleep(0.2), one.let_go])  # a bar is shown, and then it ends
        monkeypatch.setattr(turns, "time", SimpleNamespace(sleep=lambda _, naps=naps: next(naps)()))
        turns.release(turns.hold(names[:1], 1))
        shown[scale] = capfd.readouterr()
    assert "waiting: another kernel is measuring" in shown["workshop"].err
    assert shown["workshop"].err.endswith("\r") and shown["ci"] == ("", "")


def test_threads_of_one_kernel_take_turns(r):
    inside, most = [], 0

    def measure():
        nonlocal most
        for _ in range(10):
            with steady():
                inside.append(1)
                most = max(most, len(inside))
                time.sleep(0.002)
                inside.pop()

    with ThreadPoolExecutor(4) as pool:
        for measuring in [pool.submit(measure) for _ in range(4)]:
            measuring.result()
    assert most == 1


def test_a_turn_without_a_placement(r):
    before = pinning.affinity(0)
    with pinning.turn(2) as held:
        assert len(held.turn) == min(2, len(cores(before)))
        assert pinning.affinity(0) == before
    assert not turns._held


def test_without_such_folders_one_measures_all_the_same(monkeypatch):
    monkeypatch.setattr(turns, "CORES", "/nowhere/at/all/{}")
    monkeypatch.setattr(turns, "DOOR", "/nowhere/at/all")
    held = turns.hold(["a", "b"], 2)
    assert list(held) == ["a", "b"]
    turns.release(held)
    assert not turns._held
