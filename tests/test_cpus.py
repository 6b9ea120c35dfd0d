"""Which CPU is measured on: the fastest, one of each core, within what the process may use."""

import math

import pytest

from lab_utils.testbed import cpus


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """make({cpu: {file: text}}, text of cpu.max)"""
    monkeypatch.setattr(cpus, "SYSTEM", tmp_path)
    monkeypatch.setattr(cpus, "LIMIT", tmp_path / "cpu.max")

    def make(system, limit=""):
        files = {f"cpu{cpu}/{name}": text for cpu, named in system.items() for name, text in named.items()}
        for name, text in {**files, "cpu.max": limit}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text + "\n")

    return make


SIBLINGS = "topology/thread_siblings_list"


def test_two_threads_of_a_core_are_one(machine):
    machine({0: {SIBLINGS: "0,2"}, 1: {SIBLINGS: "1,3"}, 2: {SIBLINGS: "0,2"}, 3: {SIBLINGS: "1,3"}})
    assert cpus.cores({0, 1, 2, 3}) == {1: 3, 0: 2}
    assert cpus.cores({0, 2}) == {0: 2}


def test_a_core_has_one_name_whichever_of_its_cpus_may_be_used(machine):
    machine({cpu: {SIBLINGS: "2-3"} for cpu in (2, 3)})
    assert cpus.cores({2}) == {2: 2} and cpus.cores({3}) == {2: 3}


def test_the_fastest_core_comes_first_not_the_highest_number(machine):
    speeds = {0: ("1024", "5000000"), 1: ("1024", "5000000"), 2: ("620", "3800000"), 3: ("620", "3800000")}
    machine({cpu: {"cpu_capacity": capacity, "cpufreq/cpuinfo_max_freq": speed, SIBLINGS: "0-1" if cpu < 2 else str(cpu)}
             for cpu, (capacity, speed) in speeds.items()})
    assert list(cpus.cores({0, 1, 2, 3})) == [0, 3, 2]


def test_where_nothing_is_told_each_cpu_is_a_core(machine):
    machine({})
    assert cpus.cores({0, 1, 5}) == {5: 5, 1: 1, 0: 0}
    assert cpus.cores(set()) == {}


@pytest.mark.parametrize(("limit", "share", "number"), [("", math.inf, 4), ("max 100000", math.inf, 4), ("150000 100000", 1.5, 1),
                                                       ("50000 100000", 0.5, 1), ("300000 100000", 3, 3)])
def test_a_containers_share_of_the_machine(machine, limit, share, number):
    machine({}, limit)
    assert cpus.share_of_cpus() == share and len(cpus.cores({0, 1, 2, 3})) == number
