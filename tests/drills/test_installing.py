"""Installing: it says what it does, does it once, and a wheelhouse is all that a room needs."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from helpers import ROOT
from machine import ended

LAB = """
import lab_utils as lab
print(lab.count(lambda r: r.ping(), lab.connect(rtt_ms=1)).round_trips)
"""
OFFLINE = {"NO_UV": "1", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_NO_CACHE_DIR": "1"}


@pytest.fixture
def tree():
    """Yield a folder with tools/install.py, requirements of one package, and its wheelhouse/."""
    with tempfile.TemporaryDirectory() as place:  # open to every user, as tmp_path is not
        Path(place).chmod(0o755)
        folder = Path(place) / "a lab with ü"
        for name in ("tools", "wheelhouse", "roundtrips"):
            (folder / name).mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "install.py", folder / "tools")
        for name in ("pyproject.toml", "roundtrips/pyproject.toml"):
            (folder / name).touch()
        require(folder, "1.0")
        wheel = folder / "wheelhouse" / "tinything-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as file:
            file.writestr("tinything.py", "here = True\n")
            info = "tinything-1.0.dist-info"
            what = "Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n"
            file.writestr(f"{info}/METADATA", what)
            file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            file.writestr(f"{info}/RECORD", "")
        yield folder


def require(folder, number):
    text = f"tinything=={number}  # so that there is something to install\n"
    (folder / "requirements.txt").write_text(text, encoding="utf-8")


def install(folder, python=sys.executable, path="/usr/bin:/bin", uv="", **options):
    """Run tools/install.py in `folder` by `python`; return (exit status, what it printed).

    `path` is the variable PATH, `uv` the variable NO_UV: a text keeps uv from being used.
    """
    own = {"PATH": path, "NO_UV": uv, "PIP_INDEX_URL": "http://127.0.0.1:9/nothing"}
    command = [python, "tools/install.py", "requirements.txt"]
    return ended(command, cwd=folder, env={**os.environ, **own}, **options)


def has_it(folder):
    return ended([folder / ".venv/bin/python", "-c", "import tinything"])[0] == 0


def test_it_says_what_it_does_and_does_it_once(tree):
    status, told = install(tree)
    assert status == 0 and has_it(tree), told
    steps = told.splitlines()
    assert "offline" in steps[0] and steps[-1].startswith("Installed in ")
    assert install(tree) == (0, "")

    (tree / ".venv/bin/python").unlink()  # as when the Python it was made with has been removed
    (tree / ".venv/bin/python").symlink_to("/nowhere/python")
    assert install(tree)[0] == 0 and has_it(tree)


def test_what_the_wheelhouse_does_not_hold_is_said_and_tried_again(tree):
    require(tree, "2.0")
    for _ in range(2):
        status, told = install(tree)
        assert status != 0 and "tinything==2.0" in told
        assert "make wheelhouse" in told.splitlines()[-1]


def test_a_lab_is_installed_from_its_wheelhouse_alone(tmp_path):
    place = tmp_path / "a room with ü"
    place.mkdir()
    held = (
        "Makefile README.md lab_utils pyproject.toml requirements requirements.txt roundtrips tools"
    )
    for name in held.split():
        subprocess.run(["cp", "-R", ROOT / name, place], check=True)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHONPATH", "MAKE", "MFLAGS"))
    }
    make(place, "wheelhouse", environment, "FOR=room")
    told = make(place, "learner", {**environment, **OFFLINE})
    assert "from wheelhouse/, offline" in told and "Installed in" in told
    python = place / ".venv/bin/python"
    assert ended([python, "-c", LAB], cwd=tmp_path, env=environment) == (0, "1\n")
    status, told = ended([python, "-m", "pip", "list", "--format=freeze"])
    installed = {line.split("==")[0].split(" @ ")[0] for line in told.splitlines()}
    assert status == 0 and {"jupyterlab", "nbval"} <= installed
    assert not installed & {"playwright", "ruff", "jupyterhub"}
    make(place, "teacher", {**environment, **OFFLINE})
    status, told = ended([python, "-m", "jupyterhub", "--version"])
    assert status == 0, told


def make(place, target, environment, *settings):
    status, told = ended(["make", target, *settings], cwd=place, env=environment)
    assert status == 0, told[-2000:]
    return told
