"""Chapter 08: calls side by side, over a pool of connections or over one, against a pipeline."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, UNTESTED, Verdict, judge

AS_WELL = 1.5  # up to this many times the pipeline's time
MORE_CPU = 2  # times the CPU of the same work in a pipeline


@judge("D4", "Up to 100 records a Java parallel stream does as well as a pipeline; at 1,000 the pipeline wins.", "the client")
def d4(pipeline_s, pooled_s, shared_s):
    """Seconds across zones for {10: …, 100: …, 1_000: …} records: pipeline, best pool, one shared connection.

    A Python client that does what the article says of Java confirms it; one that does not can't refute it.
    """
    pooled, shared = ({n: taken[n] / pipeline_s[n] for n in (10, 100, 1_000)} for taken in (pooled_s, shared_s))
    adds = (f"in Python the best pool of connections took ~{times(pooled[10])} the pipeline's time for 10 records, "
            f"~{times(pooled[100])} for 100, ~{times(pooled[1_000])} for 1,000; calls that share one connection, as Spring's "
            f"default driver has it, ~{times(shared[10])}, ~{times(shared[100])} and ~{times(shared[1_000])}")
    if pooled[100] <= AS_WELL and pooled[1_000] > AS_WELL:
        return Verdict(HOLDS, "a pool of connections in Python does the same", adds)
    return Verdict(UNTESTED, "Java and Spring do not run here, and what Python's clients do can't refute it", adds)


@judge("D5", "Parallel streams make threads behind the scenes, so mind the CPU load.", "the client")
def d5(loop_cpu_us, pipeline_cpu_us, threads_cpu_us, tasks_cpu_us, threads_connections, tasks_connections,
       free_loop_s, free_threads_s):
    """The client's CPU for a record in µs on one CPU: one by one, pipeline, threads, tasks; connections used; and the
    seconds of CPU of the same calls one by one and in threads that may use all CPUs."""
    loop, threads, tasks = (us / pipeline_cpu_us for us in (loop_cpu_us, threads_cpu_us, tasks_cpu_us))
    held, free = threads_cpu_us / loop_cpu_us, free_threads_s / free_loop_s
    seen = f"a record costs the client {duration(pipeline_cpu_us / 1e6)} of CPU in a pipeline, ~{times(threads)} that in threads"
    adds = (f"one by one costs ~{times(loop)} that, so a call costs CPU alone too. Over one by one, threads take ~{times(held)} "
            f"on one CPU and ~{times(free)} on all; asyncio tasks take ~{times(tasks)} the pipeline's. The threads hold "
            f"{threads_connections} connections, the tasks {tasks_connections}")
    if threads >= MORE_CPU:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the CPUs: {seen}", adds) if free >= MORE_CPU else Verdict(FAILS, seen, adds)
