"""Judge the claims of one article, each with measurements that speak for it and against."""

from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED, Verdict, cases, judge
from lab_utils.words import duration, milliseconds, times

ARTICLE = "Can Redis pipelining overcome network latency? (Spring Data Redis on AWS)"

SPRING = ("Spring Data Redis does not run here, and what Python's clients do can't refute what the "
          "article says of it")


NO_SLOWER = 1.1
SLOWER = 1.5  # "becomes slower"


@judge("D1", "01", "From another availability zone, commands sent one by one become slower.",
       "the distance")
def d1(near_ms, far_ms, loop_near_s, loop_far_s, pipeline_far_s):
    """Seconds of the same work in one zone (`near_ms`) and across two (`far_ms`)."""
    slower = loop_far_s / loop_near_s
    seen = (f"one by one took {duration(loop_near_s)} at {milliseconds(near_ms)} and "
            f"{duration(loop_far_s)} at {milliseconds(far_ms)}, ~{times(slower)} as long")
    adds = (f"the same work in one pipeline took {duration(pipeline_far_s)} at "
            f"{milliseconds(far_ms)}")
    if slower >= SLOWER:
        return Verdict(HOLDS, seen, adds)
    return (Verdict(FAILS, seen, adds) if slower <= NO_SLOWER
            else Verdict(DEPENDS, f"on the distance: {seen}", adds))


cases("D1",
      (HOLDS,
       {"near_ms": 0.25, "far_ms": 1, "loop_near_s": 0.028, "loop_far_s": 0.103,
        "pipeline_far_s": 0.0015}), (FAILS, {"loop_far_s": 0.029}),
      (DEPENDS, {"loop_far_s": 0.036}))


MOSTLY = 0.8  # the share of a distance that counts as overcome


@judge("D2", "03", "Pipelining can overcome the limit that network delay sets, at some overhead.",
       "the distance")
def d2(loop_near_s, loop_far_s, pipeline_near_s, pipeline_far_s):
    """Seconds of the same commands near and far, one by one and in a pipeline."""
    share = 1 - (pipeline_far_s - pipeline_near_s) / (loop_far_s - loop_near_s)
    seen = (f"the distance cost the loop {duration(loop_far_s - loop_near_s)} and the pipeline "
            f"{duration(pipeline_far_s - pipeline_near_s)}, ~{100 * share:.0f}% less. One round "
            "trip always remains")
    if share >= MOSTLY:
        return Verdict(HOLDS, seen)
    return (Verdict(DEPENDS, f"on the distance: {seen}") if share >= 1 - MOSTLY
            else Verdict(FAILS, seen))


cases("D2",
      (HOLDS,
       {"loop_near_s": 0.003, "loop_far_s": 0.103, "pipeline_near_s": 7e-4,
        "pipeline_far_s": 0.0017}), (DEPENDS, {"pipeline_far_s": 0.0507}),
      (FAILS, {"pipeline_far_s": 0.0997}))


TWICE = 2


@judge("D3", "03", "For one record a pipeline takes twice as long as a plain call, or longer.",
       "the client")
def d3(plain_near_s, pipeline_near_s, plain_far_s, pipeline_far_s):
    """Seconds of one SET as a plain call and in a pipeline, at RTT 0 and far away."""
    near, far = pipeline_near_s / plain_near_s, pipeline_far_s / plain_far_s
    seen = f"in redis-py ~{times(near)} the time of a plain call at RTT 0"
    adds = f"with a distance it is ~{times(far)}: the price is CPU, and no second trip"
    if near >= TWICE:
        return Verdict(HOLDS, seen, adds)
    return Verdict(UNTESTED, f"{SPRING}. Seen {seen}", adds)


cases("D3",
      (UNTESTED,
       {"plain_near_s": 3.6e-5, "pipeline_near_s": 5.2e-5, "plain_far_s": 0.00104,
        "pipeline_far_s": 0.00106}), (HOLDS, {"pipeline_near_s": 9e-5, "pipeline_far_s": 0.00109}))


AS_WELL = 1.5  # up to this many times the pipeline's time


@judge("D4", "08",
       "Up to 100 records a Java parallel stream does as well as a pipeline; at 1,000 the pipeline "
       "wins.", "the client")
def d4(pipeline_s, pooled_s, shared_s):
    """Seconds across zones for {10: …, 100: …, 1_000: …} records: pipeline, best pool, one shared
    connection.

    A Python client that does what the article says of Java confirms it; one that does not can't
    refute it.
    """
    pooled, shared = ({n: taken[n] / pipeline_s[n] for n in (10, 100, 1_000)}
                      for taken in (pooled_s, shared_s))
    adds = (f"in Python the best pool of connections took ~{times(pooled[10])} the pipeline's time "
            f"for 10 records, ~{times(pooled[100])} for 100, ~{times(pooled[1_000])} for 1,000; "
            "calls that share one connection, as Spring's default driver has it, "
            f"~{times(shared[10])}, ~{times(shared[100])} and ~{times(shared[1_000])}")
    if pooled[100] <= AS_WELL and pooled[1_000] > AS_WELL:
        return Verdict(HOLDS, "a pool of connections in Python does the same", adds)
    return Verdict(UNTESTED, SPRING, adds)


cases("D4",
      (UNTESTED,
       {"pipeline_s": {10: 0.0012, 100: 0.0016, 1_000: 0.0056},
        "pooled_s": {10: 0.0016, 100: 0.0065, 1_000: 0.055},
        "shared_s": {10: 0.0014, 100: 0.0027, 1_000: 0.015}}),
      (HOLDS,
       {"pooled_s": {10: 0.0012, 100: 0.0019, 1_000: 0.0099},
        "shared_s": {10: 0.0012, 100: 0.0018, 1_000: 0.008}}),
      (UNTESTED,
       {"pooled_s": {10: 0.0012, 100: 0.0016, 1_000: 0.004},
        "shared_s": {10: 0.0012, 100: 0.0016, 1_000: 0.004}}))


MORE_CPU = 1.5  # times the CPU of the same calls one by one


@judge("D5", "08", "Parallel streams make threads behind the scenes, so mind the CPU load.",
       "the client")
def d5(loop_cpu_us, pipeline_cpu_us, threads_cpu_us, tasks_cpu_us, threads_connections,
       tasks_connections, free_loop_s, free_threads_s):
    """The client's CPU for a record in µs on one CPU: one by one, pipeline, threads, tasks;
    connections used; and the seconds of CPU of the same calls one by one and in threads that may
    use all CPUs.
    """
    loop, threads, tasks = (us / pipeline_cpu_us
                            for us in (loop_cpu_us, threads_cpu_us, tasks_cpu_us))
    held, free = threads_cpu_us / loop_cpu_us, free_threads_s / free_loop_s
    seen = (f"in Python threads take ~{times(held)} the client's CPU of the same calls one by one "
            f"where they have one CPU, ~{times(free)} where they have all")
    adds = (f"a record costs the client {duration(pipeline_cpu_us / 1e6)} of CPU in a pipeline, "
            f"~{times(loop)} that one by one, ~{times(threads)} in threads, ~{times(tasks)} in "
            f"asyncio tasks. The threads hold {threads_connections} connections, the tasks "
            f"{tasks_connections}. Java's threads are untested")
    if min(held, free) >= MORE_CPU:
        return Verdict(HOLDS, seen, adds)
    return (Verdict(DEPENDS, f"on the CPUs: {seen}", adds) if max(held, free) >= MORE_CPU
            else Verdict(FAILS, seen, adds))


cases("D5",
      (HOLDS, {"loop_cpu_us": 70.0, "pipeline_cpu_us": 4.5, "threads_cpu_us": 210.0,
               "tasks_cpu_us": 90.0, "threads_connections": 16, "tasks_connections": 50,
               "free_loop_s": 0.01, "free_threads_s": 0.04}),
      (DEPENDS, {"threads_cpu_us": 60.0}),
      (FAILS, {"threads_cpu_us": 60.0, "free_threads_s": 0.012}))


A_TENTH = 1.1  # times faster, from which on a pipeline counts as faster
HUNDREDS = 100


@judge("D6", "03",
       "Because of its overhead, a pipeline is best only for batches of hundreds to thousands.",
       "the client")
def d6(near_gains, far_gains):
    """How many times faster a pipeline was than plain calls, {1: …, 2: …, 100: …} by commands, at
    RTT 0 and far away.
    """
    near, far = (min((size for size, gain in gains.items() if gain > A_TENTH), default=None)
                 for gains in (near_gains, far_gains))
    seen = ("in redis-py a pipeline was faster "
            + (f"{since(near)}, near and far" if near == far
               else f"{since(near)} at RTT 0, {since(far)} far away"))
    if min((size for size in (near, far) if size), default=0) >= HUNDREDS:
        return Verdict(HOLDS, seen)
    return Verdict(UNTESTED, f"{SPRING}. Seen {seen}")


def since(size):
    return f"from ~{size} commands on" if size else "with no number of commands that was tried"


cases("D6",
      (UNTESTED, {"near_gains": {1: 0.86, 2: 1.6, 100: 5.0}, "far_gains": {1: 1.0, 2: 2.0}}),
      (UNTESTED, {"near_gains": {1: 0.4, 2: 0.6, 100: 5.0}}),
      (UNTESTED, {"near_gains": {1: 0.2, 100: 0.9}, "far_gains": {1: 0.4}}),
      (HOLDS, {"near_gains": {1: 0.2, 2: 0.3, 100: 2.0}, "far_gains": {1: 0.4, 2: 0.5}}))


NO_GAIN = 1.2


@judge("D7", "05",
       "A repository's find runs KEYS and one HGETALL for each record, and the traffic becomes "
       "huge.", "the distance")
def d7(records, naive_turns, mended_turns, naive_s, mended_s):
    """Round trips of the two ways for so many records, and their seconds at a distance."""
    gain = naive_s / mended_s
    seen = (f"one question for the names, then an HGETALL for each of {records:,} records: "
            f"{naive_turns:,} round trips and {duration(naive_s)}. That Spring asks by KEYS is "
            "untested: its query engine, in the version we read, asks sets for the ids (SMEMBERS, "
            "SINTER)")
    adds = f"mended it takes {mended_turns:,} round trips and {duration(mended_s)}"
    if naive_turns <= mended_turns or gain < NO_GAIN:
        return Verdict(FAILS, f"{seen}: nothing to mend", adds)
    if naive_turns < records:
        return Verdict(DEPENDS, f"on the query: {seen}, fewer turns than records", adds)
    return Verdict(HOLDS, seen, adds)


cases("D7",
      (HOLDS,
       {"records": 100, "naive_turns": 101, "mended_turns": 2, "naive_s": 0.11, "mended_s": 0.003}),
      (DEPENDS, {"naive_turns": 3, "naive_s": 0.004}), (FAILS, {"naive_s": 0.003}))
