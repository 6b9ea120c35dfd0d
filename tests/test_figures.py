"""Every figure says its finding, labels its axes, can be read, and prints one line in words."""

import copy
import io
import itertools

import matplotlib.pyplot as plt
import pytest
from helpers import refusal
from legible import TOLD_APART, broken_rules, distance, unreadable, words_of
from matplotlib import font_manager
from matplotlib.colors import to_hex

import lab_utils as lab
from chapter_helpers.chain import plot_chain
from chapter_helpers.lock import plot_lock
from chapter_helpers.ruler import plot_ruler
from chapter_helpers.slots import plot_slots
from lab_utils.counting.wire import Capture, Message
from lab_utils.course import state
from lab_utils.course.retrials import Retrial
from lab_utils.figures import canvas, style
from lab_utils.figures.canvas import title_of
from lab_utils.figures.cells import plot_cells
from lab_utils.figures.published import plot_table
from lab_utils.median import Median
from lab_utils.timing.comparison import Budget, Comparison
from lab_utils.timing.ratio import Ratio
from lab_utils.timing.sweeps import Sweep


def compared(names=("loop", "pipeline", "mset"), rtts=(0, 5), seconds=0.05, ratio=0.2):
    """A Comparison as if measured: each name `ratio` of the time of the one before it."""
    samples, budgets = {}, {}
    for (place, name), rtt in itertools.product(enumerate(names), rtts):
        rounds = [seconds * ratio**place * (1 + rtt) * (1 + noise / 100) for noise in range(9)]
        samples[name, rtt], median = rounds, rounds[4]
        budgets[name, rtt] = Budget(median, 0.5 * median, 0.3 * median, 0.2 * median)
    times = Comparison(dict.fromkeys(names), 100, samples)
    times.budgets = budgets
    return times


def swept(memory=None):
    sizes = 1, 10, 100, 1_000
    samples = {
        (str(size), rtt): [(1_000 / size) * (rtt + 0.05) / 1000 + 0.005] * 9
        for size in sizes
        for rtt in (0, 1, 5)
    }
    times = Comparison({str(size): None for size in sizes}, 1_000, samples)
    return Sweep("commands a batch", times, sizes, memory)


def captured(turns=3):
    found = []
    for turn in range(turns):
        start, sent = turn * 0.005, b"*2\r\n$3\r\nGET\r\n$4\r\nkey%d\r\n" % turn
        found += [
            Message("request", start, start + 0.0025, sent),
            Message("reply", start + 0.0049, start + 0.0026, b"$6\r\nvalue1\r\n"),
        ]
    return Capture(found, 5)


TABLES = {
    "100 PINGs": ({"loop": 0.791, "pipeline": 0.132}, ("loop", "pipeline")),
    "10,000 SETs": ({"loop": 3.42, "pipeline": 0.0725}, ("loop",)),
    "10,000 writes": (
        {"10,000 SETs": 5.07, "100 MSETs of 100": 0.282, "1 MSET of 10,000": 0.229},
        ("1 MSET of 10,000",),
    ),
}


def reproduced(factor):
    """Each published table, as if this machine took so many times as long."""
    return {
        what: {
            "published": published,
            "reproduced": {name: value * factor for name, value in published.items()},
            "rtt_ms": 0.5,
            "fitted": fitted,
        }
        for what, (published, fitted) in TABLES.items()
    }


LONG = (
    "A title that says in a good many words what was found, so many indeed that it needs more "
    "than one line to say all of it"
)
MANY = ("loop", "pipeline", "mset", "transaction", "lua", "asyncio", "threads", "one more")
FIGURES = {
    "comparison": lambda: compared().plot(over="loop", said=3),
    "comparison of one": lambda: compared(("loop",)).plot(),
    "comparison at one distance": lambda: compared(rtts=(20,)).plot(over="mset"),
    "comparison of many": lambda: compared(MANY, (0, 0.25, 1, 5, 20), seconds=10, ratio=0.3).plot(),
    "comparison without a difference": lambda: compared(("a", "b"), ratio=1).plot(),
    "comparison, wild guess": lambda: compared().plot(said=100_000),
    "comparison, own title": lambda: compared().plot(title=LONG),
    "budget": lambda: compared().plot_budget(),
    "budget at one distance": lambda: compared().plot_budget(rtt_ms=5),
    "sweep": lambda: swept().plot(),
    "sweep with memory": lambda: swept({1: 10_000, 10: 20_000, 100: 2e6, 1_000: 2e7}).plot(),
    "published": lambda: lab.plot_published(
        "E1", {"loop": 5.071, "100 MSETs": 0.282}, {"loop": 4.9, "100 MSETs": 0.3}, 0.484
    ),
    "ladder of many turns": lambda: captured(50).plot(turns=4),
    "ladder of one turn": lambda: captured(1).plot(title=LONG),
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
    "published tables": lambda: Retrial({}, reproduced(1.1)).plot_tables(),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_title_and_labels_keeps_the_rules_and_prints_one_line_in_words(
    lab_server, capfd, name
):
    """On a phone too."""
    figure, told = FIGURES[name](), "".join(capfd.readouterr())
    assert plt.get_fignums() == [], "closed, so that Jupyter shows it once"
    assert told.count("\n") == 1 and len(told) > 10
    figure.savefig(io.BytesIO())
    assert broken_rules(figure) == []
    assert list(unreadable(figure.narrow())) == []
    assert canvas.paper.width == canvas.WIDE and plt.get_fignums() == []
    assert len(title_of(figure)) > 3
    for axes in figure.axes:
        names = [axes.xaxis.label, axes.yaxis.label]
        ticks = [*axes.get_xticklabels(), *axes.get_yticklabels()]
        said = any(label.get_text() for label in names + ticks if label.get_visible())
        assert said or not axes.axison  # a page of words has none
    texts = " ".join(text.get_text() for text in words_of(figure))
    assert any(unit in texts for unit in ("milliseconds", "ms", "%", "MB", "round trips", "claims"))


# What they say


def test_the_title_of_a_comparison_is_its_finding_and_says_no_more_than_the_rounds(r, capsys):
    def printed(draw):
        return title_of(draw()), capsys.readouterr().out

    title, said = printed(lambda: compared().plot(over="loop"))
    assert title == "5 ms away: 312 ms in a loop, 62.4 ms in a pipeline, 12.5 ms with MSET"
    assert said.startswith("measured: pipeline is 5.0x faster than loop (5.0 to 5.0) at RTT 0 ms; ")
    title, said = printed(compared(("a", "b"), ratio=1).plot)
    assert title.endswith("(no different)") and "no difference beyond noise" in said
    figure = compared(("loop", "pipeline"), rtts=(0,)).plot(over="pipeline")
    assert any("5.0x slower" in text.get_text() for text in words_of(figure))
    few = Comparison({"a": None, "b": None}, 1, {("a", 0): [1.0], ("b", 0): [33.0]}, None, None)
    title, said = printed(few.plot)
    assert "too few rounds to tell" in title and "too few rounds to tell (0.03x in 1 round)" in said


def test_what_spans_decades_is_drawn_as_dots_on_a_log_axis_and_the_rest_as_bars(r):
    bars, dots = compared(rtts=(1,)).plot(), compared(rtts=(0, 5)).plot()
    assert bars.axes[0].get_xscale() == "linear" and len(bars.axes[0].containers) == 3
    assert dots.axes[0].get_xscale() == "log" and len(dots.axes[0].containers) == 0


def test_facts_are_printed_bare_measurements_marked_and_both_are_the_figures_words(r, capsys):
    FIGURES["bars"]()
    assert capsys.readouterr().out == "loop 1,000 round trips; pipeline 1 round trips\n"
    figure = lab.plot_bars({"loop": 5.25}, "ms", "It takes a while")
    assert capsys.readouterr().out == "measured: loop 5.25 ms\n"
    assert figure._repr_mimebundle_() == ({}, {"image/png": {"alt": "loop 5.25 ms"}})
    lab.plot_bars({"one": {"json": 3}}, "bytes", "a finding", measured=False)
    assert capsys.readouterr().out == "one: json 3 (bytes)\n"


def test_every_value_of_a_group_has_a_bar_and_a_name_keeps_its_look(r):
    axes = FIGURES["bars in groups"]().axes[0]
    assert [bar.get_width() for bar in axes.patches] == [3, 2, 1]
    loop, pipeline, again = (bar.get_facecolor() for bar in axes.patches)
    assert pipeline == again != loop
    down = sorted(
        axes.get_yticklabels(),
        key=lambda tick: tick.get_position()[1],
        reverse=not axes.yaxis_inverted(),
    )
    assert [tick.get_text() for tick in down] == ["one", "loop", "pipeline", "two", "pipeline"]
    lab.plot_bars({"one": {"json": 0, "pickle": 2}}, "bytes", "a finding", log=True)  # 0 has no log


def test_a_ladder_says_how_many_turns_it_leaves_out_and_marks_the_gap_on_the_servers_line(r):
    texts = [text.get_text() for text in words_of(captured(50).plot(turns=4))]
    assert "… and 46 more turns like these" in texts
    assert sum(text.startswith("GET key") for text in texts) == 4
    figure = captured(3).plot(gap="others may write")
    assert sum(text.get_text() == "others may write" for text in words_of(figure)) == 2
    gaps = [line for line in figure.axes[0].lines if line.get_color() == style.RISK]
    assert [list(line.get_ydata()) for line in gaps] == [
        pytest.approx([2.6, 7.5]),
        pytest.approx([7.6, 12.5]),
    ]


def test_a_reply_arrives_before_it_is_read(r):
    """One that lay at the client: its arrow ends where the way does; then the client works."""
    messages = [
        Message("request", 0, 0.0025, b"*1\r\n$4\r\nPING\r\n"),
        Message("reply", 0.02, 0.003, b"+PONG\r\n"),
    ]
    axes = Capture(messages, 5).plot().axes[0]
    [work] = [line.get_ydata() for line in axes.lines if line.get_color() == style.CLIENT]
    assert list(work) == pytest.approx([5.5, 20])


def test_a_question_stands_after_what_it_needs(capsys):
    FIGURES["chain"]()
    assert capsys.readouterr().out == (
        "round trip 1: user; round trip 2: names, posts; round trip 3: authors\n"
    )
    assert "no question before it" in refusal(plot_chain, {"names": (50, ["user"])})


def test_a_cell_stands_for_each_byte_and_a_bar_is_red_from_when_the_lock_was_lost(capsys):
    cells, held = FIGURES["cells"](), FIGURES["lock"]()
    assert [len(axes.patches) for axes in cells.axes] == [7, 200]
    assert capsys.readouterr().out.startswith(
        "GET k: 4 lengths and line ends, 3 your words (items); orders: 100 kept,"
    )
    wrong = [
        (bar.get_x(), bar.get_width())
        for bar in held.axes[0].patches
        if to_hex(bar.get_facecolor()).upper() == style.RISK
    ]
    assert wrong == [pytest.approx((50, 40)), pytest.approx((90, 50))]


def test_the_knee_is_marked_where_there_is_one(r):
    """At RTT 0; further away the largest size is the fastest, which is no knee."""
    figure = swept().plot()
    assert sum(", knee " in text.get_text() for text in words_of(figure)) == 1
    assert sum(line.get_markersize() == 16 for line in figure.axes[0].lines) == 1


@pytest.mark.parametrize(
    "fitted, finding",
    [
        ((), "its figures come out up to 5.0x off"),
        (("b",), "“a”, which did not go into the fit, comes out within 2%"),
        (("c",), "what did not go into the fit comes out up to 5.0x off"),
    ],
)
def test_only_what_went_into_no_fit_is_evidence(r, capsys, remembered, fitted, finding):
    published, reproduced = {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.02, "b": 0.2, "c": 1.0}
    if fitted == ("b",):
        published.pop("c")
    figure = lab.plot_published("What", published, reproduced, 0.5, fitted=fitted)
    assert " ".join(title_of(figure).split()) == f"What, at the fitted RTT of 0.5 ms: {finding}"
    assert capsys.readouterr().out.count("(fitted)") == len(fitted)
    assert state.load("published")["What"]["fitted"] == list(fitted)


def test_what_is_fitted_is_of_the_table_and_a_table_all_fitted_is_a_line(capsys, remembered):
    assert "There are: a" in refusal(
        lab.plot_published, "What", {"a": 1.0}, {"a": 1.0}, 0.5, fitted=("b",)
    )
    assert lab.plot_published("What", {"a": 1.0}, {"a": 1.1}, 0.5, fitted=["a"]) is None
    assert capsys.readouterr().out == "measured: a: published 1 s (fitted), here 1.1 s\n"
    assert state.load("published")["What"]["fitted"] == ["a"]


def test_a_budget_is_milliseconds_from_zero(r):
    """The work first, then the waiting; beside a distance, the work is enlarged."""
    [_] = compared(("loop",), rtts=(0,)).plot_budget().axes
    axes, _ = compared(("loop",), rtts=(1,)).plot_budget().axes
    starts = [(bar.get_x(), bar.get_width()) for bar in axes.patches if bar.get_y() < 0.5]
    assert starts == [*map(pytest.approx, ((0, 31.2), (31.2, 20.8), (52, 52)))]
    times = compared(("loop",), rtts=(0, 100))
    times.budgets["loop", 100] = Budget(5.0, 4.9, 0.05, 0.05)
    whole, enlarged = times.plot_budget().axes
    assert whole.get_xlim()[1] > 5_000 > 500 > enlarged.get_xlim()[1] > 100


def test_the_rounds_are_seen(r):
    times = compared(("loop", "pipeline"), rtts=(1,))
    [axes] = times.plot().axes
    assert rounds_in(axes) == rounds_in(times.plot_budget().axes[0]) == [9, 9]
    taken = compared(("loop",), rtts=(0,)).seconds("loop") * 1e3
    ways = {"scaled": taken, "a list": [1.0, 2.0, 4.0], "a number": 3.0}
    [bars] = lab.plot_bars(ways, "ms", "Three ways").axes
    assert rounds_in(bars) == [9, 3, 0]
    assert [bar.get_width() for bar in bars.patches] == [pytest.approx(52), 2, 3]


def rounds_in(axes):
    return [len(line.get_xdata()) for line in axes.lines if line.get_markersize() == 2.5]


def test_a_median_in_another_unit_keeps_its_rounds_and_a_factor_has_none():
    one, other = Median([1.0, 2.0, 9.0]), Median([4.0])
    assert (1e3 * one / 10, (1e3 * one / 10).rounds) == (200, (100, 200, 900))
    assert copy.deepcopy(one).rounds == one.rounds
    assert {type(each) for each in (one / other, one * other, one + other, other - 1)} == {float}


def test_who_measured_elsewhere_is_told_in_place_of_this_machine(r):
    told = "Redis 6 · redis-py 4 · Java 17"
    figure = lab.plot_bars({"Jedis": [1.0]}, "ms", "Elsewhere", measured=False, source=told)
    assert figure.get_supxlabel() == told and broken_rules(figure) == []


# The style


def test_a_way_is_known_by_its_whole_name_and_keeps_its_look():
    known = {
        "16 threads": "threads",
        "1,000 tasks": "asyncio",
        "asyncio pipeline": "pipeline",
        "MULTI": "transaction",
        "Loop": "one by one",
    }
    assert [style.way(name) for name in known] == [style.WAYS[way] for way in known.values()]
    for name in "1,000 plain", "calls", "read in plain Python", "my pipeline":
        assert style.way(name) == (style.NO_ROLE, "o")
    looks = [style.looks(names) for names in (["loop", "pipeline"], ["mset", "pipeline", "other"])]
    assert looks[0]["pipeline"] == looks[1]["pipeline"]


@pytest.mark.parametrize(
    "names",
    [
        MANY,
        ("16 threads", "64 threads", "asyncio", "asyncio pipeline", "pipeline"),
        ("json", "orjson", "pickle", "msgpack"),
        ("RTT 0 ms", "RTT 0.25 ms", "RTT 1 ms", "RTT 5 ms", "RTT 20 ms"),
        ("client", "server"),
    ],
)
def test_every_name_of_a_figure_has_its_own_look(names):
    found = style.looks(names)
    assert list(found) == list(names) and len(set(found.values())) == len(names)


def test_colours_that_meet_are_told_apart_by_the_colour_blind():
    ways = [color for color, _ in style.WAYS.values()]
    charts = [*ways, style.PUBLISHED, style.GUESS, style.NO_ROLE]
    time = [style.WAITING, style.CLIENT, style.SERVER, style.HANDSHAKE, style.FAILED]
    ladder = [style.WAITING, style.CLIENT, style.SERVER, style.MESSAGE, style.RISK]
    distances = [
        [style.DISTANCES[shade] for shade in shades] for shades in style.BY_NUMBER.values()
    ]
    groups = [
        charts,
        time,
        ladder,
        [*ways, *time],
        [*style.CELLS.values()],
        [*style.VERDICTS],
        *distances,
    ]
    assert [
        (one, other)
        for group in groups
        for one, other in itertools.combinations(dict.fromkeys(group), 2)
        if distance(one, other) < TOLD_APART
    ] == []
    assert distance("#D55E00", "#8A6D00") < 3 < distance("#FF0000", "#0000FF"), (
        "vermilion and brown, to protanopes"
    )


def test_a_colour_means_one_thing():
    time = {style.WAITING, style.WAITING_EDGE, style.CLIENT, style.SERVER}
    ways = [color for color, _ in style.WAYS.values()]
    markers = [marker for _, marker in style.WAYS.values()]
    assert len(set(ways)) == len(set(markers)) == len(style.WAYS)
    assert not {
        style.GUESS,
        *style.VERDICTS,
        style.PUBLISHED,
        style.NO_ROLE,
        *time,
        *style.DISTANCES,
    } & set(ways)
    assert not {*style.VERDICTS} & {*time, *style.DISTANCES, style.GUESS, style.PUBLISHED}


def test_panels_share_their_axes(r, capsys):
    figure = lab.plot_lines(
        {"near": {"loop": {1: 1, 10: 9}}, "far": {"loop": {1: 5, 10: 50}}},
        "keys",
        "ms",
        "A finding",
    )
    near, far = figure.axes
    assert near.get_ylim() == far.get_ylim() and near.get_xlim() == far.get_xlim()
    assert capsys.readouterr().out == (
        "measured: near: loop from 1 to 9 ms between 1 and 10 keys. "
        "far: loop from 5 to 50 ms between 1 and 10 keys\n"
    )


def test_a_ratio_shows_its_interval_and_the_title_may_say_it(r, capsys):
    faster, same = Ratio(2.0, 1.9, 2.5, 9, True), Ratio(1.1, 0.9, 1.3, 9, False)
    bars = lab.plot_bars(
        {"GET": faster, "SET": same}, "times as fast", f"A GET is {faster}, a SET {same}"
    )
    lines = lab.plot_lines({"GET": {1: same, 2: faster}}, "keys", "times as fast", "Two keys")
    ends, dots = (
        [line for line in bars.axes[0].lines if line.get_marker() == mark] for mark in "|o"
    )
    assert [tuple(line.get_xdata()) for line in ends] == [(1.9, 2.5), (0.9, 1.3)]
    filled = [dot.get_markerfacecolor() != style.PAPER for dot in dots[::2]]  # without their rounds
    assert bars.axes[0].get_xscale() == "log" and filled == [True, False]
    assert [
        tuple(line.get_ydata()) for line in lines.axes[0].lines if line.get_marker() == "_"
    ] == [(0.9, 1.3), (1.9, 2.5)]
    assert broken_rules(bars) == broken_rules(lines) == []
    assert capsys.readouterr().out == (
        "measured: GET 2.0x faster; SET no different\n"
        "measured: GET from no different to 2.0x faster between 1 and 2 keys\n"
    )
    assert {"2.0x faster", "no different"} < {text.get_text() for text in words_of(bars)}


def test_what_was_asked_has_a_line_and_so_has_a_ratio_at_one(r):
    figure = lab.plot_bars({"INCR": 150}, "visits", "one", measured=False, asked=100)
    assert "100 asked" in [text.get_text() for text in words_of(figure)]
    assert [line for line in figure.axes[0].lines if list(line.get_xdata()) == [100, 100]]
    for unit in "times faster", "one by one ÷ pipeline, times", "ms":
        for figure in (
            lab.plot_bars({"GET": 1.2}, unit, "one"),
            lab.plot_lines({"GET": {1: 0.9, 2: 2.0}}, "keys", unit, "one"),
        ):
            marked = "1x" in [text.get_text() for text in words_of(figure)]
            assert marked is (unit != "ms")


def test_the_style_does_not_leak_and_its_font_is_there(r):
    before = dict(plt.rcParams)
    compared().plot()
    assert dict(plt.rcParams) == before
    with plt.style.context(canvas.STYLE):
        assert font_manager.findfont(font_manager.FontProperties(), fallback_to_default=False)


def test_a_run_that_nobody_looks_at_draws_nothing_but_remembers_what_was_published(
    monkeypatch, remembered, capsys
):
    monkeypatch.setenv("LAB_FIGURES", "off")
    assert lab.plot_bars({"loop": 1.0}, "ms", "one") is None
    assert lab.plot_published("E1", {"loop": 5.071}, {"loop": 4.9}, 0.484) is None
    assert capsys.readouterr().out == ""
    assert state.load("published")["E1"] == {
        "published": {"loop": 5.071},
        "reproduced": {"loop": 4.9},
        "rtt_ms": 0.484,
        "fitted": [],
    }


@pytest.mark.parametrize("factor", [0.2, 1, 1.04, 5])
def test_published_tables_can_be_read_whatever_comes_out(factor, remembered):
    """Beside each other they share the room that the longest name takes."""
    tables = reproduced(factor)
    assert broken_rules(Retrial({}, tables).plot_tables()) == []
    for what, (published, fitted) in list(TABLES.items())[1:]:
        here = tables[what]["reproduced"]
        assert broken_rules(lab.plot_published(what, published, here, 0.5, fitted=fitted)) == []


def test_names_and_factors_find_room_beside_the_dots(r, remembered):
    published = {"prefix": 19.8e-3, "infix": 20.8e-3, "suffix": 8.18e-3}
    here = {"prefix": 9.94e-3, "infix": 9.78e-3, "suffix": 5.88e-3}
    assert broken_rules(plot_table("KEYS", published, here, 0.1)) == []
    name = "a way of writing ten thousand values that is longer than most"
    figure = lab.plot_published("E1", {name: 5.071, "loop": 0.02}, {name: 4.9, "loop": 0.03}, 0.484)
    assert not figure.axes[0].xaxis_inverted()
    low, high = figure.axes[0].get_xlim()
    assert low < 20 and high > 5_071


@pytest.mark.parametrize(
    "title", ["W" * 40 + " " + "M" * 44, "SCAN, COUNT 100,000 " * 8, "a short one"]
)
def test_a_title_is_as_wide_as_its_letters_are(title):
    assert broken_rules(lab.plot_bars({"loop": 1.5, "pipeline": 0.1}, "ms", title)) == []
