"""Several ladders side by side on one scale of time, so that the eye compares how far down each goes."""

import textwrap

from ..arguments import check_title
from ..errors import LabError
from ..words import many, plain_duration
from .plots import TITLE_WIDTH, bundles, count_turns, draw_bundle, environment, plt, say, styled


@styled
def plot_ladders(captures, title=None):
    """The ladder of each {name: Capture}, side by side; time runs downwards, and the scale is the same for all.

    Two or three captures of a few turns each; all their messages are drawn. Raises LabError for none.
    """
    if not isinstance(captures, dict) or not captures or not all(getattr(each, "messages", None) for each in captures.values()):
        raise LabError('lab.plot_ladders needs captures by name, of functions that sent something. '
                       'Pass {"loop": lab.capture(loop, far)} for instance.')
    check_title(title, "lab.plot_ladders")
    end = max(took(capture) for capture in captures.values()) * 1000
    figure, panels = plt.subplots(1, len(captures), sharey=True, squeeze=False, figsize=(9, 5.2))
    for axes, (name, capture) in zip(panels[0], captures.items(), strict=True):
        draw_ladder(axes, capture, end)
        axes.set_xlabel(f"{name}: {in_words(capture)}")
    panels[0][0].set_ylabel("milliseconds since the first request left")
    found = "; ".join(f"{name}: {in_words(capture)}" for name, capture in captures.items())
    figure.suptitle("\n".join(textwrap.wrap(title or found, TITLE_WIDTH)), x=0.01, ha="left", fontsize=13, fontweight="bold")
    environment(panels[0][0], sorted({capture.rtt_ms for capture in captures.values()}))
    say(found)
    return figure


def draw_ladder(axes, capture, end):
    """Client and server as verticals from 0 down to `end` milliseconds, and every message between them."""
    axes.grid(False)
    for place, name in ((0, "client"), (1, "server")):
        axes.plot([place, place], [-0.02 * end, end * 1.04], color="#333333", linewidth=2)
        axes.text(place, -0.04 * end, name, ha="center", va="bottom", fontweight="bold")
    for bundle in bundles(capture.messages, end / 1000):
        draw_bundle(axes, bundle)
    axes.set_xlim(-0.45, 1.35)
    axes.set_ylim(end * 1.04, -0.1 * end)
    axes.set_xticks([])


def took(capture):
    """Seconds from the first request's start to the last reply's arrival."""
    return max(message.at_client for message in capture.messages)


def in_words(capture):
    return f"{many(count_turns(capture.messages), 'wait')}, {plain_duration(took(capture))}"
