"""What somebody else feels while a piece of code runs."""

import itertools
import time

import psutil
import pytest
import redis
from helpers import GONE_S, wait_until

import lab_utils as lab
from lab_utils.testbed import chosen_server


@pytest.mark.alone
def test_it_sends_by_the_clock_answered_or_not(r):
    """PINGs are sent when they are due, so that a pause of 300 ms delays many of them.

    If each one waited for the reply before, the pause would be a single slow PING.
    """
    [run] = lab.bystander(lambda r: r.execute_command("DEBUG", "SLEEP", "0.3"), r).runs
    assert sum(latency > 0.1 for _, latency in run.samples) > 150
    assert run.worst >= 0.25 and run.took >= 0.3
    due = [due for due, _ in run.samples]
    assert all(0.0009 < later - earlier < 0.0011 for earlier, later in itertools.pairwise(due))
    heard = [due + latency for due, latency in run.samples]
    assert heard == sorted(heard)


def test_each_run_has_its_setup_and_at_the_scale_of_ci_there_is_one(r, monkeypatch):
    order = []
    for scale, runs in ("workshop", 3), ("ci", 1):
        monkeypatch.setenv("LAB_SCALE", scale)
        felt = lab.bystander(
            lambda r: order.append("work"), r, runs=3, setup=lambda r: order.append("setup")
        )
        assert len(felt.runs) == runs
    assert order == ["setup", "work"] * (3 + 1)


@pytest.mark.alone
def test_an_idle_server_is_not_felt_and_even_the_shortest_work_has_a_sample(r, monkeypatch):
    monkeypatch.setenv("LAB_SCALE", "workshop")  # three runs: not all of them are disturbed
    felt = lab.bystander(lambda r: time.sleep(0.2), r, runs=3)
    run = min(felt.runs, key=lambda run: run.median)
    assert len(run.samples) > 150 and run.median < 0.05
    felt = lab.bystander(lambda r: None, r)
    assert felt.runs[0].samples and felt.worst > 0


def bystanders():
    mine = psutil.Process().children()
    return [each for each in mine if "_bystander_process.py" in " ".join(each.cmdline())]


def test_a_function_that_raises_ends_the_bystander_too_whose_arguments_hold_no_password(r):
    clients, arguments = len(r.client_list()), []

    def work(r):
        arguments.extend(*[process.cmdline() for process in bystanders()])
        r.execute_command("NOSUCH")

    with pytest.raises(redis.ResponseError):
        lab.bystander(work, r)
    assert arguments and chosen_server.server().options["password"] not in " ".join(arguments)
    assert not bystanders()
    assert wait_until(lambda: len(r.client_list()) <= clients, GONE_S)
