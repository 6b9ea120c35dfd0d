"""For tests and notebooks alike: the CI scale, no progress bars, no traces of a learner's progress.

`make test` runs the chapters and then the tests, in two runs of pytest that share LAB_REACHED: some
tests read what the chapters reached. A plain `pytest` does both in one run, in the same order.
"""

import functools
import importlib.util
import os
import re
import sys
import tempfile
import uuid
from pathlib import Path

import pytest
from nbval import kernel

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "tests"))

os.environ.setdefault("LAB_SCALE", "ci")
os.environ["TQDM_DISABLE"] = "1"
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit what is set here
    folder = os.environ.pop("LAB_REACHED", None)
    if not folder:
        _own = tempfile.TemporaryDirectory(prefix="lab-state-", ignore_cleanup_errors=True)
        folder = _own.name
    names = {"LAB_STATE": "state", "IPYTHONDIR": "ipython", "LAB_CHAPTERS_RUN": "chapters"}
    for variable, name in names.items():
        os.environ[variable] = os.path.join(folder, name)
    # What IPython runs in every kernel that a test starts.
    startup = Path(os.environ["IPYTHONDIR"]) / "profile_default" / "startup"
    startup.mkdir(parents=True, exist_ok=True)
    # Tracebacks without colours: nbval hands them on to logs and to JUnit's file.
    (startup.parent / "ipython_config.py").write_text(
        'get_config().InteractiveShell.colors = "nocolor"\n', encoding="utf-8"
    )
    look_at_figures = Path(__file__).parent / "tests" / "in_kernel.py"
    (startup / "figures.py").write_text(
        f'__import__("runpy").run_path({str(look_at_figures)!r})\n', encoding="utf-8"
    )


def without_ports(manager):
    """Return a function that makes managers of Jupyter kernels that use no TCP ports.

    `manager` is the class KernelManager. A port that was free when it was chosen may be in use when
    the kernel opens it, since tests run side by side.
    """

    def make(**options):
        place = f"{os.environ['LAB_STATE']}-{uuid.uuid4().hex[:8]}"
        made = manager(transport="ipc", ip=place, **options)
        if os.environ.get("REDIS_URL"):
            # nbval kills its kernels, and a killed one leaves its keys in the database it held
            made.shutdown_kernel = lambda now=False: manager.shutdown_kernel(made)
        return made

    return make


kernel.KernelManager = without_ports(kernel.KernelManager)


def pytest_configure(config: pytest.Config):
    """Tell nbval which texts are measured values, which it does not compare.

    The path of that list is absolute here; in addopts it would depend on where pytest was started.
    """
    config.option.nbval_sanitize_with = str(ROOT / "tests" / "nbval_sanitize.cfg")


# The slowest first, so that no worker begins one of them when the others are done.
SLOWEST = (
    "08_threads_and_asyncio",
    "test_exercise_folders",
    "test_timing",
    "test_servers",
    "test_waiting_map",
    "test_server_from_url",
    "test_installing",  # drills
    "test_book",
    "test_alone",
    "test_chapters_elsewhere",
    "test_drill",
)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: (item.path.suffix != ".ipynb", item.path.stem not in SLOWEST))
    for item in items:
        package = needed_package(item.path) if item.path.suffix == ".ipynb" else None
        if package:
            item.add_marker("package")
        if package and not importlib.util.find_spec(package):
            reason = f"{package} is not installed: pip install -r requirements/cases.txt"
            item.add_marker(pytest.mark.skip(reason=reason))


@functools.cache
def needed_package(notebook: Path) -> str | None:
    """Return the name of a package of requirements/cases.txt that a notebook imports, or None.

    If several are imported, one that is not installed comes first. `notebook` is the path.
    """
    wanted = (ROOT / "requirements" / "cases.txt").read_text(encoding="utf-8")
    code = notebook.read_text(encoding="utf-8")
    # python-socketio is imported as socketio.
    pinned = re.findall(r"(?m)^(?:python-)?([\w-]+)==", wanted)
    names = [name.replace("-", "_") for name in pinned]
    used = [name for name in names if re.search(rf"\b(?:import|from) [\w, ]*\b{name}\b", code)]
    return min(used, key=lambda name: importlib.util.find_spec(name) is not None, default=None)


@pytest.hookimpl(tryfirst=True)  # before the notebook's kernel starts
def pytest_runtest_setup(item: pytest.Item):
    """Put the name of the notebook to run into LAB_CHAPTER, where the checks of figures read it."""
    if item.path.suffix == ".ipynb":
        os.environ["LAB_CHAPTER"] = item.path.stem
        with open(os.environ["LAB_CHAPTERS_RUN"], "a", encoding="utf-8") as file:
            file.write(f"{item.path.stem}\n")
    else:
        os.environ.pop("LAB_CHAPTER", None)
