"""Runs chapters as `make test` does, in a pytest of their own, and tells facts from words."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path

from tries import SIZE

ROOT = Path(__file__).resolve().parent.parent.parent
CHAPTERS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
WORDS = "tests/test_verdict_words.py::test_the_words_are_the_committed_ones"
LIMIT_S = 1800
AT_ONCE = 2 if SIZE == "full" else 1  # learners on one machine; in CI another drill runs beside
SPINNING = """
import os
starter = os.getppid()
while os.getppid() == starter:
    for _ in range(10**6):
        pass
"""


@dataclass
class Run:
    """What a run found.

    `facts` are the cells that differ, `words` what changed in the verdicts' words, `untested`
    the claims left so.
    """

    seconds: float
    cells: int
    facts: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    untested: list[str] = field(default_factory=list)

    def told(self):
        """The cells and words that are not as committed, one below the other."""
        return "\n".join([*self.facts, *self.words])


def run(chapters=CHAPTERS, words=True, workers=0, **environment):
    """Runs the chapters with these further environment variables, between so many workers.

    With 0 workers they run one after the other.

    Raises RuntimeError where pytest itself did not work.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **environment, "LAB_REACHED": folder}
        started = time.monotonic()
        of_cells = cases(environment, f"-n{workers}", "--dist=loadfile", *chapters)
        of_words = cases(environment, WORDS) if words else []
        found = Run(time.monotonic() - started, len(of_cells))
    found.facts, found.words = ([what_failed(case) for case in each if failed(case)]
                                for each in (of_cells, of_words))
    properties = [item for case in of_words for item in case.iter("property")]
    found.untested = [item.get("value") for item in properties if item.get("name") == "untested"]
    return found


def cases(environment, *arguments):
    """The test cases of a run of pytest, as its JUnit file has them.

    Raises RuntimeError where pytest itself did not work.
    """
    report = Path(environment["LAB_REACHED"]) / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", f"--junitxml={report}",
               "-o", "timeout=0", *map(str, arguments)]
    ended = subprocess.run(command, cwd=ROOT, env=environment, timeout=LIMIT_S,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors="replace")
    if ended.returncode not in (0, 1):
        raise RuntimeError(f"pytest ended with {ended.returncode}:\n{ended.stdout[-3000:]}")
    return list(xml.parse(report).getroot().iter("testcase"))


def failed(case):
    return case.find("failure") is not None or case.find("error") is not None


def what_failed(case):
    """Which cell, and the last lines of what pytest said of it."""
    report = case.find("failure") if case.find("failure") is not None else case.find("error")
    said = report.text or report.get("message")
    return f"{case.get('classname')} {case.get('name')}\n{said[-1500:]}"


@contextlib.contextmanager
def busy(loops):
    """So many endless loops of ordinary priority, which end with this process at the latest."""
    with contextlib.ExitStack() as stack:
        for _ in range(loops):
            stack.callback(subprocess.Popen([sys.executable, "-c", SPINNING]).kill)
        yield
