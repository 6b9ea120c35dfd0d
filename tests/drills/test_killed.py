"""A kernel is killed at a random moment of a random helper, in every way: nothing is left.

No process, no file or folder, no lock; not by a forked child of the kernel that lives on either.
"""

import contextlib
import fcntl
import json
import os
import pty
import random
import signal
import subprocess
import sys
import tempfile
import termios
import time

import dying
import pytest
from dying import HELPERS, SLOW, kill_all
from helpers import url_of
from jupyter_client.manager import start_new_kernel
from tries import seeds

place = dying.place  # the fixture
WAYS = ("SIGKILL", "SIGTERM", "SIGHUP", "exit", "terminal", "fork", "logout")
KERNEL = """
import json, os, signal, sys, threading, time
asked = json.loads(sys.stdin.readline())
import lab_utils as lab

def fork():
    "A child that lives on, by another name: what it holds open must not keep anything alive."
    child = os.fork()
    if not child:
        while True:
            time.sleep(60)
    print(child, flush=True)

if asked["way"] == "exit":
    threading.Timer(asked["after_s"], os._exit, (1,)).start()
if asked["way"] == "fork":
    threading.Timer(asked["after_s"] / 2, fork).start()
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored
print("ready", flush=True)
exec(asked["first"])
while True:
    exec(asked["again"])
"""


def choose(seed, ways, record_property):
    """(helper, way, seconds after which it dies)"""
    chance = random.Random(seed)
    helper = chance.choice(sorted(HELPERS))
    record_property("of", helper)
    return helper, chance.choice(ways), chance.uniform(0, SLOW.get(helper, 0.7))


@contextlib.contextmanager
def terminal(way):
    """(its controlling end, options of Popen) for a process that is to lose its terminal."""
    if way != "terminal":
        yield None, {}
        return
    controller, end = pty.openpty()

    def take_terminal():
        fcntl.ioctl(end, termios.TIOCSCTTY, 0)

    yield controller, {"preexec_fn": take_terminal, "pass_fds": (end,)}
    os.close(end)


@contextlib.contextmanager
def kernel(place, asked, popen):
    """A Python in a session of its own that has said that it begins; it may end by a signal."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", KERNEL],
            env=place.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
            **popen,
        )
        try:
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()
            process.wait()
        errors.seek(0)
        assert "Traceback" not in (said := errors.read()), said


def dies(place, helper, way, after_s):
    """A kernel that runs a helper dies in this way, and nothing is left."""
    first, again = HELPERS[helper]
    asked, children = {"first": first, "again": again, "way": way, "after_s": after_s}, []
    with terminal(way) as (controller, popen), kernel(place, asked, popen) as process:
        time.sleep(after_s)
        if way == "terminal":
            os.close(controller)
        elif way.startswith("SIG"):
            process.send_signal(getattr(signal, way))
        elif way == "fork":
            children.append(int(process.stdout.readline()))
            process.kill()
        elif way == "logout":
            kill_all(place.started(), signal.SIGTERM)
        process.wait(10)
    assert place.left(but=children) == [], f"{way} after {after_s:.3f} s of {helper}"


@pytest.mark.parametrize("seed", seeds(300))
def test_nothing_is_left_of_a_killed_kernel(seed, place, record_property):
    dies(place, *choose(seed, WAYS, record_property))


@pytest.mark.parametrize("seed", seeds(30))
def test_nothing_is_left_of_a_jupyter_kernel(seed, place, record_property):
    """A real one, ended as nbval and Jupyter do (killed, or asked and then killed)."""
    helper, way, after_s = choose(seed, ("now", "politely"), record_property)
    manager, client = start_new_kernel(
        kernel_name="python3", env=place.environment, extra_arguments=["--log-level=ERROR"]
    )
    first, again = HELPERS[helper]
    loop = ["import time", "import lab_utils as lab", first, "while True:", f"    {again}"]
    client.execute("\n".join(loop))
    time.sleep(1 + after_s)
    client.stop_channels()
    manager.shutdown_kernel(now=way == "now")
    assert place.left() == [], f"{way} after {after_s:.3f} s of {helper}"


@pytest.mark.parametrize("seed", seeds(30))
def test_nothing_is_left_on_a_server_of_ones_own(seed, place, another_server, record_property):
    """The database that it had reserved is empty again, and nobody holds it."""
    theirs = another_server()
    place.environment["REDIS_URL"] = url_of(theirs, db=3)
    dies(place, *choose(seed, ("SIGKILL", "SIGTERM", "fork", "logout"), record_property))
    with theirs.connect() as client:
        assert client.info("keyspace") == {} and client.pubsub_channels() == []
