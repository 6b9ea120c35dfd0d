"""Which CPU is measured on: the fastest, one of each core, within what the process may use."""

import math

import pytest

from lab_utils.testbed import cpus


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """make({cpu: {file: text}}, cgroup lines, {path of a cgroup file: text})"""
    monkeypatch.setattr(cpus, "SYSTEM", tmp_path / "cpu")
    monkeypatch.setattr(cpus, "CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(cpus, "OWN_CGROUP", tmp_path / "own")

    def make(system, own="", limits=None):
        files = {f"cpu/cpu{cpu}/{name}": text for cpu, named in system.items() for name, text in named.items()}
        files |= {f"cgroup/{name}": text for name, text in (limits or {}).items()}
        for name, text in {**files, "own": own}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")

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


def test_speed_by_frequency_where_capacity_is_not_told(machine):
    machine({0: {"cpufreq/cpuinfo_max_freq": "3000000"}, 1: {"cpufreq/cpuinfo_max_freq": "2000000"}})
    assert list(cpus.cores({0, 1}).values()) == [0, 1]


def test_where_nothing_is_told_each_cpu_is_a_core(machine):
    machine({})
    assert cpus.cores({0, 1, 5}) == {5: 5, 1: 1, 0: 0}
    assert cpus.cores(set()) == {}


@pytest.mark.parametrize(("own", "limits", "share"), [
    ("0::/", {}, math.inf),
    ("0::/", {"cpu.max": "150000 100000"}, 1.5),
    ("0::/kernels/7", {"kernels/cpu.max": "200000 100000", "kernels/7/cpu.max": "max 100000"}, 2),
    ("0::/of/the/host", {"cpu.max": "max 100000"}, math.inf),
    ("4:cpu,cpuacct:/docker/1\n0::/", {"cpu/docker/cpu.cfs_quota_us": "50000", "cpu/docker/cpu.cfs_period_us": "100000"}, 0.5),
    ("4:cpu,cpuacct:/", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, math.inf),
])
def test_a_groups_share_of_the_machine(machine, own, limits, share):
    machine({}, own, limits)
    assert cpus.share_of_cpus() == share
    assert len(cpus.cores({0, 1, 2, 3})) == min(4, max(1, math.floor(min(share, 4))))
