"""For tests and notebooks alike: the CI scale, no progress bars, and no traces of the learner's own progress."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

try:
    from xdist.scheduler import LoadFileScheduling
except ImportError:  # an environment without workers
    LoadFileScheduling = object

sys.path.insert(0, str(Path(__file__).parent / "tests"))
pytest_plugins = ["nbval_kernels"]

os.environ.setdefault("LAB_SCALE", "ci")
os.environ["TQDM_DISABLE"] = "1"
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers share it: the tests that come last read what all chapters reached
    _state = tempfile.TemporaryDirectory(prefix="lab-state-")
    os.environ["LAB_STATE"] = _state.name
    os.environ["LAB_FIGURE_LOG"] = os.path.join(_state.name, "figures")
os.environ["LAB_FIGURE_CHECK"] = str(Path(__file__).parent / "tests" / "legible.py")

# The slowest first, so that no worker begins one of them when the others are done.
FIRST = "test_browser.py", "test_exercise_folders.py", "test_waiting_map.py", "test_figures.py"
# These read what the notebooks of this session reach: the verdicts, and the figures.
LAST = "test_verdict_words.py", "test_figures_of_chapters.py"
# Between workers, the chapters that take longest begin. One after the other, they run as they are read.
LONGEST = "14_scoreboard", "08_threads_and_asyncio"


def pytest_collection_modifyitems(items):
    longest = LONGEST if "PYTEST_XDIST_WORKER" in os.environ else ()
    items.sort(key=lambda item: (item.path.name in LAST, item.path.suffix == ".ipynb", item.path.name not in FIRST,
                                 item.path.stem not in longest))


@pytest.hookimpl(tryfirst=True)  # before the notebook's kernel starts
def pytest_runtest_setup(item):
    """Tells the kernel which notebook it runs, as Jupyter does: the lab remembers verdicts by chapter."""
    if item.path.suffix == ".ipynb":
        os.environ["LAB_CHAPTER"] = item.path.stem
    else:
        os.environ.pop("LAB_CHAPTER", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """How many workers `-n auto` means, see WhatChaptersReachedLast."""
    return 3 if (os.cpu_count() or 1) > 1 else 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whoever asks xdist for another way of sharing tests out, with --dist, gets that."""
    return WhatChaptersReachedLast(config, log) if config.getvalue("dist") == "load" else None


class WhatChaptersReachedLast(LoadFileScheduling):
    """Each file of tests, then each chapter, to the worker that is free; the files of LAST when the other workers have ended.

    Tests wait for half of their time, so three workers share two CPUs. Who of them is last with its tests gets no chapter: two
    at a time are two learners on one machine, whose kernels hold a CPU each, and wait for one that is held.
    """

    REACHED, CHAPTERS = "reached", 2

    def __init__(self, config, log):
        config.option.loadscopereorder = False  # the order is the one above, not that of their numbers of tests
        super().__init__(config, log)

    def schedule(self):
        super().schedule()
        for node in self.nodes:  # a worker that took a dead one's place got one file: with one test it would wait for another
            self._reschedule(node)

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        return self.REACHED if file.endswith(LAST) else file

    def _assign_work_unit(self, node):
        following = next(iter(self.workqueue))
        if following == self.REACHED and len(self.nodes) > 1:
            if node is not next(one for one in self.nodes if not one.shutting_down):
                node.shutdown()
        elif following.endswith(".ipynb") and len(self.with_chapters(node)) == self.CHAPTERS:
            node.shutdown()
        else:
            super()._assign_work_unit(node)

    def with_chapters(self, node):
        """The other workers that have a chapter to run."""
        return [one for one in self.nodes if one is not node
                and any(name.endswith(".ipynb") and not all(unit.values()) for name, unit in self.assigned_work[one].items())]

    def remove_node(self, node):
        """Has the others go on; a test in which a worker died is not tried again, as xdist would."""
        work = self.assigned_work.pop(node)
        crashed, unit = next(((test, unit) for unit in work.values() for test, done in unit.items() if not done), (None, None))
        if crashed:
            unit[crashed] = True
            self.workqueue.update({name: unit for name, unit in work.items() if not all(unit.values())})
        for left in self.nodes:
            self._reschedule(left)
        return crashed
