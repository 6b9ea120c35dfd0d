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
        files = {
            f"cpu{cpu}/{name}": text
            for cpu, named in system.items()
            for name, text in named.items()
        }
        for name, text in {**files, "cpu.max": limit}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text + "\n")

    return make


SIBLINGS = "topology/thread_siblings_list"
PAIRS = {cpu: {SIBLINGS: f"{cpu % 2},{cpu % 2 + 2}"} for cpu in range(4)}
ONE_CORE = {cpu: {SIBLINGS: "2-3"} for cpu in (2, 3)}
FAST, SLOW = (
    {"cpu_capacity": capacity, "cpufreq/cpuinfo_max_freq": speed}
    for capacity, speed in (("1024", "5000000"), ("620", "3800000"))
)
SPEEDS = {
    0: {**FAST, SIBLINGS: "0-1"},
    1: {**FAST, SIBLINGS: "0-1"},
    2: {**SLOW, SIBLINGS: "2"},
    3: {**SLOW, SIBLINGS: "3"},
}


@pytest.mark.parametrize(
    "system, allowed, cores",
    [
        (PAIRS, {0, 1, 2, 3}, {1: 3, 0: 2}),
        (PAIRS, {0, 2}, {0: 2}),  # two threads of a core are one
        (ONE_CORE, {2}, {2: 2}),
        (ONE_CORE, {3}, {2: 3}),  # it has one name whichever may be used
        (
            SPEEDS,
            {0, 1, 2, 3},
            {0: 1, 3: 3, 2: 2},
        ),  # the fastest comes first, not the highest number
        ({}, {0, 1, 5}, {5: 5, 1: 1, 0: 0}),
        ({}, set(), {}),  # nothing told: each CPU is one
    ],
)
def test_cores(machine, system, allowed, cores):
    machine(system)
    assert list(cpus.cores(allowed).items()) == list(cores.items())


@pytest.mark.parametrize(
    "limit, share, number",
    [
        ("", math.inf, 4),
        ("max 100000", math.inf, 4),
        ("150000 100000", 1.5, 1),
        ("50000 100000", 0.5, 1),
        ("300000 100000", 3, 3),
    ],
)
def test_a_containers_share_of_the_machine(machine, limit, share, number):
    machine({}, limit)
    assert cpus.share_of_cpus() == share and len(cpus.cores({0, 1, 2, 3})) == number
