"""Every claim tried again with its chapter's own measuring cells, in a Python of their own.

In each chapter, the cells that its claims rest on carry the tag `trial`. These cells, and only
these, are run in their order, one chapter after the other, at LAB_SCALE=ci. So the scoreboard has
no measuring code that could drift from the chapters', and no verdict from yesterday.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from ..scale import scale
from ..testbed.keeper import Kept
from ..timing.rounds import progress
from . import claims
from .claims import Retried
from .published import plot_tables
from .verdict_table import Against, Elsewhere, Scoreboard, said_of

TAG = "trial"
TRIES = re.compile(r'lab\.claim\(\s*"(\w+)"')
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CELL_TIMEOUT_S = 120
CHAPTER_S = 8  # about what the cells of one chapter take, for the progress bar


class Retrial(Scoreboard):
    """All claims tried again, and the published tables that came along.

    `claims` is {name: Retried}, `tables` {what: {"published", "reproduced": {name: seconds},
    "rtt_ms", …}}. It is shown as a page of all verdicts.
    """

    def __init__(self, claims: dict, tables: dict):
        self.claims, self.tables = claims, tables
        super().__init__(claims.values(), self.in_words())

    def words(self) -> dict[str, int]:
        """Return how many claims got each verdict, {"holds": 12, …}; words not got are left out."""
        counted = Counter(claim.word for claim in self.claims.values())
        return {word: counted[word] for word in claims.WORDS if counted[word]}

    def against(self, said: dict) -> Against:
        """Return what you said of some claims beside what came out, the other ones first.

        `said` is {"A1": "holds", "A2": "depends", "A3": "no", "A4": ...}; three dots say nothing.
        Raises LabError for a claim that is not on the board, and for another word.
        """
        words = said_of(said, self.claims)
        return Against([self.claims[name] for name in said], words)

    def elsewhere(self) -> Elsewhere:
        """Return the words that the claims got in committed runs on other servers."""
        return Elsewhere(json.loads((claims.FOLDER / "elsewhere.json").read_text(encoding="utf-8")))

    def plot_tables(self, title=None):
        """Draw each published table beside its reproduction at the fitted distance."""
        return plot_tables(self.tables, title)

    def in_words(self) -> str:
        """Return 'of 38 claims 12 hold, …'."""
        found = ", ".join(
            f"{count} {word if count == 1 else claims.PLURAL[word]}"
            for word, count in self.words().items()
        )
        return f"of {len(self.claims)} claims {found}"


def retrial() -> Retrial:
    """Try every claim again with the measuring cells of its chapter.

    Takes a good minute on a quiet machine, two or three on a busy one. A claim whose cells fail on
    this machine comes back as "untested", with the reason. The ledger is brought up to date. Raises
    LabError where the chapters are not there.
    """
    claims.load_all()
    chapters = [path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")) if trial_cells(path)]
    claims.check_clone(chapters, f"chapters with cells to try again in {NOTEBOOKS}")
    tried: dict[str, Retried] = {}
    tables: dict[str, dict] = {}
    for path in progress(chapters, CHAPTER_S * len(chapters), scale()):
        ledger, drawn, error = run_trials(path)
        tables |= drawn
        where = sections(path)
        for name, claim in claims.CLAIMS.items():
            if claim.chapter == path.name[:2]:
                tried[name] = verdict_of(
                    claim, ledger.get(name), error, path.name, where.get(name, "")
                )
    for name in claims.CLAIMS.keys() - tried.keys():
        tried[name] = Retried(
            name, claims.CLAIMS[name].text, claims.UNTESTED, "no chapter here tries it", ""
        )
    return Retrial({name: tried[name] for name in sorted(tried, key=claims.order)}, tables)


def verdict_of(claim, entry, error, chapter, section):
    """Return the Retried of a claim, "untested" where its cells left no entry in the ledger."""
    if not entry:
        because = error or "its cell was not run"
        entry = {"word": claims.UNTESTED, "because": because, "measured": {}}
        claims.enter(claim.name, entry, claims.chapter())
    return Retried(
        claim.name,
        claim.text,
        entry["word"],
        entry["because"],
        chapter,
        entry.get("addition", ""),
        claim.turns_with,
        section,
    )


def cells_of(path):
    import nbformat  # takes longer than the rest of the lab

    return nbformat.read(path, as_version=4).cells


def trial_cells(path: Path) -> list:
    """Return the code cells of a chapter that its claims rest on."""
    return [
        cell
        for cell in cells_of(path)
        if cell.cell_type == "code" and TAG in cell.metadata.get("tags", [])
    ]


def sections(path: Path) -> dict[str, str]:
    """Return {claim: "#the-section"} of the sections of a chapter that try claims.

    An anchor is JupyterLab's: the heading with dashes in place of spaces.
    """
    found: dict[str, str] = {}
    anchor = ""
    for cell in cells_of(path):
        if cell.cell_type == "code":
            found |= dict.fromkeys(TRIES.findall(cell.source), anchor)
        elif headings := HEADING.findall(cell.source):
            anchor = f"#{quote(headings[-1].replace('`', '').replace(' ', '-'))}"
    return found


def run_trials(path: Path) -> tuple[dict, dict, str | None]:
    """Run a chapter's trial cells; return (ledger, published tables, first error or None).

    They end at the first error: what follows might measure with what an earlier cell left behind.
    """
    sources = [cell.source for cell in trial_cells(path)]
    asked = {"cells": sources, "folder": str(path.parent), "seconds": CELL_TIMEOUT_S}
    kept = Kept(
        [sys.executable, "-P", str(Path(__file__).with_name("_trial_process.py"))],
        folder=True,
        feed=json.dumps(asked).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LAB_SCALE": "ci", "LAB_FIGURES": "off", "MPLBACKEND": "agg"},
    )
    try:
        assert kept.process and kept.process.stdout
        with kept.process.stdout as said:
            told = [json.loads(line) for line in said if line.endswith(b"\n")]
    finally:
        kept.stop()
    last: dict = told[-1] if told else {}
    ended = "the Python of this chapter ended" if len(told) < len(sources) else None
    ledger = last.get("claims", {})
    for name, entry in ledger.items():
        [verdict] = entry["chapters"].values()
        claims.enter(name, verdict, claims.chapter())
    return ledger, last.get("published", {}), last.get("error") or ended
