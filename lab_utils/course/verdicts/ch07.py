"""The claim that chapter 07 puts on trial: a script against the pipeline where work must look before it writes."""

from ...words import counted, duration, milliseconds
from ..claims import FAILS, HOLDS, Verdict, judge

CLEARLY = 1.2  # times faster


@judge("C7", "For reading, computing and writing, a Lua script is in some cases more effective than a pipeline.", "the size")
def c7(watch_turns, lua_turns, near_watch_s, near_lua_s, far_watch_s, far_lua_s, far_rtt_ms, pipeline_wait_s, script_wait_s,
       items):
    """Seconds of one read-compute-write by WATCH and by script, without distance and at `far_rtt_ms`; and what a bystander
    waited, in seconds, while the same was done to `items` keys by pipelines and by one script."""
    near, far = near_watch_s / near_lua_s, far_watch_s / far_lua_s
    seen = (f"one piece of work takes {counted(lua_turns, 'round trip')} against {watch_turns:,} by a pipeline with WATCH, and "
            f"is ~{far:.1f}x as fast at {milliseconds(far_rtt_ms)}, ~{near:.1f}x without distance")
    turn = round(items * far_rtt_ms / 1000 / script_wait_s)
    adds = (f"everybody waits while a script runs: over {items:,} keys a bystander waited {duration(script_wait_s)}, by "
            f"pipelines {duration(pipeline_wait_s)}. From ~{turn:,} keys in one script on, that is longer than a trip of "
            f"{milliseconds(far_rtt_ms)}")
    effective = lua_turns < watch_turns and max(near, far) >= CLEARLY
    return Verdict(HOLDS if effective else FAILS, seen, adds)
