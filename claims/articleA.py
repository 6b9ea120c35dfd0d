"""Judge the claims of article A: each claim, its judge, and test cases for and against.

A judge is a function of measurements. It returns a Verdict: one of the words "holds", "depends",
"does not hold" and "untested", with a sentence that gives the measured reason.
"""

from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED, Verdict, cases, judge
from lab_utils.words import counted

ARTICLE = "Redis Pipeline, packet by packet (MicroAd developers' blog)"

NO_GAIN = 1.2  # a ratio below is no gain
ABOUT_TWO_PERCENT = 0.025  # A4: a larger share rounds to more
# The share is the client's CPU by the loop's waits: on one machine it was 2.8% on a fast day and
# 5.6% on a slow one. A finer line than this would judge the day.
TENFOLD = 10


@judge("A1", "02", "With a pipeline, sending and receiving are needed only once each.", "the size")
def a1(commands: int, writes: int, turns: int) -> Verdict:
    """Judge A1 by one pipeline of `commands` commands: holds if it took a single round trip.

    All numbers are counts: the pipeline was sent by `writes` write calls of the client, and took
    `turns` round trips. The claim does not hold if there were several round trips, or as many
    writes as commands.
    """
    adds = (
        f"a pipeline of {commands:,} SETs left in {writes:,} writes: a long one goes in "
        "pieces, cut by redis-py's own write buffer and not by the network. The server answers "
        "meanwhile; that all comes together is the client's view"
    )
    if turns == 1 and writes < commands:
        return Verdict(HOLDS, f"{counted(commands, 'command')}, and the client waited once", adds)
    return Verdict(
        FAILS,
        f"{counted(commands, 'command')} left in {counted(writes, 'write')}, and "
        f"the client waited in {counted(turns, 'turn')}",
        adds,
    )


cases(
    "A1",
    (HOLDS, {"commands": 3, "writes": 1, "turns": 1}),
    (HOLDS, {"commands": 1_000, "writes": 7}),
    (FAILS, {"commands": 1_000, "writes": 1_000}),
    (FAILS, {"turns": 3}),
)


@judge(
    "A2",
    "02",
    "Empty ACKs stand between request and reply because each SET is sent separately.",
    "the system",
)
def a2(turns: int, acks: int | None, pipeline_acks: int | None) -> Verdict:
    """Judge A2 by how many TCP ACKs without data the system sent for the same SETs.

    `acks` is that number for `turns` SETs sent one by one, a round trip each, `pipeline_acks` for
    one pipeline of them. The claim holds if each of the single SETs got an ACK and the pipeline got
    none; else it depends. Both are None on a system that does not count ACKs, and the verdict is
    "untested".
    """
    adds = "no small write of yours waits for an acknowledgement: count the turns"
    if acks is None or pipeline_acks is None:
        return Verdict(
            UNTESTED, "this system does not tell how many acknowledgements it sent", adds
        )
    seen = (
        f"this system sent ~{acks} empty acknowledgements in {counted(turns, 'turn')}, "
        f"~{pipeline_acks} in one pipeline of the same commands"
    )
    if acks >= turns and not pipeline_acks:
        return Verdict(HOLDS, seen, adds)
    return Verdict(
        DEPENDS,
        f"on the system: {seen}. It decides when to send one. The article's "
        "sent one each way, in its pipeline too, so there sending separately only "
        "multiplied them",
        adds,
    )


cases(
    "A2",
    (DEPENDS, {"turns": 3, "acks": 0, "pipeline_acks": 0}),
    (DEPENDS, {"acks": 3, "pipeline_acks": 1}),
    (HOLDS, {"acks": 3}),
    (UNTESTED, {"acks": None, "pipeline_acks": None}),
)


@judge(
    "A3",
    "04",
    "The three SETs of the capture left as one MULTI/EXEC transaction.",
    "a default of the client",
)
def a3(sets: int, default_commands: int, plain_commands: int) -> Verdict:
    """Judge A3 by how many commands were sent for `sets` SETs: holds if MULTI and EXEC were added.

    `default_commands` is that number for pipeline() by default, `plain_commands` for
    pipeline(transaction=False). The claim holds if `default_commands` is `sets` + 2, and else does
    not hold.
    """
    seen = f"{counted(sets, 'SET')} left as {counted(default_commands, 'command')} by pipeline()"
    adds = (
        "MULTI and EXEC are redis-py's default and not the pipeline: with transaction=False "
        f"the same {sets:,} SETs left as {plain_commands:,} commands"
    )
    return Verdict(HOLDS if default_commands == sets + 2 else FAILS, seen, adds)


cases(
    "A3",
    (HOLDS, {"sets": 3, "default_commands": 5, "plain_commands": 3}),
    (FAILS, {"default_commands": 3}),
)


@judge(
    "A4",
    "13",
    "10,000 SETs in a pipeline took about 2% of the time: for bulk inserts it is faster.",
    "the distance",
)
def a4(
    loop_far_s: float, pipeline_far_s: float, loop_near_s: float, pipeline_near_s: float
) -> Verdict:
    """Judge A4 by the seconds of 10,000 SETs in a loop and of the same SETs in a pipeline.

    "far" is at the article's distance, "near" at RTT 0. The claim holds if the far pipeline takes a
    tenth of the loop's time or less, depends if it takes more, and does not hold if a pipeline is
    not clearly faster, far or near.
    """
    far, near = pipeline_far_s / loop_far_s, pipeline_near_s / loop_near_s
    seen = f"~{100 * far:.1f}% at the article's distance"
    adds = (
        f"the share varies with the distance: with none it is ~{100 * near:.1f}%, and the "
        "client's own CPU is what takes the time. The distance was solved from the article's "
        "loop, so only its pipeline is evidence, and of the client's cost alone"
    )
    if max(far, near) > 1 / NO_GAIN:
        where = "there" if far > near else f"with no distance, at ~{100 * near:.1f}%,"
        return Verdict(FAILS, f"{seen}, and {where} the pipeline is not clearly faster", adds)
    if far > 1 / TENFOLD:
        return Verdict(
            DEPENDS, f"on the client: {seen}, so the pipeline saves less here than there", adds
        )
    if far > ABOUT_TWO_PERCENT:
        seen += (
            ", more than about 2%, since this client takes longer for its part; it is faster "
            "more than tenfold still"
        )
    return Verdict(HOLDS, seen, adds)


cases(
    "A4",
    (
        HOLDS,
        {"loop_far_s": 3.4, "pipeline_far_s": 0.07, "loop_near_s": 0.35, "pipeline_near_s": 0.07},
    ),
    (HOLDS, {"pipeline_far_s": 0.17}),
    (DEPENDS, {"pipeline_far_s": 0.4}),
    (FAILS, {"loop_near_s": 0.05, "pipeline_near_s": 0.06}),
    (FAILS, {"pipeline_far_s": 3.3, "pipeline_near_s": 0.36}),
)
