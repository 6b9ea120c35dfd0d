"""For tests and notebooks alike: the CI scale, no progress bars, and no traces of the learner's own progress."""

import os
import tempfile
from pathlib import Path

import pytest

os.environ.setdefault("LAB_SCALE", "ci")
os.environ["TQDM_DISABLE"] = "1"
_state = tempfile.TemporaryDirectory(prefix="lab-state-")
os.environ["LAB_STATE"] = _state.name
os.environ["LAB_FIGURE_CHECK"] = str(Path(__file__).parent / "tests" / "legible.py")
os.environ["LAB_FIGURE_LOG"] = os.path.join(_state.name, "figures")


# These read what the notebooks of this session reach: the verdicts, and the figures.
LAST = "test_verdict_words.py", "test_figures_of_chapters.py"


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name in LAST)


@pytest.hookimpl(tryfirst=True)  # before the notebook's kernel starts
def pytest_runtest_setup(item):
    """Tells the kernel which notebook it runs, as Jupyter does: the lab remembers verdicts by chapter."""
    if item.path.suffix == ".ipynb":
        os.environ["LAB_CHAPTER"] = item.path.stem
    else:
        os.environ.pop("LAB_CHAPTER", None)
