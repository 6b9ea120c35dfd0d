"""Show all claims with their verdicts, as HTML tables and as text: the page of chapter 14.

Colours only repeat what words say, so the tables can be read on dark and on light pages.
"""

import json
from collections import Counter
from html import escape

from lab_utils.arguments import check_dict, shown
from lab_utils.course import claims, ledger
from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED, WORDS, Verdict
from lab_utils.course.ledger import Judged
from lab_utils.errors import LabError
from lab_utils.figures.style import VERDICTS

from .html_table import Unfixed, table

PLURAL = {HOLDS: "hold", DEPENDS: "depend", FAILS: "do not hold here", UNTESTED: "untested"}
MEANT = {"holds": HOLDS, "depends": DEPENDS, "no": FAILS, FAILS: FAILS}
COLORS = dict(zip(WORDS, VERDICTS, strict=True))
MARKS = {HOLDS: "✓", DEPENDS: "~", FAILS: "✗", UNTESTED: "?"}
MEANING = {
    HOLDS: "holds",
    DEPENDS: "depends on what its author left out",
    FAILS: "came out otherwise here",
    UNTESTED: "untested",
}
ROW = "display: flex; flex-wrap: wrap; gap: 3px; align-items: center; margin: 2px 0"


class Page:
    """A cell's output: `html` is shown in Jupyter and in the book, `text` in a terminal."""

    def __init__(self, text: str, html: str):
        self.text = text
        self.html = html

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        return self.html


class Scoreboard(Page):
    """A table of all claims, by article, each with the word of its verdict, such as "holds".

    `judged` is {claim's name, such as "A1": a Judged, which has the claim and its verdict}. By
    default the verdicts are those of this machine; claims not tried here have those of the lab's
    own run.
    """

    def __init__(self, judged: dict[str, Judged] | None = None):
        self.judged = judged or ledger.verdicts()
        super().__init__(self.in_words(), self.as_table())

    def words(self) -> dict[str, int]:
        """Return {word of a verdict: number of claims with it}, without words that no claim has."""
        counted = Counter(each.verdict.word for each in self.judged.values())
        return {word: counted[word] for word in WORDS if counted[word]}

    def sentence(self) -> str:
        """Return a sentence that counts the verdicts, such as 'of 38 claims 12 hold, …'."""
        found = [
            f"{count} {word if count == 1 else PLURAL[word]}"
            for word, count in self.words().items()
        ]
        return f"of {len(self.judged)} claims {', '.join(found)}"

    def in_words(self):
        of_word = {
            word: [name for name, each in self.judged.items() if each.verdict.word == word]
            for word in WORDS
        }
        of_word["of the lab's own run"] = [
            name for name, each in self.judged.items() if not each.here
        ]
        lines = [f"{word}: {', '.join(names) or 'none'}" for word, names in of_word.items()]
        return "\n".join(f"verdicts: {line}" for line in [self.sentence(), *lines])

    def as_table(self):
        rows = [[Unfixed(f"<b>{self.sentence().capitalize()}</b>")]]
        article = ""
        for name, each in self.judged.items():
            if article != claims.ARTICLES[name[0]]:
                article = claims.ARTICLES[name[0]]
                rows.append([f"<b>{name[0]}: {escape(article)}</b>"])
            origin = "" if each.here else " (the lab's own run)"
            told = Unfixed(marked(each.verdict.word) + origin)
            rows.append([f"{each.link(name)} {escape(each.claim.text)}", told])
        return table([], rows)

    def picture(self) -> Page:
        """Return a Page with a coloured square for each claim, in one row for each article.

        A square is a link to where its claim is tried; its tooltip is the claim and the verdict.
        """
        rows = {article: "" for article in claims.ARTICLES.values()}
        for name, each in self.judged.items():
            rows[claims.ARTICLES[name[0]]] += square(name, each)
        drawn = [
            f'<div style="{ROW}"><div style="flex: 0 1 14em">{escape(article.split(" (")[0])}</div>'
            f'<div style="{ROW}; flex: 1 1 20em">{squares}</div></div>'
            for article, squares in rows.items()
        ]
        meant = " &nbsp; ".join(f"{mark} {escape(MEANING[word])}" for word, mark in MARKS.items())
        page = f"<b>{self.sentence().capitalize()}</b>{''.join(drawn)}<small>{meant}</small>"
        return Page(self.in_words(), table([], [[Unfixed(page)]]))

    def against(self, said: dict) -> Page:
        """Return a Page that compares a learner's predictions with the verdicts, wrong ones first.

        `said` is {claim's name: "holds", "depends" or "no"}; `...` in place of a word is no
        prediction. Raises LabError for an unknown claim or word.
        """
        words = words_said(said, self.judged)
        # what is untested here came out neither way
        right = {
            name: word == self.judged[name].verdict.word
            for name, word in words.items()
            if self.judged[name].verdict.word != UNTESTED
        }
        lines = [" · ".join(dict.fromkeys(claims.ARTICLES[name[0]] for name in said))]
        page = f"<b>{escape(lines[0])}</b>"
        heads = ["claimed", "here", "told in"]
        if right:
            same = sum(right.values())
            sentence = f"of the {len(right)} that you judged, {same} came out as you said"
            lines.append(f"verdicts: {sentence}")
            page += f"<br>{sentence.capitalize()}."
            heads.insert(1, "you said")
        rows = []
        for name in sorted(said, key=lambda name: right.get(name, 2)):
            each = self.judged[name]
            verdict = each.verdict
            told = Verdict(verdict.word, verdict.because + each.origin, verdict.addition)
            lines.append(claims.in_words(name, each.claim.text, told, f"  [{each.chapter}]"))
            if not right.get(name, True):
                lines.append(f"    verdict: and you said “{words[name]}”")
            row = [f"<b>{name}</b> {escape(each.claim.text)}", in_full(each)]
            if right:
                row.insert(1, words.get(name, ""))
            rows.append([*row, each.link(each.chapter[:2])])
        return Page("\n".join(lines), page + table(heads, rows))

    def elsewhere(self) -> Page:
        """Return a Page with the verdicts that committed runs on other servers and parsers gave.

        It counts the claims with the same word in all runs, and lists those whose words differ.
        """
        runs = json.loads((claims.FOLDER / "elsewhere.json").read_text(encoding="utf-8"))
        tried = [
            name for name in self.judged if all(name in run["claims"] for run in runs.values())
        ]
        lines = []
        rows = []
        for name in tried:
            got = {column: run["claims"][name] for column, run in runs.items()}
            if len({verdict["word"] for verdict in got.values()}) > 1:
                told = ", ".join(f"{column}: {verdict['word']}" for column, verdict in got.items())
                lines.append(f"{name}: {told}")
                cells = [
                    marked(verdict["word"]) + folded("why", escape(verdict["because"]))
                    for verdict in got.values()
                ]
                rows.append([f"<b>{name}</b> {escape(self.judged[name].claim.text)}", *cells])
        same = len(tried) - len(rows)
        sentence = f"{same} of {len(tried)} claims got the same word in all {len(runs)} columns"
        # lines of their own that begin so: versions are no facts of the machine that shows them
        measured = [f"measured: {name}: {run['on']}, {run['date']}" for name, run in runs.items()]
        page = "<br>\n".join([f"{table(['claimed', *runs], rows)}{sentence}.", *measured])
        return Page("\n".join([sentence, *lines, *measured]), page)


def words_said(said: dict, known: dict) -> dict[str, str]:
    """Return the learner's predictions as {claim: word of a verdict}, without those left as `...`.

    `said` is {claim's name: "holds", "depends", "no", or `...`}; "no" becomes "does not hold here",
    as verdicts say it. `known` is a dict whose keys are the claims' names. Raises LabError for an
    unknown claim or word.
    """
    check_dict(said, "board.against", '{"A1": "holds", "A2": ...}')
    words = {}
    for name, word in said.items():
        if name not in known:
            raise LabError(
                f"There is no claim {shown(name)} on this board. There are: {', '.join(known)}."
            )
        if word is ... or word is None:
            continue
        meant = MEANT.get(str(word).strip().lower())
        if meant is None:
            raise LabError(
                f"You said {shown(word)} of {name}, which is none of the words. Write "
                '"holds", "depends" or "no", or leave the three dots.'
            )
        words[name] = meant
    return words


# Pieces of HTML


def marked(word: str) -> str:
    """Return a verdict's word, such as "holds", as HTML, with a bar in its colour on the left."""
    return (
        f'<span style="border-left: 0.5em solid {COLORS[word]}; padding-left: 0.4em">'
        f"<b>{word}</b></span>"
    )


def square(name: str, judged: Judged) -> str:
    """Return a square in the colour of a claim's verdict, as HTML: a link to where it is tried.

    `name` is the claim's, such as "A1"; `judged` is the claim with its verdict.
    """
    word = judged.verdict.word
    told = escape(f"{name} {judged.clause}: {judged.claim.text}{judged.origin}")
    ink = "white" if word in (HOLDS, FAILS) else "black"
    style = (
        f"background: {COLORS[word]}; color: {ink}; print-color-adjust: exact; width: 3.2em; "
        "padding: 0.35em 0; border-radius: 3px; text-align: center; text-decoration: none; "
        "font-size: 0.8em"
    )
    return (
        f'<a href="{judged.chapter}{judged.section}" title="{told}" aria-label="{told}" '
        f'style="{style}">{name}{MARKS[word]}</a>'
    )


def in_full(judged: Judged) -> Unfixed:
    """Return a claim's verdict as HTML: the verdict in a clause, and its reason behind a click.

    `judged` is the claim with its verdict. What the lab adds stands with the reason. The HTML is an
    Unfixed, a text that nbval does not compare.
    """
    verdict = judged.verdict
    clause = f"<b>{verdict.word}</b>{escape(judged.clause.removeprefix(verdict.word))}"
    adds = f"<br><i>The lab adds:</i> {escape(verdict.addition)}" if verdict.addition else ""
    figures = folded("figures", escape(verdict.because) + adds)
    origin = f"<i>{escape(judged.origin)}</i>" if judged.origin else ""
    return Unfixed(clause + origin + figures)


def folded(summary: str, inside: str) -> str:
    """Return HTML that shows the line `summary`, and on a click `inside`; both are HTML."""
    return f"<details><summary>{summary}</summary>{inside}</details>"
