"""Installing: it says what it does, does it once, and a wheelhouse is all that a room needs."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest
from helpers import ROOT
from machine import ended

LAB = """
import lab_utils as lab
print(lab.count(lambda r: r.ping(), lab.connect(rtt_ms=1)).round_trips)
"""


@pytest.fixture
def tree(tmp_path):
    """A folder with tools/install.py and requirements of one package, in its wheelhouse/ alone."""
    folder = tmp_path / "a lab with ü"
    (folder / "tools").mkdir(parents=True)
    (folder / "wheelhouse").mkdir()
    shutil.copy(ROOT / "tools" / "install.py", folder / "tools")
    (folder / "roundtrips").mkdir()
    for name in ("pyproject.toml", "roundtrips/pyproject.toml"):
        (folder / name).touch()
    require(folder, "1.0")
    with zipfile.ZipFile(folder / "wheelhouse" / "tinything-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tinything.py", "here = True\n")
        info = "tinything-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return folder


def require(folder, number):
    text = f"tinything=={number}  # so that there is something to install\n"
    (folder / "requirements.txt").write_text(text, encoding="utf-8")


def install(folder, **environment):
    """(exit status, what it printed) of tools/install.py; no uv unless `environment` brings it."""
    environment = {"NO_UV": "1", "PIP_INDEX_URL": "http://127.0.0.1:9/nothing", **environment}
    return ended(
        [sys.executable, "tools/install.py", "requirements.txt"],
        cwd=folder,
        env={**os.environ, **environment},
    )


def has_it(folder):
    return ended([folder / ".venv/bin/python", "-c", "import tinything"])[0] == 0


def test_it_says_what_it_does_and_does_it_once(tree):
    status, told = install(tree)
    assert status == 0 and has_it(tree)
    steps = told.splitlines()
    assert "offline" in steps[0] and "about half a minute" in steps[0]
    assert steps[-1].startswith("Installed in ")
    reason = ["tinything", "so that there is something to install"]
    assert any(step.split(maxsplit=1) == reason for step in steps)
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


@pytest.fixture
def uv(tmp_path):
    """A uv that notes that it was called, and fails."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = f'#!/bin/sh\necho "$1" >>"{folder}/called"\nexit 1\n'
    (folder / "uv").write_text(script, encoding="utf-8")
    (folder / "uv").chmod(0o755)
    return folder


def test_pip_takes_over_where_uv_fails(tree, uv):
    status, told = install(tree, NO_UV="", PATH=f"{uv}:{os.environ['PATH']}")
    assert (status, (uv / "called").read_text()) == (0, "venv\n")
    assert has_it(tree) and "so pip does" in told


@pytest.mark.parametrize("no", [{"NO_UV": "1"}, {"NO_UV": "", "UV": ""}], ids=str)
def test_uv_can_be_declined(tree, uv, no):
    assert install(tree, **no, PATH=f"{uv}:{os.environ['PATH']}")[0] == 0
    assert not (uv / "called").exists()


def test_a_lab_is_installed_from_its_wheelhouse_alone(tmp_path):
    place = tmp_path / "a room with ü"
    place.mkdir()
    for name in (
        "Makefile",
        "requirements.txt",
        "requirements",
        "pyproject.toml",
        "README.md",
        "tools",
        "lab_utils",
        "roundtrips",
    ):
        subprocess.run(["cp", "-R", ROOT / name, place], check=True)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHONPATH", "MAKE", "MFLAGS"))
    }
    make(place, "wheelhouse", environment, "FOR=room")
    alone = {
        **environment,
        "NO_UV": "1",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "",
        "PIP_NO_CACHE_DIR": "1",
    }
    told = make(place, "learner", alone)
    assert "from wheelhouse/, offline" in told and "Installed in" in told
    python = place / ".venv/bin/python"
    assert ended([python, "-c", LAB], cwd=tmp_path, env=environment) == (0, "1\n")
    status, told = ended([python, "-m", "pip", "list", "--format=freeze"])
    installed = {line.split("==")[0].split(" @ ")[0] for line in told.splitlines()}
    assert status == 0 and "jupyterlab" in installed
    assert not installed & {"playwright", "nbval", "ruff", "jupyterhub"}
    make(place, "teacher", alone)
    status, told = ended([python, "-m", "jupyterhub", "--version"])
    assert status == 0, told


def make(place, target, environment, *settings):
    status, told = ended(["make", target, *settings], cwd=place, env=environment)
    assert status == 0, told[-2000:]
    return told
