"""List every claim with its verdict: from this machine, or from the lab's own run.

The lab's own run is the one whose outputs are stored in the notebooks. A chapter that was not run
on this machine has not judged its claims. Their verdicts are read from those outputs, and are
marked as the lab's own.
"""

import json
import re
from dataclasses import dataclass
from urllib.parse import quote

from . import claims, state
from .claims import DEPENDS, HOLDS, UNTESTED, WORDS, Claim, Verdict

NOTEBOOKS = claims.FOLDER.parent / "notebooks"  # the clone's, which learners don't write to
TRIES = re.compile(r"lab\.claim\(\s*[\"'](\w+)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Judged:
    """A claim and its verdict: from this machine if `here` is true, else from the lab's own run.

    The lab's own run is the one whose outputs are stored in the notebooks. `chapter` is the file
    name of the notebook that tries the claim, `section` the anchor of the heading there, such as
    "#its-section".
    """

    claim: Claim
    verdict: Verdict
    here: bool
    chapter: str
    section: str

    @property
    def origin(self) -> str:
        """The words that mark a verdict as from the lab's own run; "" for one from this machine."""
        return "" if self.here else f" (the lab's own run: {self.chapter} was not run here)"

    @property
    def clause(self) -> str:
        """The verdict in a few words, such as 'depends on the client'."""
        word = self.verdict.word
        if word == DEPENDS:
            return f"{word} {self.verdict.because.split(':')[0]}"
        turns = word == HOLDS and self.claim.turns_with
        return f"{word}; the figures vary with {turns}" if turns else word

    def link(self, text: str) -> str:
        """Return an HTML link to the section that tries the claim; `text` is the link's HTML."""
        return f'<a href="{self.chapter}{self.section}">{text}</a>'


def verdicts() -> dict[str, Judged]:
    """Return {claim's name: Judged}, with the verdicts that chapters reached on this machine.

    For a chapter that was not run here, the verdict is the one stored in its notebook, and `here`
    of the Judged is False.
    """
    claims.load_all()
    ledger = state.load("claims")
    judged = {}
    for name, (verdict, *place) in committed().items():
        entry = ledger.get(name, {})
        here = entry.get("word") in WORDS
        if here:
            verdict = Verdict(entry["word"], entry.get("because", ""), entry.get("addition", ""))
        judged[name] = Judged(claims.CLAIMS[name], verdict, here, *place)
    return judged


def committed() -> dict[str, tuple[Verdict, str, str]]:
    """Return {claim's name: (Verdict, chapter, "#section")}, from the notebooks' stored outputs.

    The chapter is the notebook's file name. The section is the anchor of a heading, as JupyterLab
    makes it: the heading's words with dashes in place of spaces. The verdict of a claim without an
    output is "untested".
    """
    found = {}
    for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")):
        section = ""
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                seen = claims.shown_in(text_of(cell["outputs"]))
                for name in TRIES.findall(source):
                    no_output = Verdict(UNTESTED, "the lab's own run of its chapter is not there")
                    found[name] = (seen.get(name, no_output), path.name, section)
            elif headings := HEADING.findall(source):
                section = f"#{quote(headings[-1].replace('`', '').replace(' ', '-'))}"
    return {name: found[name] for name in claims.CLAIMS if name in found}


def text_of(outputs: list[dict]) -> str:
    """Return the printed and displayed texts of a cell's `outputs`, dicts, as one text."""
    texts = [
        output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs
    ]
    return "\n".join(map("".join, texts))
