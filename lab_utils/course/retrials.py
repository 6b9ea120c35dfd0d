"""Every claim tried again with its chapter's own measuring cells, in a Python of their own.

In each chapter, the cells that its claims rest on carry the tag `trial`. These cells, and only
these, are run in their order, one chapter after the other, at LAB_SCALE=ci. So the scoreboard has
no measuring code that could drift from the chapters', and no verdict from yesterday.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..errors import LabError
from ..scale import scale
from ..testbed.keeper import Kept
from ..timing.rounds import progress
from . import claims
from .verdict_table import Against, Conditions, said_of

TAG = "trial"
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CELL_TIMEOUT_S = 120
CHAPTER_S = 8  # about what the cells of one chapter take, for the progress bar


@dataclass(frozen=True)
class Retried:
    """A claim and the verdict that it got just now: `word`, `because`, `addition`.

    `chapter` is the file name of the notebook that tells why. `turns_with`, one of claims.TURNS_WITH
    or "", is what decides where the claim holds and by how much.
    """

    name: str
    text: str
    word: str
    because: str
    chapter: str
    addition: str = ""
    turns_with: str = ""

    @property
    def clause(self):
        """The verdict in one clause: 'depends on the client', for one."""
        if self.word == claims.DEPENDS:
            return f"{self.word} {self.because.split(':')[0]}"
        if self.word == claims.UNTESTED:
            return f"{self.word}: {self.because.split(', ')[0]}"
        turns = self.word == claims.HOLDS and self.turns_with
        return f"{self.word}; the figures vary with {self.turns_with}" if turns else self.word


class Retrial:
    """All claims tried again, and the published tables that came along.

    `claims` is {name: Retried}, `tables` {what: {"published", "reproduced": {name: seconds},
    "rtt_ms", …}}.
    """

    def __init__(self, claims, tables):
        self.claims, self.tables = claims, tables

    def words(self):
        """Return how many claims got each verdict, {"holds": 12, …}; words not got are left out."""
        counted = Counter(claim.word for claim in self.claims.values())
        return {word: counted[word] for word in claims.WORDS if counted[word]}

    def against(self, said):
        """Return what you said of some claims beside what came out, the other ones first.

        `said` is {"A1": "holds", "A2": "depends", "A3": "no", "A4": ...}; three dots say nothing.
        Returns an Against. Raises LabError for a claim that is not on the board, and for another
        word.
        """
        words = said_of(said, self.claims)
        return Against([self.claims[name] for name in said], words)

    def by_condition(self):
        """Return the claims as Conditions: grouped by what decides where each holds."""
        return Conditions(self.claims.values())

    def plot(self, title=None):
        """Draw every claim in words, under its article, its verdict a word and a colour."""
        from .scoreboard import plot_verdicts

        return plot_verdicts(self, title)

    def plot_tables(self, title=None):
        """Draw each published table beside its reproduction at the fitted distance."""
        from .scoreboard import plot_tables

        return plot_tables(self.tables, title)

    def in_words(self):
        """Return 'of 38 claims 12 hold, …'."""
        found = ", ".join(f"{count} {word if count == 1 else claims.PLURAL[word]}"
                          for word, count in self.words().items())
        return f"of {len(self.claims)} claims {found}"

    def __repr__(self):
        return f"verdicts: {self.in_words()}"


def retrial():
    """Try every claim again with the measuring cells of its chapter; return a Retrial.

    Takes a good minute on a quiet machine, two or three on a busy one.

    A claim whose cells fail on this machine comes back as "untested", with the reason. The ledger
    is brought up to date. Raises LabError where the chapters are not there.
    """
    claims.load_all()
    chapters = [path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")) if trial_cells(path)]
    if not chapters:
        raise LabError(f"No chapter with cells to try again in {NOTEBOOKS}. Run this from a clone "
                       "of the lab, where lab_utils was installed with pip install -e.")
    tried, tables = {}, {}
    for path in progress(chapters, CHAPTER_S * len(chapters), scale()):
        ledger, drawn, error = run_trials(path)
        tables |= drawn
        for name, claim in claims.CLAIMS.items():
            if claim.chapter == path.name[:2]:
                tried[name] = verdict_of(claim, ledger.get(name), path, error)
    for name in claims.CLAIMS.keys() - tried.keys():
        tried[name] = Retried(name, claims.CLAIMS[name].text, claims.UNTESTED,
                              "no chapter here tries it", "")
    return Retrial({name: tried[name] for name in sorted(tried, key=claims.order)}, tables)


def verdict_of(claim, entry, path, error):
    """Return the Retried of a claim, "untested" where its cells left no entry in the ledger."""
    if not entry:
        entry = {"word": claims.UNTESTED, "because": error or "its cell was not run",
                 "measured": {}}
        claims.enter(claim.name, entry, claims.chapter())
    return Retried(claim.name, claim.text, entry["word"], entry["because"], path.name,
                   entry.get("addition", ""), claim.turns_with)


def trial_cells(path):
    """Return the code cells of a chapter that its claims rest on."""
    import nbformat

    return [cell for cell in nbformat.read(path, as_version=4).cells
            if cell.cell_type == "code" and TAG in cell.metadata.get("tags", [])]


def run_trials(path):
    """Run a chapter's trial cells; return (ledger, published tables, first error or None).

    They end at the first error: what follows might measure with what an earlier cell left behind.
    """
    sources = [cell.source for cell in trial_cells(path)]
    asked = {"cells": sources, "folder": str(path.parent), "seconds": CELL_TIMEOUT_S}
    kept = Kept([sys.executable, "-P", str(Path(__file__).with_name("_trial_process.py"))],
                folder=True, feed=json.dumps(asked).encode(), stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "LAB_SCALE": "ci", "LAB_FIGURES": "off", "MPLBACKEND": "agg"})
    try:
        with kept.process.stdout as said:
            told = [json.loads(line) for line in said if line.endswith(b"\n")]
    finally:
        kept.stop()
    last = told[-1] if told else {"error": None}
    error = (last["error"]
             or (None if len(told) == len(sources) else "the Python of this chapter ended"))
    ledger = last.get("claims", {})
    for name, entry in ledger.items():
        [verdict] = entry["chapters"].values()
        claims.enter(name, verdict, claims.chapter())
    return ledger, last.get("published", {}), error
