"""Chapter 01: what a round trip costs, and what a fresh connection hides."""

from ...words import duration, many, milliseconds, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

TWO_AT_ONCE = 2  # the least that would break the ceiling: two requests on their way at the same time
SERVER_HAS_ROOM = 20  # times the client's rate that the server must manage to call the client's wait the limit
SLOWER = 1.5  # "becomes slow"
NO_SLOWER = 1.1
GAIN_HIDDEN = 2  # the true gain is at least this many times the published one
SAME_GAIN = 1.5


@judge("C1", "At an RTT of 250 ms a client gets at most 4 requests a second, though the server could do 100,000.")
def c1(rtt_ms, request_s, served_s):
    """`request_s` is one request on a connection that waits for it, `served_s` a command's share of one big pipeline."""
    rate, ceiling, served = 1 / request_s, 1000 / rtt_ms, 1 / served_s
    seen = (f"one connection that waits got ~{rate:,.1f} requests a second at {milliseconds(rtt_ms)}; the same server "
            f"answered a pipeline at ~{served:,.0f} a second")
    if rate >= TWO_AT_ONCE * ceiling:
        return Verdict(FAILS, f"{seen}, and 1/RTT is no ceiling")
    if served < SERVER_HAS_ROOM * rate:
        return Verdict(DEPENDS, f"{seen}, so here the server is as much the limit as the distance")
    return Verdict(HOLDS, f"{seen}. It is the limit of a connection that waits, not of the client or the server")


@judge("C2", "A pipeline turns N round trips into 1.")
def c2(commands, loop_trips, pipeline_trips):
    seen = f"{many(commands, 'command')}: {many(loop_trips, 'round trip')} in a loop, {pipeline_trips:,} in a pipeline"
    if pipeline_trips == 1 and loop_trips == commands:
        return Verdict(HOLDS, seen)
    if pipeline_trips < loop_trips:
        return Verdict(DEPENDS, f"{seen}: fewer, but not N to 1")
    return Verdict(FAILS, seen)


@judge("C6", "A pipeline makes 100 PINGs 6 times faster: 0.132 s instead of 0.791 s.")
def c6(rtt_ms, published_gain, connecting_gain, open_gain):
    """Gains are loop over pipeline: as published, here with a connection opened in each arm, and with one already open."""
    seen = (f"at the fitted RTT of ~{rtt_ms:.2g} ms the pipeline gains ~{times(connecting_gain)} when each arm opens its own "
            f"connection, and ~{times(open_gain)} on one that is open")
    if open_gain >= GAIN_HIDDEN * published_gain:
        return Verdict(DEPENDS, f"{seen}. The published {times(published_gain)} is mostly the set-up that both arms paid")
    if open_gain >= published_gain / SAME_GAIN:
        return Verdict(HOLDS, seen)
    return Verdict(FAILS, seen)


@judge("D1", "Across availability zones, commands sent one by one become slow.")
def d1(near_ms, far_ms, loop_near_s, loop_far_s, pipeline_far_s):
    """Seconds of the same work in one zone (`near_ms`) and across two (`far_ms`)."""
    slower = loop_far_s / loop_near_s
    seen = (f"one by one took {duration(loop_near_s)} at {milliseconds(near_ms)} and {duration(loop_far_s)} at "
            f"{milliseconds(far_ms)}, ~{times(slower)} as long; in one pipeline {duration(pipeline_far_s)}")
    if slower >= SLOWER:
        return Verdict(HOLDS, seen)
    return Verdict(FAILS if slower <= NO_SLOWER else DEPENDS, seen)
