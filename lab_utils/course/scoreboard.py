"""The scoreboard's two figures: a tile for every claim, and every published table beside its reproduction."""

from ..errors import LabError
from ..figures import style
from ..figures.canvas import environment, plt, say, set_title, styled
from ..figures.published import draw_published, published_words
from ..words import factor_off
from .claims import ARTICLES, DEPENDS, FAILS, HOLDS, UNTESTED

LOOKS = dict(zip((HOLDS, DEPENDS, FAILS, UNTESTED), zip(style.VERDICTS, ("", "///", "xxx", ""), strict=True), strict=True))
CLOSE = 1.5  # a figure reproduced within this factor is called close


@styled
def plot_verdicts(retrial, title=None):
    """A tile for every claim of a Retrial, coloured and hatched by its verdict, a row for each article."""
    rows = {letter: [claim for claim in retrial.claims.values() if claim.name[0] == letter] for letter in ARTICLES}
    figure, axes = plt.subplots(figsize=(9, 4.2))
    for place, tiles in enumerate(rows.values()):
        for column, claim in enumerate(tiles):
            color, hatch = LOOKS[claim.word]
            axes.add_patch(plt.Rectangle((column, place - 0.42), 0.92, 0.84, facecolor=color, hatch=hatch, edgecolor=style.PAPER))
            axes.text(column + 0.46, place, claim.name, ha="center", va="center", fontsize=9, fontweight="bold",
                      bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.5, "alpha": 0.85})
    axes.set_xlim(-0.1, max(map(len, rows.values())) + 0.1)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xticks([])
    axes.set_yticks(range(len(rows)), [f"article {letter}" for letter in rows])
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
    words = retrial.words()
    handles = [plt.Rectangle((0, 0), 1, 1, facecolor=LOOKS[word][0], hatch=LOOKS[word][1], edgecolor=style.PAPER, label=word)
               for word in words]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=len(handles), frameon=False)
    set_title(axes, title or retrial.in_words().capitalize())
    environment(axes)
    by_word = {word: [claim.name for claim in retrial.claims.values() if claim.word == word] for word in words}
    print("verdicts: " + "; ".join(f"{word}: {', '.join(names)}" for word, names in by_word.items()))
    return figure


@styled
def plot_tables(tables, title=None):
    """A panel for each published table: its seconds and those reproduced here, with the factor between them."""
    if not tables:
        raise LabError("No published table was reproduced: their cells failed. "
                       "Run lab.retrial() again; the reasons stand beside the untested claims.")
    heights = [len(table["published"]) for table in tables.values()]
    figure, panels = plt.subplots(len(tables), 1, figsize=(9, 1.2 + 0.62 * sum(heights) + 0.55 * len(tables)),
                                  gridspec_kw={"height_ratios": heights}, squeeze=False)
    factors = {}
    for axes, (what, table) in zip(panels[:, 0], tables.items(), strict=True):
        fitted = table.get("fitted", ())
        draw_published(axes, table["published"], table["reproduced"], fitted)
        factors |= {(what, name): factor_off(then, table["reproduced"][name]) for name, then in table["published"].items()
                    if name not in fitted}
        axes.set_title(f"{what}, at an RTT of {table['rtt_ms']:.2g} ms", fontsize=10, loc="left")
    panels[-1, 0].set_xlabel("milliseconds, log scale")
    found = came_out(factors)
    figure.suptitle(title or found, x=0.01, ha="left", fontweight="bold")
    environment(panels[-1, 0])
    say(". ".join(f"{what}: {words_of(table)}" for what, table in tables.items()))
    return figure


def words_of(table):
    return published_words(table["published"], table["reproduced"], table.get("fitted", ()))


def came_out(factors):
    """How many of the figures {(table, name): factor off} are close: those that no distance was solved from."""
    if not factors:
        return "Every published figure went into a fit, so none is evidence"
    close = sum(factor <= CLOSE for factor in factors.values())
    worst = max(factors, key=factors.get)
    return (f"{close} of the {len(factors)} published figures that went into no fit come out within {CLOSE:g}x;\n"
            f"the farthest off is “{worst[1]}” of {worst[0]}, {factors[worst]:.1f}x")
