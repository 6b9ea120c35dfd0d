"""Ctrl-C at a random moment of a random measurement, once or twice: the kernel goes on as it was.

redis-py is as it was, and garbage collection, CPU placement, the signal's handler; nothing is held,
nothing that was started for the call runs on, no server that it did not come to return, no client
stays connected; and the next count and capture are exact. Where the Ctrl-C fell into a helper, the
learner reads one sentence instead of a traceback.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

import dying
import pytest
from dying import HELPERS, SLOW
from tries import SEED, seeds, tries

place = dying.place  # the fixture

TOP = """
import asyncio, contextlib, faulthandler, gc, json, os, random, signal
import subprocess, sys, threading, time
from pathlib import Path
faulthandler.enable()  # where it crashes, if it does
asked = json.loads(sys.stdin.readline())
import redis.asyncio
import lab_utils as lab
from lab_utils import interrupts
from lab_utils.testbed import event_loop, keeper, pinning, turns
from lab_utils.testbed.link import link
from lab_utils.testbed.chosen_server import server

CODES = interrupts.interruptible.__code__.co_consts
HELPER = next(code for code in CODES if getattr(code, "co_name", "") == "helper")
fell_into_a_helper = False  # the last Ctrl-C

def told(number, frame):
    "Python's own handler, which notes beforehand whether a helper of the lab's was at work."
    global fell_into_a_helper
    fell_into_a_helper, below, here, helped = False, None, frame, False
    while frame:
        helped |= frame.f_code is HELPER
        in_helper = frame.f_code is HELPER and below is not None
        fell_into_a_helper |= in_helper and below.co_filename != interrupts.__file__
        below, frame = frame.f_code, frame.f_back
    if helped or not interrupts.at_a_bad_moment(here):
        signal.default_int_handler(number, None)
    interrupts.again()  # no helper is at work, and Python throws away what is raised there

signal.signal(signal.SIGINT, told)
never_returned = []  # the servers of calls that were interrupted

def noting(helper):
    def call(*settings, **options):
        before = set(keeper._kept)
        try:
            return helper(*settings, **options)
        except interrupts.Interrupted:
            never_returned.extend(keeper._kept - before)
            raise
    return call

lab.spare, lab.cluster, lab.replica = map(noting, (lab.spare, lab.cluster, lab.replica))
checked, far = lab.connect(), lab.connect(1)
KINDS = [redis.connection.AbstractConnection, redis.asyncio.connection.AbstractConnection]

def three(c):
    for i in (1, 2, 3):
        c.set(f"key{i}", f"value{i}")

def started():
    "The processes of this kernel, but for servers: for those see noting()."
    mark = f"LAB_DRILL={os.environ['LAB_DRILL']}".encode()
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and mark in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes())
    return sorted(command for command in found if b"redis-server" not in command)

def state():
    gc.collect()
    pids = [0, server().pid, *link().pids()]
    return {
        "redis-py": [[id(kind.__dict__[name]) for name in sorted(kind.__dict__)] for kind in KINDS],
        "garbage collection": gc.isenabled(),
        "placement": [sorted(os.sched_getaffinity(pid)) for pid in pids],
        "handler": signal.getsignal(signal.SIGINT) is told,
        "turns": [str(pinning._now), len(turns._held)],
        "tasks": len(asyncio.all_tasks(event_loop.loop()[0])),
    }

def changed(before, after):
    return [f"{name}: {was} became {after[name]}"
            for name, was in before.items() if after[name] != was]

def settle(read, before):
    for _ in range(30):  # looks, not seconds: a machine that stands still uses up none
        if read() == before:
            break
        time.sleep(0.02)
    return read()

def come_again():
    "Waits for a Ctrl-C that may come again."
    while any(isinstance(thread, threading.Timer) for thread in threading.enumerate()):
        time.sleep(0.002)

def clients():
    gc.collect()
    return len(checked.client_list())

def inexact():
    "What is wrong with the next count and the next capture."
    wrong, size = [], 3 * len("*3,,$3,,SET,,$4,,key1,,$6,,value1,,")
    cost = lab.count(three, checked)
    seen = cost.round_trips, cost.commands, cost.bytes_sent, cost.bytes_received
    if seen != (3, 3, size, 15) or cost.server_us is None:
        wrong.append(f"count: {cost}")
    captured, ok = lab.capture(three, far), "+OK"
    seen = [message.text for message in captured.messages]
    if seen != ["SET key1", ok, "SET key2", ok, "SET key3", ok]:
        wrong.append(f"capture: {captured}")
    return wrong

"""
KERNEL = (
    TOP
    + """
exec(asked["first"])
event_loop.loop()
lab.count(three, checked), lab.capture(three, far)
before, processes, connections = state(), started(), clients()
kind, sentence = "", ""
faulthandler.dump_traceback_later(100, exit=True)  # where it hangs, if it does
try:
    try:
        print("ready", flush=True)
        while True:
            exec(asked["again"])
    except KeyboardInterrupt as error:
        kind, sentence = type(error).__name__, str(error)
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one may still come
except KeyboardInterrupt:
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.stdin.read()  # it ends when all have been sent
come_again()
signal.signal(signal.SIGINT, handler)

wrong = changed(before, settle(state, before))
if settle(started, processes) != processes:
    wrong.append(f"processes: {processes} became {started()}")
running = lambda: [kept.process.args[5:7] for kept in never_returned if kept.alive()]
if settle(running, []):
    wrong.append(f"servers of an interrupted call: {running()}")
whole = sentence.startswith("lab.") and sentence.endswith("Run the cell again.")
if kind == "Interrupted" and not whole:
    wrong.append(f"it said: {sentence}")
if kind == "KeyboardInterrupt" and fell_into_a_helper and not asked["twice"]:
    wrong.append("it fell into a helper, and the learner gets a traceback")
r = None
most = connections + 100 * ("lab.connect" in asked["again"])  # those are the learner's
if not settle(lambda: clients() <= most, True):
    wrong.append(f"clients: {connections} became {clients()}: {checked.client_list()}")
wrong += inexact()
print(json.dumps([kind, wrong]), flush=True)
os._exit(0)
"""
)

# A process that sends the signals: a thread would only run, and send one, where this one waits.
SENDER = """
import os, signal, sys, time
kernel = os.getppid()
os.setsid()
for line in sys.stdin:
    for seconds in map(float, line.split()):
        due = time.perf_counter() + seconds
        while time.perf_counter() < due:
            pass
        os.kill(kernel, signal.SIGINT)
    print("sent", flush=True)
"""
OFTEN = (
    f"{TOP}SENDER = {SENDER!r}"
    + """
exec(asked["first"])
event_loop.loop()
again = compile(asked["again"], "<cell>", "exec")
exec(again)
began = time.perf_counter()
exec(again)
took = time.perf_counter() - began
sender = subprocess.Popen([sys.executable, "-S", "-c", SENDER],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
chance, r, before, wrong = random.Random(asked["seed"]), globals().get("r", checked), state(), []
handler = told
for number in range(asked["tries"]):
    faulthandler.dump_traceback_later(60, exit=True)
    after_s = [chance.uniform(0, 1.2 * took)] + [chance.uniform(0, 0.002)] * (chance.random() < 0.3)
    deadline = time.monotonic() + 10
    try:
        try:
            os.write(sender.stdin.fileno(), (" ".join(map(str, after_s)) + chr(10)).encode())
            while time.monotonic() < deadline:
                exec(again)
            wrong.append((after_s, "it was swallowed"))
        except KeyboardInterrupt:
            handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one may still come
    except KeyboardInterrupt:
        found = signal.signal(signal.SIGINT, signal.SIG_IGN)
        handler = handler if found is signal.SIG_IGN else found
    sender.stdout.readline()
    come_again()
    handler = handler if handler is not signal.SIG_IGN else told
    signal.signal(signal.SIGINT, handler)
    wrong += [(after_s, said) for said in changed(before, settle(state, before))]
    heard = [r.echo(f"{number}"), r.echo("and another")]
    if heard != [b"%d" % number, b"and another"]:
        wrong.append((after_s, f"it heard {heard}"))
        r.connection_pool.disconnect()
sender.kill()
wrong += inexact()
print(json.dumps([asked["tries"], wrong]), flush=True)
os._exit(0)
"""
)
QUICK = (
    "bystander",
    "capture",
    "connect",
    "count",
    "count async",
    "count far",
    "frozen",
    "spare",
    "timeline",
)


@pytest.mark.parametrize("seed", seeds(200))
def test_the_kernel_is_as_it_was_and_goes_on(seed, place, record_property):
    chance = random.Random(seed)
    helper = chance.choice(sorted(HELPERS))
    record_property("of", helper)
    after_s, twice = chance.uniform(0, SLOW.get(helper, 0.5)), chance.random() < 0.3
    first, again = HELPERS[helper]
    process = subprocess.Popen(
        [sys.executable, "-c", KERNEL],
        env=place.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        process.stdin.write(json.dumps({"first": first, "again": again, "twice": twice}) + "\n")
        process.stdin.flush()
        while (said := process.stdout.readline()) not in ("ready\n", ""):
            pass
        time.sleep(after_s)
        os.killpg(process.pid, signal.SIGINT)  # what Jupyter's stop button does
        if twice:
            time.sleep(chance.uniform(0, 0.01))
            os.killpg(process.pid, signal.SIGINT)
        said, errors = process.communicate(timeout=150)
    finally:
        process.kill()
        process.wait()
    assert said, f"the kernel ended with {process.returncode} and said: {errors}"
    kind, wrong = json.loads(said.splitlines()[-1])
    assert wrong == [], f"{helper} after {after_s:.3f} s, twice: {twice}"
    assert kind in ("Interrupted", "KeyboardInterrupt", "")
    assert (errors, place.left()) == ("", [])


@pytest.mark.parametrize("helper", QUICK)
def test_one_kernel_goes_on_after_each_of_many(helper, place, record_property):
    """At moments that are spread over the call itself: most of those above fall where it waits."""
    first, again = HELPERS[helper]
    asked = {"first": first, "again": again, "tries": tries(500), "seed": SEED}
    run = subprocess.run(
        [sys.executable, "-c", OFTEN],
        env=place.environment,
        timeout=1200,
        input=json.dumps(asked) + "\n",
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert run.returncode == 0, f"the kernel ended with {run.returncode} and said: {run.stderr}"
    tried, wrong = json.loads(run.stdout.splitlines()[-1])
    record_property("tries", tried)
    record_property("failures", len(wrong))
    assert (wrong, run.stderr, place.left()) == ([], "", [])
