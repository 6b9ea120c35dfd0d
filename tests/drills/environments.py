"""Environments of their own for drills: versions of redis-py, other files of requirements. Kept inside .venv."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest
from helpers import ROOT

KEPT = Path(sys.prefix) / "drills"
REQUIREMENTS = ROOT / "requirements-drills.txt"
said = []  # what was installed, and how long that took, since a report last told it


def redis_py(version):
    """The folder that holds a version of redis-py and nothing else: it goes first in PYTHONPATH."""
    def install(folder):
        pip("install", "--no-deps", "--target", folder, f"redis=={version}")

    return kept(f"redis-{version}", install)


def libraries():
    """The Python of an environment with requirements-drills.txt."""
    return python_with("libraries", REQUIREMENTS)


def python_with(name, requirements):
    """The Python of an environment with what that file names, under `name`."""
    def install(folder):
        venv.create(folder, with_pip=False, symlinks=True)
        pip("--python", folder / "bin" / "python", "install", "-r", requirements)

    return kept(f"{name}-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]}", install) / "bin" / "python"


def kept(name, install):
    """The folder of that name, made by `install` unless an earlier run has."""
    folder, done = KEPT / name, KEPT / f"{name}.done"
    KEPT.mkdir(exist_ok=True)
    with open(KEPT / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a drill that runs beside this one may want the same
        if not done.exists():
            started = time.monotonic()
            shutil.rmtree(folder, ignore_errors=True)
            install(folder)
            done.touch()
            said.append(f"installed {name} in {time.monotonic() - started:.0f} s; it is kept in {KEPT}")
    return folder


def pip(*arguments):
    """Runs pip; where it fails, as it does without a network, the drill says so and is skipped, but fails in CI."""
    command = [sys.executable, "-m", "pip", *map(str, arguments), "--quiet", "--disable-pip-version-check"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if ran.returncode:
        said = f"pip could not install what this drill needs: {ran.stderr.strip().splitlines()[-1:]}"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
