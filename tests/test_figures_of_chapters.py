"""Every figure of every chapter keeps the rules: read when it is drawn, in the chapter's kernel.

The chapters that were run before drew the figures (see legible.py); where none was, the shortest is
run here.
"""

import json
import os
from pathlib import Path

import pytest
from helpers import ROOT, chapters_run
from legible import broken_rules, look_at, title_of
from nbclient import NotebookClient
from test_chapters import CHAPTERS, outputs, read

from lab_utils import setting
from lab_utils.figures import style
from lab_utils.figures.canvas import STYLE, environment, plt, set_title
from lab_utils.timing.ratio import Ratio

PATHS = {path.stem: path for path in CHAPTERS}
SHORTEST = "00_start_here"


def figures_in(path):
    """How many figures a committed chapter shows."""
    return sum("image/png" in output.get("data", {}) for _, output, _ in outputs(path))


def drawn():
    """[{"chapter": …, "title": …, "broken": […]}] of the figures that chapters' kernels drew."""
    log = Path(os.environ["LAB_FIGURE_LOG"])
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [json.loads(line) for line in lines]


def test_every_figure_of_a_chapter_keeps_the_rules(monkeypatch):
    ran = chapters_run() & set(PATHS)
    if not ran:
        monkeypatch.setenv("LAB_CHAPTER", SHORTEST)
        monkeypatch.chdir(ROOT / "notebooks")
        NotebookClient(read(PATHS[SHORTEST]), timeout=300).execute()
        ran = {SHORTEST}
    seen = drawn()
    for chapter in sorted(ran):
        count = sum(figure["chapter"] == chapter for figure in seen)
        assert count >= figures_in(PATHS[chapter]), (
            f"{chapter} drew {count} figures that were looked at: {seen}"
        )
    broken = [
        f"{figure['chapter']}: {figure['title']}\n    " + "\n    ".join(figure["broken"])
        for figure in seen
        if figure["broken"]
    ]
    assert not broken, "\n".join(broken)


# The rules themselves: a figure that breaks one is refused.


@pytest.fixture
def figure(monkeypatch):
    """A figure that breaks no rule."""
    monkeypatch.setattr(setting, "line", lambda: "Redis 8.2.3 · redis-py 8.1.0")
    with plt.style.context(STYLE):
        made, axes = plt.subplots()
        axes.barh([0, 1], [5, 2], color=style.NO_ROLE, edgecolor=style.PAPER)
        set_title(axes, "Fifty GETs: 5 ms one by one, 2 ms in a pipeline")
        environment(axes)
        assert broken_rules(made) == []
        yield made


def test_bars_on_a_log_axis(figure):
    figure.axes[0].set_xscale("log")
    assert any("bars on a log axis" in each for each in broken_rules(figure))


NO_ROLE = "#123456"
BREAKS = {
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
    [told] = broken_rules(figure)
    assert words in told


@pytest.mark.parametrize("line", ["", "Redis 8.2.3 · redis-py 8.1.0\nredis-py"])
def test_a_figure_says_once_where_it_comes_from(figure, line):
    figure.supxlabel(line)
    if line:
        figure.text(0.5, 0.5, line)
    assert any("lines of small type" in each for each in broken_rules(figure))


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
        ("Every figure comes out within 1.0x", [], "no difference as one"),
        ("A pipeline takes 11.0x the time", [FASTER], None),
        ("A pipeline takes 2 ms; you said 5", [FASTER], "a guess in the title"),
        ("", [], "no title"),
    ],
)
def test_a_title_says_what_the_rounds_show(figure, title, ratios, broken):
    figure.ratios = ratios
    figure.suptitle(title)
    told = broken_rules(figure)
    assert len(told) == bool(broken) and all(broken in sentence for sentence in told)


def test_what_breaks_is_written_down(figure, monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_FIGURE_LOG", str(tmp_path / "figures"))
    monkeypatch.setenv("LAB_CHAPTER", "03")
    look_at(figure)
    figure.axes[0].set_xlim(1, 6)
    look_at(figure)
    figure.draw_without_rendering = None
    look_at(figure)
    sound, dishonest, unasked = drawn()
    assert sound == {"chapter": "03", "title": title_of(figure), "broken": []}
    assert dishonest["broken"] == ["bars on an axis that begins at 1"]
    assert "TypeError" in unasked["broken"][0]
