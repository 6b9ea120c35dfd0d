"""`make doctor` says what is wrong and what to do, and stops at the first cause."""

import os
import shutil
import subprocess
import sys

import pytest
import redis
from helpers import ROOT

from tools import doctor as module


@pytest.fixture
def place(tmp_path):
    """Return the Path of a folder with the lab's tools in which nothing is installed."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    # What is installed here, which may be newer than what the lab names.
    (tmp_path / "requirements.txt").write_text(f"redis=={redis.__version__}  # the client\n")
    return tmp_path


def install(place):
    """Write a .venv into the folder `place`, with a Python that runs the one of the tests."""
    python = place / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)


def doctor(place, **environment):
    """Run `make doctor`'s script in `place`; return (exit status, what it printed).

    The text has no line breaks. `environment` are further environment variables.
    """
    own = {name: text for name, text in os.environ.items() if "proxy" not in name.lower()}
    own.pop("REDIS_URL", None)
    ran = subprocess.run(
        [sys.executable, place / "tools" / "doctor.py"],
        env={**own, **environment},
        capture_output=True,
        text=True,
    )
    assert ran.stderr == ""
    return ran.returncode, " ".join(ran.stdout.split())


def test_a_sound_lab(place):
    install(place)
    status, said = doctor(place)
    assert (status, said.count("FIX")) == (0, 0), said
    for part in ("ok python", "ok versions", "ok server Redis", "Nothing to put right."):
        assert part in said, said
    assert str(place) not in said


BROKEN = [
    (False, {"HTTPS_PROXY": "http://me:s3cret@127.0.0.1:9"}, "Run export no_proxy=localhost"),
    (True, {"LAB_REDIS_SERVER": "/bin/false"}, "FIX server /bin/false does not say that it is a"),
    (True, {"REDIS_URL": "redis://:s3cret@127.0.0.1:9/0"}, "No answer from redis://:***@127.0.0.1"),
    (True, {"PYTHONPATH": "/dev/null", "LAB_SCALE": "nonsense"}, "LAB_SCALE"),
]


@pytest.mark.parametrize("is_installed, environment, words", BROKEN)
def test_one_cause_is_one_fix_and_the_last_thing_said(place, is_installed, environment, words):
    if is_installed:
        install(place)
    status, said = doctor(place, **environment)
    assert status == 1 and words in said, said
    assert said.count("FIX ") == 1 and said.endswith("it stops at the first FIX.")
    assert "s3cret" not in said


def test_an_installation_that_does_not_run_or_has_other_versions(place):
    install(place)
    (place / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho no libssl; exit 1\n")
    said = doctor(place)[1]
    assert "no libssl FIX lab what is installed does not run; the reason stands above" in said
    shutil.rmtree(place / ".venv")
    install(place)
    (place / "requirements.txt").write_text("redis==5.0.0  # the client\n", encoding="utf-8")
    status, said = doctor(place)
    assert status == 1 and "not 5.0.0" in said and "Run make clean, then make lab" in said


def test_before_anything_is_installed_it_says_how(place):
    status, said = doctor(place)
    assert status == 0 and "make lab does that, from wheelhouse/" in said


# What only another machine has


ELSEWHERE = [
    ("sys.platform", "win32", "open this folder in WSL"),
    ("platform.libc_ver", lambda: ("", ""), "Use docker compose up"),
    ("sys.version_info", (3, 10, 2), "make PYTHON=/path/to/python3.13 lab"),
    ("sys.version_info", (3, 15, 0), "make PYTHON=/path/to/python3.13 lab"),
    ("os.access", lambda path, mode: ".venv" in path, "Clone the lab into a folder of your own"),
    ("os.access", lambda path, mode: ".venv" not in path, "sudo chown -R"),
]


@pytest.mark.parametrize("name, value, words", ELSEWHERE, ids=[row[2] for row in ELSEWHERE])
def test_another_machine(place, monkeypatch, capsys, name, value, words):
    if "chown" in words:
        (place / ".venv").mkdir()
    monkeypatch.setattr(module, "ROOT", place)
    monkeypatch.setattr(module, "LAB_PYTHON", place / ".venv" / "bin" / "python")
    monkeypatch.setattr(name, value)
    assert module.main([]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert words in said and said.count("FIX ") == 1
