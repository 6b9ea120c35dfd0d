"""The words of verdicts: the committed notebooks', the ledger's, and what sets them apart."""

import nbformat

from lab_utils.course import claims, ledger
from lab_utils.course.claims import UNTESTED

MOST_UNTESTED = 5  # claims that a busy machine may leave untested


def shown_in(path):
    """{claim: (word, because)} as a committed chapter shows them."""
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    found = claims.shown_in(ledger.text_of(outputs))
    return {name: (verdict.word, verdict.because) for name, verdict in found.items()}


def changes(committed, remembered):
    """A sentence for each word that is not the one of `committed`, {chapter: {claim: (word, why)}}.

    `remembered` is the ledger. A claim that a busy machine left untested is no change, as long as
    the verdict bears the evidence, a share of the time that was taken, and there are at most five
    such claims.
    """
    found, busy = [], []
    for chapter, shown in committed.items():
        for name, (word, because) in shown.items():
            now = remembered.get(name)
            if now is None:
                found.append(f"{chapter}: {name} was not judged. It said: {word}")
            elif now["word"] == UNTESTED != word and now.get("taken_share", 0) > 0:
                busy.append(f"{chapter}: {name}, {now['because']}")
            elif now["word"] != word:
                found.append(
                    f"{chapter}: {name} turned from “{word}” to “{now['word']}”.\n"
                    f"    committed: {because}\n    now:       {now['because']}"
                )
    if len(busy) > MOST_UNTESTED:
        listed = "\n    ".join(busy)
        found.append(
            f"{len(busy)} claims are untested for a busy machine, "
            f"{MOST_UNTESTED} may be:\n    {listed}"
        )
    return found


def turning(name, stored):
    """Which measurements near the stored ones, off by the claim's margin, turn its word."""
    claims.load_all()
    known = claims.CLAIMS[name]
    measured = numbered(stored)
    word = known.judge(**measured).word
    near = claims.nearby(measured, known.margin)
    return [changed for changed in near if known.judge(**changed).word != word]


def numbered(stored):
    """Measurements as they were: JSON turned the numbers that name them into strings."""
    return {
        int(name) if name.isdigit() else name: numbered(value) if isinstance(value, dict) else value
        for name, value in stored.items()
    }
