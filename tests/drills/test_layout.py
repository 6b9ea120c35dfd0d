"""The drills' own table tells the truth: tries and failures by drill; a seed repeats a run."""

import os
import subprocess
import sys

from helpers import ROOT

DRILL = """
import environments
import pytest
from tries import seeds, tries

@pytest.mark.parametrize("seed", seeds(60))
def test_seeded(seed):
    print(f"seed {seed}")

def test_looped(record_property):
    environments.said.append("installed a thing in 1 s")
    record_property("tries", tries(200))
    record_property("failures", 2)
    assert False

@pytest.fixture
def broken():
    raise OSError

def test_broken(broken):
    pass

@pytest.mark.skip
def test_skipped():
    pass
"""
ALWAYS = {"test_broken": (1, 1), "test_skipped": (0, 0)}


def drill(folder, changed=("", ""), options=(), **environment):
    """What a run of the drill above prints, with one line of the drills' conftest changed."""
    conftest = (ROOT / "tests" / "drills" / "conftest.py").read_text(encoding="utf-8")
    assert changed[0] in conftest
    (folder / "conftest.py").write_text(conftest.replace(*changed, 1), encoding="utf-8")
    (folder / "test_drill.py").write_text(DRILL, encoding="utf-8")
    (folder / "environments.py").write_text("said = []\n", encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "tests" / "drills"), os.environ.get("PYTHONPATH", "")])
    options = "-s", "-p", "no:cacheprovider", *options
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        os.devnull,
        "--rootdir",
        folder,
        *options,
        folder,
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        **environment,
    }
    return subprocess.run(command, capture_output=True, text=True, env=environment).stdout


def test_workers_draw_the_same_seeds_and_the_table_holds_what_each_did(tmp_path):
    two = "-p", "xdist.plugin", "-n", "2"
    told = drill(tmp_path, options=two, DRILLS="ci", DRILLS_SEED="")
    assert rows(told) == {"test_seeded": (6, 0), "test_looped": (20, 2), **ALWAYS}, told
    told = drill(tmp_path, ("RANDOM_S = 24 * 60", "RANDOM_S = 0"), two, DRILLS="ci", CI="true")
    assert 3 <= rows(told)["test_seeded"][0] <= 6 and "installed a thing in 1 s" in told
    told = drill(tmp_path, ("ALL_S = 28 * 60", "ALL_S = 0"), two, DRILLS="ci", CI="true")
    assert "The drills took" in told


def rows(told):
    """{drill: (tries, failed)} of the table."""
    table = [
        row.split() for row in told.splitlines() if "::test_" in row and row[:7].strip().isdigit()
    ]
    return {row[3].split("::")[1]: (int(row[0]), int(row[1])) for row in table}


def test_on_a_slow_machine_ci_tries_three_seeds_and_says_so(tmp_path):
    no_time = "RANDOM_S = 24 * 60", "RANDOM_S = 0"
    told = drill(tmp_path, no_time, DRILLS="ci", CI="true")
    assert rows(told)["test_seeded"] == (3, 0) and rows(told)["test_broken"] == (1, 1)
    assert "3 seeds of random drills were not tried" in told
    for everything in ({"changed": no_time, "CI": ""}, {"CI": "true"}):
        told = drill(tmp_path, DRILLS="ci", **everything)
        assert rows(told)["test_seeded"] == (6, 0) and "not tried" not in told


def test_a_seed_repeats_a_run_and_the_table_counts_it(tmp_path):
    told = [drill(tmp_path, DRILLS="full", DRILLS_SEED=seed) for seed in ("7", "7", "8")]
    runs = [[word for word in each.split() if word.isdigit() and len(word) > 4] for each in told]
    assert runs[0] == runs[1] != runs[2]
    assert rows(told[0]) == {"test_seeded": (60, 0), "test_looped": (200, 2), **ALWAYS}
