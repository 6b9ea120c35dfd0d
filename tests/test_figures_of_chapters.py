"""Every figure of every chapter keeps the rules: read when it is drawn, in the chapter's kernel.

The chapters that were run before drew the figures (see in_kernel.py); where none was, the shortest
is run here.
"""

import json
import os
from pathlib import Path

import pytest
from helpers import ROOT, chapters_run
from legible import broken_rules
from nbclient import NotebookClient
from test_chapters import CHAPTERS, outputs, read

from lab_utils.figures import style
from lab_utils.figures.canvas import STYLE, environment, plt, set_title
from lab_utils.timing.ratio import Ratio

PATHS = {path.stem: path for path in CHAPTERS}
SHORTEST = "00_start_here"


def noted(path):
    """Return the lines of the file at `path`, which `legible.note` wrote, decoded from JSON.

    They are [{"chapter": text, "title": text, "broken": [sentences]}], one for each figure.
    """
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_figure_of_a_chapter_keeps_the_rules(monkeypatch):
    ran = chapters_run() & set(PATHS)
    if not ran:
        monkeypatch.setenv("LAB_CHAPTER", SHORTEST)
        monkeypatch.chdir(ROOT / "notebooks")
        NotebookClient(read(PATHS[SHORTEST]), timeout=300).execute()
        ran = {SHORTEST}
    seen = noted(Path(os.environ["IPYTHONDIR"], "figures"))
    for chapter in sorted(ran):
        shown = outputs(PATHS[chapter])
        pictures = sum("image/png" in output.get("data", {}) for _, output, _ in shown)
        looked_at = sum(figure["chapter"] == chapter for figure in seen)
        assert looked_at >= pictures, f"{chapter} drew {looked_at} figures that were looked at"
    assert [figure for figure in seen if figure["broken"]] == []


# The rules themselves: a figure that breaks one is refused.


@pytest.fixture
def figure():
    """Yield a matplotlib figure that breaks no rule."""
    with plt.style.context(STYLE):
        made, axes = plt.subplots()
        axes.barh([0, 1], [5, 2], color=style.NO_ROLE, edgecolor=style.PAPER)
        axes.set_yticks([0, 1], ["one by one", "in a pipeline"])
        set_title(axes, "Fifty GETs: 5 ms one by one, 2 ms in a pipeline")
        environment(axes, source="Redis 8.2.3 · redis-py 8.1.0")
        assert broken_rules(made) == []
        yield made


NO_ROLE = "#123456"
BREAKS = {
    "bars on a log axis": (lambda axes: axes.set(xscale="log", xlim=(1, 9)), "bars on a log axis"),
    "words away from their bar": (
        lambda axes: axes.annotate(
            "2 ms", (2, 1), (40, 0), textcoords="offset points", va="center"
        ),
        "away from its mark: '2 ms'",
    ),
    "colours too much alike": (
        lambda axes: [
            axes.plot([1, 2], [0, 1], color=color) for color in (style.FAILED, style.RISK)
        ],
        f"{style.FAILED} and {style.RISK} are too much alike",
    ),
    "no small type": (lambda axes: axes.figure.supxlabel(""), "0 lines of small type"),
    "small type twice": (
        lambda axes: axes.figure.text(0.1, 0.5, "Redis 8 · redis-py 8", fontsize=8),
        "2 lines of small type",
    ),
    "a distance that no small type names": (
        lambda axes: axes.figure.suptitle("5 ms away, fifty GETs take 250 ms"),
        "no RTT in the small type",
    ),
    "an alt text without the finding": (
        lambda axes: setattr(
            axes.figure, "_repr_mimebundle_", lambda: ({}, {"image/png": {"alt": "A figure"}})
        ),
        "does not begin with the title",
    ),
    "bars that do not begin at zero": (
        lambda axes: axes.set_xlim(1, 6),
        "an axis that begins at 1",
    ),
    "words on words": (
        lambda axes: [axes.text(3, 0.5, word) for word in ("one", "other")],
        "'one' and 'other'",
    ),
    "words beyond the page": (
        lambda axes: axes.figure.text(0.99, 0.5, "words too long for it"),
        "cut off",
    ),
    "words too small": (lambda axes: axes.text(3, 0.5, "a word", fontsize=7.9), "too small"),
    "a bar without a role": (lambda axes: axes.barh([2], [1], color=NO_ROLE), NO_ROLE),
    "an edge": (lambda axes: axes.barh([2], [1], color=style.NO_ROLE, edgecolor=NO_ROLE), NO_ROLE),
    "a line": (lambda axes: axes.plot([1, 2], [0, 1], color=NO_ROLE), NO_ROLE),
    "a marker": (
        lambda axes: axes.plot([1], [0], "o", color=style.INK, markerfacecolor=NO_ROLE),
        NO_ROLE,
    ),
    "a dot": (lambda axes: axes.scatter([1], [0], color=NO_ROLE), NO_ROLE),
    "a text": (lambda axes: axes.text(3, 0.5, "a word", color=NO_ROLE), NO_ROLE),
    "an arrow": (
        lambda axes: axes.annotate(
            "", (1, 0), (3, 0.5), arrowprops={"arrowstyle": "-|>", "color": NO_ROLE}
        ),
        NO_ROLE,
    ),
}


@pytest.mark.parametrize("draw, words", BREAKS.values(), ids=BREAKS)
def test_a_rule_that_is_broken_is_told(figure, draw, words):
    draw(figure.axes[0])
    assert [told for told in broken_rules(figure) if words in told] != []


FASTER, SAME = Ratio(2.0, 1.9, 2.1, 9, True), Ratio(1.1, 0.9, 1.3, 9, False)


@pytest.mark.parametrize(
    "title, ratios, broken",
    [
        ("A pipeline is 2.0x faster", [FASTER], None),
        ("A pipeline is 2.0x faster", [SAME], "none of the figure's intervals"),
        ("A pipeline is 2.0x faster", [], "none of the figure's intervals"),
        ("A pipeline is 3.0x faster", [FASTER], "none of the figure's intervals"),
        ("A pipeline is 2.0x slower", [FASTER], "none of the figure's intervals"),
        ("A pipeline is faster", [FASTER], None),
        ("A pipeline is faster", [SAME], "none of the figure's intervals"),
        ("A pipeline is no different", [SAME], None),
        ("A pipeline takes 1.0x the time", [FASTER], "no difference as one"),
        ("MULTI takes 1.0x a pipeline's time", [], "no difference as one"),
        ("Every figure comes out within 1.0x", [], "no difference as one"),
        ("A pipeline takes 11.0x the time", [FASTER], None),
        ("A pipeline takes 2.8x less", [], "2.8x less"),
        ("A pipeline takes 2 ms; you said 5", [FASTER], "a guess in the title"),
        ("", [], "no title"),
    ],
)
def test_a_title_says_what_the_rounds_show(figure, title, ratios, broken):
    figure.ratios = ratios
    figure.suptitle(title)
    told = broken_rules(figure)
    assert len(told) == bool(broken) and all(broken in sentence for sentence in told)
