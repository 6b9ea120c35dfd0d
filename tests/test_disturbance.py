"""What is said of a busy machine, and to whom."""

from helpers import as_compared

import lab_utils as lab
from lab_utils import disturbance
from lab_utils.disturbance import Disturbance
from lab_utils.timing.comparison import Comparison

QUIET, BUSY, BUSIER = Disturbance(25, 25), Disturbance(3, 40, 0.23), Disturbance(0, 40, 0.5)


def test_claims_in_a_row_are_told_the_worst_since_those_before_and_a_chapter_its_worst():
    assert not disturbance.since_claim().busy
    assert not disturbance.so_far().busy
    for noted in (QUIET, BUSIER, BUSY):
        disturbance.note(noted)
    assert disturbance.since_claim() == disturbance.since_claim() == BUSIER
    disturbance.note(QUIET)
    assert (disturbance.since_claim(), disturbance.so_far()) == (QUIET, BUSIER)


def measured(seen):
    samples = {("loop", 0): [0.34] * 9, ("pipeline", 0): [0.012] * 9}
    return Comparison({"loop": None, "pipeline": None}, 1, samples, disturbance=seen)


def test_figures_say_it_of_what_they_draw_or_of_the_whole_kernel_unless_calm(r, capsys):
    times = measured(QUIET)
    assert "busy" not in drawn(times.plot) + capsys.readouterr().out + repr(times)
    assert drawn(measured(BUSY).plot) == (
        "the machine was busy: other programs took 23% of the time, so times may be too long"
    )
    assert "(the machine was busy: other programs took 23% of the time" in capsys.readouterr().out
    disturbance.note(BUSIER)
    bars = drawn(lambda: lab.plot_bars({"loop": 5.25}, "ms", "It takes a while"))
    assert bars.startswith(
        "in this kernel, at worst: the machine was busy: other programs took 50%"
    )


def test_a_verdict_says_once_that_the_machine_was_busy_which_changes_no_fact(r, capsys):
    times, quiet = measured(BUSY), measured(QUIET)
    assert "the machine was busy" in repr(times)
    assert as_compared(repr(times)) == as_compared(repr(quiet))
    told, calmly = (each.verdict("pipeline", "loop") for each in (times, quiet))
    assert told == f"{calmly}  ({BUSY.sentence()})" and "busy" not in calmly
    assert as_compared(told) == as_compared(calmly)
    times.plot()
    assert capsys.readouterr().out.count("the machine was busy") == 1


def drawn(plot):
    """Return the last line of the small text under the figure that `plot()` draws."""
    return plot().get_supxlabel().splitlines()[-1]
