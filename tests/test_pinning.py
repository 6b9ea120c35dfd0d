"""CPU placement while measuring: held, and put back."""

import os

import pytest

import lab_utils as lab
from lab_utils.testbed import event_loop
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import affinity, steady

CPUS = len(affinity(0))
linux = pytest.mark.skipif(not CPUS, reason="this system has no CPU affinity to hold")
two_cpus = pytest.mark.skipif(CPUS < 2, reason="this process may use one CPU only")


def cpus():
    return tuple(map(os.sched_getaffinity, (0, server().pid, link().process.pid)))


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
