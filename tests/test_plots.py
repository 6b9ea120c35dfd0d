"""Every figure: it draws, says its finding as title, labels its axes, fits, can be read, and prints one line in words."""

import contextlib
import io
import re

import matplotlib.pyplot as plt
import nbformat
import pytest
from helpers import ROOT, refusal
from matplotlib import font_manager
from matplotlib.text import Text

import lab_utils as lab
from lab_utils.calm import Calm
from lab_utils.course import claims, state
from lab_utils.course.retrials import Retrial, Retried
from lab_utils.figures import plots
from lab_utils.figures.plots import looks
from lab_utils.timing.bystanders import Bystander, Run
from lab_utils.timing.comparison import Budget, Comparison
from lab_utils.timing.sweeps import Sweep
from lab_utils.tracing.wire import Capture, Message

SMALLEST_POINTS = 8


def compared(names=("loop", "pipeline", "mset"), rtts=(0, 5), seconds=0.05, ratio=0.2):
    """A Comparison as if measured: each name `ratio` of the time of the one before it."""
    samples = {}
    for rtt in rtts:
        for place, name in enumerate(names):
            samples[name, rtt] = [seconds * ratio**place * (1 + rtt) * (1 + noise / 100) for noise in range(9)]
    times = Comparison(dict.fromkeys(names), 100, samples)
    times.budgets = {key: Budget(median := sorted(rounds)[4], 0.5 * median, 0.3 * median, 0.2 * median)
                      for key, rounds in samples.items()}
    return times


def swept(memory=None):
    sizes = 1, 10, 100, 1_000
    samples = {(str(size), rtt): [(1_000 / size) * (rtt + 0.05) / 1000 + 0.005] * 9 for size in sizes for rtt in (0, 1, 5)}
    return Sweep("commands a batch", Comparison({str(size): None for size in sizes}, 1_000, samples), sizes, memory)


def captured(turns=3):
    found = []
    for turn in range(turns):
        start = turn * 0.005
        found.append(Message("request", start, start + 0.0025, b"*2\r\n$3\r\nGET\r\n$4\r\nkey%d\r\n" % turn))
        found.append(Message("reply", start + 0.0049, start + 0.0026, b"$6\r\nvalue1\r\n"))
    return Capture(found, 5)


def every_claim():
    claims.load_all()
    names = sorted(claims.CLAIMS, key=claims.order)
    tried = {name: Retried(name, name, claims.WORDS[place % 4], "", "") for place, name in enumerate(names)}
    tables = {f"{n} commands": {"published": {"loop": 0.1 * n, "1 MSET of 10,000": 0.01}, "rtt_ms": 0.1 * n,
                                "reproduced": {"loop": 0.11 * n, "1 MSET of 10,000": 0.02}} for n in (1, 7, 100)}
    return Retrial(tried, tables)


LONG = "A title that says in a good many words what was found, so many indeed that it needs more than one line to say all of it"
MANY = ("loop", "pipeline", "mset", "transaction", "lua", "asyncio", "threads", "one more")
FIGURES = {
    "comparison": lambda: compared().plot(over="loop", prediction=3),
    "comparison of one": lambda: compared(("loop",)).plot(),
    "comparison at one distance": lambda: compared(rtts=(20,)).plot(over="mset"),
    "comparison of many": lambda: compared(MANY, (0, 0.25, 1, 5, 20), seconds=10, ratio=0.3).plot(),
    "comparison without a difference": lambda: compared(("a", "b"), ratio=1).plot(),
    "comparison, wild prediction": lambda: compared().plot(prediction=100_000),
    "comparison, own title": lambda: compared().plot(title=LONG),
    "budget": lambda: compared().plot_budget(),
    "budget at one distance": lambda: compared().plot_budget(rtt_ms=5),
    "sweep": lambda: swept().plot(),
    "sweep with memory": lambda: swept({1: 10_000, 10: 20_000, 100: 2e6, 1_000: 2e7}).plot(),
    "prediction": lambda: lab.plot_prediction("1,000 SETs at 5 ms", 1.0, 5.07, 5.1),
    "prediction far off": lambda: lab.plot_prediction("one SET", 1e-6, 100e-6, 120e-6),
    "published": lambda: lab.plot_published(
        "E1", {"one by one": 5.071, "100 MSETs": 0.282}, {"one by one": 4.9, "100 MSETs": 0.3}, 0.484),
    "ladder": lambda: captured().plot(),
    "ladder of many turns": lambda: captured(50).plot(turns=4),
    "ladder of one turn": lambda: captured(1).plot(title=LONG),
    "bars": lambda: lab.plot_bars({"loop": 1_000, "pipeline": 1}, "round trips", "A pipeline waits once", measured=False),
    "bars on a log scale": lambda: lab.plot_bars({"loop": 5.0, "pipeline": 0.0123}, "ms", LONG, log=True),
    "lines": lambda: lab.plot_lines(
        {"keys": {1: 0.1, 1_000: 5.0}, "hash": {1: 0.1, 1_000: 0.11}, "index": {1: 0.1, 1_000: 0.12}},
        "keys in the database", "milliseconds", "KEYS grows with the database"),
    "lines on log scales": lambda: lab.plot_lines(
        {name: {10**x: 10.0 ** (x - 3) + place for x in range(6)} for place, name in enumerate(MANY)},
        "keys", "ms", LONG, log_x=True, log_y=True),
    "verdicts": lambda: every_claim().plot(),
    "published tables": lambda: every_claim().plot_tables(),
}


@pytest.fixture(scope="module", params=FIGURES.values(), ids=FIGURES)
def drawn(request, lab_server):
    """(figure, what it printed, how many figures Matplotlib holds open); laid out as it is when saved."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        figure = request.param()
    open_figures = plt.get_fignums()
    figure.savefig(io.BytesIO())
    return figure, told.getvalue(), open_figures


def words_of(figure):
    """Every text that can be seen, where it says something."""
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


def title_of(figure):
    return figure.axes[0].get_title(loc="left") or (figure.get_suptitle() or "")


def test_it_has_a_title_and_labels(drawn):
    figure, _, _ = drawn
    assert len(title_of(figure)) > 3
    for axes in figure.axes:
        labelled = [axis for axis in (axes.xaxis, axes.yaxis) if axis.get_label_text()]
        ticked = [axis for axis in (axes.xaxis, axes.yaxis)
                  if any(label.get_text() for label in axis.get_ticklabels() if label.get_visible())]
        assert labelled or ticked
    texts = " ".join(text.get_text() for text in words_of(figure))
    assert any(unit in texts for unit in ("milliseconds", "ms", "%", "MB", "round trips", "claims"))


def test_it_says_where_it_comes_from_in_small_type(drawn):
    figure, _, _ = drawn
    small = [text for text in words_of(figure) if "redis-py" in text.get_text()]
    assert len(small) == 1 and small[0].get_fontsize() == SMALLEST_POINTS


def test_nothing_is_too_small_to_read(drawn):
    figure, _, _ = drawn
    assert [text.get_text() for text in words_of(figure) if text.get_fontsize() < SMALLEST_POINTS] == []


def test_no_words_are_cut_off(drawn):
    figure, _, _ = drawn
    width, height = figure.canvas.get_width_height()
    cut, beyond = [], labels_beyond_the_axes(figure)
    for text in words_of(figure):
        box = text.get_window_extent()
        if text not in beyond and not (box.x0 >= -2 and box.x1 <= width + 2 and box.y0 >= -2 and box.y1 <= height + 2):
            cut.append((text.get_text(), box.extents.round().tolist(), (width, height)))
    assert cut == []


def labels_beyond_the_axes(figure):
    """Labels of ticks outside the limits, which Matplotlib keeps and does not draw."""
    found = []
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = (*axis.get_major_ticks(), *axis.get_minor_ticks())
            found += [tick.label1 for tick in ticks if not low <= tick.get_loc() <= high]
    return found


def test_it_prints_one_line_in_words(drawn):
    _, told, _ = drawn
    assert told.count("\n") == 1 and len(told) > 10


def test_it_is_closed_so_that_jupyter_shows_it_once(drawn):
    _, _, open_figures = drawn
    assert open_figures == []


# What they say


def printed(capsys, draw):
    figure = draw()
    return title_of(figure), capsys.readouterr().out


def test_the_title_of_a_comparison_is_its_finding(r, capsys):
    title, said = printed(capsys, lambda: compared().plot(over="loop"))
    assert " ".join(title.split()) == ("Against loop: pipeline 5.0x faster at RTT 0 ms, 5.0x faster at 5 ms; "
                                       "mset 25x faster at RTT 0 ms, 25x faster at 5 ms")
    assert said.startswith("measured: pipeline is 5.0x faster than loop (5.0 to 5.0) at RTT 0 ms; ")


def test_a_comparison_without_a_difference_claims_none(r, capsys):
    title, said = printed(capsys, lambda: compared(("a", "b"), ratio=1).plot())
    assert "no different" in title and "no difference beyond noise" in said


def test_a_slower_one_is_called_slower(r, capsys):
    title, _ = printed(capsys, lambda: compared(("loop", "pipeline"), rtts=(0,)).plot(over="pipeline"))
    assert "loop 5.0x slower" in title


def test_a_prediction_is_a_bar_of_its_own(r):
    texts = [text.get_text() for text in words_of(compared(("loop", "pipeline")).plot(prediction=3))]
    assert any("you said pipeline" in text and "3x faster" in text for text in texts)


def test_facts_are_printed_bare_and_measurements_marked(r, capsys):
    lab.plot_bars({"loop": 1_000, "pipeline": 1}, "round trips", "A pipeline waits once", measured=False)
    assert capsys.readouterr().out == "loop 1,000 round trips; pipeline 1 round trips\n"
    lab.plot_bars({"loop": 5.25}, "ms", "It takes a while")
    assert capsys.readouterr().out == "measured: loop 5.25 ms\n"


def test_a_ladder_says_how_many_turns_it_leaves_out(r):
    texts = [text.get_text() for text in words_of(captured(50).plot(turns=4))]
    assert "… and 46 more turns like these" in texts
    assert sum(text.startswith("GET key") for text in texts) == 4


def test_the_knee_is_marked(r):
    texts = [text.get_text() for text in words_of(swept().plot())]
    assert sum(text.startswith("knee ") for text in texts) == 3


def test_a_sweep_without_a_knee_names_none(r, capsys):
    samples = {(size, 0): rounds for size, rounds in (("1", [1.0, 2.0, 3.0]), ("10", [1.1, 1.9, 3.1]))}
    noisy = Sweep("commands a batch", Comparison({"1": None, "10": None}, 1, samples), (1, 10), None)
    title, said = printed(capsys, noisy.plot)
    assert "do not show" in title and said == "measured: RTT 0 ms: no knee shown, 1.9 s at 10, 2 s at 1\n"


@pytest.mark.parametrize("fitted, finding", [
    ((), "every figure comes out within 5.0x"),
    (("b",), "“a”, which did not go into the fit, comes out within 2%"),
    (("c",), "what did not go into the fit comes out within 5.0x"),
    (("a", "b", "c"), "every figure went into the fit, so none is evidence"),
])
def test_only_what_went_into_no_fit_is_evidence(r, capsys, remembered, fitted, finding):
    published, reproduced = {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.02, "b": 0.2, "c": 1.0}
    if len(fitted) == 1 and fitted[0] == "b":
        published.pop("c")
    title, said = printed(capsys, lambda: lab.plot_published("What", published, reproduced, 0.5, fitted=fitted))
    assert " ".join(title.split()) == f"What, at the fitted RTT of 0.5 ms: {finding}"
    assert said.count("(fitted)") == len(fitted)
    assert state.load("published")["What"]["fitted"] == list(fitted)


def test_a_fitted_figure_must_be_one_of_the_table():
    assert "There are: a" in refusal(lab.plot_published, "What", {"a": 1.0}, {"a": 1.0}, 0.5, fitted=("b",))


@pytest.mark.parametrize("seen, finding", [
    (Calm(9, 9, 0.0), "you were 2.0x off, the model 10% off"),
    (Calm(1, 9, 0.05), "you were 2.0x off, the model 10% off"),
    (Calm(1, 9, 0.4), "other programs took 40% of the time, too much to say who was how far off"),
])
def test_who_was_off_is_said_where_it_can_be_told(monkeypatch, r, capsys, seen, finding):
    monkeypatch.setattr(plots.calm, "so_far", lambda: seen)
    title, _ = printed(capsys, lambda: lab.plot_prediction("A cart", 2.0, 1.1, 1.0))
    assert " ".join(title.split()) == f"A cart: {finding}"


def test_few_rounds_are_no_finding(r, capsys):
    few = Comparison({"a": None, "b": None}, 1, {("a", 0): [1.0], ("b", 0): [33.0]}, None, None)
    title, said = printed(capsys, few.plot)
    assert "too few rounds to tell" in title and "too few rounds to tell (0.03x in 1 round)" in said


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_chapter_says_faster_on_its_own_account(path):
    """A title says it with a Ratio, f"{times.speedup(…)}", which says "no different" where that is what was found."""
    sources = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [source for source in sources if re.search(r"\}x (faster|slower)", source)] == []


# The style


def test_a_name_keeps_its_look_from_figure_to_figure():
    assert looks(["loop", "pipeline"])["pipeline"] == looks(["mset", "pipeline", "other"])["pipeline"]


def test_colours_and_hatches_tell_eight_names_apart():
    found = looks(MANY)
    assert len({colour for colour, _, _ in found.values()}) == len({hatch for _, hatch, _ in found.values()}) == len(MANY)


def test_the_style_does_not_leak(r):
    before = dict(plt.rcParams)
    compared().plot()
    assert dict(plt.rcParams) == before


def test_every_font_it_names_is_there():
    with plt.style.context(plots.STYLE):
        assert font_manager.findfont(font_manager.FontProperties(), fallback_to_default=False)


def test_a_bystander_can_be_drawn_as_bars(r, capsys):
    felt = Bystander([Run([(0.0, 0.001), (0.1, 0.2)], 0.3)])
    lab.plot_bars({"worst": felt.worst * 1000}, "ms", "Somebody else waited")
    assert capsys.readouterr().out == "measured: worst 200 ms\n"


def test_a_run_that_nobody_looks_at_draws_nothing_but_remembers_what_was_published(monkeypatch, remembered, capsys):
    monkeypatch.setenv("LAB_FIGURES", "off")
    assert lab.plot_bars({"loop": 1.0}, "ms", "one") is None
    assert lab.plot_published("E1", {"loop": 5.071}, {"loop": 4.9}, 0.484) is None
    assert capsys.readouterr().out == ""
    assert state.load("published")["E1"] == {"published": {"loop": 5.071}, "reproduced": {"loop": 4.9}, "rtt_ms": 0.484,
                                             "fitted": []}
