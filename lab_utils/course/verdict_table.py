"""Claims with their verdicts as tables: HTML in Jupyter and in the book, text elsewhere.

A verdict stands in one clause, its figures folded away. Colours only repeat what words say, so the
tables can be read on a dark page, on a light one and on a phone.
"""

import html
from collections.abc import Iterable

from ..arguments import check_dict, shown
from ..errors import LabError
from ..figures.style import VERDICTS
from . import claims
from .claims import DEPENDS, FAILS, HOLDS, UNTESTED, WORDS, Retried

# How a learner's answer begins, in small letters: its word.
BEGINNINGS = {
    "hold": HOLDS,
    "depend": DEPENDS,
    "it depend": DEPENDS,
    "no": FAILS,
    "does not hold": FAILS,
}
COLORS = dict(zip(WORDS, VERDICTS, strict=True))


def said_of(said: dict, known: dict) -> dict[str, str]:
    """Return {claim: word} of what a learner said of claims of `known`; three dots say nothing.

    Raises LabError for what is no dict, for a claim that is not known, and for another word.
    """
    words = {}
    for name, word in check_dict(said, "board.against", '{"A1": "holds", "A2": ...}').items():
        if name not in known:
            raise LabError(
                f"There is no claim {shown(name)} on this board. There are: {', '.join(known)}."
            )
        if word is not ... and word is not None:
            words[name] = meant(word, name)
    return words


def meant(word, name):
    small = word.strip().lower() if isinstance(word, str) else ""
    for beginning, whole in BEGINNINGS.items():
        if small.startswith(beginning):
            return whole
    raise LabError(
        f"You said {shown(word)} of {name}, which is none of the words. Write "
        '"holds", "depends" or "no", or leave the three dots.'
    )


class Against:
    """Claims that were tried, beside what was said of some of them: {name: word}.

    `otherwise`, `as_said` and `unsaid` are lists of Retried, shown in this order. A claim that is
    untested here came out neither way, so it is unsaid.
    """

    def __init__(self, tried: list[Retried], said: dict[str, str]):
        self.said = said
        judged = [claim for claim in tried if claim.name in said and claim.word != UNTESTED]
        self.otherwise = [claim for claim in judged if said[claim.name] != claim.word]
        self.as_said = [claim for claim in judged if said[claim.name] == claim.word]
        self.unsaid = [claim for claim in tried if claim not in judged]
        self.article = " · ".join(dict.fromkeys(claims.ARTICLES[claim.name[0]] for claim in tried))

    @property
    def sentence(self) -> str:
        """'of the 9 that you judged, 6 came out as you said'; "" where none was judged."""
        same, judged = len(self.as_said), len(self.otherwise) + len(self.as_said)
        return f"of the {judged} that you judged, {same} came out as you said" if judged else ""

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
            parts.append(f"<br><b>Otherwise than you said</b>{self.rows(self.otherwise)}")
        if self.as_said:
            parts.append(folded(f"As you said: {names(self.as_said)}", self.rows(self.as_said)))
        if self.unsaid:
            head = "<br><b>Not judged, or not tested here</b>" if self.sentence else ""
            parts.append(head + self.rows(self.unsaid))
        return "".join(parts)

    def rows(self, tried):
        """Return a table of claims; of those that came out otherwise, with what was said."""
        said = [[self.said[claim.name]] if claim in self.otherwise else [] for claim in tried]
        heads = ["claimed", *(["you said"] if said[0] else []), "here", "told in"]
        return table(
            heads,
            [
                [
                    f"<b>{claim.name}</b> {html.escape(claim.text)}",
                    *word,
                    in_full(claim),
                    link(claim, claim.chapter[:2]),
                ]
                for claim, word in zip(tried, said, strict=True)
            ],
        )


class Scoreboard:
    """All claims that were tried, under their articles, each with its verdict in a word."""

    def __init__(self, tried: Iterable[Retried], sentence: str):
        self.tried, self.sentence = list(tried), sentence

    def __repr__(self):
        found = [
            f"{word}: {names(claim for claim in self.tried if claim.word == word)}"
            for word in WORDS
        ]
        return "\n".join(f"verdicts: {line}" for line in [self.sentence, *found])

    def _repr_html_(self):
        rows = []
        for letter, article in claims.ARTICLES.items():
            of_article = [claim for claim in self.tried if claim.name[0] == letter]
            if of_article:
                rows.append([f"<b>{letter}: {html.escape(article)}</b>"])
            rows += [
                [
                    f"{link(claim, claim.name)} {html.escape(claim.text)}",
                    verdict(marked(claim.word)),
                ]
                for claim in of_article
            ]
        return table([], [[verdict(f"<b>{self.sentence.capitalize()}</b>")], *rows])


class Elsewhere:
    """Which word each claim got on other servers and with another parser, in a committed run each.

    `columns` is {column: {"on": versions, "date": day, "claims": {name: {"word", "because"}}}}.
    """

    def __init__(self, columns: dict[str, dict]):
        self.columns = columns
        words = {
            name: [column["claims"][name]["word"] for column in columns.values()]
            for name in claims.CLAIMS
            if name in next(iter(columns.values()))["claims"]
        }
        self.differ = {name: said for name, said in words.items() if len(set(said)) > 1}
        self.sentence = (
            f"{len(words) - len(self.differ)} of {len(words)} claims got the same "
            f"word in all {len(columns)} columns"
        )
        # lines of their own that begin so: versions are no facts of the machine that shows them
        self.measured = [
            f"measured: {name}: {column['on']}, {column['date']}"
            for name, column in columns.items()
        ]

    def __repr__(self):
        said = [
            f"{name}: {', '.join(map(': '.join, zip(self.columns, words, strict=True)))}"
            for name, words in self.differ.items()
        ]
        return "\n".join([self.sentence, *said, *self.measured])

    def _repr_html_(self):
        rows = [
            [
                f"<b>{name}</b> {html.escape(claims.CLAIMS[name].text)}",
                *(
                    marked(column["claims"][name]["word"])
                    + folded("why", html.escape(column["claims"][name]["because"]))
                    for column in self.columns.values()
                ),
            ]
            for name in self.differ
        ]
        told = "".join(f"<br>\n{line}" for line in self.measured)
        return f"{table(['claimed', *self.columns], rows)}{self.sentence}.{told}"


def names(tried):
    return ", ".join(claim.name for claim in tried) or "none"


# Pieces of HTML


class verdict(str):
    """What a verdict decides, in a cell of its own: nbval passes over it."""


def table(heads, rows):
    """Return a table; a row of one cell goes across. Jupyter sets cells to the right by itself."""

    def cell(tag, text, across=""):
        kind = ' class="verdict"' if isinstance(text, verdict) else ""
        return f'<{tag}{kind}{across} style="text-align: left; vertical-align: top">{text}</{tag}>'

    lines = [[cell("th", head) for head in heads]] if heads else []
    lines += [
        [cell("td", text, ' colspan="3"' if len(row) == 1 else "") for text in row] for row in rows
    ]
    return f"<table>{''.join('<tr>' + ''.join(line) + '</tr>' for line in lines)}</table>"


def marked(word):
    """Return a verdict's word beside its colour."""
    return (
        f'<span style="border-left: 0.5em solid {COLORS[word]}; padding-left: 0.4em">'
        f"<b>{word}</b></span>"
    )


def in_full(claim):
    """Return a verdict in one clause; folded away, why it got its word, and what the lab adds."""
    clause = f"<b>{claim.word}</b>{html.escape(claim.clause.removeprefix(claim.word))}"
    adds = f"<br><i>The lab adds:</i> {html.escape(claim.addition)}" if claim.addition else ""
    return verdict(clause + folded("figures", html.escape(claim.because) + adds))


def folded(summary, inside):
    """Return what is shown when the line `summary` is clicked."""
    return f"<details><summary>{html.escape(summary)}</summary>{inside}</details>"


def link(claim, text):
    """Return a link to the section that tries a claim."""
    return f'<a href="{claim.chapter}{claim.section}">{text}</a>' if claim.chapter else text
