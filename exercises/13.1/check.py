"""Check exercise 13.1: explain a published table of times, and test the explanation."""

import math
import statistics

from lab_utils.course.checking import Refused

TABLES = (
    ("10,000 writes", [(10_000, 5.071), (100, 0.2815), (1, 0.2294)]),
    ("100 PINGs", [(100, 0.791), (1, 0.132)]),
    ("a table of five", [(1_000, 6.1), (500, 3.3), (200, 1.25), (50, 0.45), (10, 0.16)]),
    ("a table of a hundred", [(n, 0.1 + n / 1_000 + n % 7 / 100) for n in range(100, 0, -1)]),
)
EXACT = 1e-6


def check(answer) -> str:
    for name, figures in TABLES:
        check_explained(name, figures, answer(list(figures)))
    return (
        f"{len(TABLES)} tables explained, and only what did not go into the fit is called evidence"
    )


def same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=EXACT, abs_tol=1e-12)


def check_explained(name: str, figures: list[tuple], got: tuple) -> None:
    """Raise Refused unless `got`, the learner's (t, s, evidence), explains a published table.

    The explanation is seconds = s + turns × t: t is the seconds a turn, s the seconds that are
    spent once. `figures` are the table's rows, (turns, seconds); its first and last row give t and
    s. The evidence must be {turns: seconds computed from s and t} for the rows between these two.
    Messages call the table `name`.
    """
    said_t, said_s, evidence = got
    (many, longer), (few, shorter) = figures[0], figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    if not same(said_t, t):
        why = why_turn(said_t, figures)
        raise Refused(f"{name}: t is {said_t:.6g}, and it should be {t:.6g}{why}")
    if not same(said_s, s):
        forgot = ": the last figure's own turns are still in it" if same(said_s, shorter) else ""
        raise Refused(
            f"{name}: t is right, but s is {said_s:.6g}, and it should be {s:.6g}{forgot}",
            "s is what is left of a figure when all its turns are taken off.",
            "s = shorter - few * t",
        )
    check_evidence(name, figures, evidence, {turns: s + turns * t for turns, _ in figures[1:-1]})


def why_turn(said: float, figures: list[tuple]) -> str:
    """Return how the learner may have come to a wrong t, as the end of a sentence, "" if unknown.

    `said` is that t, in seconds a round trip; `figures` are the table's rows, (round trips,
    seconds).
    """
    (many, longer), (few, shorter) = figures[0], figures[-1]
    if same(said, longer / many):
        return ": seconds by turns counts what happens once as turns too"
    if same(said, (longer - shorter) / many):
        return f": the two figures are {many - few:,} turns apart, not {many:,}"
    if same(said, statistics.linear_regression(*zip(*figures, strict=True)).slope):
        return (
            ": a line fitted to all figures leaves none to test it. Fit it to the first and "
            "the last"
        )
    return ""


def check_evidence(name: str, figures: list[tuple], said: dict, expected: dict[int, float]) -> None:
    """Raise Refused unless the learner's evidence, `said`, equals `expected`.

    Both are {round trips: seconds}: the seconds computed for all rows of the table but the first
    and the last, from which t and s were computed. `figures` are the rows, (round trips, seconds)
    as published, `name` is the table's.
    """
    if said.keys() != expected.keys():
        raise Refused(
            f"{name}: t and s are right, but the evidence is to name the turns of every figure "
            f"that did not go into the fit, {len(expected)} here, and yours names "
            f"{', '.join(map(str, said)) or 'none'}",
            "The first figure and the last made t and s what they are. They come out whatever is "
            "true, so they test nothing.",
            "figures[1:-1] are the others. Of a table of two figures that is none, and "
            "the evidence is {}.",
        )
    published = dict(figures)
    for turns, seconds in said.items():
        if not same(seconds, expected[turns]):
            copied = ", which is the published figure" if same(seconds, published[turns]) else ""
            raise Refused(
                f"{name}: for {turns:,} turns you give {seconds:.6g} s{copied}; t and s make "
                f"{expected[turns]:.6g}",
                "Evidence is what the explanation expects, beside what was published: s once, and "
                "t for every turn.",
                "s + turns * t",
            )
