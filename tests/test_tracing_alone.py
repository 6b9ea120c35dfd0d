"""lab_utils.tracing needs redis and nothing else: it goes into other people's programs."""

import importlib
import json
import subprocess
import sys
import venv

import pytest
import redis
from helpers import ROOT

from lab_utils.testbed.chosen_server import server

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import redis
from lab_utils.tracing import Tap, cost_of

client = redis.Redis(**json.loads(sys.argv[2]))
client.ping()
with Tap() as tap:
    for i in range(100):
        client.set(f"key{i}", f"value{i}")
cost = cost_of(tap)
parser = type(client.connection_pool.get_connection()._parser).__name__
others = sorted({name.split(".")[0] for name in sys.modules} & set(json.loads(sys.argv[3])))
print(json.dumps([cost.round_trips, cost.commands, parser, others]))
"""
LABS = ["hiredis", "matplotlib", "IPython", "numpy", "ipywidgets", "nbformat", "PIL", "pip"]


@pytest.fixture(scope="module")
def redis_alone(tmp_path_factory):
    """The Python of an environment that holds redis, as it is installed here, and nothing else."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder, with_pip=False, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    needed = ["redis", "async_timeout"] if sys.version_info < (3, 11, 3) else ["redis"]  # by redis-py, on such Pythons
    for name in needed:
        (packages / name).symlink_to(importlib.import_module(name).__path__[0])
    return folder / "bin" / "python"


def test_a_loop_is_counted_with_redis_alone(redis_alone):
    program = [str(redis_alone), "-I", "-c", PROGRAM, str(ROOT), json.dumps(server().options), json.dumps(LABS)]
    told = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert told.stderr == ""
    assert json.loads(told.stdout) == [100, 100, "_RESP2Parser" if redis.VERSION[0] < 8 else "_RESP3Parser", []]


def test_nothing_else_is_installed_there(redis_alone):
    asked = subprocess.run([str(redis_alone), "-I", "-c", "import hiredis"], capture_output=True, text=True, timeout=60)
    assert "ModuleNotFoundError" in asked.stderr and sys.prefix not in asked.stderr
