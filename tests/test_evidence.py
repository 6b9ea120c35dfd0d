"""The evidence: quiet where nothing else runs, and what a program on the same CPU took."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import lab_utils as lab
from chapter_helpers import idle as module
from lab_utils import calm
from lab_utils.testbed import evidence
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.evidence import Watch, watched
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import steady

told = pytest.mark.skipif(not evidence.is_told(), reason="here nobody tells who waited for a CPU")


BEFORE = {
    "client waits": {},
    **dict.fromkeys(("stolen", "server waits", "server", "late", "held", "link", "client"), 0),
}


@pytest.fixture
def hog():
    """start(cpu): an endless loop of ordinary priority on that CPU."""
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


@told
def test_what_a_program_on_the_same_cpu_took(r, hog):
    with steady(server().pid) as held:
        hog(held.cpus[0])
        seconds, spent = spent_on(Watch(server().pid), lambda: compute(0.5))
    assert 0.5 <= spent.client < 1
    assert seconds - spent.taken == pytest.approx(0.5, rel=0.15), "what it would have been"
    assert spent.taken > 0.2 * seconds


@pytest.mark.parametrize(
    "seconds, link, waits, taken",
    [
        (
            10,
            None,
            {"near": (4, 6), "server waits": 1},
            0,
        ),  # each for the other, and nobody else runs
        (14, None, {"near": (4, 6), "server waits": 1}, 4),  # nobody of ours used that
        (14, None, {"near": (4, 1), "server waits": 1}, 2),  # but nobody of ours waited for more
        (14, None, {"near": (4, 6), "server waits": 1, "stolen": 3}, 4),  # no CPU used is taken
        (14, None, {"near": (4, 1), "server waits": 1, "stolen": 1}, 3),
        (14, None, {"near": (1, 3.5)}, 0.5),  # for others of its process, which ran for 3 s
        (30, "no waker", {"server waits": 3, "late": 9}, 0),  # for each other
        (
            30,
            "waker",
            {"server waits": 3, "late": 9},
            12,
        ),  # it rests: had it run, they'd leave nothing
        (30, "apart", {"near": (4, 5), "server waits": 3, "late": 9}, 12),  # both at the same time
    ],
)
def test_what_was_taken(monkeypatch, seconds, link, waits, taken):
    """4 s of the client's CPU, 6 s of the server's, and 4 s of the link's where there is one."""
    watch = Watch()
    watch.awake, watch.apart = link in ("waker", "apart"), link == "apart"
    now = BEFORE | {"client": 4, "server": 6, "link": 4 if link else 0} | waits
    now["client waits"] = {watch.thread: now.pop("near", (4, 0))}
    monkeypatch.setattr(watch, "read", lambda: now)
    monkeypatch.setattr(evidence.time, "process_time", lambda: 4)
    assert watch.spent(BEFORE, seconds) == evidence.Spent(4, 6, taken)


@told
def test_what_a_program_took_from_threads_is_told(r, hog):
    """Threads' waits for each other disturb nobody and hide no disturbance, only its size."""
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
        seconds, spent = spent_on(Watch(server().pid, link()), in_threads)
    assert not calm.quiet(spent.taken, seconds)


@told
def test_what_was_on_its_way_is_not_taken_off(r, hog):
    client = lab.connect(5)
    client.ping()
    with steady(server().pid, link()) as held:
        hog(held.cpus[0])
        watch = Watch(server().pid, link())
        for _ in range(20):
            seconds, spent = spent_on(watch, client.ping)
            assert seconds - spent.taken >= 0.0048


def test_a_server_that_is_asked_for_its_cpu(r, monkeypatch):
    """Its process is not to be seen: it tells, and what telling costs is not counted."""
    monkeypatch.setattr(evidence, "cpu_clock_s", lambda pid: None)  # as on macOS
    works = {"one": lambda r: r.eval("for i = 1, 1000000 do end", 0)}
    assert lab.compare(works, rounds=3).budget("one").server > 0
    answers = iter(range(100))
    watch = Watch(None, None, lambda: next(answers) / 1_000)
    assert watch.asking == pytest.approx(0.001)
    _, spent = spent_on(watch, lambda: None)
    assert spent.server == pytest.approx(0.0, abs=1e-9)


def test_where_the_system_tells_nothing_it_is_said(r, monkeypatch):
    assert evidence.waited_s("0") == 0.0, "a thread that is gone"
    monkeypatch.setattr(evidence, "text", lambda path: "")
    assert not evidence.is_told()
    assert "does not tell" in str(lab.fingerprint())
    watch = Watch(server().pid)
    assert watch.spent(watch.read(), 0.1).taken == 0.0


@told
def test_what_ran_once_is_noted(r, hog):
    with steady(server().pid) as held:
        hog(held.cpus[0])
        began = time.perf_counter()
        with watched(server().pid):
            compute(0.1)
    assert calm.so_far().busy and calm.so_far().rounds == 1
    assert 0.2 < calm.so_far().taken_share <= 1 - 0.1 / (time.perf_counter() - began)


@pytest.mark.parametrize(
    "idle, busy, own, cpus, taken",
    [
        (9, 11, 11, 2, 0),
        (3, 17, 10, 2, 0.7),
        (0, 20, 4, 2, 1),
        (1, 9, 3, 1, 0),
        (2, 18, 18, 2, 0),  # a slow machine: the client itself leaves nothing
        (40, 40, 10, 8, 0),  # others compute, and CPUs are free beside them
    ],
)
def test_that_others_left_no_cpu_free_is_noted(monkeypatch, idle, busy, own, cpus, taken):
    assert min(module.idle_and_busy_s()) > 0 or sys.platform != "linux"
    told, clock = iter([(5, 5), (5 + idle, 5 + busy)]), iter((0.0, 10.0))
    used = iter({"client": each, "server": 0, "link": 0} for each in (0, own))
    monkeypatch.setattr(module, "idle_and_busy_s", lambda: next(told))
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(module, "Watch", lambda *_: SimpleNamespace(read=lambda: next(used)))
    monkeypatch.setattr(module, "affinity", lambda pid: set(range(cpus)))
    with module.left_free():
        pass
    assert calm.so_far().taken_share == pytest.approx(taken)
