"""A kernel is killed at a random moment of a random helper, in every way: nothing is left.

No process, no file or folder, no lock; not by a forked child of the kernel that lives on either.
"""

import contextlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time

import dying
import pytest
from dying import HELPERS, SLOW, kill_all
from tries import seeds

place = dying.place  # the fixture
WAYS = ("SIGKILL", "SIGTERM", "SIGHUP", "exit", "fork", "logout")
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


def choose(seed, ways):
    """Return (helper, way to kill, seconds after which to kill), chosen at random by `seed`.

    The way is one of `ways`, the helper one of HELPERS.
    """
    chance = random.Random(seed)
    helper = chance.choice(sorted(HELPERS))
    return helper, chance.choice(ways), chance.uniform(0, SLOW.get(helper, 0.7))


@contextlib.contextmanager
def kernel(place, asked):
    """In a `with` block, run Python in a session of its own; yield its Popen once it has begun.

    `place` is a Place. `asked` is a dict that the process reads: the code to run "first" and
    "again", the "way" to end, and "after_s", in seconds. Fails if the process ended by a Python
    error.
    """
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", KERNEL],
            env=place.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
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


@pytest.mark.parametrize("seed", seeds(300))
def test_nothing_is_left_of_a_killed_kernel(seed, place):
    helper, way, after_s = choose(seed, WAYS)
    first, again = HELPERS[helper]
    asked, children = {"first": first, "again": again, "way": way, "after_s": after_s}, []
    with kernel(place, asked) as process:
        time.sleep(after_s)
        if way.startswith("SIG"):
            process.send_signal(getattr(signal, way))
        elif way == "fork":
            children.append(int(process.stdout.readline()))
            process.kill()
        elif way == "logout":
            kill_all(place.started(), signal.SIGTERM)
        process.wait(30)
    assert place.left(but=children) == [], f"{way} after {after_s:.3f} s of {helper}"
