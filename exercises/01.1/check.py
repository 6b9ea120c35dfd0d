"""Check exercise 01.1: compute the most requests a second that waiting connections can make."""

from lab_utils.course.checking import NUMBER, Refused, near, of_kind

# (RTT in ms, connections that each wait)
CEILINGS = ((1, 1), (250, 1), (0.25, 1), (5, 8), (20, 50), (300, 5), (0.3, 1_001))
RETURN = "Let the function return the number itself, not print it."


def check(answer) -> str:
    for rtt_ms, connections in CEILINGS:
        right = connections * 1000 / rtt_ms
        said = of_kind(
            NUMBER,
            answer(rtt_ms, connections),
            f"ceiling({rtt_ms}, {connections})",
            "a number",
            RETURN,
        )
        if not near(said, right) and said != int(right):
            raise Refused(*why_not_the_ceiling(rtt_ms, connections, said, right))
    return (
        f"ceiling(250, 1) is {answer(250, 1):g} and ceiling(5, 8) is {answer(5, 8):,g} "
        "requests a second"
    )


def why_not_the_ceiling(rtt_ms: float, connections: int, said: float, right: float):
    call = f"ceiling({rtt_ms}, {connections}) returned {said:g}; it is {right:,g}"
    if near(said * 1000, right):
        return (
            f"{call}. That is the number for an RTT in seconds, and this one is in milliseconds",
            "A second has 1000 milliseconds.",
        )
    if connections > 1 and near(said * connections, right):
        return (
            f"{call}. That is right for 1 connection, and here {connections} wait side by side",
            "While one waits, the others go on. Each makes as many requests as one alone would.",
        )
    if near(said, right * 2) or near(said, right / 2):
        return (
            f"{call}. Factor 2: an RTT is already there and back",
            "One request takes one RTT, no more and no less.",
        )
    return (call,)
