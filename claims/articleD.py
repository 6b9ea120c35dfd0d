"""Judge the claims of article D: each claim, its judge, and test cases for and against.

A judge is a function of measurements. It returns a Verdict: one of the words "holds", "depends",
"does not hold" and "untested", with a sentence that gives the measured reason.
"""

from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, Verdict, by_degree, cases, judge
from lab_utils.words import duration, milliseconds, times

ARTICLE = "Can Redis pipelining overcome network latency? (Spring Data Redis on AWS)"

IN_SPRING = "in Spring Data Redis"  # 2.4.2, the article's; measured by notebooks/other_clients
NO_SLOWER = 1.1  # D1
SLOWER = 1.5  # D1: "becomes slower"
MOSTLY = 0.8  # D2: the share of a distance that counts as overcome
TWICE = 2  # D3
AS_WELL = 1.5  # D4: up to this many times the pipeline's time
MORE_CPU = 1.5  # D5: times the CPU of the same calls one by one
A_TENTH = 1.1  # D6: times faster, from which on a pipeline counts as faster
HUNDREDS = 100  # D6
NO_GAIN = 1.2  # D7


@judge(
    "D1",
    "01",
    "From another availability zone, commands sent one by one become slower.",
    "the distance",
)
def d1(
    near_ms: float, far_ms: float, loop_near_s: float, loop_far_s: float, pipeline_far_s: float
) -> Verdict:
    """Judge D1 by the seconds of the same commands in one zone ("near") and from another ("far").

    `near_ms` and `far_ms` are the two RTTs in ms. "loop" is with the commands sent one by one. The
    claim holds if the far loop is much slower than the near one, depends if it is a little slower,
    and else does not hold.
    """
    slower = loop_far_s / loop_near_s
    seen = (
        f"one by one took {duration(loop_near_s)} at {milliseconds(near_ms)} and "
        f"{duration(loop_far_s)} at {milliseconds(far_ms)}, ~{times(slower)} as long"
    )
    adds = (
        f"the same work in one pipeline took {duration(pipeline_far_s)} at {milliseconds(far_ms)}"
    )
    return by_degree(slower >= SLOWER, slower > NO_SLOWER, "the distance", seen, adds)


cases(
    "D1",
    (
        HOLDS,
        {
            "near_ms": 0.25,
            "far_ms": 1,
            "loop_near_s": 0.028,
            "loop_far_s": 0.103,
            "pipeline_far_s": 0.0015,
        },
    ),
    (FAILS, {"loop_far_s": 0.029}),
    (DEPENDS, {"loop_far_s": 0.036}),
)


@judge(
    "D2",
    "03",
    "Pipelining can overcome the limit that network delay sets, at some overhead.",
    "the distance",
)
def d2(
    loop_near_s: float, loop_far_s: float, pipeline_near_s: float, pipeline_far_s: float
) -> Verdict:
    """Judge D2 by the seconds of the same commands in a loop and in one pipeline, near and far.

    "near" and "far" are two RTTs, the same for both. The claim holds if the distance adds to the
    pipeline at most a fifth of what it adds to the loop, does not hold if it adds more than four
    fifths, and depends in between.
    """
    share = 1 - (pipeline_far_s - pipeline_near_s) / (loop_far_s - loop_near_s)
    seen = (
        f"the distance cost the loop {duration(loop_far_s - loop_near_s)} and the pipeline "
        f"{duration(pipeline_far_s - pipeline_near_s)}, ~{100 * share:.0f}% less. One round "
        "trip always remains"
    )
    return by_degree(share >= MOSTLY, share >= 1 - MOSTLY, "the distance", seen)


cases(
    "D2",
    (
        HOLDS,
        {
            "loop_near_s": 0.003,
            "loop_far_s": 0.103,
            "pipeline_near_s": 7e-4,
            "pipeline_far_s": 0.0017,
        },
    ),
    (DEPENDS, {"pipeline_far_s": 0.0507}),
    (FAILS, {"pipeline_far_s": 0.0997}),
)


@judge(
    "D3",
    "03",
    "For one record a pipeline takes twice as long as a plain call, or longer.",
    "the client",
)
def d3(
    spring_plain_s: dict[float, float],
    spring_pipeline_s: dict[float, float],
    plain_s: dict[float, float],
    pipeline_s: dict[float, float],
) -> Verdict:
    """Judge D3 by the seconds of reading one record by a plain call and by a pipeline.

    Each is {RTT in ms: seconds}, for RTT 0 first and then a distance. "spring" is the article's
    client, the others are redis-py. The claim holds if Spring's pipeline takes twice its plain
    call's time at both, depends if at one of them, and else does not hold.
    """
    spring, python = (
        [pipeline[rtt] / plain[rtt] for rtt in plain]
        for plain, pipeline in ((spring_plain_s, spring_pipeline_s), (plain_s, pipeline_s))
    )
    seen = (
        f"{IN_SPRING} it took ~{times(spring[0])} as long at RTT 0, ~{times(spring[1])} with a "
        "distance: it opens a connection for each pipeline"
    )
    adds = (
        f"in redis-py it takes ~{times(python[0])} the time of a plain call at RTT 0, "
        f"~{times(python[1])} with a distance"
    )
    return by_degree(min(spring) >= TWICE, max(spring) >= TWICE, "the distance", seen, adds)


cases(
    "D3",
    (
        HOLDS,
        {
            "spring_plain_s": {0: 5e-4, 1: 0.0015},
            "spring_pipeline_s": {0: 0.003, 1: 0.005},
            "plain_s": {0: 3.6e-5, 10: 0.01004},
            "pipeline_s": {0: 5.2e-5, 10: 0.01006},
        },
    ),
    (DEPENDS, {"spring_pipeline_s": {0: 0.003, 1: 0.002}}),
    (FAILS, {"spring_pipeline_s": {0: 6e-4, 1: 0.0017}}),
)


@judge(
    "D4",
    "08",
    "Up to 100 records a Java parallel stream does as well as a pipeline; at 1,000 "
    "the pipeline wins.",
    "the client",
)
def d4(
    spring_pipeline_s: dict[int, float],
    spring_one_cpu_s: dict[int, float],
    spring_16_cpus_s: dict[int, float],
    pipeline_s: dict[int, float],
    pooled_s: dict[int, float],
) -> Verdict:
    """Judge D4 by the seconds of reading 10, 100 and 1,000 records from another zone.

    Each is {number of records: seconds}. "spring" is the article's client: a pipeline, and parallel
    streams with 1 and with 16 CPUs. The last two are redis-py: a pipeline, and the fastest pool of
    connections. The claim holds if both streams are as fast as the pipeline up to 100 records and
    slower at 1,000, depends if one of them is so, and else does not hold.
    """
    one, sixteen, pooled = (
        {records: taken[records] / pipeline[records] for records in (10, 100, 1_000)}
        for taken, pipeline in (
            (spring_one_cpu_s, spring_pipeline_s),
            (spring_16_cpus_s, spring_pipeline_s),
            (pooled_s, pipeline_s),
        )
    )
    seen = (
        f"{IN_SPRING} a parallel stream took {each_times(one)} the time of a "
        f"pipeline where Java was told of one CPU, {each_times(sixteen)} of 16, for 10, 100 "
        "and 1,000 records; the pipeline is that of a Java told of 16"
    )
    adds = f"in Python the best pool of connections took {each_times(pooled)}"
    as_said = [
        ratio[10] <= AS_WELL and ratio[100] <= AS_WELL < ratio[1_000] for ratio in (one, sixteen)
    ]
    return by_degree(all(as_said), any(as_said), "the client's CPUs", seen, adds)


def each_times(ratios: dict[int, float]) -> str:
    first, second, third = (f"~{times(ratio)}" for ratio in ratios.values())
    return f"{first}, {second} and {third}"


cases(
    "D4",
    (
        DEPENDS,
        {
            "spring_pipeline_s": {10: 0.0087, 100: 0.0087, 1_000: 0.015},
            "spring_one_cpu_s": {10: 0.0057, 100: 0.038, 1_000: 0.37},
            "spring_16_cpus_s": {10: 0.0033, 100: 0.0097, 1_000: 0.058},
            "pipeline_s": {10: 0.0012, 100: 0.0016, 1_000: 0.0056},
            "pooled_s": {10: 0.0016, 100: 0.0065, 1_000: 0.055},
        },
    ),
    (HOLDS, {"spring_one_cpu_s": {10: 0.0057, 100: 0.01, 1_000: 0.37}}),
    (FAILS, {"spring_16_cpus_s": {10: 0.0033, 100: 0.02, 1_000: 0.2}}),
)


@judge(
    "D5",
    "08",
    "Parallel streams make threads behind the scenes, so mind the CPU load.",
    "the client",
    margin=1.35,  # one CPU and several lie a factor of 1.6 to 3.2 apart
    watched=False,
)  # threads cost more where they find another CPU free
def d5(
    loop_cpu_us: float,
    pipeline_cpu_us: float,
    threads_cpu_us: float,
    tasks_cpu_us: float,
    threads_connections: int,
    tasks_connections: int,
    free_loop_s: float,
    free_threads_s: float,
) -> Verdict:
    """Judge D5 by the client's CPU: µs a record in a loop, a pipeline, threads and asyncio tasks.

    All of these run on one CPU. "connections" are the numbers of connections in use. "free" are the
    seconds of CPU time of the loop and of the threads if they may use all CPUs. The claim holds if
    threads take clearly more CPU time than the loop both on one CPU and on all, depends if in one
    of the two cases, and else does not hold.
    """
    loop, threads, tasks = (
        us / pipeline_cpu_us for us in (loop_cpu_us, threads_cpu_us, tasks_cpu_us)
    )
    held, free = threads_cpu_us / loop_cpu_us, free_threads_s / free_loop_s
    seen = (
        f"in Python threads take ~{times(held)} the client's CPU of the same calls one by one "
        f"where they have one CPU, ~{times(free)} where they have all"
    )
    adds = (
        f"a record costs the client {duration(pipeline_cpu_us / 1e6)} of CPU in a pipeline, "
        f"~{times(loop)} that one by one, ~{times(threads)} in threads, ~{times(tasks)} in "
        f"asyncio tasks. The threads hold {threads_connections} connections, the tasks "
        f"{tasks_connections}. Java's threads are untested"
    )
    return by_degree(
        min(held, free) >= MORE_CPU, max(held, free) >= MORE_CPU, "the CPUs", seen, adds
    )


cases(
    "D5",
    (
        HOLDS,
        {
            "loop_cpu_us": 70.0,
            "pipeline_cpu_us": 4.5,
            "threads_cpu_us": 210.0,
            "tasks_cpu_us": 90.0,
            "threads_connections": 16,
            "tasks_connections": 50,
            "free_loop_s": 0.01,
            "free_threads_s": 0.04,
        },
    ),
    (DEPENDS, {"threads_cpu_us": 60.0}),
    (FAILS, {"threads_cpu_us": 60.0, "free_threads_s": 0.012}),
)


@judge(
    "D6",
    "03",
    "Because of its overhead, a pipeline is best only for batches of hundreds to thousands.",
    "the client",
)
def d6(
    spring_gains: dict[str, dict], near_gains: dict[int, float], far_gains: dict[int, float]
) -> Verdict:
    """Judge D6 by how many times faster a pipeline is (its gain), for several numbers of commands.

    `spring_gains` are those of the article's client over plain calls or a parallel stream: {a text
    that says where, and with how many CPUs: {number of commands: gain}}. The claim holds if the
    pipeline first gains at hundreds of commands in all of these, depends if in some, and else does
    not hold. `near_gains` and `far_gains` are redis-py's gains over plain calls, {number of
    commands: gain}, at RTT 0 and far away.
    """
    first = {where: first_gain(gains) for where, gains in spring_gains.items()}
    told = ", ".join(f"{since(size)} at {where}" for where, size in first.items())
    seen = (
        f"{IN_SPRING} a pipeline beat both plain calls and a parallel stream {told}; in "
        f"redis-py it beat plain calls {since(first_gain(near_gains))} at RTT 0, "
        f"{since(first_gain(far_gains))} far away"
    )
    hundreds = [size is not None and size >= HUNDREDS for size in first.values()]
    return by_degree(all(hundreds), any(hundreds), "the distance and the client's CPUs", seen)


def first_gain(gains: dict[int, float]) -> int | None:
    return min((size for size, gain in gains.items() if gain > A_TENTH), default=None)


def since(size: int | None) -> str:
    return f"from ~{size:,} commands on" if size else "with no number of commands that was tried"


cases(
    "D6",
    (
        DEPENDS,
        {
            "spring_gains": {"RTT 0": {10: 0.4, 100: 1.8}, "1 ms": {10: 0.7, 50: 3.0}},
            "near_gains": {1: 0.86, 2: 1.6, 100: 5.0},
            "far_gains": {1: 1.0, 2: 2.0},
        },
    ),
    (HOLDS, {"spring_gains": {"RTT 0": {10: 0.4, 100: 1.8}, "1 ms": {10: 0.7, 100: 3.0}}}),
    (FAILS, {"spring_gains": {"RTT 0": {10: 1.4, 100: 1.8}, "1 ms": {10: 0.7, 50: 3.0}}}),
)


@judge(
    "D7",
    "05",
    "A repository's find runs KEYS and one HGETALL for each record, and the traffic becomes huge.",
    "the distance",
)
def d7(
    records: int, naive_turns: int, mended_turns: int, naive_s: float, mended_s: float
) -> Verdict:
    """Judge D7 by round trips ("turns") and seconds of reading `records` records in two ways.

    "naive" asks for each record by itself, "mended" asks for all together. The claim does not hold
    if asking together saves no round trips or no time, depends if the naive way takes fewer round
    trips than there are records, and else holds.
    """
    gain = naive_s / mended_s
    seen = (
        f"one question for the names, then an HGETALL for each of {records:,} records: "
        f"{naive_turns:,} round trips and {duration(naive_s)}. That Spring asks by KEYS is "
        "untested: its query engine, in the version we read, asks sets for the ids (SMEMBERS, "
        "SINTER)"
    )
    adds = f"mended it takes {mended_turns:,} round trips and {duration(mended_s)}"
    if naive_turns <= mended_turns or gain < NO_GAIN:
        return Verdict(FAILS, f"{seen}: nothing to mend", adds)
    if naive_turns < records:
        return Verdict(DEPENDS, f"on the query: {seen}, fewer turns than records", adds)
    return Verdict(HOLDS, seen, adds)


cases(
    "D7",
    (
        HOLDS,
        {"records": 100, "naive_turns": 101, "mended_turns": 2, "naive_s": 0.11, "mended_s": 0.003},
    ),
    (DEPENDS, {"naive_turns": 3, "naive_s": 0.004}),
    (FAILS, {"naive_s": 0.003}),
)
