"""Ladders side by side: what crossed the link, of ways of doing the same work."""

from lab_utils.errors import LabError
from lab_utils.figures import style
from lab_utils.figures.ladder import by_turn, draw_ladders, took
from lab_utils.words import counted, plain_duration


def plot_ladders(captures):
    """Draw the ladder of each {name: Capture}; time runs downwards, on the same scale for all.

    Two or three captures of a few turns each; all messages are drawn. Raises LabError for none.
    """
    named = captures if isinstance(captures, dict) else {}
    if not named or not all(getattr(each, "messages", None) for each in named.values()):
        raise LabError(
            "plot_ladders needs captures by name, of functions that sent something. "
            'Pass {"loop": lab.capture(loop, far)} for instance.'
        )
    told = {
        name: f"{name}: {counted(len(by_turn(capture.messages)), 'wait')}, "
        f"{plain_duration(took(capture))}"
        for name, capture in captures.items()
    }
    ladders = [(capture.messages, capture.rtt_ms, told[name]) for name, capture in captures.items()]
    return draw_ladders(ladders, title_of(captures), "; ".join(told.values()))


def title_of(captures):
    """'5 ms away: 15.4 ms one by one, 5.07 ms in a pipeline'."""
    far = {capture.rtt_ms for capture in captures.values()}
    where = f"{style.away(*far)}: " if len(far) == 1 else ""
    return where + style.told({name: took(capture) for name, capture in captures.items()})
