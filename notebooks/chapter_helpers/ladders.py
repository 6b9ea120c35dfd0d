"""Draw ladder diagrams side by side: the messages of several functions that do the same work."""

from lab_utils.errors import LabError
from lab_utils.figures import style
from lab_utils.figures.ladder import by_turn, draw_ladders, took
from lab_utils.words import counted, plain_duration


def plot_ladders(captures: dict):
    """Draw the messages of each capture as a ladder; time runs downwards, in one scale for all.

    `captures` is {name: the Capture that `lab.capture` returned}, best two or three with a few
    messages each. Prints for each how often it waits for replies and how long it takes. Returns the
    matplotlib figure. Raises LabError without captures, and for one without messages.
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


def title_of(captures: dict) -> str:
    """Return a title such as '5 ms away: one by one waits 3 times, pipeline once'.

    `captures` is {name: the Capture that `lab.capture` returned}. The distance is left out if the
    captures differ in it.
    """
    far = {capture.rtt_ms for capture in captures.values()}
    where = f"{style.away(*far)}: " if len(far) == 1 else ""
    waits = []
    for name, capture in captures.items():
        turns = len(by_turn(capture.messages))
        times = "once" if turns == 1 else f"{turns} times"
        waits.append(f"{name} {times}" if waits else f"{name} waits {times}")
    return where + ", ".join(waits)
