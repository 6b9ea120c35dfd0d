"""What the learner said, what the model says, and what was measured."""

from .. import calm
from ..arguments import check_positive, check_text, check_title
from ..words import factor_off, plain_duration
from . import style
from .canvas import environment, say, set_title, styled
from .comparison import heard
from .rows import Row, draw_rows, page, said_row


def plot_prediction(what, you_s, model_s, measured_s, title=None):
    """Dots on a log axis: what the learner said, what the model says, what was measured; all in seconds.

    What the learner said is left out, and that is said, where it is no number above 0. Raises LabError where the others are not.
    """
    check_text(what, "what")
    check_title(title, "lab.plot_prediction")
    check_positive(model_s, "model_s")
    check_positive(measured_s, "measured_s")
    return draw_prediction(what, heard(you_s), model_s, measured_s, title)


@styled
def draw_prediction(what, you_s, model_s, measured_s, title):
    rows = [Row("model", model_s * 1000, plain_duration(model_s), style.Look(style.RULE, "o", filled=False)),
            Row("measured", measured_s * 1000, plain_duration(measured_s), style.Look(style.NO_ROLE))]
    rows = ([said_row(you_s * 1000, plain_duration(you_s))] if you_s else []) + rows
    blocks = {"": rows}
    figure, axes = page(blocks)
    draw_rows(axes, blocks, "milliseconds", log=True)
    set_title(axes, title or f"{what}: {who_was_off(you_s, model_s, measured_s, calm.so_far())}")
    environment(axes)
    yours = "" if you_s is None else f"you said {plain_duration(you_s)}, "
    say(f"{what}: {yours}the model {plain_duration(model_s)}, the clock {plain_duration(measured_s)}")
    return figure


def who_was_off(you_s, model_s, measured_s, seen):
    """'you were 1.7x off, the model 3% off'; on a machine that was too busy to tell, that it was. `seen` is a Calm."""
    nearest = min(factor_off(said, measured_s) for said in (you_s, model_s) if said is not None)
    if seen.busy and nearest < 1 + seen.taken_share:
        return f"other programs took {seen.taken_share:.0%} of the time, too much to say who was how far off"
    yours = "" if you_s is None else f"you were {off_by(you_s, measured_s)}, "
    return f"{yours}the model {'is ' if you_s is None else ''}{abs(model_s / measured_s - 1):.0%} off"


def off_by(said, measured):
    factor = factor_off(said, measured)
    return f"{abs(said / measured - 1):.0%} off" if factor < 1.5 else f"{factor:.1f}x off"
