"""Chapter 04: what is atomic, what is rolled back, who waits meanwhile, and who holds the connection."""

from ...words import duration, many, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

HURTS_S = 0.010  # a wait that somebody else notices
APART = 1.3  # times as long a wait, to call one way of sending worse for others


@judge("A3", "All the SETs of a pipeline form one MULTI/EXEC transaction.")
def a3(sets, default_commands, plain_commands):
    """Commands that crossed the wire for `sets` SETs: by pipeline() as it comes, and with transaction=False."""
    seen = (f"{many(sets, 'SET')} left as {many(default_commands, 'command')} by pipeline(), and as {plain_commands:,} with "
            "transaction=False")
    default, plain = default_commands == sets + 2, plain_commands == sets + 2
    if default and plain:
        return Verdict(HOLDS, seen)
    if default:
        return Verdict(DEPENDS, f"{seen}: MULTI and EXEC come from redis-py's default, not from the pipeline")
    return Verdict(FAILS, f"{seen}: no MULTI and no EXEC came with the pipeline")


@judge("C8", "Too many commands in one pipeline hurt: send fewer at a time.")
def c8(commands, pipeline_worst_s, multi_worst_s, batches_worst_s):
    """Seconds that a bystander's slowest PING took while `commands` ran: plain, in one MULTI, and in batches with MULTI."""
    seen = (f"{many(commands, 'SET')}: a bystander's slowest PING took {duration(pipeline_worst_s)} during one plain pipeline, "
            f"{duration(multi_worst_s)} during one MULTI, {duration(batches_worst_s)} during batches of 1,000 with MULTI")
    worse = multi_worst_s / pipeline_worst_s
    if worse >= APART and multi_worst_s >= HURTS_S:
        return Verdict(DEPENDS, f"{seen}. Others wait for a long transaction (~{times(worse)} as long), not for a long pipeline")
    if pipeline_worst_s >= HURTS_S:
        return Verdict(HOLDS, seen)
    return Verdict(FAILS, f"{seen}. Nobody else noticed")


@judge("C9", "A pipeline is not atomic: the server may run other clients' commands in its midst.")
def c9(looks, plain_midst, default_midst):
    """Of two runs watched by a second client: how many of its `looks` found a batch half done."""
    seen = (f"a second client looked ~{looks:,} times while a batch ran and found it half done ~{plain_midst:,} times with "
            f"transaction=False, {default_midst:,} times with pipeline() as it comes")
    if plain_midst and default_midst:
        return Verdict(HOLDS, seen)
    if plain_midst:
        return Verdict(DEPENDS, f"{seen}. True of a pipeline; redis-py's default wraps it in a transaction")
    return Verdict(FAILS, seen)


@judge("C10", "A command that fails does not stop the later ones, and nothing is rolled back.")
def c10(commands, run_time_plain, run_time_multi, queue_time_plain, queue_time_multi):
    """Of `commands` of which one fails, how many were applied: it fails when run, or when queued; plain, and in MULTI."""
    seen = (f"of {commands} commands, one of them wrong: a wrong type left {run_time_plain} applied in a plain pipeline and "
            f"{run_time_multi} in MULTI; an unknown command {queue_time_plain} and {queue_time_multi}")
    rest = commands - 1
    if run_time_plain < rest:
        return Verdict(FAILS, f"{seen}. An error stopped or undid the others")
    if min(run_time_multi, queue_time_plain, queue_time_multi) == rest:
        return Verdict(HOLDS, seen)
    return Verdict(DEPENDS, f"{seen}. Not for an error that the server notices while it queues a transaction: then nothing runs")


@judge("C11", "Commands in a pipeline cannot use each other's results.")
def c11(results_before_execute, turns):
    """How many of a pipeline's replies the client had in hand before execute(), and the pipeline's round trips."""
    seen = (f"{many(results_before_execute, 'result')} could be read before execute(), in a pipeline of "
            f"{many(turns, 'round trip')}")
    if not results_before_execute:
        return Verdict(HOLDS, f"{seen}. What the call returns is the pipeline itself")
    if turns > 1:
        return Verdict(DEPENDS, f"{seen}: each result was paid for with a turn of its own")
    return Verdict(FAILS, seen)


@judge("C13", "A pipeline monopolizes its connection until all its commands are done.")
def c13(queueing, executing, watching, plain_call):
    """Connections in use: while commands are queued, during execute(), after watch(), during a single call."""
    seen = (f"connections in use: {queueing} while commands are queued, {executing} during execute(), {watching} after watch(), "
            f"{plain_call} during any single call")
    if not executing:
        return Verdict(FAILS, seen)
    if queueing:
        return Verdict(HOLDS, seen)
    return Verdict(DEPENDS, f"{seen}. Only execute() holds one, as every call does; WATCH holds it in between too")
