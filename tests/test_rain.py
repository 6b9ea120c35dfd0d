"""The rain: every PING a drop, no slowest left out, a title that says no more than the runs."""

import pytest
from helpers import refusal
from legible import check_legible, words_of

import lab_utils as lab
from lab_utils.timing.bystanders import Bystander, run_of


def rained(worst_s, took=0.5, quick=60e-6, quiet=60e-6):
    """A Run with one pause of `worst_s` in its midst, felt by every PING that fell into it."""
    pings = []
    for ms in range(-50, round(1000 * took) + 50):
        due = ms / 1000
        left = worst_s - (due - took / 2) if took / 2 <= due else 0
        pings.append((due, left if left > quick else quick if 0 <= due < took else quiet))
    return run_of(pings, took)


def felt(*worst_s, **how):
    return Bystander([rained(each, **how) for each in worst_s])


MULTI, PIPELINE = felt(0.035, 0.0382, 0.107), felt(0.0031, 0.0044, 0.0052)


def title(figure):
    return " ".join(figure.get_suptitle().split())


def panels(figure):
    return [axes for axes in figure.axes if axes.get_visible()]


def test_the_title_names_the_most_and_the_least(r):
    figure = lab.plot_rain({"pipeline": PIPELINE, "MULTI": MULTI, "MSET": felt(0.02)})
    assert title(figure) == (
        "A bystander's slowest PING: 38.2 ms beside MULTI, 4.4 ms beside pipeline"
    )
    alone = {"the work": MULTI}
    assert title(lab.plot_rain(alone)) == "A bystander's slowest PING: 38.2 ms beside the work"
    assert title(lab.plot_rain(alone, "Everybody waits")) == "Everybody waits"
    # Runs that overlap tell nothing apart.
    same = felt(0.003, 0.02, 0.036)
    assert title(lab.plot_rain({"MULTI": MULTI, "slices": same})).endswith(
        " beside slices; their runs overlap"
    )


def test_panels_share_their_axes_and_show_quiet_before_and_after_the_middle_run(r):
    figure = lab.plot_rain({"pipeline": felt(0.003, took=1.0), "MULTI": MULTI})
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in panels(figure)}) == 1
    low, high = panels(figure)[0].get_xlim()
    assert low == pytest.approx(-50) and high == pytest.approx(1_049)
    [axes] = panels(lab.plot_rain({"the work": MULTI}))
    slowest = max(max(line.get_ydata()) for line in axes.lines)
    assert slowest == pytest.approx(38.2)


def test_it_says_what_a_ping_takes_without_the_work(r):
    def small_type(quiet):
        figure = lab.plot_rain({"the work": felt(0.03, quiet=quiet)})
        return figure.get_supxlabel().replace("\u00a0", " ")

    assert small_type(60e-6).endswith("with no work beside it a PING took up to 60 µs")
    assert small_type(4e-3).endswith("with no work beside it a PING took up to 4 ms")


NAMES = [
    "KEYS",
    "SCAN, COUNT 100,000",
    "a rather long name of a way that takes two lines",
    "MULTI",
    "mget",
]


@pytest.mark.parametrize("count", range(1, len(NAMES) + 1))
@pytest.mark.parametrize(
    "waits", [(0.0009, 0.038, 0.04), (250e-6,), (3.2, 2.9, 0.5)], ids=["usual", "short", "long"]
)
def test_it_can_be_read(r, count, waits):
    figure = lab.plot_rain(
        {
            name: felt(*waits, took=4 * max(waits) / (place + 1))
            for place, name in enumerate(NAMES[:count])
        }
    )
    check_legible(figure)
    assert NAMES[0] in [text.get_text() for text in words_of(figure)]


def test_what_it_measures_it_draws_and_it_needs_the_whole_answer(r, capsys):
    seen = lab.bystander(lambda r: r.execute_command("DEBUG", "SLEEP", "0.05"), r, runs=2)
    assert all(run.pings[0][0] < -0.03 and run.pings[-1][0] >= run.took for run in seen.runs)
    assert title(lab.plot_rain({"DEBUG SLEEP": seen})).endswith(" beside DEBUG SLEEP")
    assert capsys.readouterr().out.startswith("measured: DEBUG SLEEP: slowest PING ")
    assert "not only its .worst" in refusal(lab.plot_rain, {"MULTI": MULTI.worst})


def test_a_panel_tells_of_the_run_that_it_draws(r):
    runs = [rained(worst, took) for worst, took in ((0.03, 0.4), (0.04, 0.9), (0.05, 0.5))]
    texts = [text.get_text() for text in words_of(lab.plot_rain({"the work": Bystander(runs)}))]
    assert "shaded: the work, 900 ms\n3 runs: worst 30–50 ms" in texts
