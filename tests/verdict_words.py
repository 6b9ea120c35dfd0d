"""The words of verdicts: the committed notebooks', the ledger's, and what sets them apart."""

import nbformat

from lab_utils.course import claims
from lab_utils.course.claims import UNTESTED

MOST_UNTESTED = 5  # claims that a busy machine may leave untested


def shown_in(path):
    """{claim: (word, because)} as a committed chapter shows them."""
    outputs = [
        output
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    text = "\n".join(
        "".join(output.get("text") or output.get("data", {}).get("text/plain", ""))
        for output in outputs
    )
    return claims.shown_in(text)


def changes(committed, ledger):
    """A sentence for each word that is not the one of `committed`, {chapter: {claim: (word, why)}}.

    A claim that a busy machine left untested is no change, as long as the verdict bears the
    evidence, a share of the time that was taken, and there are at most five such claims.
    """
    found, busy = [], {}
    for chapter, shown in committed.items():
        for name, (word, because) in shown.items():
            now = ledger.get(name, {}).get("chapters", {}).get(chapter)
            if now is None:
                found.append(f"{chapter}: {name} was not judged. It said: {word}")
            elif now["word"] == UNTESTED != word and now.get("taken_share", 0) > 0:
                busy[name] = f"{chapter}: {name}, {now['because']}"
            elif now["word"] != word:
                found.append(
                    f"{chapter}: {name} turned from “{word}” to “{now['word']}”.\n"
                    f"    committed: {because}\n    now:       {now['because']}"
                )
    if len(busy) > MOST_UNTESTED:
        listed = "\n    ".join(busy.values())
        found.append(
            f"{len(busy)} claims are untested for a busy machine, "
            f"{MOST_UNTESTED} may be:\n    {listed}"
        )
    return found
