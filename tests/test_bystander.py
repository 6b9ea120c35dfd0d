"""What somebody else feels while a piece of code runs."""

import importlib
import itertools
import os
import signal
import threading
import time

import pytest
import redis
from helpers import GONE_S, wait_until

import lab_utils as lab
from lab_utils.testbed import chosen_server
from lab_utils.timing.bystanders import Bystander, Run

module = importlib.import_module("lab_utils.timing.bystanders")  # its name is the function's


def test_it_sends_by_the_clock_answered_or_not(r):
    """If it waited for each reply, a pause of 300 ms would be one PING: all are sent when due."""
    [run] = lab.bystander(lambda r: r.execute_command("DEBUG", "SLEEP", "0.3"), r).runs
    assert sum(latency > 0.1 for _, latency in run.samples) > 150
    assert run.worst >= 0.25 and run.took >= 0.3
    due = [due for due, _ in run.samples]
    assert all(0.0009 < later - earlier < 0.0011 for earlier, later in itertools.pairwise(due))
    heard = [due + latency for due, latency in run.samples]
    assert heard == sorted(heard)


def test_several_runs_and_their_medians():
    felt = Bystander(
        [
            Run([(0.0, worst), (0.1, 0.001)], took)
            for worst, took in ((0.9, 1.0), (0.02, 3.0), (0.03, 2.0))
        ]
    )
    assert (felt.worst, felt.took, felt.median) == (0.03, 2.0, pytest.approx(0.0155))
    assert repr(felt).endswith("while the work took ~2 s; medians of 3 runs")


def test_each_run_has_its_setup_and_at_the_scale_of_ci_there_is_one(r, monkeypatch):
    order = []
    for scale, runs in ("workshop", 3), ("ci", 1):
        monkeypatch.setenv("LAB_SCALE", scale)
        felt = lab.bystander(
            lambda r: order.append("work"), r, runs=3, setup=lambda r: order.append("setup")
        )
        assert len(felt.runs) == runs
    assert order == ["setup", "work"] * (3 + 1)


def test_an_idle_server_is_not_felt_and_even_the_shortest_work_has_a_sample(r, monkeypatch):
    monkeypatch.setenv("LAB_SCALE", "workshop")  # three runs: not all of them are disturbed
    felt = lab.bystander(lambda r: time.sleep(0.2), r, runs=3)
    run = min(felt.runs, key=lambda run: run.median)
    assert len(run.samples) > 150 and run.median < 0.05
    assert all(due + latency >= 0 and due <= run.took for due, latency in run.samples)
    felt = lab.bystander(lambda r: None, r)
    assert felt.runs[0].samples and felt.worst > 0


@pytest.fixture
def started(monkeypatch):
    """The processes of bystanders."""
    found, kept = [], module.Kept
    monkeypatch.setattr(
        module, "Kept", lambda *command, **how: (found.append(kept(*command, **how)), found[-1])[1]
    )
    return found


def test_what_was_due_while_the_bystander_had_no_cpu_counts_too(r, started):
    """It stands still until after the end: on a busy machine the last PINGs were never sent.

    Its arguments, which every user of the machine can read, hold no password.
    """

    def work(r):
        os.killpg(group := started[0].process.pid, signal.SIGSTOP)
        threading.Timer(0.2, os.killpg, [group, signal.SIGCONT]).start()
        time.sleep(0.1)

    assert len(lab.bystander(work, r).runs[0].samples) > 90
    assert chosen_server.server().options["password"] not in " ".join(started[0].process.args)


def test_a_function_that_raises_ends_the_bystander_too(r):
    clients = len(r.client_list())
    with pytest.raises(redis.ResponseError):
        lab.bystander(lambda r: r.execute_command("NOSUCH"), r)
    assert wait_until(lambda: len(r.client_list()) <= clients, GONE_S)


def test_an_error_is_a_reply_too():
    """While a script runs too long, Redis answers PING with BUSY."""
    server = lab.spare("busy-reply-threshold 20")
    found = lab.bystander(lambda r: r.eval("for i = 1, 30000000 do end return 1", 0), server)
    assert found.worst > 0.01 and len(found.runs[0].pings) > 100
