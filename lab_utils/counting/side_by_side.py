"""Ways of doing the same work beside each other: watched once, drawn as lanes or as a race."""

from roundtrips.traces import Trace

from .. import setting
from ..arguments import check_number, check_title
from ..errors import LabError
from ..words import counted, plain_duration
from .watching import run_of_trace, watch

SHORTEST_FILM_S, LONGEST_FILM_S = 0.01, 120  # its pictures are all in memory at once


def plot_lanes(ways, client=None, title=None, parallel=False):
    """Draws {name: function of a client}, each once, on one linear axis of time: a lane for each connection.

    A box is a request on its way, from when it was handed to the system until the last of its reply was read: waiting,
    so it is pale. Orange is when nothing at all was on its way, so the client worked. Opening connections, requests
    without an answer or sent elsewhere by a cluster, and callers that wait for a connection of their pool are marked
    apart; a cluster's lanes stand by node. Many narrow boxes are drawn as the share of time waiting, many connections
    as how many of them wait.

    Functions may be `async def`. Each runs once unseen, so that its connections are open, then five times with redis-py
    tapped (fewer times if that takes over a second); the fastest run is drawn, the one least disturbed. The tap costs some µs a
    request. `parallel` is as in `lab.compare`. Prints one line in words and returns the Figure; its axis says in which
    unit time is. Raises LabError for anything but functions and a client, or where a function sends nothing; and
    whatever the functions raise.

    `lab.plot_lanes(t)` draws a Trace of `roundtrips`: what its block did, as far as it was kept whole.
    """
    check_title(title, "lab.plot_lanes")
    if isinstance(ways, Trace):
        return plot_trace(ways, title)
    if not setting.is_drawn():
        return None
    from ..figures.lanes import draw_lanes

    return draw_lanes(watch(ways, client, parallel), title)


def plot_trace(trace, title=None):
    """Draw the round trips of a Trace as lanes, a lane for each connection."""
    if not trace.log:
        raise LabError("Nothing was sent to Redis in this block, so there is nothing to draw. Let it use a client.")
    if not setting.is_drawn():
        return None
    from ..figures.lanes import draw_lanes

    share = min(1, trace.waiting / trace.seconds)
    found = f"{counted(trace.round_trips, 'round trip')} in {plain_duration(trace.seconds)}, {share:.0%} of it waiting"
    return draw_lanes({"what the block did": run_of_trace(trace)}, title or found)


def race(ways, client, seconds=10, parallel=False):
    """Runs {name: function of a client} as `lab.plot_lanes` does, and shows the runs beside each other, slowed down.

    A filled dot is a request on its way to Redis, a hollow one its reply; a bigger dot carries more than one command. The
    bar beneath is the time so far: pale where something was on its way, orange where the client worked. The slowest
    way takes `seconds` (0.01 to 120) to watch; clocks show its own time.

    Returns a Race: a notebook plays it when the cell is run; a run that nobody watches (CI, the committed outputs)
    shows the still last picture. Prints one line in words. `race(...).save("race.gif")` writes it as a GIF. Raises
    what `lab.plot_lanes` raises.
    """
    check_number(seconds, "seconds", SHORTEST_FILM_S, LONGEST_FILM_S)
    if not setting.is_drawn():
        return None
    from ..figures.lanes import tell
    from ..figures.racing import Race

    runs = watch(ways, client, parallel)
    tell(runs)
    return Race(runs, seconds)
