"""The claim that chapter 07 puts on trial: a script against the pipeline where work must look before it writes."""

from ...words import duration, many, milliseconds
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

CLEARLY = 1.2  # times faster
PATIENCE = 2  # round trips that everybody may wait for one script


@judge("C7", "For reading, computing and writing, a Lua script does better than a pipeline")
def c7(watch_turns, lua_turns, near_watch_s, near_lua_s, far_watch_s, far_lua_s, far_rtt_ms, pipeline_wait_s, script_wait_s,
       items):
    """Seconds of one read-compute-write by WATCH and by script, without distance and at `far_rtt_ms`; and what a bystander
    waited, in seconds, while the same was done to `items` keys by pipelines and by one script."""
    near, far = near_watch_s / near_lua_s, far_watch_s / far_lua_s
    one = f"one piece of work takes {many(lua_turns, 'round trip')} against {watch_turns:,} by a pipeline with WATCH"
    if lua_turns >= watch_turns or far < CLEARLY:
        return Verdict(FAILS, f"{one}, and is ~{far:.1f}x as fast at {milliseconds(far_rtt_ms)}")
    if near < CLEARLY:
        return Verdict(DEPENDS, f"on the distance: {one}; ~{far:.1f}x as fast at {milliseconds(far_rtt_ms)}, "
                                f"but ~{near:.1f}x without distance")
    gain = f"{one}, ~{near:.1f}x as fast without distance and ~{far:.1f}x at {milliseconds(far_rtt_ms)}"
    if script_wait_s < PATIENCE * far_rtt_ms / 1000:
        return Verdict(HOLDS, f"{gain}; and over {items:,} keys nobody waits for it longer than {duration(script_wait_s)}")
    turn = round(items * far_rtt_ms / 1000 / script_wait_s)
    return Verdict(DEPENDS, f"on how much one script does: {gain}; but over {items:,} keys a bystander waits "
                            f"{duration(script_wait_s)}, by pipelines {duration(pipeline_wait_s)}. Beyond ~{turn:,} keys in one "
                            f"script, everybody waits longer than a trip of {milliseconds(far_rtt_ms)}")
