"""Chapter 01: what a round trip costs."""

from ...words import counted, duration, milliseconds, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

TWO_AT_ONCE = 2  # the least that would break the ceiling: two requests on their way at the same time
SERVER_HAS_ROOM = 20  # times the client's rate that the server must manage to call the client's wait the limit
SLOWER = 1.5  # "becomes slower"
NO_SLOWER = 1.1


@judge("C1", "At an RTT of 250 ms, a client that sends one request after another gets at most 4 a second.", "the distance")
def c1(rtt_ms, request_s, served_s):
    """`request_s` is one request on a connection that waits for it, `served_s` a command's share of one big pipeline."""
    rate, ceiling, served = 1 / request_s, 1000 / rtt_ms, 1 / served_s
    seen = f"one connection that waits got ~{rate:,.1f} requests a second at {milliseconds(rtt_ms)}"
    adds = (f"the same server answered a pipeline at ~{served:,.0f} a second: it is the limit of a connection that waits, "
            "not of the client or of the server")
    if rate >= TWO_AT_ONCE * ceiling:
        return Verdict(FAILS, f"{seen}, and 1/RTT is no ceiling", adds)
    if served < SERVER_HAS_ROOM * rate:
        return Verdict(DEPENDS, f"on the server: {seen}, and the server is as much the limit as the distance", adds)
    return Verdict(HOLDS, seen, adds)


@judge("C2", "A pipeline makes one network trip of N.")
def c2(commands, loop_trips, pipeline_trips):
    seen = f"{counted(commands, 'command')}: {counted(loop_trips, 'round trip')} in a loop, {pipeline_trips:,} in a pipeline"
    if pipeline_trips == 1 and loop_trips == commands:
        return Verdict(HOLDS, seen)
    if pipeline_trips < loop_trips:
        return Verdict(DEPENDS, f"on the client: {seen}, fewer, but not N to 1")
    return Verdict(FAILS, seen)


@judge("D1", "From another availability zone, commands sent one by one become slower.", "the distance")
def d1(near_ms, far_ms, loop_near_s, loop_far_s, pipeline_far_s):
    """Seconds of the same work in one zone (`near_ms`) and across two (`far_ms`)."""
    slower = loop_far_s / loop_near_s
    seen = (f"one by one took {duration(loop_near_s)} at {milliseconds(near_ms)} and {duration(loop_far_s)} at "
            f"{milliseconds(far_ms)}, ~{times(slower)} as long")
    adds = f"the same work in one pipeline took {duration(pipeline_far_s)} at {milliseconds(far_ms)}"
    if slower >= SLOWER:
        return Verdict(HOLDS, seen, adds)
    return Verdict(FAILS, seen, adds) if slower <= NO_SLOWER else Verdict(DEPENDS, f"on the distance: {seen}", adds)
