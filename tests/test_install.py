"""What is installed: pinned, with reasons, no more than a learner needs. How, a drill tries."""

import re
from importlib.metadata import version

import pytest
from helpers import ROOT
from packaging.requirements import Requirement

from tools import install

FILES = ("requirements.txt", "requirements/dev.txt", "roundtrips/tests/requirements.txt")
OTHERS = (
    *(f"requirements/{name}.txt" for name in ("room", "drills", "cases", "book")),
    "roundtrips/tests/drills/requirements.txt",
)


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


def test_a_learner_needs_nothing_that_only_tests_get():
    """What lab_utils, the notebooks and `make lab` import comes with requirements.txt."""
    places = (("lab_utils", "**/*.py"), ("notebooks", "*.ipynb"), ("exercises", "*/solution.py"))
    used = {
        name
        for folder, pattern in places
        for path in (ROOT / folder).glob(pattern)
        for names in re.findall(
            r"(?m)^\W*(?:from (\w+)|import ([\w, ]+))", path.read_text(encoding="utf-8")
        )
        for name in ", ".join(names).split(", ")
    }
    of_tests = {requirement.name.replace("-", "_") for requirement in pinned(*FILES[1:])}
    of_learners = {requirement.name for requirement in pinned("requirements.txt")}
    assert not used & of_tests
    assert {"redis", "matplotlib", "msgpack", "orjson"} <= used & of_learners


def test_an_installation_names_the_clone_from_where_it_is_read(tmp_path):
    """An absolute path with an ü would keep Python from starting where the locale is C."""
    listed = tmp_path / "lib" / "python3" / "site-packages" / "lab.pth"
    listed.parent.mkdir(parents=True)
    listed.write_text(f"{ROOT}\n", encoding="utf-8")
    (tmp_path / "cache").hardlink_to(listed)  # uv's
    install.name_folders_from_here(tmp_path)
    assert (tmp_path / "cache").read_text(encoding="utf-8") == f"{ROOT}\n"
    written = listed.read_text(encoding="utf-8").strip()
    assert not written.startswith("/") and (listed.parent / written).resolve() == ROOT
