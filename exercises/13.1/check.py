"""Checks of chapter 13: a published table explained and tested, and a table whose calls hide a connection each."""

import math
import random
import statistics

from ...tracing.cost import cost_of
from ...tracing.tap import Tap
from ...words import counted
from ..checking import Refused, exercise_client, first_difference, names_sent, refuse_over, text
from ..exercises import exercise

# 13.1: (turns, seconds), as published or as they might be; not every one fits its explanation
TABLES = (
    ("10,000 writes", [(10_000, 5.071), (100, 0.2815), (1, 0.2294)]),
    ("100 PINGs", [(100, 0.791), (1, 0.132)]),
    ("a table of five", [(1_000, 6.1), (500, 3.3), (200, 1.25), (50, 0.45), (10, 0.16)]),
)
EXACT = 1e-6
OUTSIDE = "The first figure and the last made t and s what they are. They come out whatever is true, so they test nothing."
# 13.2
GETS, BY_THE_TABLE = 10, 5
LINE_MS, A_GET_MS = 20, 101.6  # 5.08 s for 50
TURNS_HINTS = (
    "Divide the seconds by the GETs, and that by what one turn takes on this line.",
    "5.08 s / 50 is about 102 ms a GET, and a turn is 20 ms. How many turns fit into 102 ms?",
)
NO_CONNECTION = ("The client r that is passed in has a connection, and it is open. Which line of the program makes another?",
                 "return [r.get(key) for key in keys]")


@exercise("13.1", "write explain(figures): t and s in seconds, and {turns: expected seconds} of what did not go into the fit", (
    "Write down the two equations, for the first figure and for the last, and subtract one from the other: s is gone.",
    "t = (longer - shorter) / (many - few), then s = shorter - few * t.",
    "The evidence: {turns: s + turns * t for turns, seconds in figures[1:-1]}",
))
def explain(answer):
    for name, figures in TABLES:
        check_explained(name, figures, parts_of(answer(list(figures))))
    return f"{len(TABLES)} tables explained, and only what did not go into the fit is called evidence"


def parts_of(got):
    """(t, s, evidence) of what was returned. Raises Refused for anything else."""
    if not isinstance(got, (tuple, list)) or len(got) != 3 or not isinstance(got[2], dict):
        raise Refused("return three things: t, s, and a dict of the evidence", "return t, s, {turns: expected seconds, …}")
    if not all(isinstance(value, (int, float)) for value in (*got[:2], *got[2], *got[2].values())):
        raise Refused("t, s and what stands in the dict are numbers: seconds, and turns as its keys",
                      "Print what you return for one table.")
    return got


def same(one, other):
    return math.isclose(one, other, rel_tol=EXACT, abs_tol=1e-12)


def check_explained(name, figures, parts):
    """Raises Refused unless `parts` explain this table."""
    (many, longer), (few, shorter) = figures[0], figures[-1]
    turn_s = (longer - shorter) / (many - few)
    constant_s = shorter - few * turn_s
    said_turn, said_constant, evidence = parts
    if not same(said_turn, turn_s):
        raise Refused(f"{name}: t is {said_turn:.6g}, and it should be {turn_s:.6g}{why_turn(said_turn, figures)}")
    if not same(said_constant, constant_s):
        forgot = ": the last figure's own turns are still in it" if same(said_constant, shorter) else ""
        raise Refused(f"{name}: t is right, but s is {said_constant:.6g}, and it should be {constant_s:.6g}{forgot}",
                      "s is what is left of a figure when all its turns are taken off.", "s = shorter - few * t")
    check_evidence(name, figures, evidence, {turns: constant_s + turns * turn_s for turns, _ in figures[1:-1]})


def why_turn(said, figures):
    """What may have gone wrong with t, in words."""
    (many, longer), (few, shorter) = figures[0], figures[-1]
    if same(said, longer / many):
        return ": seconds by turns counts what happens once as turns too"
    if same(said, (longer - shorter) / many):
        return f": the two figures are {many - few:,} turns apart, not {many:,}"
    if same(said / 1000, (longer - shorter) / (many - few)):
        return ": in seconds, not in milliseconds"
    if same(said, statistics.linear_regression(*zip(*figures, strict=True)).slope):
        return ": a line fitted to all figures leaves none to test it. Fit it to the first and the last"
    return ""


def check_evidence(name, figures, said, expected):
    """Raises Refused unless `said` holds what the explanation expects of the figures between the first and the last."""
    if fitted := {figures[0][0], figures[-1][0]} & set(said):
        raise Refused(f"{name}: t and s are right, but {counted(len(fitted), 'figure')} of your evidence went into the fit",
                      OUTSIDE, "figures[1:-1] are the others. Of a table of two figures that is none, and the evidence is {}.")
    if len(said) == len(expected) and set(said) != set(expected):
        named = ", ".join(f"{key:g}" for key in said)
        raise Refused(f"{name}: t and s are right, but the evidence names {named}; it should name "
                      f"{', '.join(f'{turns:,}' for turns in expected)} turns",
                      "In {turns: seconds} the number of turns says which figure is meant.", "{turns: s + turns * t}")
    if set(said) != set(expected):
        raise Refused(f"{name}: t and s are right, but there is evidence for {counted(len(said), 'figure')}, and "
                      f"{counted(len(expected), 'figure')} did not go into the fit", OUTSIDE, "figures[1:-1] are the others.")
    published = dict(figures)
    for turns, seconds in said.items():
        if same(seconds, expected[turns]):
            continue
        if same(seconds, published[turns]):
            raise Refused(f"{name}: for {turns:,} turns you give the published figure; give what the explanation expects",
                          "Evidence is the comparison of the two. The published one is in the table already.",
                          "s + turns * t")
        raise Refused(f"{name}: for {turns:,} turns you expect {seconds:.6g} s, and t and s make {expected[turns]:.6g}",
                      "s once, and t for every turn.", "s + turns * t")


@exercise(
    "13.2", "say turns_by_the_table, and write read_all(r, keys): the same values, a GET and a turn for each, no connection", (
    "What does client_of(r) do that happens once in a program, and here for each key?",
    *NO_CONNECTION,
))
def read_all(answer):
    turns, answer = answer
    check_turns(turns)
    numbers = random.Random(13).sample(range(GETS), GETS)
    keys, right = [f"exercise:key:{i}" for i in numbers], [f"value {i}" for i in numbers]
    with exercise_client() as client:
        client.mset(dict(zip(keys, right, strict=True)))
        with Tap() as tap:
            got = answer(client, list(keys))
    check_values(got, right)
    cost, names = cost_of(tap), names_sent(tap)
    if cost.connections:
        raise Refused(f"right values, but {counted(cost.connections, 'connection')} for {GETS} GETs: the benchmark would time "
                      f"{'that' if cost.connections == 1 else 'those'} again", *NO_CONNECTION)
    if names != ["GET"] * GETS or cost.round_trips < GETS:
        raise Refused(f"right values, but in {counted(cost.round_trips, 'round trip')}, by {' and '.join(sorted(set(names)))}: "
                      "the question is what a GET costs that is sent alone, so this would be another benchmark",
                      "Change one thing only: the connection.", NO_CONNECTION[1])
    refuse_over(cost, GETS)
    return (f"{BY_THE_TABLE} turns a GET in the table, {BY_THE_TABLE - 1} of them to open a connection; now {GETS} GETs are "
            f"{counted(cost.round_trips, 'round trip')}")


def check_turns(turns):
    """Raises Refused unless the table's turns a GET are named."""
    if isinstance(turns, bool) or not isinstance(turns, (int, float)):
        raise Refused(f"turns_by_the_table is a number of turns for one GET, not {type(turns).__name__}", *TURNS_HINTS)
    if abs(turns - A_GET_MS / LINE_MS) < 0.2:
        return
    make = f"turn of {LINE_MS} ms makes" if turns == 1 else f"turns of {LINE_MS} ms make"
    said = f"{turns:g} {make} {turns * LINE_MS:g} ms"
    if turns == BY_THE_TABLE - 1:
        raise Refused(f"{said}: that is what opens the connection. The GET itself is a turn too", *TURNS_HINTS)
    raise Refused(f"{said}, and by the table a GET takes about {A_GET_MS:.0f} ms", *TURNS_HINTS)


def check_values(got, right):
    """Raises Refused unless `got` lists the values in the order of the keys."""
    if not isinstance(got, (list, tuple)):
        raise Refused(f"read_all returns a list of values, not {type(got).__name__}", "As the colleague's program does.")
    said = [text(value) for value in got]
    if len(said) != len(right):
        raise Refused(f"{counted(len(said), 'value')} for {counted(len(right), 'key')}", "One value for each key, in its order.")
    place = first_difference(said, right)
    if place is not None:
        raise Refused(f"place {place} holds {said[place]!r}; it should be {right[place]!r}", "The values in the order of keys.")
