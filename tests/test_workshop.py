"""The workshop kit asks what the chapters ask, and takes the path that the README names."""

import re

from helpers import ROOT

from room.board.questions import course

KIT = ROOT / "docs" / "workshop"
PAGE = (KIT / "tracks.md").read_text(encoding="utf-8")
TRACKS = dict(re.findall(r"(?ms)^## ([^:]+):.*?\n(\| at .*?)\n(?:\n|\Z)", PAGE))


def test_what_the_kit_asks_is_asked_in_the_chapters_and_guesses_has_its_wrong_answers():
    guesses = set(re.findall(r"\(`(\d\d\.\w+)`", (KIT / "guesses.md").read_text(encoding="utf-8")))
    asked = set(re.findall(r"\(`(\d\d\.\w+)`\)", PAGE))
    assert len(TRACKS) == 3 and asked and asked <= guesses <= set(course().questions)


def test_the_half_day_is_the_short_path_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    path = re.search(r"\*\*Half a day:\*\* ([\d →]+)", readme)[1].split(" → ")
    chapters = re.findall(r"notebooks/(\d\d)_", TRACKS["Half a day"])
    assert list(dict.fromkeys(chapters)) == path
