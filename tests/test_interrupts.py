"""An interrupted helper puts all back and says so in one sentence; the link answers on."""

import asyncio
import contextlib
import gc
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import pytest
import redis._parsers.helpers
import redis.asyncio

import lab_utils as lab
from lab_utils import interrupts
from lab_utils.interrupts import Interrupted, interruptible, uninterrupted
from lab_utils.testbed import event_loop, pinning, turns
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import AWAKE, link
from lab_utils.testbed.pinning import steady
from lab_utils.timing import rounds
from lab_utils.timing.rounds import no_garbage_collection


@pytest.fixture(autouse=True)
def handler():
    """Python's own, as in a kernel."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


def test_a_signal_waits_for_the_end_of_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        ctrl_c()
        with uninterrupted():
            ctrl_c()
            done.append("inner")
        done.append("outer")
    assert done == ["inner", "outer"], "the inner one hands it to the outer one"


def test_an_interrupt_becomes_one_sentence_and_stays_an_interrupt():
    @interruptible
    def measuring():
        ctrl_c()

    with pytest.raises(KeyboardInterrupt) as caught:
        measuring()
    assert isinstance(caught.value, Interrupted) and not isinstance(caught.value, Exception)
    assert caught.value.__suppress_context__
    name, *lines = caught.value._render_traceback_()
    assert (name, " ".join(lines)) == (
        "Interrupted",
        "lab.measuring was interrupted. The kernel is as it was before; keys that "
        "had been written may remain. Run the cell again.",
    )


def test_a_client_that_was_given_hears_no_reply_of_before():
    client = lab.connect()
    client.ping()

    @interruptible
    def measuring(client):
        ctrl_c()

    with pytest.raises(Interrupted):
        measuring(client=client)
    assert client.connection_pool._available_connections[0]._sock is None
    assert client.ping()


def test_a_second_signal_does_not_cut_the_cleaning_up_short(monkeypatch):
    done = []
    monkeypatch.setattr(interrupts, "close_all", lambda: (ctrl_c(), done.append(True)))
    with pytest.raises(Interrupted):
        interruptible(ctrl_c)()
    assert done == [True]


NUMBER = """
import signal, time
import lab_utils as lab

class Number(float):
    def __repr__(self):  # hiredis asks for it, and a signal may come in between
        signal.raise_signal(signal.SIGINT)
        return "1.5"

def one(client):
    client.set("key1", Number())
    time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)
r = lab.connect()
try:
    lab.count(one, r)
except KeyboardInterrupt as error:
    print(type(error).__name__, r.get("key1"))
"""


def test_a_signal_that_comes_while_hiredis_writes_a_command_does_not_crash_the_kernel():
    command = [sys.executable, "-X", "faulthandler", "-c", NUMBER]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "Interrupted b'1.5'\n", "")


class Signalled:
    """A lock that a signal comes to while it is taken."""

    def __init__(self):
        self.lock = threading.RLock()

    def acquire(self, *_):
        taken = self.lock.acquire()
        ctrl_c()
        return taken

    def release(self, *_):
        self.lock.release()

    __enter__, __exit__ = acquire, release


def no_number(text):
    """int(), where it is refused while a signal comes: Python makes one ValueError of both."""
    with contextlib.suppress(KeyboardInterrupt):
        ctrl_c()
    raise ValueError(text)


class Deleted:
    def __del__(self):
        ctrl_c()


def delete_an_object(lock, patched):
    Deleted()


def read_info(lock, patched):
    patched.setattr(redis._parsers.helpers, "int", no_number, raising=False)
    redis._parsers.helpers.parse_info(b"role:master")


def take_a_condition(lock, patched):
    with threading.Condition(lock):
        time.sleep(60)


def get_a_logger(lock, patched):
    patched.setattr(logging, "_lock", lock)
    logging.getLogger("redis.connection")


up_to_312 = pytest.mark.skipif(not hasattr(logging, "_acquireLock"), reason="its lock is C's")


@pytest.mark.parametrize(
    "work",
    [delete_an_object, read_info, take_a_condition, pytest.param(get_a_logger, marks=up_to_312)],
)
def test_a_signal_that_comes_at_a_bad_moment_waits_and_is_not_lost(work, monkeypatch, capsys):
    lock = Signalled()

    @interruptible
    def measuring():
        with monkeypatch.context() as patched:
            work(lock, patched)
        time.sleep(60)

    with pytest.raises(Interrupted):
        measuring()
    assert not lock.lock._is_owned()
    assert capsys.readouterr().err == ""


WHEREVER = """
import asyncio, signal, sys
from lab_utils import interrupts
from lab_utils.testbed import event_loop

class At:
    "A trace function: the signal comes at so many lines of this thread."

    def __init__(self, number):
        self.left = number

    def __call__(self, frame, event, argument):
        self.left -= 1
        if self.left == 0:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return self

@interrupts.interruptible
def measuring():
    return event_loop.run(asyncio.sleep, 0.001, "done")

interrupts.again = lambda: None  # another try's would come at any time
signal.signal(signal.SIGINT, signal.default_int_handler)
lines, loop, at = 0, event_loop.loop(), At(0)
while at.left <= 0:
    lines += 1
    at = At(lines)
    try:
        sys.settrace(at)
        answer = measuring()
    except KeyboardInterrupt:
        answer = "interrupted"
    finally:
        sys.settrace(None)
    assert answer in ("done", "interrupted"), lines
    assert event_loop.run(asyncio.sleep, 0, "on") == "on", lines
assert event_loop.loop() is loop and asyncio.all_tasks(loop[0]) == set()
print(lines)
"""


def test_wherever_a_signal_comes_while_the_loop_runs_something_it_goes_on():
    """In a Python of its own: what a tracer raises between two lines can leave a handled error
    behind.
    """
    said = subprocess.run(
        [sys.executable, "-c", WHEREVER], capture_output=True, text=True, timeout=120, check=False
    )
    assert said.returncode == 0 and int(said.stdout) > 50, said.stderr
    assert said.stderr == ""


def test_a_coroutine_that_ends_python_does_not_end_the_loop():
    async def ends():
        sys.exit("the end")

    loop = event_loop.loop()
    with pytest.raises(SystemExit, match="the end"):
        event_loop.run(ends)
    assert event_loop.run(asyncio.sleep, 0, "it goes on") == "it goes on"
    assert event_loop.loop() is loop


def test_importing_the_lab_leaves_the_hooks_of_the_process_alone():
    hooks = "(sys.unraisablehook, sys.excepthook, signal.getsignal(2))"
    program = (
        f"import sys, signal; before = {hooks}; import lab_utils; lab_utils.count; "
        f"print({hooks} == before)"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "True\n"


def test_every_helper_is_one():
    named = [getattr(lab, name) for name in lab.__all__]
    helpers = [each for each in named if not isinstance(each, type)]
    assert len(helpers) > 25
    assert all(helper.__wrapped__.__wrapped__ for helper in helpers)


def test_an_interrupt_comes_when_the_link_has_answered(r):
    """Capturing ten megabytes, the answer is long on its way."""
    asked, big = link(), "x" * 10_000_000
    lab.capture(lambda c: c.set("big", big), r)
    asked.ask("record")
    lab.connect(1).set("big", big)
    timer = threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while asked.ask("recorded"):
            asked.ask("record")
    assert list(asked.ask("pids")) == ["pids"]
    passed = lab.capture(lambda c: c.set("key1", "value1"), r)
    assert [message.text for message in passed.messages] == ["SET key1", "+OK"]


def test_a_second_signal_leaves_no_task_in_the_loop(r, monkeypatch):
    """It comes while the first one's coroutine is being cancelled."""

    class CutShort(queue.SimpleQueue):
        def get(self, timeout=None):
            if timeout and not cut:
                cut.append(True)
                ctrl_c()
            return super().get(timeout=timeout)

    async def endless(client):
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            with contextlib.suppress(redis.RedisError):  # its connection is closed meanwhile
                await client.ping()

    before, cut = event_loop.loop(), []
    monkeypatch.setattr(event_loop.queue, "SimpleQueue", CutShort)
    with pytest.raises(Interrupted):
        lab.count(endless, r)
    assert cut and event_loop.loop() is before
    assert asyncio.all_tasks(before[0]) == set()


# What is put back, wherever the signal comes

FILES = {interrupts.__file__, rounds.__file__, pinning.__file__, turns.__file__}


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

    sys.settrace(on_line)
    try:
        work()
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    finally:
        sys.settrace(None)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert interrupted == (lines >= number)
    return interrupted


def state():
    place = [pinning.affinity(pid) for pid in (0, server().pid, *link().pids())]
    turn = set(turns._held), pinning._now, pinning.one_thread._is_owned()
    return place, gc.isenabled(), link().memory[AWAKE], turn


def test_on_every_line_of_steady(r, monkeypatch, tmp_path):
    for cpu in range(os.cpu_count()):  # two hundred turns: not the machine's
        (tmp_path / f"{cpu}").mkdir()
    monkeypatch.setattr(turns, "CORES", f"{tmp_path}/{{}}")
    monkeypatch.setattr(turns, "DOOR", str(tmp_path))

    @interruptible
    def hold():
        with steady(server().pid, link(), parallel=True), no_garbage_collection():
            assert pinning._now and not gc.isenabled()

    before, number = state(), 1
    while interrupted_at(number, hold):
        assert state() == before
        number += 1
    assert number > 100  # lines were there to interrupt
    assert state() == before
