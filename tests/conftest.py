"""What the tests share: the lab's server, others beside it, and a memory of the test's own."""

import contextlib
import gc
import signal
import sys

import pytest

import lab_utils as lab
from lab_utils import disturbance
from lab_utils.testbed import private_server


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """What a shell starts in the background may ignore Ctrl-C; a kernel never does."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def imported_for_good():
    """Without this each measurement's collection walks all of pytest: 0.2 s."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def lab_server():
    """These tests work on the lab's private server, whatever REDIS_URL says."""
    with pytest.MonkeyPatch.context() as without:
        without.delenv("REDIS_URL", raising=False)
        lab.connect().close()  # it starts, and all helpers are imported, as a kernel has them


@pytest.fixture(autouse=True)
def nothing_noted():
    """That one test found the machine busy is not said in the next."""
    disturbance.forget()


@pytest.fixture
def r():
    """A client beside the lab's private server, whose database is empty."""
    client = lab.connect()
    lab.empty(client)
    yield client
    client.close()


@pytest.fixture
def remembered(tmp_path, monkeypatch):
    """A folder of the test's own for what the lab remembers."""
    monkeypatch.setenv("LAB_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def another_server():
    """start(*settings): a further Redis, stopped after the test."""
    with contextlib.ExitStack() as stack:

        def start(*settings, binary=None):
            started = private_server.start(binary or private_server.find_binary(), *settings)
            stack.callback(started.stop)
            return started

        yield start


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    """A test that draws by itself leaves nothing for the next one to find."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
