"""The race: what is seen at a moment is what was on its way then; it plays where somebody watches, and is small."""

import re

import pytest
from flown import made
from helpers import ROOT
from legible import check_legible, words_of
from PIL import Image

import lab_utils as lab
from lab_utils.figures import film
from lab_utils.figures.film import Film, flat
from lab_utils.figures.racing import Race

MOST_OF_A_PLAYER, MOST_OF_A_GIF = 1_500_000, 2_000_000
RUNS = {"one by one": made(100), "pipeline": made(1)}
RACES = {
    "two": RUNS, "few turns": {"loop": made(3), "pipeline": made(1)}, "threads": {"loop": made(40), "8 threads": made(5, 8)},
    "one": {"a way with quite a long name, as those have that say everything they do and more": made(10)},
    "eight": {f"way {number}": made(10, number) for number in range(1, 9)},
    "slow": {"loop": made(50, turn_s=0.5), "pipeline": made(1, turn_s=0.5)},
}


@pytest.mark.parametrize("name", RACES)
def test_the_still_can_be_read(r, name):
    check_legible(Race(RACES[name]).still())


def test_the_still_says_how_it_ended(r):
    texts = [" ".join(text.get_text().split()) for text in words_of(Race(RUNS).still())]
    assert any("in a pipeline" in text for text in texts)
    assert sum(text.endswith("\N{CHECK MARK}") for text in texts) == len(RUNS)


@pytest.mark.parametrize("name", RACES)
def test_time_runs_from_the_start_to_the_end_and_never_back(name):
    moments = [moment for moment, _, _ in Race(RACES[name], seconds=10).moments(12)]
    assert moments[0] == 0 and moments[-1] == max(run.seconds for run in RACES[name].values())
    assert moments == sorted(moments) and abs(len(moments) - 121) <= 2


def test_dots_are_where_the_requests_were(r):
    from lab_utils.figures.canvas import STYLE, plt
    from lab_utils.figures.racing import Stage

    with plt.style.context(STYLE):
        stage = Stage({"loop": made(5, turn_s=0.001, gap_s=0.001)}, 100)
    [track] = stage.tracks
    flight = track.run.flights[2]
    span = flight.end - flight.start
    seen = [list(track.dots(flight.start + part * span, 1)) for part in (0.1, 0.4, 0.6, 0.9)]
    assert [len(dots) for dots in seen] == [1, 1, 1, 1]
    assert [dots[0][0] for dots in seen] == [True, True, False, False]  # there, then back
    assert seen[0][0][1] < seen[1][0][1] and seen[2][0][1] > seen[3][0][1]
    assert list(track.dots(flight.end + span / 10, 1)) == []  # the client works


def test_a_film_is_small_and_moves(r, tmp_path):
    shown = Race(RUNS).film()
    player = shown.player("words & more")
    assert len(player) < MOST_OF_A_PLAYER
    assert "words &amp; more" in player and "<script>" in player and not re.search(r"https?://", player)
    assert len({frame.tobytes() for frame in shown.frames}) > len(shown.frames) * 0.9
    assert Race(RUNS, seconds=1).save(tmp_path / "race.gif") == (tmp_path / "race.gif").stat().st_size
    committed = ROOT / "docs" / "race.gif"  # a whole one, by `make pictures`
    assert committed.stat().st_size < MOST_OF_A_GIF
    for path, least in (tmp_path / "race.gif", 15), (committed, 150):
        with Image.open(path) as gif:
            assert gif.n_frames > least and gif.size[0] == 720 and gif.info["loop"] == 0


def test_what_a_picture_or_a_name_spells_changes_nothing_in_the_player(monkeypatch):
    spelt = "PICTURES/PAUSE/LAST/WORDS/FIRST/WIDTH"
    monkeypatch.setattr(film, "picture_url", lambda frame: f"data:{spelt}")
    player = Film([Image.new("RGB", (8, 8))] * 2, 12).player(f"the ways {spelt}")
    assert player.count(f'"data:{spelt}"') == 3 and f'alt="the ways {spelt}"' in player
    assert not re.search("PICTURES|PAUSE|LAST|WORDS|FIRST|WIDTH", player.replace(spelt, ""))


def test_white_stays_white_and_colours_stay_what_they_mean():
    image = Image.new("RGB", (4, 1), "white")
    for place, colour in enumerate(("#E69F00", "#D6E2EF", "#222222")):
        image.putpixel((place, 0), tuple(int(colour[i:i + 2], 16) for i in (1, 3, 5)))
    [packed] = flat([image], ["#222222", "#D6E2EF", "#E69F00"])
    assert packed.convert("RGB").tobytes() == image.tobytes()


def test_it_plays_only_where_somebody_watches(r, monkeypatch):
    monkeypatch.setattr(Race, "film", lambda self, *_: Film(flat([Image.new("RGB", (8, 8))], ["#000000"]), 12))
    shown = {}
    for scale, quiet in (("workshop", ""), ("workshop", "1"), ("ci", "")):
        monkeypatch.setenv("LAB_SCALE", scale)
        monkeypatch.setenv("TQDM_DISABLE", quiet)
        shown[scale, quiet], _ = Race(RUNS)._repr_mimebundle_()
    assert [set(bundle) for bundle in shown.values()] == [
        {"text/plain", "image/png", "text/html"}, {"text/plain", "image/png"}, {"text/plain", "image/png"}]
    assert {bundle["text/plain"] for bundle in shown.values()} == {"<race of one by one, pipeline>"}  # nothing measured


def test_it_races_what_it_is_given(r, capsys):
    found = lab.race({"loop": lambda r: [r.get("a") for _ in range(3)], "MGET": lambda r: r.mget("a", "b", "c")}, r)
    assert [len(run.requests) for run in found.runs.values()] == [3, 1]
    said = capsys.readouterr().out
    assert said.startswith("measured: loop: 3 round trips on 1 connection, ") and said.count("\n") == 1


def test_a_race_that_nobody_looks_at_is_not_run(monkeypatch):
    monkeypatch.setenv("LAB_FIGURES", "off")
    assert lab.race({"loop": lambda r: 1 / 0}, None) is None
