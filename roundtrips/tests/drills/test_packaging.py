"""The package as others get it: wheel and sdist, each Python of this machine, without the lab."""

import functools
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import environments
import pytest

PACKAGE = Path(__file__).resolve().parents[2]
NAMES = [f"python3.{minor}" for minor in range(10, 15)]
PROGRAM = """
import json, os, sys
import redis
try:
    import lab_utils
    sys.exit("lab_utils is here")
except ImportError:
    pass
from roundtrips import budget
from roundtrips.integrations.web import wsgi

r = redis.Redis(**json.loads(os.environ["CLIENT"]))

def application(environ, start_response):
    start_response("200 OK", [])
    r.get("page")
    return []

headers = []
list(wsgi(application)({}, lambda status, fields: headers.extend(fields)))
assert "1 round trip" in dict(headers)["Server-Timing"], headers
with budget(max=1, setup=0):
    r.get("page")
"""
TEST = """
import json, os, pytest, redis

@pytest.mark.round_trips(1)
def test_two():
    r = redis.Redis(**json.loads(os.environ["CLIENT"]))
    r.get("a"), r.get("b")
"""


def python_of(name):
    """Return the Path of a Python called `name`, such as "python3.12"; skip the test if none works.

    Each candidate is run first, since a shim of pyenv's may lead nowhere.
    """
    folders = [*os.environ["PATH"].split(os.pathsep), Path(sys.base_prefix) / "bin"]
    folders += (Path.home() / ".pyenv" / "versions").glob("*/bin")
    for path in (Path(folder) / name for folder in folders):
        asked = [path, "-c", "import venv"]
        if path.exists() and not subprocess.run(asked, capture_output=True).returncode:
            return path
    pytest.skip(f"no {name} on this machine")


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the Path of a folder with the package's sdist and the wheel that was built from it.

    Fails if the build leaves other files in the folder of the package.
    """
    folder, clone = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("clone") / "with ü"
    index = tmp_path_factory.mktemp("index")  # whether there is one
    environments.pip("download", "--no-deps", "--no-cache-dir", "-d", index, "flit_core>=3.12")
    made = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "*.egg-info")
    shutil.copytree(PACKAGE, clone, ignore=made)
    before = files_in(clone)
    asked = [sys.executable, "-m", "build", "--outdir", str(folder), str(clone)]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    assert files_in(clone) == before, "the build leaves files behind"
    return folder


def test_an_index_would_take_it_and_nothing_is_left_out(built):
    files = sorted(built.iterdir())
    assert [path.suffix for path in files] == [".whl", ".gz"]
    checked = [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)]
    subprocess.run(checked, check=True, capture_output=True)
    held = set(zipfile.ZipFile(files[0]).namelist())
    wanted = {f"roundtrips/{name}" for name in files_in(PACKAGE / "src" / "roundtrips")}
    assert {name for name in wanted if "__pycache__" not in name} <= held


@pytest.mark.parametrize("python", NAMES)
def test_the_wheel_works_alone(built, server, tmp_path, python):
    home = tmp_path / "venv"
    subprocess.run([python_of(python), "-m", "venv", "--without-pip", str(home)], check=True)
    [wheel] = built.glob("*.whl")
    into = "--python", home / "bin" / "python"
    environments.pip(*into, "install", "--no-compile", wheel, "pytest")
    (tmp_path / "app.py").write_text(PROGRAM)
    (tmp_path / "test_two.py").write_text(TEST)
    given = {**os.environ, "CLIENT": json.dumps(server), "PYTHONPATH": ""}
    ran = functools.partial(
        subprocess.run, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=100
    )
    command = [home / "bin" / "roundtrips", "--json", "--max", "2"]
    done = ran([*command, "app.py"])
    assert done.returncode == 0, done
    assert json.loads(done.stderr.splitlines()[-1])["round_trips"] == 2
    # pytest rewrites installed plugins, and warns of those that were imported before.
    done = ran([*command, "-m", "pytest", "-q", "-W", "error", "test_two.py"])
    assert done.returncode == 1 and "2 round trips, 1 allowed" in done.stdout, done
    assert json.loads(done.stderr.splitlines()[-1])["round_trips"] == 2
    assert "warning" not in done.stdout
