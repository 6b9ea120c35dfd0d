"""Define the fixtures that tests share: the lab's server, other servers, a folder of state."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import textwrap

import pytest

import lab_utils as lab
from lab_utils import disturbance
from lab_utils.testbed import private_server


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Let SIGINT raise KeyboardInterrupt in the tests, as in a Jupyter kernel.

    A shell may start a background process, such as pytest, with SIGINT ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def imported_for_good():
    """Take all objects that exist now out of the garbage collector's work.

    Otherwise the collector would visit pytest's objects before each measurement, which takes 0.2 s.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def lab_server():
    """Start the lab's private server for the tests, whatever REDIS_URL says."""
    with pytest.MonkeyPatch.context() as without:
        without.delenv("REDIS_URL", raising=False)
        lab.connect().close()  # it starts, and all helpers are imported, as a kernel has them


@pytest.fixture(autouse=True)
def nothing_noted():
    """Forget, before each test, that a former one found the machine busy."""
    disturbance.forget()


@pytest.fixture
def r():
    """Yield a redis.Redis on the lab's private server, without distance, its database empty."""
    client = lab.connect()
    lab.empty(client)
    yield client
    client.close()


@pytest.fixture
def remembered(tmp_path, monkeypatch):
    """Return the Path of a folder of the test's own for what the lab stores between kernels.

    It is set as LAB_STATE, and need not exist yet.
    """
    monkeypatch.setenv("LAB_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def another_server():
    """Yield a function `start(*settings, binary=None)` that starts a further Redis server.

    It returns a Server of lab_utils; the servers are stopped after the test. `settings` are lines
    of redis.conf, `binary` is the path of another program.
    """
    with contextlib.ExitStack() as stack:

        def start(*settings, binary=None):
            started = private_server.start(binary or private_server.find_binary(), *settings)
            stack.callback(started.stop)
            return started

        yield start


@pytest.fixture
def kernel(tmp_path):
    """Yield a function `start(script, **environment)` that runs a Python script in a process.

    It returns (Popen, list of the words in the first line that the script prints). `environment`
    are further environment variables; TMPDIR is the test's own tmp_path. After the test the
    processes and their children are killed.
    """
    started = []

    def start(script, **environment):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)],
            env={**os.environ, "TMPDIR": str(tmp_path), **environment},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process, process.stdout.readline().split()

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):  # it has ended, with all its group
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    """Close all figures after each test, so that the next one finds none."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
