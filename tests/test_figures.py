"""Every figure says its finding, labels its axes, can be read, and prints one line in words."""

import itertools
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest
from legible import broken_rules, faint_marks, long_title, words_of

import lab_utils as lab
from chapter_helpers.cells import plot_cells
from chapter_helpers.chain import plot_chain
from chapter_helpers.lock import plot_lock
from chapter_helpers.published import plot_published
from chapter_helpers.ruler import plot_ruler
from chapter_helpers.slots import plot_slots
from lab_utils.counting.wire import Capture, Message
from lab_utils.figures import canvas
from lab_utils.timing.comparison import Budget, Comparison
from lab_utils.timing.sweeps import Sweep


def compared(names=("loop", "pipeline", "mset"), rtts=(0, 5), seconds=0.05, ratio=0.2, outlier=1.0):
    """Return a made-up Comparison: each name takes `ratio` times as long as the name before it.

    The first takes `seconds` s. `rtts` are RTTs in ms; `outlier` is a factor of one sample.
    """
    samples, budgets = {}, {}
    for (place, name), rtt in itertools.product(enumerate(names), rtts):
        rounds = [seconds * ratio**place * (1 + rtt) * (1 + noise / 100) for noise in range(9)]
        median = rounds[4]
        samples[name, rtt] = [*rounds[:8], rounds[8] * outlier]
        budgets[name, rtt] = Budget(median, 0.5 * median, 0.3 * median, 0.2 * median)
    times = Comparison(dict.fromkeys(names), 100, samples)
    times.budgets = budgets
    return times


def swept(memory=None):
    sizes = 1, 10, 100, 1_000
    samples = {(str(size), 0): [(1_000 / size) * 0.05 / 1000 + 0.005] * 9 for size in sizes}
    times = Comparison({str(size): None for size in sizes}, 1_000, samples)
    return Sweep("commands a batch", times, sizes, memory)


def captured(turns=3, pieces=1):
    """Return a made-up Capture of `turns` GETs; a reply comes in `pieces`, 0.1 ms apart."""
    found = []
    for turn in range(turns):
        start, sent = turn * 0.005, b"*2\r\n$3\r\nGET\r\n$4\r\nkey%d\r\n" % turn
        found += [
            Message("request", start, start + 0.0025, sent),
            *[
                Message("reply", start + at + 0.0049, start + at + 0.0026, b"$6\r\nvalue1\r\n")
                for at in (piece / 10_000 for piece in range(pieces))
            ],
        ]
    return Capture(found, 5)


LONG = (
    "A title that says in a good many words what was found, so many indeed that it needs more "
    "than one line to say all of it"
)


def guessed(factor):
    """Return a stand-in for a guess, which is off by `factor` for any measured value."""
    return SimpleNamespace(hears=lambda measured, unit: factor)


MANY = ("loop", "pipeline", "mset", "transaction", "lua", "asyncio", "threads", "one more")
FIGURES = {
    "comparison": lambda: compared().plot(over="loop", said=guessed(3)),
    "comparison with outliers": lambda: compared(rtts=(1,), outlier=4).plot(),
    "dots with outliers": lambda: compared(ratio=0.05, outlier=4).plot(),
    "comparison of one": lambda: compared(("loop",)).plot(),
    "comparison at one distance": lambda: compared(rtts=(20,)).plot(over="mset"),
    "comparison of many": lambda: compared(MANY, (0, 0.25, 1, 5, 20), seconds=10, ratio=0.3).plot(),
    "comparison without a difference": lambda: compared(("a", "b"), ratio=1).plot(),
    "comparison, wild guess": lambda: compared().plot(said=guessed(100_000)),
    "comparison, own title": lambda: compared().plot(title=LONG),
    "budget": lambda: compared().plot_budget(),
    "budget at one distance": lambda: compared().plot_budget(rtt_ms=5),
    "sweep": lambda: swept().plot(),
    "sweep with memory": lambda: swept({1: 10_000, 10: 20_000, 100: 2e6, 1_000: 2e7}).plot(),
    "sweep, shaded": lambda: swept().plot(shaded_from=50),
    "measured elsewhere": lambda: lab.plot_bars(
        {"Jedis": [1.0]}, "ms", "Elsewhere", source="Redis 6 · redis-py 4 · Java 17"
    ),
    "wide letters": lambda: lab.plot_bars({"a": 1.5}, "ms", "W" * 40 + " " + "M" * 44),
    "long names": lambda: plot_published(
        "E1", {LONG[:61]: 5.071, "loop": 0.02}, {LONG[:61]: 4.9, "loop": 0.03}, 0.484
    ),
    "published": lambda: plot_published(
        "E1", {"loop": 5.071, "100 MSETs": 0.282}, {"loop": 4.9, "100 MSETs": 0.3}, 0.484
    ),
    "ladder of many turns": lambda: captured(50).plot(turns=4),
    "ladder of one turn": lambda: captured(1).plot(title=LONG),
    "ladder of a reply in pieces": lambda: captured(1, pieces=3).plot(),
    "bars": lambda: lab.plot_bars(
        {"loop": 1_000, "pipeline": 1}, "round trips", "A pipeline waits once", measured=False
    ),
    "bars on a log scale": lambda: lab.plot_bars(
        {"loop": 5.0, "pipeline": 0.0123}, "ms", LONG, log=True
    ),
    "lines": lambda: lab.plot_lines(
        {"keys": {1: 0.1, 999: 5.0}, "hash": {1: 0.1, 999: 0.11}, "index": {1: 0.1, 999: 0.12}},
        "keys in the database",
        "milliseconds",
        "KEYS grows with the database",
    ),
    "a spike": lambda: lab.plot_lines({"all": {600: 1_000}}, "s", "items", "All expire at once"),
    "lines on log scales": lambda: lab.plot_lines(
        {name: {10**x: 10.0 ** (x - 3) + at for x in range(6)} for at, name in enumerate(MANY)},
        "keys",
        "ms",
        LONG,
        log_x=True,
        log_y=True,
    ),
    "bars in groups": lambda: lab.plot_bars(
        {"one": {"loop": 3, "pipeline": 2}, "two": {"pipeline": 1}}, "ms", "A pipeline waits once"
    ),
    "panels": lambda: lab.plot_lines(
        {"near": {"loop": {1: 1, 10: 9}}, "far": {"loop": {1: 5, 10: 50}}},
        "keys",
        "ms",
        "A pause",
        shaded=(3, 5, "pause"),
        limit=(20, "the limit"),
    ),
    "chain": lambda: plot_chain(
        {
            "user": (1, []),
            "names": (50, ["user"]),
            "posts": (30, ["user"]),
            "authors": (30, ["posts"]),
        }
    ),
    "ruler": lambda: plot_ruler(
        {"one zone": (0.26, 0.9), "here": (0.03, 0.03), "New York": (70, 80, 56)}, "Far apart"
    ),
    "cells": lambda: plot_cells(
        {
            "GET k": [("lengths and line ends", "*2\r\n"), ("your words", "GET")],
            "orders": [("kept", 100), ("lost", 100)],
        },
        "items",
        "A GET of 7 ms",
    ),
    "lock": lambda: plot_lock(
        {"Alice": (0, 0.05, 0.09), "Bob": (0.06, 0.09, 0.14), "Carol": (0.09, 0.14, 0.14)},
        "Two hold it",
    ),
    "slots": lambda: plot_slots(
        {"tea": 3_216, "{cart}:tea": 15_749, "{cart}:mug": 15_749, "round trips": 0},
        [(0, 5_460), (5_461, 10_921), (10_922, 16_383)],
        "Braces decide on the slot",
    ),
}


def alt_of(figure):
    return figure._repr_mimebundle_()[1]["image/png"]["alt"]


def texts(figure):
    return [text.get_text() for text in words_of(figure)]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_keeps_the_rules_and_says_itself_in_one_line(lab_server, capfd, name):
    figure, told = FIGURES[name](), "".join(capfd.readouterr())
    assert plt.get_fignums() == [], "closed, so that Jupyter shows it once"
    assert told.count("\n") == 1 and len(told) > 10
    assert broken_rules(figure) == []
    title = canvas.title_of(figure)
    assert len(title) > 3
    assert alt_of(figure) == f"{title}. {told.strip().removeprefix('measured: ')}"
    units = ("milliseconds", "ms", "%", "MB", "round trips", "items")
    assert any(unit in text for text in texts(figure) for unit in units)


# What they say


def test_the_title_of_a_comparison_is_its_finding_and_says_no_more_than_the_rounds(r, capsys):
    title = canvas.title_of(compared().plot(over="loop"))
    assert title == "5 ms away: mset is 25x faster than loop"
    said = capsys.readouterr().out
    assert said.startswith("measured: pipeline is 5.0x faster than loop (5.0 to 5.0) at RTT 0 ms; ")
    assert canvas.title_of(compared(("a", "b"), ratio=1).plot()).endswith("(no different)")
    assert "no difference beyond noise" in capsys.readouterr().out
    assert "5.0x slower" in " ".join(texts(compared(rtts=(0,)).plot(over="pipeline")))
    few = Comparison({"a": None, "b": None}, 1, {("a", 0): [1.0], ("b", 0): [33.0]}, None, None)
    assert "too few rounds to tell" in canvas.title_of(few.plot())


def test_words_are_those_of_what_is_drawn(r, capsys):
    assert alt_of(FIGURES["a spike"]()).endswith("all 1,000 items at 600 s")
    assert "knee 100" in texts(FIGURES["sweep"]())
    assert "knee" not in alt_of(FIGURES["sweep, shaded"]())
    title = canvas.title_of(compared().plot_budget())
    assert title == "RTT 5 ms instead of 0 ms: loop takes 6x as long, 50% waiting"


def test_facts_are_printed_bare_and_measurements_marked(r, capsys):
    lab.plot_bars({"loop": 1_000}, "round trips", "A loop waits", measured=False)
    lab.plot_bars({"one": {"json": 3}}, "bytes", "A finding?", measured=False)
    figure = lab.plot_bars({"loop": 5.25}, "ms", "Does it take a while?")
    assert capsys.readouterr().out == (
        "loop 1,000 round trips\none: json 3 (bytes)\nmeasured: loop 5.25 ms\n"
    )
    assert alt_of(figure) == "Does it take a while? loop 5.25 ms"


def test_a_question_stands_after_what_it_needs(capsys):
    FIGURES["chain"]()
    assert capsys.readouterr().out == (
        "round trip 1: user; round trip 2: names, posts; round trip 3: authors\n"
    )


@pytest.mark.parametrize(
    "fitted, finding",
    [
        ((), "its figures come out up to 5.0x off"),
        (("b",), "“a”, not fitted, comes out within 2%"),
        (("c",), "what was not fitted comes out up to 5.0x off"),
    ],
)
def test_only_what_went_into_no_fit_is_evidence(r, capsys, remembered, fitted, finding):
    published, reproduced = {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.02, "b": 0.2, "c": 1.0}
    if fitted == ("b",):
        published.pop("c")
    figure = plot_published("What", published, reproduced, 0.5, fitted=fitted)
    assert canvas.title_of(figure) == f"What: {finding}"
    assert capsys.readouterr().out.count("(fitted)") == len(fitted)
    assert broken_rules(figure) == []


# The style


def test_every_mark_stands_out_from_the_page():
    assert list(faint_marks()) == []


def test_a_title_of_more_than_twelve_words_is_too_long():
    fits = "1 ms away, MULTI takes 1.2x a pipeline's 5.1 ms, by hand just 12x"
    assert list(long_title(fits)) == [] != list(long_title(f"{fits} again"))
