"""How large a batch? What the figure says is the model's, and its constants are the sweep's."""
# ruff: noqa: F811  (fixtures are imported)

import random
from math import ceil
from types import SimpleNamespace

import pytest
from explored import CONSTANTS, asked_on_a_phone, browser, computed, fits, opened, said  # noqa: F401

from lab_utils.explorables import batch
from lab_utils.model import Model

TOLD = CONSTANTS["batch"]
BOTH = """([way, total, size, rtt]) =>
    [inBatches(way, total, size, rtt), largeEnough(way, total, rtt)]"""


def tried(way, commands, size, rtt):
    """(ms of batches of a size, the smallest that is within a tenth of all in one): all tried."""
    model = Model(way["turn_us"] / 1e6, way["command_us"] / 1e6)
    took = [
        1000 * model.seconds(ceil(commands / one), commands, rtt) for one in range(1, commands + 1)
    ]
    return took[size - 1], next(one for one, ms in enumerate(took, 1) if ms <= 1.1 * took[-1])


def test_python_and_javascript_agree(computed):
    chance = random.Random(27)
    vectors = [
        (
            {"turn_us": chance.uniform(5, 300), "command_us": chance.uniform(1, 100)},
            total := chance.randint(1, 2_000),
            chance.randint(1, total),
            chance.choice([0, chance.uniform(0, 100)]),
        )
        for _ in range(500)
    ]
    for found, vector in zip(computed("batch", BOTH, vectors), vectors, strict=True):
        assert found == pytest.approx(tried(*vector), rel=1e-9)


def test_first_the_guess_then_what_the_model_says_and_one_drags_on_a_phone_too(opened):
    page = asked_on_a_phone(opened, "batch", 100, ".panels")
    ms, enough = tried(TOLD["way"], TOLD["commands"], 1, 5)
    knee = f"a larger one gains less than a tenth from about {float(f'{enough:.2g}'):,.0f} on."
    assert page.inner_text(".answer") == f"5 ms away: {knee} You said 100."
    page.goto(page.url + "?rtt=5&batch=100")
    plot = page.locator("svg").first
    plot.drag_to(plot, source_position={"x": 99, "y": 9}, target_position={"x": 0, "y": 9})
    page.wait_for_url(lambda url: url.endswith("&batch=1&rtt=5#batch"))
    held = f"less than {TOLD['memory'][0][1] / 1000:.2g} KB in your client"
    assert said(page) == (
        f"Batches of 1, 5 ms away: about {ms / 1000:.3g} s for 20,000 commands, {held}; {knee}"
    )
    assert fits(page)


def test_its_constants_are_the_sweeps():
    sizes = SimpleNamespace(
        rtts=[5],
        sizes=[10, 100],
        memory={10: 1, 100: 2},
        comparison=SimpleNamespace(ops=100),
        seconds=lambda size, rtt: {10: 0.06, 100: 0.01}[size],
    )
    cost = SimpleNamespace(commands=100, round_trips=1, server_reads=4)
    told = batch.explore("still", sizes, Model(0.001, 1), [cost]).constants
    assert told["way"] == pytest.approx({"turn_us": 1_000, "command_us": 20})
    assert told["reads"] == [[100, 25]]
    assert "on this machine, 5 ms away" in told["from"] and "~20% off" in told["from"]
