"""Every claim tried again, in brief: the chapters' own measuring cells, each chapter's in a Python of its own.

In each chapter, the cells that its claims rest on carry the tag `trial`. These cells, and only these, are run in their
order, one chapter after the other, at LAB_SCALE=ci. So the scoreboard has no measuring code that could drift from the
chapters', and no verdict from yesterday.
"""

import html
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

TAG = "trial"
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CELL_TIMEOUT_S = 60
CHAPTER_S = 6  # about what the cells of one chapter take, for the progress bar


@dataclass(frozen=True)
class Retried:
    """A claim, the verdict that it got just now (`word`, `because`, `addition`), and the file name of the `chapter` that
    tells why. `turns_with` is what decides where the claim holds and by how much, one of claims.TURNS_WITH or ""."""

    name: str
    text: str
    word: str
    because: str
    chapter: str
    addition: str = ""
    turns_with: str = ""


class Retrial:
    """`claims` is {name: Retried}; `tables` is {what: {"published", "reproduced": {name: seconds}, "rtt_ms"}}."""

    def __init__(self, claims, tables):
        self.claims, self.tables = claims, tables

    def words(self):
        """How many claims got each verdict: {"holds": 12, …}, the words that nobody got left out."""
        counted = Counter(claim.word for claim in self.claims.values())
        return {word: counted[word] for word in claims.WORDS if counted[word]}

    def turning_with(self, word):
        """{what decides: names of the claims that got this verdict and turn with it}, as claims.TURNS_WITH has it in order."""
        chosen = [claim for claim in self.claims.values() if claim.word == word]
        groups = {what: [claim.name for claim in chosen if claim.turns_with == what] for what in claims.TURNS_WITH}
        return {what: names for what, names in groups.items() if names}

    def article(self, letter):
        """The claims of one article, "A" to "E", as a Table. Raises LabError for another letter."""
        if letter not in claims.ARTICLES:
            raise LabError(f"There is no article {letter!r}. There are: {', '.join(claims.ARTICLES)}.")
        return Table([claim for claim in self.claims.values() if claim.name[0] == letter], claims.ARTICLES[letter])

    def plot(self, title=None):
        """Draws every claim in words, under its article, with its verdict as a word and a colour."""
        from .scoreboard import plot_verdicts

        return plot_verdicts(self, title)

    def plot_tables(self, title=None):
        """Draws each published table beside its reproduction at the fitted distance."""
        from .scoreboard import plot_tables

        return plot_tables(self.tables, title)

    def in_words(self):
        """'of 38 claims 12 hold, …'"""
        found = ", ".join(f"{count} {word if count == 1 else claims.PLURAL[word]}" for word, count in self.words().items())
        return f"of {len(self.claims)} claims {found}"

    def __repr__(self):
        return f"verdicts: {self.in_words()}"


class Table(list):
    """The claims of one article: in Jupyter a table with links to the chapters, elsewhere text. `article` is its title."""

    def __init__(self, claims, article):
        super().__init__(claims)
        self.article = article

    def __repr__(self):
        lines = [claims.in_words(claim.name, claim.text, claim, f"  [{claim.chapter}]") for claim in self]
        return "\n".join([self.article, *lines])

    def _repr_html_(self):
        heads = row(cell("", "th"), cell("claimed", "th"), cell("here", "th"), cell("why, and what the lab adds", "th"),
                    cell("chapter", "th"))
        rows = [row(cell(f"<b>{claim.name}</b>"), cell(html.escape(claim.text)), verdict_cell(f"<b>{claim.word}</b>"),
                    verdict_cell(reason(claim)), cell(f'<a href="{claim.chapter}">{claim.chapter[:2]}</a>'))
                for claim in self]
        return f"<b>{html.escape(self.article)}</b><table>{heads}{''.join(rows)}</table>"


def row(*cells):
    return f"<tr>{''.join(cells)}</tr>"


def cell(text, tag="td", marked=""):
    """A cell of a table. Jupyter sets every one to the right unless it says otherwise itself."""
    return f'<{tag}{marked} style="text-align: left; vertical-align: top">{text}</{tag}>'


def reason(claim):
    """Why a claim got its word, and below it, apart, what the lab adds."""
    addition = f"<br><i>The lab adds:</i> {html.escape(claim.addition)}" if claim.addition else ""
    return html.escape(claim.because) + addition


def verdict_cell(text):
    """A cell with a word, or its reason: nbval passes over what is in it."""
    return cell(text, marked=' class="verdict"')


def retrial():
    """Tries every claim again with the measuring cells of its chapter, and returns a Retrial. Takes about a minute.

    A claim whose cells fail on this machine comes back as "untested", with the reason. The ledger is brought up to date.
    Raises LabError where the chapters are not there.
    """
    claims.load_all()
    chapters = [path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")) if trial_cells(path)]
    if not chapters:
        raise LabError(f"No chapter with cells to try again in {NOTEBOOKS}. Run this from a clone of the lab, where "
                       "lab_utils was installed with pip install -e.")
    tried, tables = {}, {}
    for path in progress(chapters, CHAPTER_S * len(chapters), scale()):
        ledger, drawn, error = run_trials(path)
        tables |= drawn
        for name, claim in claims.CLAIMS.items():
            if claim.chapter == path.name[:2]:
                tried[name] = verdict_of(claim, ledger.get(name), path, error)
    for name in claims.CLAIMS.keys() - tried.keys():
        tried[name] = Retried(name, claims.CLAIMS[name].text, claims.UNTESTED, "no chapter here tries it", "")
    return Retrial({name: tried[name] for name in sorted(tried, key=claims.order)}, tables)


def verdict_of(claim, entry, path, error):
    if not entry:
        entry = {"word": claims.UNTESTED, "because": error or "its cell was not run", "measured": {}}
        claims.enter(claim.name, entry, claims.chapter())
    return Retried(claim.name, claim.text, entry["word"], entry["because"], path.name, entry.get("addition", ""),
                   claim.turns_with)


def trial_cells(path):
    """The code cells of a chapter that its claims rest on."""
    import nbformat

    return [cell for cell in nbformat.read(path, as_version=4).cells
            if cell.cell_type == "code" and TAG in cell.metadata.get("tags", [])]


def run_trials(path):
    """(ledger, published tables, first error or None) of a chapter's trial cells, run in a Python of their own.

    They end at the first error: what follows might measure with what an earlier cell left behind.
    """
    sources = [cell.source for cell in trial_cells(path)]
    asked = {"cells": sources, "folder": str(path.parent), "seconds": CELL_TIMEOUT_S}
    kept = Kept([sys.executable, "-P", str(Path(__file__).with_name("_trial_process.py"))], folder=True,
                feed=json.dumps(asked).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, "LAB_SCALE": "ci", "LAB_FIGURES": "off", "MPLBACKEND": "agg"})
    try:
        with kept.process.stdout as said:
            told = [json.loads(line) for line in said if line.endswith(b"\n")]
    finally:
        kept.stop()
    last = told[-1] if told else {"error": None}
    error = last["error"] or (None if len(told) == len(sources) else "the Python of this chapter ended")
    ledger = last.get("claims", {})
    for name, entry in ledger.items():
        [verdict] = entry["chapters"].values()
        claims.enter(name, verdict, claims.chapter())
    return ledger, last.get("published", {}), error
