"""A kernel that runs one helper again and again, to be killed or interrupted: what it leaves."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from helpers import wait_until

GRACE_S = 2  # after which nothing may be left
LOOP = "def loop(c):\n    for i in range(20): c.set(f'key{i}', i)\n"
PIPELINE = """def pipeline(c):
    p = c.pipeline()
    for i in range(20): p.set(f'key{i}', i)
    p.execute()
"""
ASYNC = "async def one_by_one(c):\n    for i in range(20): await c.set(f'key{i}', i)\n"
ENDLESS = "async def endless(c):\n    while True: await c.ping()\n"
WORK = f"{LOOP}{PIPELINE}{ASYNC}{ENDLESS}r = lab.connect()\n"
BOTH = "{'loop': loop, 'pipeline': pipeline}"

# name: (what is run once, what is run again and again)
HELPERS = {
    "connect": ("", "lab.spare(); lab.connect()"),
    "connect far": ("", "for ms in (1, 2, 3, 4, 5): lab.connect(ms)"),
    "count": (WORK, "lab.count(loop, r)"),
    "count async": (WORK, "lab.count(one_by_one, r)"),
    "count without end": (WORK, "lab.count(endless, r)"),
    "count far": (WORK + "far = lab.connect(1)", "lab.count(loop, far)"),
    "capture": (WORK + "big = 'x' * 1_000_000",
                "lab.capture(lambda c: [c.set('big', big) for _ in range(5)], r)"),
    "compare": (WORK, f"lab.compare({BOTH}, ops=20)"),
    "compare far": (WORK, f"lab.compare({BOTH}, ops=20, rtt_ms=(0, 1))"),
    "compare async": (WORK, "lab.compare({'loop': loop, 'async': one_by_one}, ops=20,"
                            " rtt_ms=(0, 1))"),
    "compare parallel": (WORK, f"lab.compare({BOTH}, ops=20, rtt_ms=1, parallel=True)"),
    "budget": (WORK, f"lab.compare({BOTH}, ops=20, rounds=2).budget('loop')"),
    "sweep": (WORK, "lab.sweep(lambda c, size: loop(c), (1, 2), ops=20, memory=True)"),
    "timeline": (WORK, "lab.timeline(lambda: loop(r))"),
    "bystander": (WORK, "lab.bystander(loop, r)"),
    "run_fresh": (WORK, "lab.run_fresh('import redis, time; redis.Redis(**address).ping();"
                        " time.sleep(0.3)', 1)"),
    "spare": ("", "lab.spare('maxmemory 10mb')"),
    "frozen": ("sp = lab.spare()", "with lab.frozen(sp, 0.2): time.sleep(0.1)"),
    "cluster": ("", "lab.cluster().connect(1).close()"),
    "replica": ("", "lab.replica().stop()"),
    "replica far": ("", "with lab.replica(rtt_ms=5) as two: two.primary.set('key', 1);"
                        " two.primary.wait(1, 100); two.cut()"),
    "retrial": ("", "lab.retrial()"),
}

SLOW = {"cluster": 3.0, "retrial": 4.0, "replica far": 2.5, "compare far": 2.0,  # s of a call,
        "compare async": 2.0, "connect far": 1.5, "sweep": 1.0}  # about, of those that take long

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


def started(mark, folder):
    """{pid: command} of a kernel's processes.

    They carry its mark in their environment, or work in its temporary folder.

    A Redis server overwrites its environment with its title. Zombies have neither.
    """
    found = {}
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and (mark.encode() in (process / "environ").read_bytes() or
                                           os.readlink(process / "cwd").startswith(str(folder))):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(process.name)] = command[:60]
    return found


def left(mark, folder, but=()):
    """What is left of a dead kernel, processes and files, when GRACE_S are over."""
    def found():
        alive = {pid: command for pid, command in started(mark, folder).items() if pid not in but}
        return [*alive.items(), *folder.iterdir()]

    wait_until(lambda: not found(), GRACE_S)
    return found()


def environment(mark, folder, url=None):
    made = {**os.environ, "LAB_DRILL": mark, "LAB_SCALE": "ci", "TQDM_DISABLE": "1",
            "TMPDIR": str(folder), "LAB_STATE": str(folder.parent / "state"),
            "JUPYTER_RUNTIME_DIR": str(folder.parent / "runtime")}
    made.pop("REDIS_URL", None)
    return {**made, "REDIS_URL": url} if url else made


@contextlib.contextmanager
def kernel(helper, way, after_s, env, **popen):
    """A Python in a session of its own that runs a helper, and has said that it begins.

    It may end by a signal only.
    """
    first, again = HELPERS[helper]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([sys.executable, "-c", KERNEL], env=env, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=errors, text=True,
                                   **{"start_new_session": True, **popen})
        asked = {"first": first, "again": again, "way": way, "after_s": after_s}
        yield from watched(process, asked)
        errors.seek(0)
        assert "Traceback" not in (said := errors.read()), said


def watched(process, asked):
    try:
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


def kill_all(pids, number=signal.SIGKILL):
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)
