"""A kernel is killed at a random moment of a random helper, in every way: nothing is left.

No process, no file or folder, no lock; not by a forked child of the kernel that lives on either.
"""

import contextlib
import os
import pty
import random
import secrets
import signal
import time

import pytest
from dying import HELPERS, SLOW, environment, kernel, kill_all, left, started
from helpers import url_of
from jupyter_client.manager import start_new_kernel
from tries import seeds

WAYS = ("SIGKILL", "SIGTERM", "SIGHUP", "exit", "terminal", "fork", "logout")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "tmp"
    made.mkdir()
    return made


def choose(seed, ways):
    """(helper, way, seconds after which it dies)"""
    chance = random.Random(seed)
    helper = chance.choice(sorted(HELPERS))
    return helper, chance.choice(ways), chance.uniform(0, SLOW.get(helper, 0.7))


@pytest.mark.parametrize("seed", seeds(300))
def test_nothing_is_left_of_a_killed_kernel(seed, folder, record_property):
    helper, way, after_s = choose(seed, WAYS)
    record_property("of", helper)
    mark, children = secrets.token_hex(8), []
    env = environment(mark, folder)
    with terminal(way) as (their_end, popen), kernel(helper, way, after_s, env, **popen) as process:
        time.sleep(after_s)
        if way == "terminal":
            os.close(their_end)
        elif way.startswith("SIG"):
            process.send_signal(getattr(signal, way))
        elif way == "fork":
            children.append(int(process.stdout.readline()))
            process.kill()
        elif way == "logout":
            kill_all(started(mark, folder), signal.SIGTERM)
        process.wait(10)
    try:
        assert left(mark, folder, children) == [], f"{way} after {after_s:.3f} s of {helper}"
    finally:
        kill_all([*children, *started(mark, folder)])


@contextlib.contextmanager
def terminal(way):
    """(its controlling end, options of Popen) for a process that is to lose its terminal."""
    if way != "terminal":
        yield None, {}
        return
    controller, end = pty.openpty()

    def take_terminal():
        import fcntl
        import termios

        fcntl.ioctl(end, termios.TIOCSCTTY, 0)

    yield controller, {"preexec_fn": take_terminal, "pass_fds": (end,)}
    os.close(end)


@pytest.mark.parametrize("seed", seeds(30))
def test_nothing_is_left_of_a_jupyter_kernel(seed, folder, record_property):
    """A real one, ended as nbval and Jupyter do (killed, or asked and then killed)."""
    helper, way, after_s = choose(seed, ("now", "politely"))
    record_property("of", helper)
    mark = secrets.token_hex(8)
    manager, client = start_new_kernel(kernel_name="python3", env=environment(mark, folder),
                                       extra_arguments=["--log-level=ERROR"])
    try:
        first, again = HELPERS[helper]
        loop = ["import time", "import lab_utils as lab", first, "while True:", f"    {again}"]
        client.execute("\n".join(loop))
        time.sleep(1 + after_s)
        client.stop_channels()
        manager.shutdown_kernel(now=way == "now")
        assert left(mark, folder) == [], f"{way} after {after_s:.3f} s of {helper}"
    finally:
        kill_all(started(mark, folder))


@pytest.mark.parametrize("seed", seeds(30))
def test_nothing_is_left_on_a_server_of_ones_own(seed, folder, another_server, record_property):
    """The database that it had reserved is empty again, and nobody holds it."""
    theirs = another_server()
    helper, way, after_s = choose(seed, ("SIGKILL", "SIGTERM", "fork", "logout"))
    record_property("of", helper)
    mark, children = secrets.token_hex(8), []
    with kernel(helper, way, after_s, environment(mark, folder, url_of(theirs, db=3))) as process:
        time.sleep(after_s)
        if way == "fork":
            children.append(int(process.stdout.readline()))
        elif way == "logout":
            kill_all(started(mark, folder), signal.SIGTERM)
        process.send_signal(signal.SIGTERM if way == "SIGTERM" else signal.SIGKILL)
        process.wait(10)
    try:
        assert left(mark, folder, children) == [], f"{way} after {after_s:.3f} s of {helper}"
        with theirs.connect() as client:
            assert client.info("keyspace") == {} and client.pubsub_channels() == []
    finally:
        kill_all([*children, *started(mark, folder)])
