""".ci/run, beside stand-ins: it installs what is missing, runs both parts, fails when one does."""

import os
import shutil
import subprocess

import pytest
from helpers import ROOT

NEEDED = ("chromium", "tcpdump", "tshark", "redis-server", "mvn", "javac", "npm")


@pytest.fixture
def ci(tmp_path):
    """ci(fails, there): (status, what it printed) if `make fails` fails; `there` is installed."""

    def run(fails="nothing", there=(), user=0, apt=0):
        folder = tmp_path / "bin"
        folder.mkdir()
        for name in ("bash", "sh", "env", "dirname"):
            (folder / name).symlink_to(shutil.which(name))
        scripts = {
            "make": f'echo "making $1 with CI=$CI"; [ "$1" != {fails} ]',
            "id": f"echo {user}",
            "sudo": 'shift; echo "as root: $*" >&2; exec "$@"',
            "apt-get": f'echo "apt-get $* RUNLEVEL=$RUNLEVEL" >&2; exit {apt}',
        }
        for name, script in {**scripts, **dict.fromkeys(there, "")}.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        ended = subprocess.run(
            [ROOT / ".ci" / "run"],
            env={"PATH": str(folder)},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return ended.returncode, ended.stdout

    return run


def test_what_is_missing_is_installed_and_no_service_started(ci):
    status, told = ci(there=("chromium", "tshark", "mvn", "npm"))
    assert status == 0
    assert (
        "apt-get install -y -qq --no-install-recommends tcpdump redis-server "
        "default-jdk-headless RUNLEVEL=1"
    ) in told
    steps = "apt-get update", "apt-get install", "making test", "making drills"
    assert sorted(steps, key=told.index) == list(steps)
    assert "making test with CI=true" in told and "making drills with CI=true" in told


def test_where_all_is_there_no_root_is_needed(ci):
    status, told = ci(there=NEEDED, user=1000)
    assert status == 0 and "apt-get" not in told and "as root" not in told


def test_a_user_asks_for_root(ci):
    status, told = ci(user=1000)
    assert status == 0 and "as root: apt-get update -qq" in told


@pytest.mark.parametrize("fails", ["test", "drills"])
def test_both_parts_run_and_one_that_fails_is_told(ci, fails):
    status, told = ci(fails, there=NEEDED)
    assert status == 1 and told.splitlines()[-1] == f"failed: make {fails}"
    assert "making test" in told and "making drills" in told
    assert sum(line.startswith("== make ") and " took " in line for line in told.splitlines()) == 2


def test_what_cannot_be_installed_fails(ci):
    status, told = ci(apt=100)
    assert status == 1 and "failed: programs" in told


DRILLS = "tests/drills roundtrips/tests/drills"
PARTS = {
    "test": ["notebooks", "tests", "roundtrips/tests"],
    "drills": [f"{DRILLS} -m alone", f"{DRILLS} -m not alone"],
}


@pytest.mark.parametrize(
    "target, fails",
    [(target, part) for target, parts in PARTS.items() for part in [*parts, "none"]],
)
def test_every_part_of_a_target_runs_and_one_that_fails_fails_it(tmp_path, target, fails):
    """With a stand-in for Python; the parts of `make test` share a folder, gone afterwards."""
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho "$LAB_REACHED $*" >> "{tmp_path}/told"\n'
        f'[ -d "$LAB_REACHED" ] || [ {target} = drills ]\n'
        f'case "$*" in *" {fails}"*) exit 1;; esac\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "JUNIT", "LAB_"))
    }
    ended = subprocess.run(
        ["make", target, f"BIN={tmp_path}", "-o", "lint", "-o", "dev"],
        cwd=ROOT,
        env=own,
        stdout=subprocess.DEVNULL,
    )
    told = [
        line.split(" ", 1) for line in (tmp_path / "told").read_text(encoding="utf-8").splitlines()
    ]
    assert all(part in line for part, (_, line) in zip(PARTS[target], told, strict=True))
    [folder] = {folder for folder, _ in told}
    assert not os.path.exists(folder or tmp_path / "none")
    assert (ended.returncode != 0) is (fails != "none")
