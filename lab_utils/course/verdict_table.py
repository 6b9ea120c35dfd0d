"""Claims with their verdicts as tables: in Jupyter one clause each with the figures folded away, elsewhere as text.

Beside them stands what the learner said, if anything was said: first the claims that came out otherwise.
"""

import html
from collections import defaultdict

from ..arguments import check_dict, shown
from ..errors import LabError
from . import claims
from .claims import DEPENDS, FAILS, HOLDS, UNTESTED

# How what a learner writes for a word begins, in small letters.
BEGINNINGS = {"hold": HOLDS, "depend": DEPENDS, "it depend": DEPENDS, "no": FAILS, "does not hold": FAILS}


def said_of(said, known):
    """{claim: one of claims.WORDS} of what a learner said of some claims of `known`; who left the dots said nothing.

    Raises LabError for what is no dict, for a claim that is not known, and for another word.
    """
    words = {}
    for name, word in check_dict(said, "board.against", '{"A1": "holds", "A2": ...}').items():
        if name not in known:
            raise LabError(f"There is no claim {shown(name)} on this board. There are: {', '.join(known)}.")
        if word is not ... and word is not None:
            words[name] = meant(word, name)
    return words


def meant(word, name):
    small = word.strip().lower() if isinstance(word, str) else ""
    found = next((whole for beginning, whole in BEGINNINGS.items() if small.startswith(beginning)), None)
    if found is None:
        raise LabError(f"You said {shown(word)} of {name}, which is none of the words. Write \"holds\", \"depends\" or \"no\", "
                       "or leave the three dots.")
    return found


class Against:
    """Claims, tried again just now, and what was said of them: {name: word}, of some or of none.

    `otherwise`, `as_said` and `unsaid` are lists of Retried. What is untested here came out neither way, so it is unsaid.
    """

    def __init__(self, tried, said):
        self.said = said
        judged = [claim for claim in tried if claim.name in said and claim.word != UNTESTED]
        self.otherwise = [claim for claim in judged if said[claim.name] != claim.word]
        self.as_said = [claim for claim in judged if said[claim.name] == claim.word]
        self.unsaid = [claim for claim in tried if claim not in judged]
        self.article = " · ".join(dict.fromkeys(claims.ARTICLES[claim.name[0]] for claim in tried))

    @property
    def sentence(self):
        """'of the 9 that you judged, 6 came out as you said'; "" where none was judged."""
        judged = len(self.otherwise) + len(self.as_said)
        return f"of the {judged} that you judged, {len(self.as_said)} came out as you said" if judged else ""

    def __repr__(self):
        lines = [self.article, *([f"verdicts: {self.sentence}"] if self.sentence else [])]
        for claim in [*self.otherwise, *self.as_said, *self.unsaid]:
            lines.append(claims.in_words(claim.name, claim.text, claim, f"  [{claim.chapter}]"))
            if claim in self.otherwise:
                lines.append(f"    verdict: and you said “{self.said[claim.name]}”")
        return "\n".join(lines)

    def _repr_html_(self):
        parts = [f"<b>{html.escape(self.article)}</b>"]
        if self.sentence:
            parts.append(f"<br>{self.sentence[0].upper()}{self.sentence[1:]}.")
        if self.otherwise:
            parts.append(f"<br><b>Otherwise than you said</b>{self.table(self.otherwise, said=True)}")
        if self.as_said:
            parts.append(folded(f"As you said: {names(self.as_said)}", self.table(self.as_said)))
        if self.unsaid:
            parts.append(f"{'<br><b>Not judged, or not tested here</b>' if self.sentence else ''}{self.table(self.unsaid)}")
        return "".join(parts)

    def table(self, tried, said=False):
        heads = row(cell("claimed", "th"), *([cell("you said", "th")] if said else []), cell("here", "th"), cell("told in", "th"))
        rows = [row(cell(f"<b>{claim.name}</b> {html.escape(claim.text)}"), *([cell(self.said[claim.name])] if said else []),
                    verdict_cell(clause_of(claim) + folded("figures", reason(claim))), link(claim))
                for claim in tried]
        return f"<table>{heads}{''.join(rows)}</table>"


class Conditions:
    """Claims grouped by what decides where each holds and by how much: {condition: {word: [Retried]}}, and the rest."""

    def __init__(self, tried):
        self.groups = {what: defaultdict(list) for what in claims.TURNS_WITH}
        self.rest = []
        for claim in tried:
            if claim.turns_with and claim.word in (DEPENDS, HOLDS):
                self.groups[claim.turns_with][claim.word].append(claim)
            else:
                self.rest.append(claim)

    def __repr__(self):
        lines = [f"verdicts: {what}: depends {names(found[DEPENDS])}; holds {names(found[HOLDS])}"
                 for what, found in self.groups.items()]
        rest = "; ".join(f"{claim.name} {claim.word}" for claim in self.rest)
        return "\n".join([*lines, f"verdicts: the rest: {rest or 'none'}"])

    def _repr_html_(self):
        heads = row(cell("the condition", "th"), cell("depends on it", "th"), cell("holds; the figures vary with it", "th"))
        rows = [row(cell(f"<b>{what}</b>"), verdict_cell("<br>".join(in_full(claim, claim.clause) for claim in found[DEPENDS])),
                    verdict_cell(folded(names(found[HOLDS]), "<br>".join(map(in_full, found[HOLDS]))) if found[HOLDS] else ""))
                for what, found in self.groups.items()]
        rest = row(cell("<b>the rest</b>"), verdict_cell("<br>".join(in_full(claim, claim.word) for claim in self.rest)),
                   verdict_cell(""))
        return f"<table>{heads}{''.join(rows)}{rest}</table>"


def names(tried):
    return ", ".join(claim.name for claim in tried) or "none"


def in_full(claim, verdict=""):
    """A claim in words, as HTML, and its verdict."""
    return f"<b>{claim.name}</b> {html.escape(claim.text)}" + (f" <i>{html.escape(verdict)}</i>" if verdict else "")


def clause_of(claim):
    """The verdict in one clause, as HTML: its word stands out."""
    return f"<b>{claim.word}</b>{html.escape(claim.clause.removeprefix(claim.word))}"


def reason(claim):
    """Why a claim got its word, and below it, apart, what the lab adds."""
    addition = f"<br><i>The lab adds:</i> {html.escape(claim.addition)}" if claim.addition else ""
    return html.escape(claim.because) + addition


def folded(summary, inside):
    """HTML that shows `inside` when the line `summary` is clicked."""
    return f"<details><summary>{html.escape(summary)}</summary>{inside}</details>"


def link(claim):
    return cell(f'<a href="{claim.chapter}">{claim.chapter[:2]}</a>')


def row(*cells):
    return f"<tr>{''.join(cells)}</tr>"


def cell(text, tag="td", marked=""):
    """A cell of a table. Jupyter sets every one to the right unless it says otherwise itself."""
    return f'<{tag}{marked} style="text-align: left; vertical-align: top">{text}</{tag}>'


def verdict_cell(text):
    """A cell with a word, or its reason: nbval passes over what is in it."""
    return cell(text, marked=' class="verdict"')
