"""CPU times: quiet where nothing else runs, and what a program on the same CPU took."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import lab_utils as lab
from lab_utils import disturbance
from lab_utils.testbed import cpu_times
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.cpu_times import CpuWatch, note_disturbance
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import steady

told = pytest.mark.skipif(
    not cpu_times.waits_are_counted(), reason="here nobody tells who waited for a CPU"
)
COUNTERS = "stolen", "server waits", "server", "late", "held", "asked", "flown", "link"
BEFORE = {"client waits": {}, **dict.fromkeys((*COUNTERS, "thread", "client"), 0)}


@pytest.fixture
def hog():
    """Yield a function `start(cpu)` that runs an endless loop of ordinary priority on that CPU."""
    started = []
    program = "import os\nos.sched_setaffinity(0, {%d})\nprint('on', flush=True)\nwhile True: pass"

    def start(cpu):
        command = [sys.executable, "-c", program % cpu]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        started[-1].stdout.readline()

    yield start
    for process in started:
        process.kill()
        process.communicate()


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


@pytest.mark.parametrize(
    "seconds, link, near, more, taken",
    [
        # each for the other, and nobody else runs
        (10, None, (4, 6), {"server waits": 1}, 0),
        # nobody of ours used that
        (14, None, (4, 6), {"server waits": 1}, 4),
        # but nobody of ours waited for more
        (14, None, (4, 1), {"server waits": 1}, 2),
        # no CPU used is taken
        (14, None, (4, 6), {"server waits": 1, "stolen": 3}, 4),
        (14, None, (4, 1), {"server waits": 1, "stolen": 1}, 3),
        # for others of its process, which ran for 3 s
        (14, None, (1, 3.5), {"thread": 1}, 0.5),
        # for each other
        (30, "no waker", (4, 0), {"server waits": 3, "late": 9}, 0),
        # it rests: had it run, they'd leave nothing
        (30, "waker", (4, 0), {"server waits": 3, "late": 9}, 12),
        # both at the same time
        (30, "apart", (4, 5), {"server waits": 3, "late": 9}, 12),
    ],
)
def test_what_was_taken(seconds, link, near, more, taken):
    # The client used 4 s of CPU, the server 6 s, and the link, where there is one, 4 s.
    watch = CpuWatch(server().pid)
    watch.awake, watch.apart = link in ("waker", "apart"), link == "apart"
    used = {"client": 4, "thread": 4, "server": 6, "link": 4 if link else 0}
    now = BEFORE | used | {"client waits": {watch.thread: near}} | more
    found = watch.account(BEFORE, now, seconds, None)
    assert (found.client, found.server, found.taken) == (4, 6, taken)


@told
@pytest.mark.alone
def test_what_a_program_on_the_same_cpu_took(r, hog):
    with steady(server().pid) as held:
        hog(held.cpus[0])
        seconds, spent = spent_on(CpuWatch(server().pid), lambda: compute(0.5))
    assert 0.5 <= spent.client < 1
    assert seconds - spent.taken == pytest.approx(0.5, rel=0.15), "what it would have been"
    assert spent.taken > 0.2 * seconds


@told
@pytest.mark.alone
def test_what_a_program_took_from_threads_is_told(r, hog):
    """Threads' waits for each other hide how much a program took, but not that it did."""
    clients = [lab.connect(1) for _ in range(4)]

    def pings(client):
        for _ in range(25):
            client.ping()
            compute(0.001)  # a thread that only wakes now and then need not wait for a CPU

    def in_threads():
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(pings, clients))

    in_threads()
    with steady(server().pid, link()) as held:
        hog(held.cpus[0])
        seconds, spent = spent_on(CpuWatch(server().pid, link()), in_threads)
    assert not disturbance.is_quiet(spent.waited, seconds)


@told
@pytest.mark.alone
def test_what_ran_once_is_noted(r, hog):
    with steady(server().pid) as held:
        hog(held.cpus[0])
        began = time.perf_counter()
        with note_disturbance(server().pid):
            compute(0.1)
    assert disturbance.so_far().busy and disturbance.so_far().rounds == 1
    assert 0.2 < disturbance.so_far().taken_share <= 1 - 0.1 / (time.perf_counter() - began)
