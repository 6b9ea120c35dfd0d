"""Environments for drills: versions of redis-py, other files of requirements. Kept inside .venv."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from frameworks import without

KEPT = Path(sys.prefix) / "drills"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def redis_py(version):
    """Return the Path of a folder with one version of redis-py, such as "6.4.0", and nothing else.

    The caller puts the folder first in PYTHONPATH. pip installs into it, unless an earlier run has.
    """

    def install(folder):
        pip("install", "--no-deps", "--target", folder, f"redis=={version}")

    return kept(f"redis-{version}", install)


def libraries():
    """Return the Path of the Python of an environment that has the libraries of the drills.

    The file REQUIREMENTS, beside this module, names them.
    """
    return python_with("libraries", REQUIREMENTS)


def python_with(name, requirements):
    """Return the Path of the Python of an environment with the packages in a file of requirements.

    `requirements` is the Path of that file. `name` and a hash of the file's content name the
    folder.
    """

    def install(folder):
        venv.create(folder, with_pip=False, symlinks=True)
        pip("--python", folder / "bin" / "python", "install", "-r", requirements)

    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    return kept(f"{name}-{digest}", install) / "bin" / "python"


def kept(name, install):
    """Return the Path of the folder `name` in KEPT, which `install(folder)` fills.

    `install` is called only if no earlier run has filled the folder to the end.
    """
    folder, done = KEPT / name, KEPT / f"{name}.done"
    KEPT.mkdir(exist_ok=True)
    with open(KEPT / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a drill that runs beside this one may want the same
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            install(folder)
            done.touch()
    return folder


def pip(*arguments):
    """Run pip; if it fails, as without a network, skip the drill, and fail it in CI."""
    quiet = ["--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", *map(str, arguments), *quiet]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if ran.returncode:
        without(f"pip could not install what this drill needs: {ran.stderr.strip()[-200:]}")
