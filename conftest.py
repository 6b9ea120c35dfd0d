"""For tests and notebooks alike: the CI scale, no progress bars, no traces of a learner's progress.

`make test` runs the chapters and then the tests, in two runs of pytest that share LAB_REACHED: some
tests read what the chapters reached. A plain `pytest` does both in one run, in the same order.
"""

import os
import sys
import tempfile
import uuid
from pathlib import Path

import pytest

try:
    from nbval import kernel
except ImportError:  # an environment that runs tests alone
    kernel = None

sys.path.insert(0, str(Path(__file__).parent / "tests"))

os.environ.setdefault("LAB_SCALE", "ci")
os.environ["TQDM_DISABLE"] = "1"
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit what is set here
    folder = os.environ.pop("LAB_REACHED", None)
    if not folder:
        _own = tempfile.TemporaryDirectory(prefix="lab-state-")
        folder = _own.name
    names = {"LAB_STATE": "state", "LAB_FIGURE_LOG": "figures", "LAB_CHAPTERS_RUN": "chapters"}
    for variable, name in names.items():
        os.environ[variable] = os.path.join(folder, name)
os.environ["LAB_FIGURE_CHECK"] = str(Path(__file__).parent / "tests" / "legible.py")


def without_ports(manager):
    """Return what makes managers of kernels that take no port.

    One that was free when it was chosen may be another test's when the kernel comes to it.
    """

    def make(**options):
        place = f"{os.environ['LAB_STATE']}-{uuid.uuid4().hex[:8]}"
        return manager(transport="ipc", ip=place, **options)

    return make


if kernel:
    kernel.KernelManager = without_ports(kernel.KernelManager)


# The slowest first, so that no worker begins one of them when the others are done.
SLOWEST = (
    "14_scoreboard",
    "08_threads_and_asyncio",
    "test_browser",
    "test_exercise_folders",
    "test_timing",
    "test_servers",
    "test_waiting_map",
    "test_server_from_url",
    "test_alone",
    "test_chapters_elsewhere",
    "test_dragged_everywhere",
    "test_drill",  # drills
)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: (item.path.suffix != ".ipynb", item.path.stem not in SLOWEST))


@pytest.hookimpl(tryfirst=True)  # before the notebook's kernel starts
def pytest_runtest_setup(item):
    """Tell the kernel its notebook, as Jupyter does: the lab remembers verdicts by chapter."""
    if item.path.suffix == ".ipynb":
        os.environ["LAB_CHAPTER"] = item.path.stem
        with open(os.environ["LAB_CHAPTERS_RUN"], "a", encoding="utf-8") as file:
            file.write(f"{item.path.stem}\n")
    else:
        os.environ.pop("LAB_CHAPTER", None)
