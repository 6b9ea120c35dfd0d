"""The rain: every PING a drop, no slowest left out, a title that says no more than the runs."""

import pytest
from legible import broken_rules, title_of

import lab_utils as lab
from lab_utils.timing.bystanders import Bystander, Run


def rained(worst_s, took=0.5, quick=60e-6, quiet=60e-6):
    """Return a made-up Run in which another client's PINGs had to wait once, for `worst_s` seconds.

    The pause is in the middle of the `took` seconds; the other PINGs take `quick` seconds, and
    before and after the run `quiet` seconds.
    """
    pings = []
    for ms in range(-50, round(1000 * took) + 50):
        due = ms / 1000
        left = worst_s - (due - took / 2) if took / 2 <= due else 0
        pings.append((due, left if left > quick else quick if 0 <= due < took else quiet))
    return Run(pings, took)


def felt(*worst_s, **how):
    return Bystander([rained(each, **how) for each in worst_s])


MULTI, PIPELINE = felt(0.035, 0.0382, 0.107), felt(0.0031, 0.0044, 0.0052)


def test_the_title_names_the_most_and_the_least(r):
    figure = lab.plot_rain({"pipeline": PIPELINE, "MULTI": MULTI, "MSET": felt(0.02)})
    assert title_of(figure) == "Slowest PING: 38.2 ms beside MULTI, 4.4 ms beside pipeline"
    alone = {"the work": MULTI}
    assert title_of(lab.plot_rain(alone)) == "Slowest PING: 38.2 ms beside the work"
    # Runs that overlap tell nothing apart.
    same = felt(0.003, 0.02, 0.036)
    assert title_of(lab.plot_rain({"MULTI": MULTI, "slices": same})).endswith(
        "; MULTI and slices overlap"
    )


NAMES = [
    "KEYS",
    "SCAN, COUNT 100,000",
    "a rather long name of a way that takes two lines",
    "MULTI",
    "mget",
]


@pytest.mark.parametrize("count", (1, 3, len(NAMES)))
@pytest.mark.parametrize(
    "waits", [(0.0009, 0.038, 0.04), (250e-6,), (3.2, 2.9, 0.5)], ids=["usual", "short", "long"]
)
def test_it_can_be_read(r, count, waits):
    ways = {
        name: felt(*waits, took=4 * max(waits) / (place + 1))
        for place, name in enumerate(NAMES[:count])
    }
    assert broken_rules(lab.plot_rain(ways)) == []


def test_what_it_measures_it_draws(r, capsys):
    seen = lab.bystander(lambda r: r.execute_command("DEBUG", "SLEEP", "0.05"), r, runs=2)
    assert all(run.pings[0][0] < -0.03 and run.pings[-1][0] >= run.took for run in seen.runs)
    assert title_of(lab.plot_rain({"DEBUG SLEEP": seen})).endswith(" beside DEBUG SLEEP")
    assert capsys.readouterr().out.startswith("measured: DEBUG SLEEP: slowest PING ")
