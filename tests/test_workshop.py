"""The workshop kit: its plans fit their time and name what is there, its guesses are chapters'."""

import json
import re

import nbformat
import pytest
import reading
from helpers import ROOT

from lab_utils.course.guesses import COUNTED
from tools import workshop

TRACKS = workshop.tracks()
KNOWN = json.loads(workshop.SECONDS.read_text(encoding="utf-8"))
PAGE = (workshop.KIT / "tracks.md").read_text(encoding="utf-8")
GUESSES = (workshop.KIT / "guesses.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAY_DIFFER = 0.15  # between a plan's minutes and those of chapters that were edited since

every_track = pytest.mark.parametrize("track", TRACKS, ids=lambda track: track["name"])


@every_track
def test_a_plan_names_sections_that_are_there_and_were_timed(track):
    for part in track["part"]:
        if "chapter" in part:
            there, timed = workshop.sections(part["chapter"]), KNOWN[part["chapter"]]["seconds"]
            assert set(part["sections"]) <= set(there) & set(timed), part["chapter"]


@every_track
def test_a_plan_fits_its_time_and_fills_it(track):
    minutes = sum(row[-1] for row in workshop.rows(track, KNOWN))
    assert 0.9 * track["minutes"] <= minutes <= track["minutes"]


@every_track
def test_the_page_says_what_the_chapters_take(track):
    marks = rf"(?s)<!-- track: {track['name']} -->\n(.*?)<!-- end -->"
    written = re.search(marks, PAGE)[1].splitlines()
    made = workshop.table(track, KNOWN).splitlines()
    parts = [[line.split("|")[2] for line in lines] for lines in (written, made)]
    assert parts[0] == parts[1], "run `make kit`"
    said, takes = ended(written), ended(made)
    assert abs(said - takes) <= MAY_DIFFER * takes, "run `make kit`"


def ended(lines):
    """Minutes after which a table ends."""
    hours, minutes = lines[-1].split("|")[1].split(":")
    return 60 * int(hours) + int(minutes)


@pytest.mark.parametrize(
    "chapter, section, told",
    [
        ("00_start_here", "Is it there?", "There are: , Is it running"),
        ("13_other_benchmarks", "In practice", "--run notebooks/13_"),
    ],
)
def test_what_a_plan_cannot_know_is_said(chapter, section, told):
    with pytest.raises(SystemExit, match=re.escape(told)):
        part = {"chapter": chapter, "sections": [section], "opens": False}
        list(workshop.rows({"part": [part]}, {}))


def test_the_short_path_of_the_readme_is_the_half_day_s_and_all_of_it_two_days():
    path = re.search(r"\*\*Half a day:\*\* ([\d →]+)", README)[1].split(" → ")
    half = next(track for track in TRACKS if track["name"] == "Half a day")
    assert path == [part["chapter"][:2] for part in half["part"] if "chapter" in part]
    chapters = [reading.parts(workshop.path_of(name)) for name in workshop.chapters([half])]
    assert (
        sum(parts[name].minutes for parts in chapters for name in (reading.MAIN, reading.EXERCISES))
        <= 4.5 * 60
    )
    minutes = [
        part.minutes
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for part in reading.parts(path).values()
    ]
    assert 10 * 60 <= sum(minutes) <= 2 * 8 * 60


def guesses():
    """{name: (unit, what the committed chapter measured)} of every guess in the chapters."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        printed = "\n".join(
            output.get("text", "") for cell in cells for output in cell.get("outputs", [])
        )
        for cell in cells:
            for name, unit in re.findall(r'lab\.guess\("(\S+?)", \.\.\., "(.+?)"\)', cell.source):
                variable = cell.source.split(" = ")[0]
                told = any(f"{variable}.against(" in other.source for other in cells)
                measured = re.findall(rf"(?m)^measured: (\d+) {unit}$", printed)
                yield name, unit, measured if told else []


def test_the_tracks_guesses_are_in_the_kit():
    named = set(re.findall(r"\(`(\d\d\.\w+)`", GUESSES))
    everywhere = {name for name, _, _ in guesses()}
    assert named <= everywhere
    numbers = {chapter[:2] for chapter in workshop.chapters(TRACKS)}
    wanted = {name for name in everywhere if name[:2] in numbers}
    deeper = {"04.reply", "05.keys_to_hgetall"}
    assert wanted - named - deeper == LEFT_OUT


# For one alone at a desk: they take a pencil, or stand in sections that no track has.
LEFT_OUT = {"07.bystander", "08.cpu"}
VARYING = {"03.even", "08.enough", "08.sizing", "14.hold"}  # of what a machine decides


@pytest.mark.parametrize(
    "name, measured",
    [
        pytest.param(name, measured, id=name)
        for name, unit, measured in guesses()
        if unit in COUNTED and measured and f"`{name}`" in GUESSES and name not in VARYING
    ],
)
def test_a_count_in_the_kit_is_the_chapter_s(name, measured):
    said = re.search(rf"\(`{re.escape(name)}`[^)]*\) (?:Measured: )?([\d,]+)", GUESSES)
    assert said and said[1].replace(",", "") in measured
