"""What is installed: pinned, with reasons, no more than a learner needs. How, a drill tries."""

import re
import tomllib
from importlib.metadata import version

import pytest
from helpers import ROOT
from packaging.requirements import Requirement

from tools import install

FILES = (
    *(f"requirements{name}.txt" for name in ("", "/room", "/dev", "/cases")),
    "roundtrips/tests/requirements.txt",
)
OTHERS = ("requirements/book.txt", "roundtrips/tests/drills/requirements.txt")


# What is installed


def lines(name):
    found = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in found if line.strip() and not line.startswith(("#", "-r "))]


def pinned(*names):
    return [
        Requirement(line.split("#")[0].strip())
        for name in names
        for line in lines(name)
        if not line.startswith("-e .")
    ]


@pytest.mark.parametrize("name", (*FILES, *OTHERS))
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
    """What lab_utils, the notebooks and `make lab` import comes with requirements.txt."""
    used = set()
    for folder, pattern in (
        ("lab_utils", "**/*.py"),
        ("notebooks", "*.ipynb"),
        ("exercises", "*/solution.py"),
    ):
        for path in (ROOT / folder).glob(pattern):
            for names in re.findall(
                r"(?m)^\W*(?:from (\w+)|import ([\w, ]+))", path.read_text(encoding="utf-8")
            ):
                used |= set(", ".join(names).split(", "))
    of_tests = {requirement.name.replace("-", "_") for requirement in pinned(*FILES[2:])}
    of_learners = {requirement.name for requirement in pinned("requirements.txt")}
    assert not used & of_tests
    assert {"redis", "matplotlib", "msgpack", "orjson"} <= used & of_learners


def test_python_finds_the_lab_in_a_folder_that_its_locale_can_not_read(tmp_path, monkeypatch):
    """site.py reads a .pth file as the locale does, in UTF-8 mode too: LC_ALL=C would break it."""
    site = tmp_path / "ü" / ".venv" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (site / "roundtrips.pth").write_text(f"{tmp_path}/ü/roundtrips/src", encoding="utf-8")
    (site / "other.pth").write_text("import sys", encoding="utf-8")
    monkeypatch.setattr(install, "ROOT", tmp_path / "ü")
    monkeypatch.setattr(install, "VENV", tmp_path / "ü" / ".venv")
    install.name_folders_from_there()
    assert (site / "other.pth").read_text() == "import sys"
    named = (site / "roundtrips.pth").read_text("ascii").strip()
    assert (site / named).resolve() == tmp_path / "ü" / "roundtrips" / "src"


def test_roundtrips_alone_needs_redis_and_what_builds_both_is_gathered():
    project = tomllib.loads((ROOT / "roundtrips/pyproject.toml").read_text(encoding="utf-8"))
    needed = [Requirement(line) for line in project["project"]["dependencies"]]
    for python, names in (("3.10", ["redis", "tomli"]), ("3.11", ["redis"]), ("3.14", ["redis"])):
        place = {"python_version": python}
        found = [each.name for each in needed if not each.marker or each.marker.evaluate(place)]
        assert found == names
    # Without it in the wheelhouse, pip could not install lab_utils and roundtrips offline.
    for folder in (ROOT, ROOT / "roundtrips"):
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        assert f'requires = ["{install.BUILD}"]' in text


def test_each_python_has_exactly_one_server():
    markers = [
        requirement.marker for requirement in pinned("requirements.txt") if requirement.marker
    ]
    for python in ("3.11", "3.12", "3.13", "3.14"):
        for system, machine, servers in (
            ("linux", "x86_64", 1),
            ("linux", "aarch64", 1),
            ("darwin", "arm64", 1),
            ("darwin", "x86_64", 1),
            ("win32", "AMD64", 0),
        ):
            place = {"python_version": python, "sys_platform": system, "platform_machine": machine}
            assert sum(marker.evaluate(place) for marker in markers) == servers, place
