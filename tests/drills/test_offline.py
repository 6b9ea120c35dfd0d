"""A room without internet: what `make wheelhouse FOR=room` gathers is all that it needs there."""

import os
import subprocess

import pytest
from helpers import ROOT

LAB = """
import lab_utils as lab
print(lab.count(lambda r: r.ping(), lab.connect(rtt_ms=1)).round_trips)
"""


@pytest.mark.timeout(900)
def test_a_lab_is_installed_from_its_wheelhouse_alone(tmp_path):
    place = tmp_path / "a room with ü"
    place.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements", "pyproject.toml", "README.md",
                 "tools", "lab_utils", "roundtrips"):
        subprocess.run(["cp", "-R", ROOT / name, place], check=True)
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("PYTHONPATH", "MAKE", "MFLAGS"))}
    make(place, "wheelhouse", environment, "FOR=room")
    alone = {**environment, "NO_UV": "1", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "",
             "PIP_NO_CACHE_DIR": "1"}
    told = make(place, "learner", alone)
    assert "from wheelhouse/, offline" in told and "Installed in" in told
    python = place / ".venv/bin/python"
    ran = subprocess.run([python, "-c", LAB], cwd=tmp_path, env=environment, capture_output=True,
                         text=True)
    assert ran.stdout == "1\n", ran.stderr
    told = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], capture_output=True,
                          text=True)
    installed = {line.split("==")[0].split(" @ ")[0] for line in told.stdout.splitlines()}
    assert "jupyterlab" in installed
    assert not installed & {"playwright", "nbval", "ruff", "jupyterhub"}
    make(place, "teacher", alone)
    ran = subprocess.run([python, "-m", "jupyterhub", "--version"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def make(place, target, environment, *settings):
    made = subprocess.run(["make", target, *settings], cwd=place, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    assert made.returncode == 0, made.stdout[-2000:]
    return made.stdout
