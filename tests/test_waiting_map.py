"""The map: colours are the model's, dots the measurement's, the words say where "you" are."""

import pytest
from legible import broken_rules, words_of

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
    assert broken_rules(draw_map(model, DOTS, *PLACES[place])) == []


def test_the_share_is_distance_over_all():
    assert share_waiting(MODEL, 1, 1) == pytest.approx(1000 / 1025)
    halves = round(commands_at(MODEL, 0.5, 1))
    assert share_waiting(MODEL, 1, halves) == pytest.approx(0.5, abs=1e-3)
    assert commands_at(MODEL, 0.5, 0.01) < 1  # nearer than a turn's own cost: never half


def test_it_says_where_you_are(r):
    words = in_words(MODEL, 1, 40)
    assert words == (
        "You, 1 ms away, 40 commands a turn: 82% is waiting; half and half at 200 commands"
    )
    assert in_words(MODEL, 0.02, 1).endswith("; at most half with any number")
    texts = {" ".join(text.get_text().split()) for text in words_of(draw_map(MODEL, DOTS, 1, 40))}
    assert {f"◆ {words.partition(';')[0]}", "half and half", "next zone"} <= texts


@pytest.mark.alone
def test_it_is_measured_here_and_keeps_what_it_computes_from(r, capsys):
    shown = plot_map(lab.connect(rtt_ms=5), 10)
    assert capsys.readouterr().out.startswith("measured: You, 5 ms away, 10 commands a turn: ")
    told, (bundle, words) = shown.constants, shown._repr_mimebundle_()
    dots = {(dot["rtt"], dot["commands"]): dot["share"] for dot in told["dots"]}
    assert dots.keys() == DOTS.keys() and all(0 < share <= 1 for share in dots.values())
    assert dots[20, 1] > dots[0.25, 1_000]
    assert told["you"] == {"rtt": 5, "commands": 10}
    assert bundle["text/plain"] == "<where, to drag>" and bundle["image/png"][:4] == b"\x89PNG"
    assert words["image/png"]["alt"].startswith("You, 5 ms away")
    assert words["image/png"]["drag"]["constants"] == told
    near = plot_map(r).constants["you"]["rtt"]  # its PING, beside the work
    assert waiting_map.NEAREST_MS <= near < 5
