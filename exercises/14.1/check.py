"""Check exercise 14.1: judge a claim by measurements, some of which were disturbed."""

from lab_utils.course.checking import DEPENDS, FAILS, HOLDS, Refused, counted

CASES = (
    ("2% near, 1% far", 0.02, 0.01, HOLDS),
    ("20% near, 2% far", 0.20, 0.02, DEPENDS),
    ("3% near, 40% far", 0.03, 0.40, DEPENDS),
    ("30% near, 10% far", 0.30, 0.10, FAILS),
    ("120% near, 100% far", 1.20, 1.00, FAILS),
    ("4.8% near, 4.7% far", 0.048, 0.047, HOLDS),
    ("5.3% near, 4.8% far", 0.053, 0.048, DEPENDS),
    ("4.8% near, 5.3% far", 0.048, 0.053, DEPENDS),
    ("6% near, 5.3% far", 0.06, 0.053, FAILS),
)
AT_MOST = (
    "The claim names a number: at most 5% of the loop's time. At how many of the two "
    "distances is it so?",
    'two: "holds", one: "depends", none: "does not hold here"',
)
ROUNDS = 10
STALL = 100  # a round in which the machine stopped


def check(answer) -> str:
    stalls = [(None, 0), *((way, place) for way in ("loop", "pipeline") for place in range(ROUNDS))]
    for stalled, place in stalls:
        for name, near, far, word in CASES:
            rounds = {
                "near": rounds_of(near, 0.003, stalled, place),
                "far": rounds_of(far, 0.2, stalled, place),
            }
            said = answer(rounds)
            if said != word:
                stall = f", one round of the {stalled} stalled" if stalled else ""
                raise Refused(
                    f"the pipeline takes {name} of the loop's time{stall}: it {word}, "
                    f"and you said {said!r}",
                    *(() if stalled else AT_MOST),
                )
    return (
        f"{counted(len(stalls) * len(CASES), 'trial')} judged, nearly all of them with a round "
        "that stalled"
    )


def rounds_of(share: float, loop_s: float, stalled: str, place: int) -> dict[str, list[float]]:
    """Return made-up measurements: {"loop": [seconds a round], "pipeline": [seconds a round]}.

    The loop takes about `loop_s` seconds a round, each pipeline `share` of its loop's time. If
    `stalled` is "loop" or "pipeline", its round number `place`, from 0, takes much longer.
    """
    rounds = {"loop": [loop_s * (1 + i / 1_000) for i in range(ROUNDS)]}
    rounds["pipeline"] = [share * seconds for seconds in rounds["loop"]]
    if stalled:
        rounds[stalled][place] *= STALL
    return rounds
