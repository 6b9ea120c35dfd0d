"""Chapter 04: what is atomic, what is rolled back, and who holds the connection."""

from ...words import counted
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge


@judge("A3", "The three SETs of the capture left as one MULTI/EXEC transaction.", "a default of the client")
def a3(sets, default_commands, plain_commands):
    """Commands that crossed the wire for `sets` SETs: by pipeline() as it comes, and with transaction=False."""
    seen = f"{counted(sets, 'SET')} left as {counted(default_commands, 'command')} by pipeline()"
    adds = (f"MULTI and EXEC are redis-py's default and not the pipeline: with transaction=False the same {sets:,} SETs left as "
            f"{plain_commands:,} commands")
    return Verdict(HOLDS if default_commands == sets + 2 else FAILS, seen, adds)


@judge("C9", "A pipeline can't guarantee atomicity: other clients' commands may run in its midst.", "a default of the client")
def c9(looks, plain_midst, default_midst):
    """Of two runs watched by a second client: how many of its `looks` found a batch half done."""
    seen = (f"of a pipeline with transaction=False, a second client that looked ~{looks:,} times found it half done "
            f"~{plain_midst:,} times")
    adds = (f"redis-py's pipeline() wraps it in a transaction by default, the remedy that the article names: found half done "
            f"{default_midst:,} times")
    return Verdict(HOLDS if plain_midst else FAILS, seen, adds)


@judge("C10", "When a command in a pipeline fails, the later ones still run; there is no rollback.", "a default of the client")
def c10(commands, run_time_plain, run_time_multi, queue_time_plain, queue_time_multi):
    """Of `commands` of which one fails, how many were applied: it fails when run, or when queued; plain, and in MULTI."""
    rest = commands - 1
    seen = (f"of {rest} good commands around a wrong one, a plain pipeline applied {run_time_plain} where a type was wrong and "
            f"{queue_time_plain} where a command was unknown")
    adds = (f"redis-py's default is a transaction, and applied {run_time_multi} and {queue_time_multi}: it does not roll back "
            "either, but what the server notices while it queues spoils all of it")
    return Verdict(HOLDS if run_time_plain == queue_time_plain == rest else FAILS, seen, adds)


@judge("C11", "Don't use a pipeline where an earlier and a later command depend on each other.", "the command")
def c11(results_before_execute, turns, effects_kept):
    """How many of a pipeline's replies the client had in hand before execute(), the pipeline's round trips, and whether a later
    command found what an earlier one had written."""
    seen = (f"{counted(results_before_execute, 'result')} could be read before execute(), in a pipeline of "
            f"{counted(turns, 'round trip')}")
    adds = "a transaction does not mend the first kind: in MULTI the replies come with EXEC, when all has been sent"
    if results_before_execute:
        return Verdict(FAILS, seen, adds)
    if not effects_kept:
        return Verdict(HOLDS, f"{seen}, and a later command did not find what an earlier one had written", adds)
    return Verdict(DEPENDS, f"on what the later command needs: {seen}, so a command can't be built from an earlier reply. "
                            "One that needs only an earlier effect found it", adds)
