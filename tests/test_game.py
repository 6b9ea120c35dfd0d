"""The small game of chapter 12: both pages say the same, and its tools do what they say."""

import sys

import pytest
from helpers import ROOT

import lab_utils as lab

sys.path.insert(0, str(ROOT / "notebooks"))
from game import data, mended, page


@pytest.fixture
def game():
    with lab.connect(decode_responses=True) as client:
        lab.empty(client)
        data.fill(client)
        yield client
        lab.empty(client)


CHANGES = {  # of what: (the change, whether all that there is to read is then one line)
    "nothing": (lambda r: None, False),
    "nobody logged in": (lambda r: r.delete(f"session:{data.TOKEN}"), True),
    "nothing in the feed": (lambda r: r.delete(f"feed:{data.VISITOR}"), False),
    "nobody played": (lambda r: r.delete("board"), False),
    "never here before": (lambda r: r.delete(f"hits:{data.VISITOR}"), False),
    "last visit": (lambda r: r.set(f"hits:{data.VISITOR}", page.LIMIT - 1), False),
    "too many visits": (lambda r: r.set(f"hits:{data.VISITOR}", page.LIMIT), True),
}


@pytest.mark.parametrize("change, refused", CHANGES.values(), ids=CHANGES)
def test_both_pages_say_the_same(game, change, refused):
    change(game)
    as_written = page.page(game, data.TOKEN)
    change(game)
    assert mended.page(game, data.TOKEN) == as_written
    assert (len(as_written.splitlines()) == 1) is refused


@pytest.mark.parametrize("made", [page.page, mended.page])
def test_a_visit_that_is_refused_changes_nothing_and_one_that_is_not_begins_an_hour(game, made):
    key = f"hits:{data.VISITOR}"
    for before, after, lives in (
        (page.LIMIT, page.LIMIT, 100),
        (page.LIMIT - 1, page.LIMIT, 3600),
        (5, 6, 3600),
    ):
        game.set(key, before, ex=100)
        made(game, data.TOKEN)
        assert int(game.get(key)) == after
        assert lives - 30 <= game.ttl(key) <= lives
