""".ci/run and the Makefile, beside stand-ins: all parts run, and one that fails is told."""

import os
import shutil
import subprocess

import pytest
from helpers import ROOT

# A Python whose venv has a pip and a Python that say what they were asked.
PYTHON = """
mkdir -p "$4/bin"
for name in python pip; do
    printf '#!/bin/sh\\necho "$PWD: %s $*"; [ "$3" != {fails} ]\\n' $name > "$4/bin/$name"
    chmod +x "$4/bin/$name"
done
"""


@pytest.mark.parametrize(
    "fails, part",
    [("test", "make test"), ("drills", "make drills"), ("--nbval", "notebooks alone")],
)
def test_ci_installs_what_is_missing_runs_all_parts_and_tells_one_that_fails(tmp_path, fails, part):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "sh", "env", "dirname", "mktemp", "rm", "mkdir", "chmod"):
        (folder / name).symlink_to(shutil.which(name))
    scripts = {
        "chromium": "",  # it is installed
        "npm": "",
        "make": f'echo "making $1 with CI=$CI"; [ "$1" != {fails} ]',
        "id": "echo 1000",
        "sudo": 'shift; echo "as root: $*" >&2; exec "$@"',
        "apt-get": 'echo "apt-get $* RUNLEVEL=$RUNLEVEL" >&2',
        "python3.14": "exit 127",  # a stand-in of pyenv's for a Python that is not there
        "python3.13": PYTHON.format(fails=fails),
    }
    for name, script in scripts.items():
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
    steps = (
        "as root: apt-get update -qq",
        "--no-install-recommends redis-server RUNLEVEL=1",
        f"{ROOT}: pip install -q -r requirements.txt",
        f"python -m pytest --nbval {ROOT}/notebooks -q --color=no",
        "making test with CI=true",
        "making drills with CI=true",
        f"failed: {part}",
    )
    assert ended.returncode == 1
    assert sorted(steps, key=ended.stdout.index) == list(steps)


DRILLS = "tests/drills roundtrips/tests/drills"
PARTS = {
    "test": [
        " notebooks",
        "-m not alone tests",
        "-m alone tests",
        "--dist worksteal roundtrips/tests",
    ],
    "drills": [
        f"-m alone and not nightly {DRILLS}",
        f"-m not alone and not nightly {DRILLS}",
        "-m package notebooks/cases",
    ],
    "nightly": [f"-m alone and nightly {DRILLS}", f"-m not alone and nightly {DRILLS}"],
}


@pytest.mark.parametrize(
    "target, fails",
    [(target, fails) for target, parts in PARTS.items() for fails in (parts[0], "none")],
)
def test_every_part_of_a_target_runs_and_one_that_fails_fails_it(tmp_path, target, fails):
    # A stand-in for Python notes what it is called with.
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho $* >> "{tmp_path}/told"\ncase "$*" in *"{fails}") exit 1;; esac\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "JUNIT", "LAB_"))
    }
    ended = subprocess.run(
        ["make", target, f"BIN={tmp_path}", "-o", "lint", "-o", "everything"],
        cwd=ROOT,
        env=own,
        stdout=subprocess.DEVNULL,
    )
    ran = (tmp_path / "told").read_text(encoding="utf-8").splitlines()
    assert all(line.endswith(part) for part, line in zip(PARTS[target], ran, strict=True)), ran
    assert (ended.returncode != 0) is (fails != "none")
