"""The words of the verdicts, apart from the facts: those of this run against the committed ones.

The notebooks' own tests compare facts and pass over the words; a failure here is a word that
changed. Where no chapter was run before, the shortest that tries claims is run.
"""

from helpers import ROOT, chapters_run
from nbclient import NotebookClient
from test_chapters import CHAPTERS, read
from verdict_words import changes, shown_in

from lab_utils.course import claims, state

claims.load_all()
PATHS = {path.stem: path for path in CHAPTERS}
SHORTEST, SCOREBOARD = "02_on_the_wire", "14_scoreboard"


def test_the_words_are_the_committed_ones():
    # Chapter 14 tries no claim: it shows the words that the others wrote.
    ran = chapters_run() & set(PATHS) - {SCOREBOARD}
    if not ran:
        folder = {"metadata": {"path": str(ROOT / "notebooks")}}
        NotebookClient(read(PATHS[SHORTEST]), timeout=300, resources=folder).execute()
        ran = {SHORTEST}
    committed = {chapter: shown_in(PATHS[chapter]) for chapter in sorted(ran)}
    found = changes(committed, state.load("claims"))
    told = "Words of verdicts changed; facts are compared elsewhere."
    assert not found, "\n".join([told, *found])
