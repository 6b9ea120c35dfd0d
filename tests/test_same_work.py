"""Variants are compared only if they did the same work: the same reply, or the same keys afterwards."""

import pytest
import redis
from helpers import refusal

from lab_utils import same_work
from lab_utils.same_work import check_same_work

SAME = {
    "the same reply": (lambda r: r.mget("a", "b"), lambda r: [r.get("a"), r.get("b")]),
    "a list or a tuple": (lambda r: [1, 2], lambda r: (1, 2)),
    "the same keys, other replies": (lambda r: r.mset({"a": "1", "b": "2"}), lambda r: [r.set("a", "1"), r.set("b", "2")]),
    "the same keys, no reply": (lambda r: (r.set("a", "1"), None)[1], lambda r: (r.mset({"a": "1"}), None)[1]),
    "one of a kind": (lambda r: r.get("a"),),
}
DIFFERENT = {
    "another value": (lambda r: r.set("a", "1"), lambda r: r.set("a", "1") and r.set("a", "2") and 0),
    "another key": (lambda r: (r.set("a", "1"), None)[1], lambda r: (r.set("b", "1"), None)[1]),
    "another reply": (lambda r: r.get("a"), lambda r: r.get("b")),
    "fewer values": (lambda r: [r.get("a"), r.get("b")], lambda r: [r.get("a")]),
    "writing and not writing": (lambda r: (r.set("a", "1"), None)[1], lambda r: None),
    "a reply and none": (lambda r: r.get("a"), lambda r: (r.get("a"), None)[1]),
    "nothing at all": (lambda r: None, lambda r: None),
    "reading without returning": (lambda r: (r.get("a"), None)[1], lambda r: (r.get("b"), None)[1]),
}


def named(functions):
    return {f"variant{number}": function for number, function in enumerate(functions)}


@pytest.fixture
def stocked(r):
    r.mset({"a": "1", "b": "2"})
    return r


@pytest.mark.parametrize("functions", SAME.values(), ids=SAME)
def test_same(stocked, functions):
    check_same_work(named(functions), stocked)


@pytest.mark.parametrize("functions", DIFFERENT.values(), ids=DIFFERENT)
def test_different(stocked, functions):
    text = refusal(check_same_work, named(functions), stocked)
    assert "variant0" in text and "variant1" in text and "same=False" in text


def test_none_replies_are_no_evidence_and_it_says_what_would_be(stocked):
    text = refusal(check_same_work, named(DIFFERENT["reading without returning"]), stocked)
    assert "Let each return what it read" in text


def test_it_counts_the_changes_of_each(r):
    variants = {"few": lambda r: r.set("a", 1), "many": lambda r: [r.set(f"k{i}", 1) for i in range(1_500)]}
    text = refusal(check_same_work, variants, r)
    assert "few returned True and made 1 changes" in text and "made 1,500 changes" in text
    assert len(text) < 600


def test_setup_runs_before_each(r):
    check_same_work({"one": lambda r: r.incr("n"), "other": lambda r: r.incrby("n", 1)}, r, setup=lambda r: r.set("n", 0))
    refusal(check_same_work, {"one": lambda r: r.incr("n"), "other": lambda r: r.incrby("n", 1)}, r)


def test_async_and_plain_variants(r):
    async def asked(r):
        return await r.mget("a", "b")

    r.mset({"a": "1", "b": "2"})
    check_same_work({"asyncio": asked, "plain": lambda r: r.mget("a", "b")}, r)


def test_where_debug_is_not_allowed_values_are_still_compared(r, monkeypatch):
    plain = redis.Redis.execute_command

    def no_debug(self, *args, **options):
        if args[0] == "DEBUG":
            raise redis.ResponseError("DEBUG command not allowed")
        return plain(self, *args, **options)

    monkeypatch.setattr(redis.Redis, "execute_command", no_debug)
    check_same_work(named(SAME["the same keys, no reply"]), r)
    r.delete("b")
    refusal(check_same_work, named(DIFFERENT["another key"]), r)
    one = same_work.digest(r)
    r.set("another", 1)
    assert same_work.digest(r) != one
