"""`make doctor` as a learner runs it, on a sound lab and on broken ones: it finds what is wrong."""

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT
from machine import ended

INDEX = "http://127.0.0.1:9/nothing"


@pytest.fixture
def place(tmp_path):
    """A copy of the lab in a folder with a space and an umlaut; .venv has what this one has."""
    folder = tmp_path / "a lab with ü"
    for name in ("tools", "lab_utils", "roundtrips"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.txt", "pyproject.toml", "README.md", "Makefile"):
        shutil.copy(ROOT / name, folder)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    [own] = (folder / ".venv").glob("lib/python3*/site-packages")
    # Before the others' packages the folder itself, as `-e ./roundtrips` and `-e .` have it.
    paths = f"{folder}/roundtrips/src", folder, *site.getsitepackages()
    (own / "lab.pth").write_text("\n".join(map(str, paths)) + "\n", encoding="utf-8")
    shutil.copytree(Path(sys.prefix) / "share" / "jupyter", folder / ".venv" / "share" / "jupyter")
    return folder


def doctor(place, python=sys.executable, **environment):
    """(exit status, what it says) of `make doctor`."""
    others = "REDIS_URL", "LAB_STATE", "PYTHONPATH", "LAB_WORK", "MAKELEVEL", "MAKEFLAGS", "JUNIT"
    clean = {name: value for name, value in os.environ.items() if name not in others}
    status, said = ended(
        ["make", f"PYTHON={python}", "doctor"],
        cwd=place,
        timeout=200,
        env={**clean, "PIP_INDEX_URL": INDEX, **environment},
    )
    return status, " ".join(said.split())


def stamp(place):
    """As after `make lab`."""
    code = (
        "import install; name = 'requirements.txt'; "
        "install.stamp_of(name).write_text(install.fingerprint(name))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=place / "tools", check=True)


def test_a_sound_lab(place):
    stamp(place)
    status, said = doctor(place)
    assert status == 0 and "Nothing to put right." in said, said
    for part in (
        "ok packages installed in .venv",
        "ok kernel starts and answers",
        "ok widgets",
        "ok pinned",
        "ok imports",
    ):
        assert part in said, said
    assert str(place) not in said and str(Path.home()) not in said


def test_what_is_broken_stops_no_other_check(place):
    stamp(place)
    [own] = (place / ".venv").glob("lib/python3*/site-packages")
    wrong = "raise ImportError('wrong architecture')\n"
    (own / "jupyterlab.py").write_text(wrong, encoding="utf-8")
    shutil.rmtree(place / ".venv" / "share" / "jupyter" / "labextensions")
    paths = (own / "lab.pth").read_text(encoding="utf-8")
    (own / "lab.pth").write_text(f"{own}\n{paths}", encoding="utf-8")
    ours, theirs = "/bin/false", "redis://:s3cret@127.0.0.1:9/0"
    status, said = doctor(place, LAB_REDIS_SERVER=ours, REDIS_URL=theirs)
    assert status != 0 and "4 to put right" in said and "note link not tried" in said, said
    assert "FIX imports jupyterlab (ImportError: wrong architecture)" in said
    assert "FIX widgets" in said and "make clean, then make lab" in said
    assert "FIX server /bin/false does not say that it is a Redis server" in said
    assert "FIX own server No answer from redis://:***@127.0.0.1:9/0" in said
    assert "ok kernel starts and answers" in said and "s3cret" not in said


def test_a_python_of_venv_that_is_gone_and_no_internet(place):
    (place / ".venv" / "bin" / "python").unlink()
    (place / ".venv" / "bin" / "python").symlink_to("/nowhere/python")
    bare = sys._base_executable
    status, said = doctor(place, bare)
    assert status != 0 and "note lab not installed" in said
    assert "FIX packages not installed yet, and the package index does not answer pip" in said, said
