"""Run chapters as `make test` does, in a pytest of their own, and read what has changed."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

from machine import ended
from tries import SIZE

ROOT = Path(__file__).resolve().parent.parent.parent
CHAPTERS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
WORDS = "tests/test_verdict_words.py::test_the_words_are_the_committed_ones"
# CI tries every fourth chapter, others every day; DRILLS=full all.
CHOSEN = CHAPTERS if SIZE == "full" else CHAPTERS[int(time.time() // 86_400) % 4 :: 4]
LIMIT_S = 1800
AT_ONCE = 2 if SIZE == "full" else 1  # learners on one machine; in CI another drill runs beside
SPINNING = "import os\nours = os.getppid()\nwhile os.getppid() == ours: sum(range(10**6))"


@dataclass
class Run:
    """The result of a run of chapters by nbval.

    `cells` is the number of cells, `facts` has a text for each cell whose output differs from the
    committed one, and `words` a text for each failed test of the verdicts' words.
    """

    cells: int
    facts: list[str]
    words: list[str]


def run(chapters=CHAPTERS, words: bool = True, workers: int = 0, **environment: str):
    """Run the chapters by nbval in `workers` processes; return a Run.

    With 0 workers the chapters run one after the other. `environment` are further environment
    variables. If `words`, the words of verdicts, such as "holds", are compared too. Raises
    RuntimeError if pytest itself did not work.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **environment, "LAB_REACHED": folder}
        of_cells = cases(environment, f"-n{workers}", "--dist=loadfile", *chapters)
        of_words = cases(environment, WORDS) if words else []
    return Run(len(of_cells), failures(of_cells), failures(of_words))


def cases(environment: dict[str, str], *arguments) -> list:
    """Run pytest with these `arguments`; return the <testcase> elements of its JUnit file.

    `environment` are all environment variables; LAB_REACHED in it is the folder for that file.
    Raises RuntimeError if pytest itself did not work.
    """
    report = Path(environment["LAB_REACHED"]) / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--color=no",
        f"--junitxml={report}",
        "-o",
        "timeout=0",
        *map(str, arguments),
    ]
    status, told = ended(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, timeout=LIMIT_S
    )
    if status not in (0, 1):
        raise RuntimeError(f"pytest ended with {status}:\n{told[-3000:]}")
    return list(xml.parse(report).getroot().iter("testcase"))


def failures(cases) -> list[str]:
    """Return a text for each cell that failed: its name, and the end of pytest's report on it.

    `cases` are <testcase> elements of a JUnit file.
    """
    return [
        f"{case.get('classname')} {case.get('name')}\n"
        f"{(report.text or report.get('message'))[-1500:]}"
        for case in cases
        for report in case
        if report.tag in ("failure", "error")
    ]


@contextlib.contextmanager
def busy(loops: int):
    """In a `with` block, keep `loops` CPUs busy by endless loops of ordinary priority."""
    with contextlib.ExitStack() as stack:
        for _ in range(loops):
            stack.callback(subprocess.Popen([sys.executable, "-c", SPINNING]).kill)
        yield
