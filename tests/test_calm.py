"""What is said of a busy machine, and to whom."""

from helpers import as_compared

import lab_utils as lab
from lab_utils import calm
from lab_utils.calm import Calm
from lab_utils.timing.comparison import Comparison

QUIET, BUSY, BUSIER = Calm(25, 25), Calm(3, 40, 0.23), Calm(0, 40, 0.5)


def test_a_calm_machine_and_a_busy_one():
    assert not QUIET.busy and QUIET.sentence() == "the machine was calm"
    assert BUSY.busy
    assert BUSY.sentence() == (
        "the machine was busy: other programs took ~23% of the time, ~3 of ~40 rounds were quiet"
    )


def test_claims_in_a_row_are_told_the_worst_since_those_before_and_a_chapter_its_worst():
    assert not calm.since_claim().busy and not calm.so_far().busy, "nothing was measured"
    for noted in (QUIET, BUSIER, BUSY):
        calm.note(noted)
    assert calm.since_claim() == calm.since_claim() == BUSIER
    calm.note(QUIET)
    assert (calm.since_claim(), calm.so_far()) == (QUIET, BUSIER)


def measured(seen):
    samples = {("loop", 0): [0.34] * 9, ("pipeline", 0): [0.012] * 9}
    return Comparison({"loop": None, "pipeline": None}, 1, samples, calm=seen)


def test_figures_say_it_of_what_they_draw_or_of_the_whole_kernel_unless_calm(r, capsys):
    times = measured(QUIET)
    assert "busy" not in drawn(times.plot) + capsys.readouterr().out + repr(times)
    assert drawn(measured(BUSY).plot) == (
        "the machine was busy: other programs took 23% of the time, 3 of 40 rounds were quiet"
    )
    assert "(the machine was busy: other programs took 23% of the time" in capsys.readouterr().out
    calm.note(BUSIER)
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
    """The last line of the small type under a figure."""
    return plot().get_supxlabel().splitlines()[-1]
