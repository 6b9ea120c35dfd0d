"""Variants are compared only after the same work: the same reply, or the same keys."""

import pytest
from helpers import refusal

from lab_utils.timing import same_work
from lab_utils.timing.same_work import check_same_work

SAME = {
    "the same reply": (lambda r: r.mget("a", "b"), lambda r: [r.get("a"), r.get("b")]),
    "a list or a tuple": (lambda r: [1, 2], lambda r: (1, 2)),
    "the same keys, other replies": (
        lambda r: r.mset({"a": "1", "b": "2"}),
        lambda r: [r.set("a", "1"), r.set("b", "2")],
    ),
    "the same keys, no reply": (
        lambda r: (r.set("a", "1"), None)[1],
        lambda r: (r.mset({"a": "1"}), None)[1],
    ),
    "one of a kind": (lambda r: r.get("a"),),
    "the same commands, and nothing returned": (
        lambda r: (r.get("a"), None)[1],
        lambda r: (r.get("a"), None)[1],
    ),
    "the same commands, another way": (
        lambda r: [r.ping(), r.ping()],
        lambda r: r.pipeline().ping().ping().execute(),
    ),
    "the same reads in another order": (
        lambda r: (r.get("a"), r.get("b"), None)[2],
        lambda r: (r.get("b"), r.get("a"), None)[2],
    ),
    "the same values, stored in other ways": (
        lambda r: [r.set("json", '"x"'), r.get("json") and "x"][1],
        lambda r: [r.set("pickle", b"\x80x"), r.get("pickle") and "x"][1],
    ),
    "a missing value among values": (
        lambda r: r.mget("a", "nothing"),
        lambda r: [r.get("a"), r.get("nothing")],
    ),
    # What moves on from run to run begins at the same place.
    "INCR": (lambda r: r.incrby("a", 2), lambda r: [r.incr("a"), r.incr("a")]),
    "LPUSH": (lambda r: [r.lpush("list", i) for i in "xyz"], lambda r: r.lpush("list", *"xyz")),
    "a transaction": (
        lambda r: r.pipeline().incr("a").incr("n").execute(),
        lambda r: [r.incr("a"), r.incr("n")],
    ),
    "DELETE": (lambda r: [r.delete("a"), r.delete("b")], lambda r: r.delete("a", "b")),
    "SPOP": (lambda r: r.spop("set", 5), lambda r: [r.spop("set") for _ in range(5)]),
}
DIFFERENT = {
    "another key": (lambda r: (r.set("a", "1"), None)[1], lambda r: (r.set("b", "1"), None)[1]),
    "another reply": (lambda r: r.get("a"), lambda r: r.get("b")),
    "fewer values": (lambda r: [r.get("a"), r.get("b")], lambda r: [r.get("a")]),
    "writing and not writing": (lambda r: (r.set("a", "1"), None)[1], lambda r: None),
    "a reply and none": (lambda r: r.get("a"), lambda r: (r.get("b"), None)[1]),
    "nothing at all": (lambda r: None, lambda r: None),
    "True for another value": (lambda r: r.set("c", "1"), lambda r: r.set("c", "2")),
    "1 for another field": (lambda r: r.hset("h", "x", "1"), lambda r: r.hset("h", "y", "1")),
    "OK for another value": (
        lambda r: b"OK" if r.set("c", "1") else 0,
        lambda r: b"OK" if r.set("c", "2") else 0,
    ),
    "statuses of a pipeline": (
        lambda r: r.pipeline().set("c", 1).set("d", 1).execute(),
        lambda r: r.pipeline().set("c", 1).set("d", 2).execute(),
    ),
    "PONG, more or less often": (lambda r: r.ping(), lambda r: [r.ping(), r.ping()]),
    "the same commands in another order": (
        lambda r: (r.set("c", 1), r.set("c", 2)),
        lambda r: (r.set("c", 2), r.set("c", 1)),
    ),
    "nothing found": (lambda r: r.mget("x", "y"), lambda r: [None, None]),
    "reading without returning": (lambda r: (r.get("a"), None)[1], lambda r: (r.get("b"), None)[1]),
}


def named(functions):
    return {f"variant{number}": function for number, function in enumerate(functions)}


@pytest.fixture
def stocked(r):
    r.mset({"a": "1", "b": "2"})
    r.sadd("set", *range(5))
    return r


@pytest.mark.parametrize("functions", SAME.values(), ids=SAME)
def test_same(stocked, functions):
    check_same_work(named(functions), stocked)


@pytest.mark.parametrize("functions", DIFFERENT.values(), ids=DIFFERENT)
def test_different(stocked, functions):
    text = refusal(check_same_work, named(functions), stocked)
    assert "variant0" in text and "variant1" in text and "same=False" in text


def test_what_would_be_evidence_is_said_and_how_much_each_changed(stocked, r):
    text = refusal(check_same_work, named(DIFFERENT["reading without returning"]), stocked)
    assert "Let each return what it read" in text
    variants = {
        "few": lambda r: r.set("a", 1),
        "many": lambda r: [r.set(f"k{i}", 1) for i in range(1_500)],
    }
    text = refusal(check_same_work, variants, r)
    assert "few returned True and made 1 changes" in text and "made 1,500 changes" in text
    assert len(text) < 600


def test_a_large_database_is_not_set_back_and_needs_a_setup_which_runs_before_each(r):
    r.mset({"n": 0} | dict.fromkeys(range(same_work.MOST_KEYS), ""))
    variants = {"one": lambda r: r.incrby("n", 2), "other": lambda r: [r.incr("n"), r.incr("n")]}
    refusal(check_same_work, variants, r)
    check_same_work(variants, r, setup=lambda r: r.set("n", 0))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of a coroutine that nobody awaited
def test_an_async_variant_beside_a_plain_one_and_one_without_await(stocked):
    async def asked(r):
        return await r.mget("a", "b")

    async def forgot(r):
        r.mget("a", "b")

    check_same_work({"asyncio": asked, "plain": lambda r: r.mget("a", "b")}, stocked)
    variants = {"asyncio": forgot, "plain": lambda r: r.mget("a", "b")}
    assert "forget await" in refusal(check_same_work, variants, stocked)
