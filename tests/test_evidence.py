"""The evidence: quiet where nothing else runs, and what a program on the same CPU took."""

import os
import subprocess
import sys
import threading
import time

import pytest
from helpers import wait_until

import lab_utils as lab
from lab_utils import calm
from lab_utils.testbed import evidence
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.evidence import Watch, watched
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import steady

linux = pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this system does not tell who waited for a CPU")


@pytest.fixture
def hog():
    """start(cpu): an endless loop of ordinary priority on that CPU."""
    started = []

    def start(cpu):
        started.append(subprocess.Popen(
            [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nprint('on', flush=True)\nwhile True: pass"],
            stdout=subprocess.PIPE))
        started[-1].stdout.readline()
    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def spent_on(watch, work):
    before = watch.read()
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    return seconds, watch.spent(before, seconds)


def compute(cpu_s):
    ends = time.thread_time() + cpu_s
    while time.thread_time() < ends:
        pass


@linux
def test_what_a_program_on_the_same_cpu_took(r, hog):
    with steady(server().pid) as held:
        hog(held.cpus[0])
        seconds, spent = spent_on(Watch(server().pid), lambda: compute(0.1))
    assert 0.1 <= spent.client < 0.2
    assert seconds - spent.taken == pytest.approx(0.1, rel=0.15), "without what was taken it is what it would have been"
    assert spent.taken > 0.2 * seconds


@linux
def test_waiting_for_the_own_server_is_no_disturbance(r):
    """Client and server take turns on one CPU: each waits for the other, and nobody else runs."""
    with steady(server().pid):
        watch = Watch(server().pid)
        before, seconds = watch.read(), 0.010
        since = {"client": 0.004, "server": 0.006, "link": 0.0, "late": 0.0, "stolen": 0.0, "stopped": 0.0, watch.near: 0.0,
                 "client waits": 0.006, "server waits": 0.001}
        assert watch.taken(before, before, since, seconds) == pytest.approx(0.0)
        assert watch.taken(before, before, since, seconds + 0.004) == pytest.approx(0.004), "nobody of ours used that"
        assert watch.taken(before, before, {**since, watch.near: 0.004}, seconds + 0.004) == pytest.approx(0.0), "nobody at all"
        stopped = {**since, "client waits": 0.086, watch.near: 0.08, "stopped": 0.08}  # a container's share was used up
        assert watch.taken(before, before, stopped, seconds + 0.08) == pytest.approx(0.08), "idle, but not for want of work"


@linux
def test_what_was_on_its_way_is_never_taken_off(r, hog):
    client = lab.connect(5)
    client.ping()
    with steady(server().pid, link()) as held:
        hog(held.cpus[0])
        watch = Watch(server().pid, link())
        for _ in range(20):
            seconds, spent = spent_on(watch, client.ping)
            assert seconds - spent.taken >= 0.0048


@linux
def test_what_was_computed_is_not_taken_off_either(r, hog):
    """Of turns far away, both what was on its way and what client and server computed is left."""
    with steady(server().pid, link()) as held:
        hog(held.cpus[0])
        watch = Watch(server().pid, link())
        with lab.connect(rtt_ms=5) as client:
            client.ping()
            for _ in range(10):
                seconds, spent = spent_on(watch, lambda: (client.ping(), compute(0.005), client.ping()))
                assert seconds - spent.taken >= 2 * 0.0048 + spent.client + spent.server - 1e-6


@pytest.mark.parametrize("near, far, needed", [(0, 0, 8), (0, 1, 7), (0, None, 8)])
def test_what_a_sample_needed_at_least(near, far, needed):
    """4 s alone on their way, 3 s of the client's CPU and 1 s of the server's: on one CPU one after the other."""
    watch = Watch()
    watch.near, watch.far = near, far
    assert watch.needed({"held": 5, "alone": 4, "client": 3, "server": 1}) == needed
    assert watch.needed({"held": 50, "alone": 4, "client": 3, "server": 1}) == 50


@linux
def test_threads_that_are_gone_are_known_by_what_they_ran(r):
    def other():
        thread = threading.Thread(target=compute, args=(0.05,))
        thread.start()
        thread.join()

    with steady(server().pid):
        watch = Watch(server().pid)
        before = watch.read()
        other()
        assert wait_until(lambda: set(evidence.schedstats("self")) <= set(before["client waits"]), 1)
        now = watch.read()
    since = {name: now[name] - before[name] for name in ("client", "thread")}
    assert watch.gone(before, now, since, 0.05) == pytest.approx(0.05, rel=0.3)


@linux
def test_what_a_thread_waited_and_a_thread_that_is_gone():
    own = evidence.schedstats("self")[threading.get_native_id()]
    ran, waited, times = evidence.schedstat("thread-self")
    assert ran >= own[0] > 0 and waited >= own[1] > 0 and times >= own[2] > 0
    assert evidence.waited_s("thread-self") >= waited
    assert evidence.schedstat("0") is None and evidence.waited_s("0") == 0.0 and evidence.schedstats("0") == {}


def test_the_link_tells_how_late_it_was(r):
    client = lab.connect(1)
    with steady(server().pid, link()):
        watch = Watch(server().pid, link())
        before = watch.read()
        for _ in range(20):
            client.ping()
        now = watch.read()
    assert now["late"] > before["late"], "by microseconds at least"


def test_a_server_that_is_asked_for_its_cpu():
    """Its process is not to be seen: it tells, and what telling costs is not counted."""
    told = iter(range(100))
    watch = Watch(None, None, lambda: next(told) / 1_000)
    assert watch.asking == pytest.approx(0.001)
    _, spent = spent_on(watch, lambda: None)
    assert spent.server == pytest.approx(0.0, abs=1e-9)


def test_where_the_system_tells_nothing_a_short_loop_does(monkeypatch):
    monkeypatch.setattr(evidence, "schedstats", lambda pid: {})
    spins = iter([*[0.001] * 20, 0.001, 0.0011, 0.001, 0.004])
    monkeypatch.setattr(evidence, "spin_s", lambda: next(spins))
    watch = Watch()
    before = watch.read()
    assert watch.spent(before, 0.1).taken == 0.0
    before = watch.read()
    assert watch.spent(before, 0.1).taken == pytest.approx(0.075)


@linux
def test_what_ran_once_is_noted(r, hog):
    with steady(server().pid) as held:
        hog(held.cpus[0])
        with watched(server().pid):
            compute(0.1)
    assert calm.so_far().busy and calm.so_far().rounds == 1
    assert 0.2 < calm.so_far().taken_share < 0.95


def test_nothing_is_left_open(r):
    opened = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    watch = Watch(server().pid)
    for _ in range(10):
        watch.spent(watch.read(), 0.001)
    assert not opened or len(os.listdir("/proc/self/fd")) == opened
