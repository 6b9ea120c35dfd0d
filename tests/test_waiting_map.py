"""The map: colours are the model's, dots the measurement's, the words say where "you" are."""

import pytest
from legible import check_legible, words_of

import lab_utils as lab
from chapter_helpers import waiting_map
from chapter_helpers.waiting_map import commands_at, draw_map, in_words, plot_map, share_waiting
from lab_utils.model import Model

MODEL = Model(turn_s=20e-6, command_s=5e-6)
DOTS = {
    (rtt, count): share_waiting(MODEL, rtt, count)
    for rtt in waiting_map.MEASURED_MS
    for count in waiting_map.MEASURED_COMMANDS
}
PLACES = {
    "near": (0.01, 1),
    "far": (100, 10_000),
    "by PING": (0.0123456, 1),
    "zones": (1, 40),
    "top": (0.3, 10_000),
    "right": (75, 1),
}
SLOW, FAST = Model(400e-6, 40e-6), Model(2e-6, 0.2e-6)
MAPS = {place: (place, MODEL) for place in PLACES}
MAPS |= {"near, slow": ("near", SLOW), "far, fast": ("far", FAST), "top, fast": ("top", FAST)}


@pytest.mark.parametrize("place, model", MAPS.values(), ids=MAPS)
def test_it_can_be_read(r, place, model):
    check_legible(draw_map(model, DOTS, *PLACES[place]))


def test_the_share_is_distance_over_all():
    assert share_waiting(MODEL, 1, 1) == pytest.approx(1000 / 1025)
    halves = round(commands_at(MODEL, 0.5, 1))
    assert share_waiting(MODEL, 1, halves) == pytest.approx(0.5, abs=1e-3)
    assert commands_at(MODEL, 0.5, 0.01) < 1  # nearer than a turn's own cost: never half


def test_it_says_where_you_are(r):
    words = in_words(MODEL, 1, 40)
    assert words == (
        "You, 1 ms away, 40 commands a turn: 82% of the time is waiting; "
        "half and half at 200 commands"
    )
    assert in_words(MODEL, 0.02, 1).endswith("; at most half with any number")
    texts = {" ".join(text.get_text().split()) for text in words_of(draw_map(MODEL, DOTS, 1, 40))}
    assert {f"◆ {words}", "half and half", "next zone"} <= texts


def test_a_notebook_keeps_its_picture_its_words_and_what_it_computes_from(r, monkeypatch):
    monkeypatch.setattr(waiting_map, "measured", lambda: DOTS)
    monkeypatch.setattr(lab, "fit_model", lambda: MODEL)
    shown = plot_map(lab.connect(rtt_ms=1), 40)
    told, (bundle, words) = shown.widget().constants, shown._repr_mimebundle_()
    assert told["way"] == pytest.approx({"at_once": None, "turn_us": 20, "command_us": 5})
    assert {"rtt": 1, "commands": 100, "share": DOTS[1, 100]} in told["dots"]
    assert told["you"] == {"rtt": 1, "commands": 40}
    assert bundle["text/plain"] == "<where, to drag>" and bundle["image/png"][:4] == b"\x89PNG"
    assert words["image/png"]["alt"].startswith("You, 1 ms away")
    assert words["image/png"]["drag"]["constants"] == told


def test_you_are_at_the_clients_distance(r, capsys, monkeypatch):
    monkeypatch.setattr(waiting_map, "measured", lambda: DOTS)
    five_away = plot_map(lab.connect(rtt_ms=5), commands=10).constants
    assert five_away["you"] == {"rtt": 5, "commands": 10}
    near = plot_map(r).constants["you"]["rtt"]
    assert waiting_map.NEAREST_MS <= near < 5  # its PING, beside the work
    assert capsys.readouterr().out.startswith("measured: You, 5 ms away, 10 commands a turn: ")


def test_dots_are_measured_at_every_distance(r):
    found = waiting_map.measured()
    assert found.keys() == DOTS.keys() and all(0 < share <= 1 for share in found.values())
    assert found[20, 1] > found[0.25, 1_000]
