"""A learner starts in the middle, runs a cell again, takes up an invitation: nothing may raise."""

import alone
import pytest
from chapter_runs import CHAPTERS, CHOSEN


@pytest.mark.parametrize("chapter", CHOSEN, ids=lambda path: path.stem)
def test_every_section_runs_alone_each_cell_twice_and_with_its_invitations(
    chapter, remembered, monkeypatch
):
    monkeypatch.setenv("LAB_CHAPTER", chapter.stem)
    assert alone.problems(chapter) == []


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_every_invitation_names_what_a_cell_says(chapter):
    assert alone.sections(chapter)
