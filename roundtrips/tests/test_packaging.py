"""The package as others get it: wheel and sdist, each Python of this machine, without the lab."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent
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

@pytest.mark.max_round_trips(1)
def test_two():
    r = redis.Redis(**json.loads(os.environ["CLIENT"]))
    r.get("a"), r.get("b")
"""


def pythons():
    """Return {version: path} of the Pythons on this machine."""
    kept = [path / "bin" for path in Path.home().glob(".pyenv/versions/*")]
    places = os.pathsep.join([os.environ["PATH"], *map(str, kept)])
    found = {}
    for name in NAMES:
        path = shutil.which(name, path=places)
        asked = [path, "-c", "import venv, sys; print(sys.prefix)"] if path else ["false"]
        if subprocess.run(asked, capture_output=True).returncode == 0:
            found[name] = path
    return found or {"this": sys.executable}


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Build from a copy, so that whatever a build leaves is not left in the clone."""
    folder = tmp_path_factory.mktemp("built")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(PACKAGE)],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    if done.returncode and os.environ.get("CI") != "true" and "ConnectionError" in done.stdout:
        pytest.skip("no index can be reached to build with")
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    return folder


def test_an_index_would_take_it_and_nothing_is_left_out(built):
    files = sorted(built.iterdir())
    assert [path.suffix for path in files] == [".whl", ".gz"]
    checked = [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)]
    subprocess.run(checked, check=True, capture_output=True)
    held = set(zipfile.ZipFile(files[0]).namelist())
    source = PACKAGE / "src"
    wanted = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    assert {name for name in wanted if "__pycache__" not in name} <= held
    left = [path.name for path in (*PACKAGE.iterdir(), *source.iterdir())]
    assert not {"build", "dist", "roundtrips.egg-info"} & set(left)


@pytest.mark.parametrize("python", pythons())
def test_the_wheel_works_alone(built, server, tmp_path, python):
    home = tmp_path / "venv"
    subprocess.run([pythons()[python], "-m", "venv", str(home)], check=True)
    inside = str(home / "bin" / "python")
    [wheel] = built.glob("*.whl")
    pip = [inside, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel), "pytest"], check=True, timeout=200)
    (tmp_path / "app.py").write_text(PROGRAM)
    (tmp_path / "test_two.py").write_text(TEST)
    environment = {**os.environ, "CLIENT": json.dumps(server)}
    environment.pop("PYTHONPATH", None)

    def ran(*words):
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100
        )

    command = [str(home / "bin" / "roundtrips"), "--json", "--max", "2", "app.py"]
    done = ran(*command)
    assert done.returncode == 0, done
    assert json.loads(done.stderr.splitlines()[-1])["round_trips"] == 2
    done = ran(inside, "-m", "pytest", "-q", "test_two.py")
    assert done.returncode == 1 and "2 round trips, 1 allowed" in done.stdout, done
