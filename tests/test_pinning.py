"""CPU placement while measuring: held, put back, and silent where the system can't."""

import os

import pytest
from helpers import refusal

import lab_utils as lab
from lab_utils.testbed import event_loop
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import affinity, steady

CPUS = len(affinity(0))
linux = pytest.mark.skipif(not CPUS, reason="this system has no CPU affinity to hold")
two_cpus = pytest.mark.skipif(CPUS < 2, reason="this process may use one CPU only")


def cpus():
    return tuple(map(os.sched_getaffinity, (0, server().pid, link().pid)))


@linux
def test_all_on_one_cpu_inside_and_back_outside_and_within_another_it_does_nothing(r):
    before = cpus()
    with steady(server().pid, link()):
        mine, servers_, links = cpus()
        assert mine == servers_ == links and len(mine) == 1
    assert cpus() == before
    with steady(server().pid):
        held = cpus()
        with steady(server().pid, link()):
            assert cpus() == held
        assert cpus() == held
    assert cpus() == before


@linux
def test_put_back_after_a_comparison_and_after_one_that_fails(r):
    before = cpus()
    seen = []
    lab.compare({"one": lambda r: seen.append(os.sched_getaffinity(0))}, rtt_ms=(0, 1), rounds=3)
    assert all(len(place) == 1 for place in seen)
    assert cpus() == before
    with pytest.raises(ZeroDivisionError):
        lab.compare({"one": lambda r: 1 / 0}, rtt_ms=1, same=False, rounds=3)
    assert cpus() == before


@linux
def test_a_place_chosen_by_the_learner_is_kept_and_on_one_cpu_parallel_is_the_usual_placement(r):
    before = os.sched_getaffinity(0)
    chosen = {min(before)}
    os.sched_setaffinity(0, chosen)
    try:
        with steady(server().pid):
            assert os.sched_getaffinity(0) == chosen
        assert os.sched_getaffinity(0) == chosen
        with steady(server().pid, link(), parallel=True):
            assert cpus() == (chosen,) * 3
    finally:
        os.sched_setaffinity(0, before)


def test_where_the_system_forbids_it_or_a_process_is_gone_nothing_happens(r, monkeypatch, capfd):
    with steady(2**22 - 1):
        assert r.ping()

    def forbidden(*_):
        raise PermissionError("not allowed")

    monkeypatch.setattr(os, "sched_setaffinity", forbidden, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", forbidden, raising=False)
    with steady(server().pid):
        assert r.ping()
    assert lab.compare({"one": lambda r: r.ping()}, rounds=3).seconds("one") > 0
    assert capfd.readouterr() == ("", "")


# Client and server each on a CPU of their own


@two_cpus
def test_in_parallel_the_client_and_its_loop_keep_a_cpu_and_server_and_link_share_another(r):
    async def place():
        return os.sched_getaffinity(0)

    before = event_loop.run(place), *cpus()
    with steady(server().pid, link(), parallel=True):
        loops, mine, servers_, links = event_loop.run(place), *cpus()
        assert loops == mine != servers_ == links and len(mine) == len(servers_) == 1
    assert (event_loop.run(place), *cpus()) == before


@two_cpus
def test_a_comparison_in_parallel_and_its_budget(r):
    before = cpus()
    seen = []
    times = lab.compare(
        {"one": lambda r: seen.append(cpus()[:2])}, rtt_ms=1, same=False, rounds=3, parallel=True
    )
    timed = len(seen)
    times.budget("one")
    assert 3 < timed == len(seen)
    assert all(len(mine) == len(servers_) == 1 and mine != servers_ for mine, servers_ in seen)
    assert cpus() == before


def test_a_comparison_in_parallel_needs_a_distance(r):
    ways = {"one": lambda r: r.ping()}
    assert "needs a distance" in refusal(lab.compare, ways, rtt_ms=(0, 1), parallel=True)
