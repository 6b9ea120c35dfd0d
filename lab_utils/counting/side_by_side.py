"""Ways of doing the same work beside each other: watched once, drawn as lanes."""

from collections.abc import Callable

from roundtrips.traces import Trace

from .. import setting
from ..arguments import check_title
from ..errors import LabError
from ..words import counted, plain_duration
from .watching import run_of_trace, watch


def plot_lanes(ways: dict[str, Callable] | Trace, client=None, title: str | None = None, parallel: bool = False):
    """Draw each of {name: function of a client} on one axis of time, a lane for each connection.

    A box is a request on its way, from when it was handed to the system until the last of its reply
    was read: pale, since it is waiting. Orange is when nothing at all was on its way, so the client
    worked. Opening connections, requests without an answer, and those that a cluster sent elsewhere
    are marked apart; a cluster's lanes stand by node. Many narrow boxes are drawn as the share of
    time waiting, many connections as how many of them wait.

    Functions may be `async def`. Each runs once unseen, so that its connections are open, then five
    times with redis-py tapped, which costs some µs a request (fewer times if that takes over a
    second); the fastest run is drawn. `parallel` is as in `lab.compare`. Prints one line in words,
    returns the Figure. Raises LabError for anything but functions and a client, or where a function
    sends nothing; and whatever the functions raise.

    `lab.plot_lanes(t)` draws a Trace of `roundtrips`: what its block did, as far as it was kept.
    """
    check_title(title, "lab.plot_lanes")
    if not setting.is_drawn():
        return None
    from ..figures.lanes import draw_lanes

    if not isinstance(ways, Trace):
        return draw_lanes(watch(ways, client, parallel), title)
    if not ways.log:
        raise LabError("Nothing was sent to Redis in this block, so there is nothing to draw. Let it use a client.")
    found = (f"{counted(ways.round_trips, 'round trip')} in {plain_duration(ways.seconds)}, "
             f"{min(1, ways.waiting / ways.seconds):.0%} of it waiting")
    return draw_lanes({"what the block did": run_of_trace(ways)}, title or found)
