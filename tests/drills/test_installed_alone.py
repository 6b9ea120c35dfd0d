"""`pip install .` from a clone, in an environment of its own: redis alone, a command, and a plugin that pytest finds."""

import json
import os
import subprocess
import sys
import venv

import pytest
from helpers import ROOT

from lab_utils.testbed.chosen_server import server

BESIDES = ("pytest==9.2.0", "pytest-xdist==3.8.0", "pytest-asyncio==1.5.0")
TESTS = """
import asyncio, json, os
import pytest, pytest_asyncio, redis, redis.asyncio

OPTIONS = json.loads(os.environ["CLIENT"])


async def page(client, number):
    for user in range(number):
        await client.get(f"user:{user}")


@pytest_asyncio.fixture
async def client():
    async with redis.asyncio.Redis(**OPTIONS) as client:
        await page(client, 9)
        yield client


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared():
    async with redis.asyncio.Redis(**OPTIONS) as client:
        yield client


@pytest.mark.asyncio
@pytest.mark.max_round_trips(3)
async def test_within(client):
    await page(client, 3)


@pytest.mark.asyncio
@pytest.mark.max_round_trips(3)
async def test_over(client):
    await page(client, 4)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.max_round_trips(3)
async def test_shared_within(shared):
    await page(shared, 3)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.max_round_trips(3)
async def test_shared_over(shared):
    await asyncio.gather(page(shared, 2), page(shared, 2))


@pytest.mark.asyncio(loop_scope="module")
async def test_fixture_over(shared, round_trips):
    async with round_trips(max=3):
        await page(shared, 4)


@pytest.mark.max_round_trips(3)
@pytest.mark.parametrize("number", range(1, 7))
def test_plain(number):
    with redis.Redis(**OPTIONS) as r:
        for user in range(number):
            r.get(f"user:{user}")
"""
OVER = {"test_over", "test_shared_over", "test_fixture_over", "test_plain[4]", "test_plain[5]", "test_plain[6]"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The folder of programs of an environment that holds a clone, installed, and what its tests need."""
    clone, place = tmp_path_factory.mktemp("clone"), tmp_path_factory.mktemp("environment")
    for name in ("pyproject.toml", "README.md", "lab_utils"):
        subprocess.run(["cp", "-R", ROOT / name, clone], check=True)
    venv.create(place, with_pip=True, symlinks=True)
    pip = [place / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "."], cwd=clone, check=True, timeout=300)
    listed = subprocess.run([*pip, "list", "--format=freeze"], capture_output=True, text=True, check=True).stdout
    assert {line.split("==")[0].split(" ")[0] for line in listed.splitlines()} - {"pip", "setuptools"} == {
        "redis", "redis-round-trip-lab"} | ({"async-timeout"} if sys.version_info < (3, 11, 3) else set())
    subprocess.run([*pip, "install", "--quiet", *BESIDES], check=True, timeout=300)
    return place / "bin"


def ran(folder, *command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120,
                          env={**environment, "CLIENT": json.dumps(server().options)})


def test_the_command(programs, tmp_path):
    (tmp_path / "app.py").write_text("import json, os, redis\nr = redis.Redis(**json.loads(os.environ['CLIENT']))\n"
                                     "print([r.get(f'user:{user}') for user in range(8)])\n")
    for command in (["roundtrips"], ["python", "-m", "lab_utils.tracing"]):
        done = ran(tmp_path, programs / command[0], *command[1:], "--max", "7", "app.py")
        assert (done.returncode, done.stdout) == (1, f"{[None] * 8}\n"), done.stderr
        assert "GET user:{…} × 8" in done.stderr and "app.py:3" in done.stderr
        assert done.stderr.endswith("roundtrips: failed: 8 round trips, 7 allowed\n")


@pytest.mark.parametrize("several", [(), ("-n", "2")], ids=["pytest-asyncio", "and xdist"])
def test_pytest_finds_the_plugin(programs, tmp_path, several):
    (tmp_path / "test_page.py").write_text(TESTS)
    done = ran(tmp_path, programs / "pytest", "-q", "--strict-markers", "-rf", *several)
    failed = {line.split("::")[1].split(" - ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED")}
    assert failed == OVER, done.stdout
    assert "6 failed, 5 passed" in done.stdout and "GET user:{…} × 4" in done.stdout
