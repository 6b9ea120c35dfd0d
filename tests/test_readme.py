"""What the README says about the articles is what the chapters found. Its map: test_chapters.py."""

import json
import re

import pytest
from helpers import ROOT
from PIL import Image
from verdict_words import shown_in

from lab_utils.course import claims
from tools import pictures

README = (ROOT / "README.md").read_text(encoding="utf-8")
ADVICE = {  # words of the README: the claim
    "ten times faster": "B1",
    "input buffer's limit": "C3",
    "on a loaded server": "C14",
    "Java parallel stream": "D4",
}

CHAPTERS = (ROOT / "notebooks").glob("*.ipynb")
WORDS = {name: word for path in CHAPTERS for name, (word, _) in shown_in(path).items()}
claims.load_all()


def test_most_claims_hold_and_the_readme_counts_them():
    assert f"\n{len(WORDS)} claims of five published articles" in README
    assert len(claims.ARTICLES) == 5
    assert list(WORDS.values()).count(claims.HOLDS) > len(WORDS) / 2


@pytest.mark.parametrize("said, claim", ADVICE.items())
def test_the_advice_that_came_out_differently_did(said, claim):
    (line,) = re.findall(rf"^- \*\*[^*]*{said}.*$", README, re.MULTILINE)
    assert WORDS[claim] in (claims.DEPENDS, claims.FAILS)
    assert f"[Chapter {claims.CLAIMS[claim].chapter}]" in line
    section = README.split("## Advice that came out differently here")[1].split("\n## ")[0]
    assert len(re.findall(r"^- \*\*", section, re.MULTILINE)) == len(ADVICE), "no other advice"


def test_the_guide_for_ci_shows_the_workflow_that_runs_and_its_command():
    guide = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "notebooks.yml").read_text(encoding="utf-8")
    [shown] = re.findall(r"(?s)```yaml\n(.*?)```", guide)
    assert shown == workflow.split("\n", 1)[1], "all but its first line, a comment"
    for command in ("pip install -r requirements.txt", "pytest --nbval notebooks -rs --color=no"):
        assert guide.count(command) == 2


def test_the_picture_of_the_verdicts_is_described_by_the_committed_ones():
    assert f"[{pictures.verdicts_text(pictures.board())}(docs/verdicts.png)]" in README


def test_the_sentence_has_the_figures_of_the_race_and_no_other_picture_tells_the_same():
    """`make pictures` writes race, figures and sentence together, so they agree."""
    took = json.loads((pictures.DOCS / "race.json").read_text(encoding="utf-8"))
    assert pictures.sentence(took) == pictures.SENTENCE.search(README)[0]
    assert pictures.RACE_RTT_MS not in pictures.BUDGET_RTT_MS
    with Image.open(film := pictures.DOCS / "race.gif") as gif:
        assert gif.n_frames > 60 and film.stat().st_size < 1_000_000, "it moves, and is small"
