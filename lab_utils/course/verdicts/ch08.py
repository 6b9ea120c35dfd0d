"""Chapter 08: calls side by side, over a pool of connections or over one, against a pipeline."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

AS_WELL = 1.5  # up to this many times the pipeline's time
NEARLY = 4  # for ten records: a pool that is further behind has not kept up even there
MORE_CPU = 2  # times the CPU of the same work in a pipeline


@judge("D4", "Up to 100 records parallel calls do as well as a pipeline; at 1,000 the pipeline wins.")
def d4(pipeline_s, pooled_s, shared_s):
    """Seconds across zones for {10: …, 100: …, 1_000: …} records: pipeline, best pool, one shared connection."""
    pooled, shared = ({n: taken[n] / pipeline_s[n] for n in (10, 100, 1_000)} for taken in (pooled_s, shared_s))
    seen = (f"of the pipeline's time the best pool of connections took ~{times(pooled[10])} for 10 records, "
            f"~{times(pooled[100])} for 100, ~{times(pooled[1_000])} for 1,000; calls that share one connection "
            f"~{times(shared[10])}, ~{times(shared[100])}, ~{times(shared[1_000])}")
    wins = pooled[1_000] > 1
    if pooled[100] <= AS_WELL and wins:
        return Verdict(HOLDS, seen)
    if pooled[10] <= NEARLY and wins:
        return Verdict(DEPENDS, f"{seen}. A pool keeps up for ten records, not for a hundred; "
                                "the article's client shares a connection")
    return Verdict(FAILS, seen)


@judge("D5", "Parallel calls cost CPU, since threads work behind them.")
def d5(loop_cpu_us, pipeline_cpu_us, threads_cpu_us, tasks_cpu_us, threads_connections, tasks_connections,
       free_loop_s, free_threads_s):
    """The client's CPU for a record in µs on one CPU: one by one, pipeline, threads, tasks; connections used; and the
    seconds of CPU of the same calls one by one and in threads that may use all CPUs."""
    loop, threads, tasks = (us / pipeline_cpu_us for us in (loop_cpu_us, threads_cpu_us, tasks_cpu_us))
    held, free = threads_cpu_us / loop_cpu_us, free_threads_s / free_loop_s
    seen = (f"a record costs the client {duration(pipeline_cpu_us / 1e6)} of CPU in a pipeline, ~{times(threads)} that in "
            f"threads over {threads_connections} connections, ~{times(tasks)} in asyncio tasks over {tasks_connections}, "
            f"~{times(loop)} one by one. Over one by one, threads take ~{times(held)} on one CPU, ~{times(free)} on all")
    if threads >= MORE_CPU:
        return Verdict(HOLDS, f"{seen}. A call costs CPU, alone or in company; threads add to it where they fight for the GIL")
    return Verdict(DEPENDS if free >= MORE_CPU else FAILS, seen)
