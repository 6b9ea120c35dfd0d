"""Read the words of verdicts, such as "holds", from notebooks, and find which have changed."""

import nbformat

from lab_utils.course import claims, ledger
from lab_utils.course.claims import UNTESTED

MOST_UNTESTED = 5  # claims that a busy machine may leave untested


def verdicts(notebook) -> dict:
    """Return {claim's name: Verdict}, read from the outputs of the nbformat notebook `notebook`."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return claims.shown_in(ledger.text_of(outputs))


def shown_in(path) -> dict[str, tuple[str, str]]:
    """Return {claim: (word of its verdict, reason)}, as the notebook at `path` shows them."""
    found = verdicts(nbformat.read(path, as_version=4))
    return {name: (verdict.word, verdict.because) for name, verdict in found.items()}


def changes(committed: dict[str, dict], remembered: dict[str, dict]) -> list[str]:
    """Return a sentence for each claim whose word is not the committed one.

    `committed` is {chapter: {claim: (word, reason)}}, `remembered` what the lab stored of this run:
    {claim: {"word", "because", …}}. A claim that is untested now is no change if its entry says
    that other programs took a share of the time, and if there are at most five such claims.
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


def turning(name: str, stored: dict) -> list[dict]:
    """Return measurements near the stored ones with which a claim gets another word; [] is good.

    Each measurement is changed by the claim's margin, a factor. `name` is the claim's, `stored` is
    {argument of the judge: measurement}, as read from JSON.
    """
    claims.load_all()
    known = claims.CLAIMS[name]
    measured = numbered(stored)
    word = known.judge(**measured).word
    near = claims.nearby(measured, known.margin)
    return [changed for changed in near if known.judge(**changed).word != word]


def numbered(stored: dict) -> dict:
    """Return measurements read from JSON with numbers as keys again, where they were numbers.

    JSON writes keys as texts: {"10": 0.2} becomes {10: 0.2}, in nested dicts too.
    """
    return {
        int(name) if name.isdigit() else name: numbered(value) if isinstance(value, dict) else value
        for name, value in stored.items()
    }
