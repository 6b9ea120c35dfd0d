"""A Ctrl-C on any line of the way in or out leaves nothing changed."""

import os
import signal
import sys
import threading

import pytest

from lab_utils import interrupts
from lab_utils.interrupts import Whole, interruptible
from lab_utils.testbed import pinning, turns
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import AWAKE, link
from lab_utils.testbed.pinning import steady

FILES = {interrupts.__file__, pinning.__file__, turns.__file__}


def interrupted_at(number, work):
    """Run `work()` with a Ctrl-C before line `number` of those in FILES; True if there was one."""
    lines = 0

    def on_line(frame, event, _):
        nonlocal lines
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            lines += 1
            if lines == number:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return on_line

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.settrace(on_line)
    try:
        work()
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    finally:
        sys.settrace(None)
        handler = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, before)
    assert handler is signal.default_int_handler
    assert interrupted == (lines >= number)
    return interrupted


def state():
    place = [pinning.affinity(pid) for pid in (0, server().pid, *link().pids())]
    return place, link().memory[AWAKE], set(turns._held), pinning._now, pinning.one_thread._is_owned()


def test_on_every_line_of_steady(r, monkeypatch, tmp_path):
    for cpu in range(os.cpu_count()):  # two hundred turns: not the machine's
        (tmp_path / f"{cpu}").mkdir()
    monkeypatch.setattr(turns, "CORES", f"{tmp_path}/{{}}")
    monkeypatch.setattr(turns, "DOOR", str(tmp_path))

    @interruptible
    def hold():
        with steady(server().pid, link(), parallel=True):
            assert pinning._now

    before, number = state(), 1
    while interrupted_at(number, hold):
        assert state() == before
        number += 1
    assert number > 100  # lines were there to interrupt
    assert state() == before


class Counter(Whole):
    def __init__(self, at):
        self.at, self.changed = at, 0

    def enter(self):
        self.changed += 1
        if self.at == "enter":
            signal.raise_signal(signal.SIGINT)
        if self.at == "wait":
            assert not self.signals.caught
            signal.raise_signal(signal.SIGINT)
            assert self.signals.caught
            return
        self.changed += 1

    def leave(self):
        if self.at == "leave":
            signal.raise_signal(signal.SIGINT)
        self.at_the_end = self.changed
        self.changed = 0


@pytest.mark.parametrize(("at", "done"), [("enter", 2), ("wait", 1), ("leave", 2), ("block", 2)])
def test_each_way_is_run_whole(at, done):
    counter, inside = Counter(at), False
    with pytest.raises(KeyboardInterrupt), counter:
        inside = True
        if at == "block":
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("a Ctrl-C in the block is raised at once")
    assert (counter.at_the_end, counter.changed) == (done, 0)
    assert inside == (at in ("leave", "block"))


def test_one_inside_another():
    outer, inner, before = Counter(None), Counter("leave"), signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), outer, inner:
        pass
    assert (outer.changed, inner.changed) == (0, 0)
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_the_signal_is_left_alone():
    handler, seen = signal.getsignal(signal.SIGINT), []

    def enter():
        with Counter(None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [handler]


def test_a_handler_of_ones_own_is_called_and_kept():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(os.getpid()))
    try:
        with Counter("leave"):
            signal.raise_signal(signal.SIGINT)
        assert calls == [os.getpid()] * 2
    finally:
        own = signal.signal(signal.SIGINT, before)
    own(signal.SIGINT, None)
    assert len(calls) == 3
