"""Installing: it says what it does, does it once, works without the internet, and everything installed has its reason."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from helpers import ROOT
from packaging.requirements import Requirement

FILES = ("requirements.txt", "requirements-dev.txt")
PLUGIN = ROOT / "lab_utils" / "tracing" / "pytest_plugin.py"  # which only pytest imports


# What is installed


def lines(name):
    found = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in found if line.strip() and not line.startswith(("#", "-r "))]


def pinned(*names):
    return [Requirement(line.split("#")[0].strip()) for name in names for line in lines(name) if not line.startswith("-e .")]


@pytest.mark.parametrize("name", FILES)
def test_everything_is_pinned_and_has_its_reason(name):
    for line in lines(name):
        if not line.startswith("-e ."):
            assert re.match(r"[\w-]+==[\w.]+(;|\s)", line), line
        assert re.search(r"\s# \w", line), f"no reason given: {line}"


def test_what_is_installed_here_is_what_is_pinned():
    for requirement in pinned(*FILES):
        if not requirement.marker or requirement.marker.evaluate():
            assert requirement.specifier.contains(version(requirement.name)), requirement


def test_a_learner_gets_nothing_that_only_tests_need():
    """What lab_utils, the notebooks and `make lab` import comes with requirements.txt; the rest with the other file."""
    used = set()
    for folder, pattern in (("lab_utils", "**/*.py"), ("notebooks", "*.ipynb"), ("notebooks/solutions", "*.py")):
        for path in set((ROOT / folder).glob(pattern)) - {PLUGIN}:
            for names in re.findall(r"^\W*(?:from (\w+)|import ([\w, ]+))", path.read_text(encoding="utf-8"), re.MULTILINE):
                used |= set(", ".join(names).split(", "))
    of_tests = {requirement.name.replace("-", "_") for requirement in pinned("requirements-dev.txt")}
    of_learners = {requirement.name for requirement in pinned("requirements.txt")}
    assert not used & of_tests
    assert {"redis", "matplotlib", "msgpack", "orjson"} <= used & of_learners


def test_the_package_alone_needs_redis_and_its_extra_what_a_learner_has():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [Requirement(line).name for line in project["dependencies"]] == ["redis"]
    extra = {(need.name, str(need.marker)) for need in map(Requirement, project["optional-dependencies"]["lab"])}
    assert extra == {(need.name, str(need.marker)) for need in pinned("requirements.txt") if need.name != "redis"}


def test_each_python_has_exactly_one_server():
    markers = [requirement.marker for requirement in pinned("requirements.txt") if requirement.marker]
    for python in ("3.11", "3.12", "3.13", "3.14"):
        assert sum(marker.evaluate({"python_version": python, "sys_platform": "linux"}) for marker in markers) == 1
        assert sum(marker.evaluate({"python_version": python, "sys_platform": "win32"}) for marker in markers) == 0


# How it is installed, tried on a package of one file


@pytest.fixture
def tree(tmp_path):
    """A folder with tools/install.py and requirements of one package, which only its wheelhouse/ has."""
    folder = tmp_path / "a lab with ü"
    (folder / "tools").mkdir(parents=True)
    (folder / "wheelhouse").mkdir()
    shutil.copy(ROOT / "tools" / "install.py", folder / "tools")
    (folder / "pyproject.toml").touch()
    require(folder, "1.0")
    with zipfile.ZipFile(folder / "wheelhouse" / "tinything-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tinything.py", "here = True\n")
        info = "tinything-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"tinything.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return folder


def require(folder, number):
    text = f"tinything=={number}  # so that there is something to install\n"
    (folder / "requirements.txt").write_text(text, encoding="utf-8")


def install(folder, **environment):
    """(exit status, what it printed) of tools/install.py, with no uv unless `environment` brings one."""
    environment = {"NO_UV": "1", "PIP_INDEX_URL": "http://127.0.0.1:9/nothing", **environment}
    ended = subprocess.run([sys.executable, "tools/install.py", "requirements.txt"], cwd=folder, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment})
    return ended.returncode, ended.stdout


def has_it(folder):
    return subprocess.run([folder / ".venv/bin/python", "-c", "import tinything"], capture_output=True).returncode == 0


def test_it_says_what_it_does_and_does_it_once(tree):
    status, told = install(tree)
    assert status == 0 and has_it(tree)
    steps = told.splitlines()
    assert "offline" in steps[0] and "about half a minute" in steps[0] and steps[-1].startswith("Installed in ")
    assert any(step.split(maxsplit=1) == ["tinything", "so that there is something to install"] for step in steps)
    assert install(tree) == (0, "")

    (tree / ".venv/bin/python").unlink()  # as when the Python that it was made with has been removed
    (tree / ".venv/bin/python").symlink_to("/nowhere/python")
    assert install(tree)[0] == 0 and has_it(tree)


def test_what_the_wheelhouse_does_not_hold_is_said_and_tried_again(tree):
    require(tree, "2.0")
    for _ in range(2):
        status, told = install(tree)
        assert status != 0 and "tinything==2.0" in told and "make wheelhouse" in told.splitlines()[-1]


@pytest.fixture
def uv(tmp_path):
    """A uv that notes that it was called, and fails."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "uv").write_text(f'#!/bin/sh\necho "$1" >>"{folder}/called"\nexit 1\n', encoding="utf-8")
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


def test_what_builds_the_lab_is_gathered_too():
    """Without setuptools in the wheelhouse, pip could not install lab_utils itself offline."""
    build = re.search(r'BUILD = "(.*)"', Path(ROOT / "tools" / "install.py").read_text(encoding="utf-8"))[1]
    assert f'requires = ["{build}"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
