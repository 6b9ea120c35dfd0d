"""Who waits for whom: its arithmetic is Python's here, and a PING waits where one drops it."""
# ruff: noqa: F811  (fixtures are imported)

import random
from itertools import chain, pairwise, starmap

import pytest
from explored import CONSTANTS, FOLDER, browser, opened  # noqa: F401

COMPUTED = """vectors => vectors.map(([way, keys, atOnce, at]) => [serving(way, keys, atOnce), at]).map(([run, at]) =>
  [run.worst, run.mean, run.total, waitAt(run, at * run.total)])"""


def felt(way, keys, at_once, at=0):
    """[worst, mean, total, the wait of a PING at this part of the time] in ms: walked through, piece by piece."""
    points = [[0, 0], *way["points"]]
    (few, least), (many, most) = next((pair for pair in pairwise(points) if pair[1][0] >= keys), points[-2:])
    pieces = -(-keys // at_once)
    piece = (least + (keys - few) / (many - few) * (most - least)) / pieces / 1000
    starts = [place * (piece + way["gap_us"] / 1000) for place in range(pieces)]
    waits = [starts[min(place + way["ahead"], pieces - 1)] + piece - start for place, start in enumerate(starts)]
    due = at * (total := starts[-1] + piece)
    mine = [start + wait - due for start, wait in zip(starts, waits, strict=True) if start <= due < start + piece]
    return [max(waits), sum(wait - piece / 2 for wait in waits) * piece / total, total, *(mine or [0])]


def test_python_and_javascript_agree(browser):
    chance, page = random.Random(27), browser.new_page()
    points = [[1_000, 40], [50_000, 9_000]]
    vectors = [({"points": points[chance.randint(0, 1):], "gap_us": chance.choice([0, chance.uniform(0, 500)]),
                 "ahead": chance.randint(0, 1)}, chance.randint(1, 90_000), chance.randint(200, 90_000), chance.random())
               for _ in range(500)]
    page.add_script_tag(content=(FOLDER / "model.js").read_text(encoding="utf-8").replace("export ", ""))
    computed = page.evaluate(COMPUTED, vectors)
    page.close()
    assert [*chain(*computed)] == pytest.approx([*chain(*starmap(felt, vectors))], rel=0.005, abs=1e-9)


def test_a_ping_waits_where_one_drops_it_and_for_a_slice_of_scan(opened):
    page = opened("?way=0&keys=300000", "who")
    box = page.locator(".line").bounding_box()
    page.mouse.move(box["x"], box["y"] + 9)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 9)
    page.mouse.up()
    page.wait_for_url(lambda url: url.endswith("?way=0&keys=300000&count=1000&ping=0.5"))
    page.get_by_role("radio", name="SCAN").check()
    worst, mean, total, _ = felt(CONSTANTS["who"]["ways"]["SCAN"], 300_000, 1_000)
    assert page.inner_text(".sentence").endswith(f" 300 pieces of {1000 * worst:.3g}\u00a0µs: {total:.3g}\u00a0ms.")
    row = page.locator("fieldset span").all_inner_texts()[1]
    assert row == f"worst {1000 * worst:.3g}\u00a0µs, average {1000 * mean:.3g}\u00a0µs"
    page.get_by_label("COUNT").press("End")
    assert " 3 pieces of " in page.inner_text(".sentence")


def test_it_asks_first_and_fits_a_phone(opened):
    page = opened("", "who", viewport={"width": 360, "height": 740})
    page.fill("input[type=number]", "5")
    page.keyboard.press("Enter")
    worst = felt(CONSTANTS["who"]["ways"]["KEYS"], 300_000, 300_000)[0]
    assert page.inner_text(".answer") == f"KEYS among 300,000 keys: {worst:.3g}\u00a0ms, and you said 5\u00a0ms."
    assert page.is_visible(".line") and page.evaluate("document.documentElement.scrollWidth") <= 360
