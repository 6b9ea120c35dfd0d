"""Judge the claims of article E: each claim, its judge, and test cases for and against.

A judge is a function of measurements. It returns a Verdict: one of the words "holds", "depends",
"does not hold" and "untested", with a sentence that gives the measured reason.
"""

from lab_utils.course.claims import (
    DEPENDS,
    FAILS,
    HOLDS,
    UNTESTED,
    Verdict,
    by_degree,
    cases,
    judge,
)
from lab_utils.words import duration, times

ARTICLE = "Why was my Redis so slow? (Qiita, 17 April 2017)"

TENFOLD = 10
TWICE = 2
NO_GAIN = 1.2  # a ratio below is no gain


@judge(
    "E1",
    "13",
    "Of 10,000 writes, batches are 10 times faster or more, and one MSET of all is faster still.",
    "the distance",
)
def e1(
    loop_s: float,
    hundreds_s: float,
    once_s: float,
    constants_s: float,
    hundreds_work_s: float,
    once_work_s: float,
) -> Verdict:
    """Judge E1 by the seconds of 10,000 writes: one by one, by hundreds, and all in one MSET.

    `loop_s`, `hundreds_s` and `once_s` are as the article timed them: with importing redis-py and
    connecting. `constants_s` is the seconds of these two alone; "work" is the time without them.
    The claim holds if hundreds are ten times faster than one by one and one MSET clearly faster
    still, depends if one of these is so, and else does not hold. If one by one took no longer than
    `constants_s`, the claim is untested.
    """
    seen = (
        f"{duration(loop_s)} one by one, {duration(hundreds_s)} by hundreds and "
        f"{duration(once_s)} at once"
    )
    adds = (
        "the article's timer holds the import and the connection too, here "
        f"{duration(constants_s)}. The work alone took {duration(hundreds_work_s)} by hundreds "
        f"and {duration(once_work_s)} at once, a step of "
        f"~{times(hundreds_work_s / once_work_s)}"
    )
    # of writes alone nothing is left: the whole was measured as short as a part of it
    if loop_s <= constants_s:
        return Verdict(
            UNTESTED,
            "writing one by one took no longer than importing and connecting, "
            f"which only a disturbed machine measures: {seen}",
            adds,
        )
    tenfold, still_faster = loop_s >= TENFOLD * hundreds_s, hundreds_work_s >= NO_GAIN * once_work_s
    return by_degree(tenfold and still_faster, tenfold or still_faster, "the distance", seen, adds)


cases(
    "E1",
    (
        HOLDS,
        {
            "once_s": 0.1,
            "constants_s": 0.085,
            "once_work_s": 0.013,
            "loop_s": 5.1,
            "hundreds_s": 0.15,
            "hundreds_work_s": 0.06,
        },
    ),
    (DEPENDS, {"hundreds_work_s": 0.012}),
    (DEPENDS, {"loop_s": 1.1}),
    (FAILS, {"loop_s": 0.1, "hundreds_work_s": 0.012}),
    (UNTESTED, {"loop_s": 0.05}),
)


@judge(
    "E2",
    "03",
    "A loop of single GETs and SETs costs performance, down to a tenth or less of MGET and MSET.",
    "the client",
)
def e2(loop_s: float, mset_s: float, loop_client_s: float, mset_server_s: float) -> Verdict:
    """Judge E2 by the seconds of a loop of SETs and of one MSET of the same keys, at RTT 0.

    `loop_client_s` is the client's CPU time in the loop, `mset_server_s` the server's in MSET. The
    claim holds if the loop takes ten times as long as MSET, depends if twice, and else does not
    hold.
    """
    slower = loop_s / mset_s
    seen = f"with no distance the loop takes ~{times(slower)} the time of MSET"
    adds = (
        f"the client's own CPU is ~{100 * loop_client_s / loop_s:.0f}% of the loop's time. Of "
        f"MSET's time the server computes only ~{100 * mset_server_s / mset_s:.0f}%: the rest "
        "is the client and the way between"
    )
    return by_degree(slower >= TENFOLD, slower >= TWICE, "the client", seen, adds)


cases(
    "E2",
    (HOLDS, {"loop_s": 0.031, "mset_s": 8e-4, "loop_client_s": 0.025, "mset_server_s": 1.7e-4}),
    (DEPENDS, {"mset_s": 0.006}),
    (FAILS, {"mset_s": 0.03, "mset_server_s": 0.02}),
)


@judge(
    "E3",
    "03",
    "Reading has the same tendency, so reading together is overwhelmingly better.",
    "the distance",
)
def e3(
    write_pipeline: float, write_multi: float, read_pipeline: float, read_multi: float
) -> Verdict:
    """Judge E3 by how many times faster than a loop four ways are, all at the same distance.

    The ways are a pipeline of SETs (`write_pipeline`), MSET, a pipeline of GETs (`read_pipeline`),
    and MGET. The claim holds if MGET is at least ten times faster than a loop of GETs, depends if
    twice, and else does not hold.
    """
    seen = (
        f"over a loop of GETs, MGET gains ~{times(read_multi)} and a pipeline "
        f"~{times(read_pipeline)}"
    )
    adds = (
        f"on writes, at the same distance, MSET gains ~{times(write_multi)} and a pipeline "
        f"~{times(write_pipeline)}"
    )
    return by_degree(read_multi >= TENFOLD, read_multi >= TWICE, "the distance", seen, adds)


cases(
    "E3",
    (HOLDS, {"write_pipeline": 37, "write_multi": 45, "read_pipeline": 39, "read_multi": 46}),
    (DEPENDS, {"read_multi": 4}),
    (FAILS, {"read_pipeline": 1, "read_multi": 1.1}),
)
