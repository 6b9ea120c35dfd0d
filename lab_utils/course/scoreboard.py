"""The scoreboard's two figures: every claim in words with its verdict, and every published table beside its reproduction."""

import textwrap

from ..calm import Calm, worst
from ..errors import LabError
from ..figures import style
from ..figures.canvas import SMALL, USUAL, WIDTH, environment, plt, say, set_title, styled
from ..figures.published import UNIT, published_words, rows_of
from ..figures.rows import draw_rows, page
from ..words import factor_off, two_figures
from .claims import ARTICLES, DEPENDS, FAILS, HOLDS, UNTESTED

LOOKS = dict(zip((HOLDS, DEPENDS, FAILS, UNTESTED), zip(style.VERDICTS, ("", "///", "xxx", ""), strict=True), strict=True))
LINE = 96  # letters of a claim on one line
HEADING, ROW, LINE_IN, REST = 0.36, 0.23, 0.17, 0.9  # inches; as are these places on a line:
CHIP, CODE_AT, WORDS_AT = 0.24, 1.98, 2.38
CLOSE = 1.5  # a figure reproduced within this factor is called close


@styled
def plot_verdicts(retrial, title=None):
    """Every claim of a Retrial in its author's words, under its article; before it the verdict, a word and a colour."""
    by_article = {letter: [claim for claim in retrial.claims.values() if claim.name[0] == letter] for letter in ARTICLES}
    lines = {claim.name: textwrap.wrap(claim.text, LINE) for claim in retrial.claims.values()}
    height = HEADING * sum(map(bool, by_article.values())) + sum(row_of(claim_lines) for claim_lines in lines.values())
    figure, axes = plt.subplots(figsize=(WIDTH, REST + height))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    axes.set(xticks=[], yticks=[])
    axes.set_axis_off()
    top = 0.0
    for letter, tried in by_article.items():
        if tried:
            axes.text(0, top + 0.7 * HEADING, f"{letter}: {ARTICLES[letter]}", fontsize=USUAL, fontweight="bold")
            top += HEADING
        for claim in tried:
            draw_claim(axes, top, claim, lines[claim.name])
            top += row_of(lines[claim.name])
    set_title(axes, title or retrial.in_words().capitalize())
    environment(axes)
    by_word = {word: [claim.name for claim in retrial.claims.values() if claim.word == word] for word in retrial.words()}
    say("; ".join(f"{word}: {', '.join(names)}" for word, names in by_word.items()))
    return figure


def row_of(lines):
    """Inches that a claim of so many lines takes."""
    return ROW + LINE_IN * (len(lines) - 1)


def draw_claim(axes, top, claim, lines):
    """The verdict in its colour, the claim's name, and the claim in words."""
    color, hatch = LOOKS[claim.word]
    axes.add_patch(plt.Rectangle((0, top + 0.02), CHIP, ROW - 0.04, facecolor=color, hatch=hatch, edgecolor=style.PAPER))
    words = {"va": "center_baseline", "fontsize": SMALL, "color": style.INK}
    axes.text(CHIP + 0.08, top + ROW / 2, claim.word, **words, fontweight="bold")
    axes.text(CODE_AT, top + ROW / 2, claim.name, **words | {"color": style.QUIET})
    for place, line in enumerate(lines):
        axes.text(WORDS_AT, top + ROW / 2 + place * LINE_IN, line, **words)


@styled
def plot_tables(tables, title=None):
    """Draw each published table: its seconds and those reproduced here, with the factor between them."""
    if not tables:
        raise LabError("No published table was reproduced: their cells failed. "
                       "Run lab.retrial() again; the reasons stand beside the untested claims.")
    blocks, factors = {}, {}
    for what, table in tables.items():
        published, reproduced, fitted = table["published"], table["reproduced"], table.get("fitted", ())
        blocks[f"{what}, RTT {two_figures(table['rtt_ms'])} ms"] = rows_of(published, reproduced, fitted)
        factors |= {(what, name): factor_off(then, reproduced[name]) for name, then in published.items() if name not in fitted}
    figure, axes = page(blocks)
    draw_rows(axes, blocks, UNIT, log=True)
    found = came_out(factors)
    set_title(axes, title or found)
    seen = worst(Calm(**table["calm"]) for table in tables.values() if "calm" in table)  # not of this kernel: others measured
    environment(axes, found=seen)
    say(". ".join(f"{what}: {words_of(table)}" for what, table in tables.items()), seen)
    return figure


def words_of(table):
    return published_words(table["published"], table["reproduced"], table.get("fitted", ()))


def came_out(factors):
    """How many of the figures {(table, name): factor off} are close: those that no distance was solved from."""
    if not factors:
        return "Every published figure went into a fit, so none is evidence"
    close = sum(factor <= CLOSE for factor in factors.values())
    farthest = max(factors, key=factors.get)
    return (f"{close} of the {len(factors)} published figures that went into no fit "
            f"{'comes' if close == 1 else 'come'} out within {CLOSE:g}x;\n"
            f"the farthest off is “{farthest[1]}” of {farthest[0]}, {factors[farthest]:.1f}x")
