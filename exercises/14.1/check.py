"""Checks of chapter 14: a judge that follows the measurements, and a pair of variants that differ in one thing."""

import contextlib
import sys
import time

from ...tracing.cost import cost_of
from ...tracing.resp import commands_in
from ...tracing.tap import Tap
from ...words import counted
from ..checking import Refused, clean, exercise_client, first_difference, names_sent
from ..claims import DEPENDS, FAILS, HOLDS
from ..exercises import exercise

# 14.1: seconds of ten rounds as shares of the loop's, near and far, and the word that follows
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
AT_MOST = ("The claim names a number: at most 5% of the loop's time. At how many of the two distances is it so?",
           "two: \"holds\", one: \"depends\", none: \"does not hold here\"")
ROUNDS = 10
STALL = 100  # a round in which the machine stopped
# 14.2
KEYS = {f"exercise:{i}": b"x" * 1_000 for i in range(100)}


@exercise("14.1", "write judge_pipeline(rounds): \"holds\", \"depends\" or \"does not hold here\", by both distances", (
    "Divide the pipeline's time by the loop's, at each distance. Which one number stands for ten rounds, if one of them stalled?",
    "The mean of ten rounds is ruled by the one that stalled; the median is not: statistics.median(rounds[\"near\"][\"loop\"]).",
    "Count at how many of the two distances the share of the medians is at most 0.05, and return "
    "(\"does not hold here\", \"depends\", \"holds\")[count]",
))
def judge_pipeline(answer):
    stalls = [(None, 0), *((way, place) for way in ("loop", "pipeline") for place in range(ROUNDS))]
    for stalled, place in stalls:
        for name, near, far, word in CASES:
            rounds = {"near": rounds_of(near, 0.003, stalled, place), "far": rounds_of(far, 0.2, stalled, place)}
            said = answer(rounds)
            if said != word:
                stall = f", one round of the {stalled} stalled" if stalled else ""
                raise Refused(f"the pipeline takes {name} of the loop's time{stall}: it {word}, and you said {said!r}",
                              *(() if stalled else AT_MOST))
    return f"{counted(len(stalls) * len(CASES), 'trial')} judged, nearly all of them with a round that stalled"


def rounds_of(share, loop_s, stalled, place):
    """{"loop": ten times, "pipeline": ten times}, the one a `share` of the other but for a stalled round."""
    rounds = {"loop": [loop_s * (1 + i / 1_000) for i in range(ROUNDS)]}
    rounds["pipeline"] = [share * seconds for seconds in rounds["loop"]]
    if stalled:
        rounds[stalled][place] *= STALL
    return rounds


@exercise("14.2", "write fair_pair(): loop(r) and pipeline(r), which do the same work, in a hundred turns and in one", (
    "List what differs between the two: the connection, the number of keys, the size of the values, the transaction, the turns. "
    "One of the five is the question.",
    "Both write the same hundred keys with the same values through r. The pipeline is r.pipeline(transaction=False).",
    "loop: for i in range(100): r.set(f\"exercise:{i}\", \"x\" * 1_000). pipeline: the same with pipe.set, then pipe.execute().",
))
def fair_pair(answer):
    pair = answer()
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(map(callable, pair)):
        raise Refused("fair_pair returns two functions of a client, the loop first: return loop, pipeline",
                      "The functions themselves, not called.")
    with exercise_client() as client:
        loop, pipeline = (sorted(check_arm(client, name, fn, turns))
                          for name, fn, turns in (("loop", pair[0], len(KEYS)), ("pipeline", pair[1], 1)))
    place = first_difference(loop, pipeline)
    if place is not None:
        raise Refused(f"right keys, but the loop sends {in_short(loop[place])} where the pipeline sends "
                      f"{in_short(pipeline[place])}")
    return f"both write {len(KEYS)} keys in {len(KEYS)} commands; one waits {len(KEYS)} times, the other once"


def in_short(command):
    return " ".join(part.decode(errors="replace") if len(part) <= 20 else "…" for part in command)


@contextlib.contextmanager
def calls_of(function):
    """A list of the calls of `function`, one that is written in C, that are made in this thread inside the block."""
    seen, before = [], sys.getprofile()
    sys.setprofile(lambda frame, event, what: seen.append(frame.f_lineno) if event == "c_call" and what is function else None)
    try:
        yield seen
    finally:
        sys.setprofile(before)


def check_arm(client, name, fn, turns):
    """The commands that one variant sent. Raises Refused where its work or its turns are not those of the task."""
    clean(client)
    with Tap() as tap, calls_of(time.sleep) as slept:
        fn(client)
    cost = cost_of(tap)
    if slept:
        raise Refused(f"the {name} sleeps: a second difference beside the turns, and one that no server causes",
                      "Leave out whatever does not send or read.")
    found = {key.decode(): client.get(key) for key in client.scan_iter("exercise:*", count=1_000)}
    if cost.connections:
        raise Refused(f"the {name} opens {counted(cost.connections, 'connection')} of its own: "
                      f"{counted(cost.handshake_trips, 'round trip')} that the other variant does not make")
    if len(found) != len(KEYS) or set(found) != set(KEYS):
        missing = next((f"; {key} is missing" for key in KEYS if key not in found), "")
        raise Refused(f"the {name} leaves {counted(len(found), 'key')}; the work is {len(KEYS)}: "
                      f"exercise:0 to exercise:99{missing}")
    short = next((key for key in sorted(found) if found[key] != KEYS[key]), None)
    if short:
        other = "other bytes" if len(found[short]) == len(KEYS[short]) else counted(len(found[short]), "byte")
        raise Refused(f"the {name} writes {other} to {short}; the work is 1,000 times x")
    if cost.commands != len(KEYS):
        extra = "MULTI and EXEC are a second change beside the turns" if "MULTI" in names_sent(tap) else "send one SET a key"
        raise Refused(f"right keys, but the {name} sends {counted(cost.commands, 'command')} for {len(KEYS)} keys: {extra}")
    if cost.round_trips != turns:
        swapped = cost.round_trips == (1 if turns > 1 else len(KEYS))
        raise Refused(f"right keys, but the {name} makes {counted(cost.round_trips, 'round trip')} and should make {turns}",
                      *(("The loop is returned first, the pipeline second: return loop, pipeline",) if swapped else ()))
    return [command for write in tap.writes for command in commands_in(write.chunks)]
