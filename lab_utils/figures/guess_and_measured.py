"""What was measured, what the model says, and what the learner said."""

from ..arguments import check_positive, check_text, check_title, heard
from ..words import factor_off, plain_duration, times
from . import style
from .canvas import environment, say, set_title, styled
from .rows import Row, draw_rows, page, said_row

ALIKE = 1.05  # within this factor nothing is said about the difference


def plot_prediction(what, model_s, measured_s, said=None, title=None):
    """Dots on a log axis: what was measured and what the model says, in seconds; and what the learner `said`, a lab.guess.

    What was said is left out where it is no number above 0, and that is told. Raises LabError where the others are not.
    """
    check_text(what, "what")
    check_title(title, "lab.plot_prediction")
    check_positive(model_s, "model_s")
    check_positive(measured_s, "measured_s")
    return draw_prediction(what, model_s, measured_s, heard(said, measured_s, "s"), title)


@styled
def draw_prediction(what, model_s, measured_s, said_s, title):
    rows = [Row("measured", measured_s * 1000, plain_duration(measured_s), style.Look(style.NO_ROLE)),
            Row("model", model_s * 1000, plain_duration(model_s), style.Look(style.RULE, "o", filled=False))]
    if said_s:
        apart = {"note": too(said_s, measured_s), "since": measured_s * 1000} if factor_off(said_s, measured_s) > ALIKE else {}
        rows.append(said_row(said_s * 1000, plain_duration(said_s), **apart))
    blocks = {"": rows}
    figure, axes = page(blocks)
    draw_rows(axes, blocks, "milliseconds", log=True)
    set_title(axes, title or f"{what}: {plain_duration(measured_s)}; the model says {plain_duration(model_s)}")
    environment(axes)
    yours = f"you said {plain_duration(said_s)}, " if said_s else ""
    say(f"{what}: {yours}the model {plain_duration(model_s)}, the clock {plain_duration(measured_s)}")
    return figure


def too(said, measured):
    """'10.0x too low', '1.31x too high'."""
    return f"{times(factor_off(said, measured))} too {'low' if said < measured else 'high'}"
