"""Explain a published table, and test the explanation."""

import math
import statistics

from lab_utils.course.checking import Refused, counted

TABLES = (
    ("10,000 writes", [(10_000, 5.071), (100, 0.2815), (1, 0.2294)]),
    ("100 PINGs", [(100, 0.791), (1, 0.132)]),
    ("a table of five", [(1_000, 6.1), (500, 3.3), (200, 1.25), (50, 0.45), (10, 0.16)]),
)
EXACT = 1e-6
OUTSIDE = (
    "The first figure and the last made t and s what they are. They come out whatever is "
    "true, so they test nothing."
)


def check(answer):
    for name, figures in TABLES:
        check_explained(name, figures, answer(list(figures)))
    return (
        f"{len(TABLES)} tables explained, and only what did not go into the fit is called evidence"
    )


def same(one, other):
    return math.isclose(one, other, rel_tol=EXACT, abs_tol=1e-12)


def check_explained(name, figures, got):
    """Raise Refused unless `got` is (t, s, evidence) that explain this table."""
    if not isinstance(got, (tuple, list)) or len(got) != 3 or not isinstance(got[2], dict):
        raise Refused(
            "return three things: t, s, and a dict of the evidence",
            "return t, s, {turns: expected seconds, …}",
        )
    if not all(isinstance(each, (int, float)) for each in (*got[:2], *got[2], *got[2].values())):
        raise Refused(
            "t, s and what stands in the dict are numbers: seconds, and turns as its keys",
            "Print what you return for one table.",
        )
    (many, longer), (few, shorter) = figures[0], figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    said_t, said_s, evidence = got
    if not same(said_t, t):
        raise Refused(
            f"{name}: t is {said_t:.6g}, and it should be {t:.6g}{why_turn(said_t, figures)}"
        )
    if not same(said_s, s):
        forgot = ": the last figure's own turns are still in it" if same(said_s, shorter) else ""
        raise Refused(
            f"{name}: t is right, but s is {said_s:.6g}, and it should be {s:.6g}{forgot}",
            "s is what is left of a figure when all its turns are taken off.",
            "s = shorter - few * t",
        )
    check_evidence(name, figures, evidence, {turns: s + turns * t for turns, _ in figures[1:-1]})


def why_turn(said, figures):
    """Say what may have gone wrong with t."""
    (many, longer), (few, shorter) = figures[0], figures[-1]
    if same(said, longer / many):
        return ": seconds by turns counts what happens once as turns too"
    if same(said, (longer - shorter) / many):
        return f": the two figures are {many - few:,} turns apart, not {many:,}"
    if same(said / 1000, (longer - shorter) / (many - few)):
        return ": in seconds, not in milliseconds"
    if same(said, statistics.linear_regression(*zip(*figures, strict=True)).slope):
        return (
            ": a line fitted to all figures leaves none to test it. Fit it to the first and "
            "the last"
        )
    return ""


def check_evidence(name, figures, said, expected):
    """Raise Refused unless `said` holds what is expected of the figures in between."""
    if fitted := {figures[0][0], figures[-1][0]} & set(said):
        raise Refused(
            f"{name}: t and s are right, but {counted(len(fitted), 'figure')} of your "
            "evidence went into the fit",
            OUTSIDE,
            "figures[1:-1] are the others. Of a table of two figures that is none, and "
            "the evidence is {}.",
        )
    if len(said) == len(expected) and set(said) != set(expected):
        named = ", ".join(f"{key:g}" for key in said)
        raise Refused(
            f"{name}: t and s are right, but the evidence names {named}; it should name "
            f"{', '.join(f'{turns:,}' for turns in expected)} turns",
            "In {turns: seconds} the number of turns says which figure is meant.",
            "{turns: s + turns * t}",
        )
    if set(said) != set(expected):
        raise Refused(
            f"{name}: t and s are right, but there is evidence for "
            f"{counted(len(said), 'figure')}, and {counted(len(expected), 'figure')} did "
            "not go into the fit",
            OUTSIDE,
            "figures[1:-1] are the others.",
        )
    published = dict(figures)
    for turns, seconds in said.items():
        if same(seconds, expected[turns]):
            continue
        if same(seconds, published[turns]):
            raise Refused(
                f"{name}: for {turns:,} turns you give the published figure; give what "
                "the explanation expects",
                "Evidence is the comparison of the two. The published one is in the table already.",
                "s + turns * t",
            )
        raise Refused(
            f"{name}: for {turns:,} turns you expect {seconds:.6g} s, and t and s make "
            f"{expected[turns]:.6g}",
            "s once, and t for every turn.",
            "s + turns * t",
        )
