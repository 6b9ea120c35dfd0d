"""Who waits for whom: its arithmetic is Python's here, and a PING waits where one drops it."""
# ruff: noqa: F811  (fixtures are imported)

import random
from itertools import pairwise
from types import SimpleNamespace

import pytest
from explored import CONSTANTS, PHONE, browser, computed, fits, opened  # noqa: F401

from lab_utils.explorables.who import explore

SEARCHES = next(name for name, told in CONSTANTS.items() if "SCAN" in told.get("ways", ()))
TOLD = CONSTANTS[SEARCHES]  # chapter 05's
WAITS = """([way, keys, atOnce, at]) => {
    const run = serving(way, keys, atOnce);
    return [run.piece, run.worst, run.mean, run.total, waitAt(run, at * run.total)];
}"""


def felt(way, keys, at_once, at=0):
    """[a piece, worst, mean, total, the wait of a PING at this part of the time] in ms."""
    points, pieces = [[0, 0], *way["points"]], -(-keys // at_once) if at_once else way["pieces"]
    reached = (pair for pair in pairwise(points) if pair[1][0] >= keys)
    (few, least), (many, most) = next(reached, points[-2:])
    piece = (least + (keys - few) / (many - few) * (most - least)) / pieces / 1000
    gap = (way["gap_us"] + keys / pieces * way["own_us"]) / 1000
    starts = [place * (piece + gap) for place in range(pieces)]
    waits = [
        starts[min(place + way["ahead"], pieces - 1)] + piece - start
        for place, start in enumerate(starts)
    ]
    due = at * (total := pieces * (piece + gap))
    mine = next(
        (
            start + wait - due
            for start, wait in zip(starts, waits, strict=True)
            if start <= due < start + piece
        ),
        0,
    )
    mean = sum(wait - piece / 2 for wait in waits) * piece / total
    return [piece, max(waits), mean, total, mine]


def shown(ms):
    return f"{ms:.3g}\u00a0ms" if ms >= 1 else f"{1000 * ms:.3g}\u00a0µs"


def test_python_and_javascript_agree(computed):
    chance, points = random.Random(27), [[1_000, 40], [50_000, 9_000]]
    vectors = [
        (
            {
                "points": points[chance.randint(0, 1) :],
                "gap_us": chance.uniform(0, 500),
                "own_us": chance.choice([0, 9]),
                "pieces": chance.randint(1, 3),
                "ahead": number % 2,
            },
            chance.randint(1, 90_000),
            chance.choice([None, chance.randint(200, 90_000)]),
            chance.random(),
        )
        for number in range(500)
    ]
    for found, vector in zip(computed("who", WAITS, vectors), vectors, strict=True):
        assert found == pytest.approx(felt(*vector), rel=0.005, abs=1e-9)


def test_what_it_computes_from():
    """A GET costs what it does among as many keys; a pipeline is served in reads, a MULTI whole."""
    run = SimpleNamespace(took=0.02, worst=0.01, samples=[(1, 0.01), (1.005, 0.005)])
    waits = dict.fromkeys(
        ("KEYS", "pipeline", "MULTI", "MULTI by 1,000"), SimpleNamespace(worst=0.01, runs=[run])
    )
    costs = [
        (
            keys,
            {
                name: SimpleNamespace(
                    server_us=us,
                    server_cpu_us=2 * us,
                    server_reads=30,
                    round_trips=1 + ("by" in name),
                )
                for name in waits
            },
        )
        for keys, us in ((300_000, 90), (300_000, 80), (20_000, 10))
    ]
    told = explore("still", waits, costs, 9_000, "GETs").constants
    (searched, piped, multi), whole = told["ways"].values(), told["measured"][2]
    assert searched["points"] == [(20_000, 10), (300_000, 80)]
    assert (piped["points"], multi["points"]) == ([(9_000, 160)], [(9_000, 80)])
    assert (piped["at_once"], piped["ahead"]) == (300, 1)
    assert multi["own_us"] == pytest.approx((20_000 - 80) / 9_000)
    assert whole == {
        "way": "MULTI",
        "keys": 9_000,
        "count": 9_000,
        "worst": 10,
        "dots": [[0, 10], [5, 5]],
    }
    assert told["measured"][3]["count"] == 1_000 and told["measured"][3]["dots"] == []


def test_a_ping_waits_where_one_drops_it_and_for_a_slice_of_scan(opened):
    page = opened("?way=1&keys=290000&count=1000", SEARCHES)
    line = page.locator(".line")
    line.drag_to(line, source_position={"x": 1, "y": 9}, target_position={"x": 300, "y": 9})
    part = round(200 * 300 / line.bounding_box()["width"]) / 200
    moved = f"&way=1&ping={part:g}&keys=300000&each=20000&count=1000#who"
    page.wait_for_url(lambda url: url.endswith(moved))
    piece, worst, mean, total = map(shown, felt(TOLD["ways"]["SCAN"], 300_000, 1_000)[:4])
    apart = shown(TOLD["ways"]["SCAN"]["gap_us"] / 1_000)
    assert page.inner_text(".sentence").endswith(
        f". 300 pieces of {piece}, {apart} apart, {total} in all."
    )
    measured = next(each for each in TOLD["measured"] if each["count"] == 1_000)
    said = f"{worst}, measured {shown(measured['worst'])}"
    assert page.locator("fieldset span").all_inner_texts()[1] == said
    both = f"On average, all along: {mean}. Slowest PING measured: {shown(measured['worst'])}, "
    assert both in page.inner_text(".shown")
    page.get_by_label("COUNT").press("End")
    assert " 3 pieces of " in page.inner_text(".sentence")
    page.get_by_label("COUNT").press("Home")
    assert ". 30,000 pieces of " in page.inner_text(".sentence"), "scan_iter's own COUNT is 10"


def test_it_opens_where_all_was_measured_and_fits_a_phone(opened):
    page = opened("", SEARCHES, **PHONE)
    assert "not measured" not in page.inner_text("fieldset")
    assert page.is_visible(".line") and fits(page)
