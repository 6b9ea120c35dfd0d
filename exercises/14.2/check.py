"""Write two variants that differ in one thing."""

import contextlib
import sys
import time

from lab_utils.course.checking import (
    Refused,
    Recording,
    clean,
    commands_in,
    cost_of,
    counted,
    exercise_client,
    first_difference,
    names_sent,
)

KEYS = {f"exercise:{i}": b"x" * 1_000 for i in range(100)}


def check(answer):
    pair = answer()
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(map(callable, pair)):
        raise Refused(
            "fair_pair returns two functions of a client, the loop first: return loop, pipeline",
            "The functions themselves, not called.",
        )
    with exercise_client() as client:
        loop, pipeline = (
            sorted(check_arm(client, name, fn, turns))
            for name, fn, turns in (("loop", pair[0], len(KEYS)), ("pipeline", pair[1], 1))
        )
    place = first_difference(loop, pipeline)
    if place is not None:
        raise Refused(
            f"right keys, but the loop sends {in_short(loop[place])} where the pipeline "
            f"sends {in_short(pipeline[place])}"
        )
    return (
        f"both write {len(KEYS)} keys in {len(KEYS)} commands; one waits {len(KEYS)} times, "
        "the other once"
    )


def in_short(command):
    return " ".join(part.decode(errors="replace") if len(part) <= 20 else "…" for part in command)


@contextlib.contextmanager
def calls_of(function):
    """Yield a list of this thread's calls of `function`, which is written in C."""
    seen, before = [], sys.getprofile()
    sys.setprofile(
        lambda frame, event, what: (
            seen.append(frame.f_lineno) if event == "c_call" and what is function else None
        )
    )
    try:
        yield seen
    finally:
        sys.setprofile(before)


def check_arm(client, name, fn, turns):
    """Return the commands that one variant sent; raise Refused where its work is another."""
    clean(client)
    with Recording() as seen, calls_of(time.sleep) as slept:
        fn(client)
    cost = cost_of(seen)
    if slept:
        raise Refused(
            f"the {name} sleeps: a second difference beside the turns, and one that no "
            "server causes",
            "Leave out whatever does not send or read.",
        )
    found = {key.decode(): client.get(key) for key in client.scan_iter("exercise:*", count=1_000)}
    if cost.connections:
        raise Refused(
            f"the {name} opens {counted(cost.connections, 'connection')} of its own: "
            f"{counted(cost.handshake_trips, 'round trip')} that the other variant does "
            "not make"
        )
    if len(found) != len(KEYS) or set(found) != set(KEYS):
        missing = next((f"; {key} is missing" for key in KEYS if key not in found), "")
        raise Refused(
            f"the {name} leaves {counted(len(found), 'key')}; the work is {len(KEYS)}: "
            f"exercise:0 to exercise:99{missing}"
        )
    short = next((key for key in sorted(found) if found[key] != KEYS[key]), None)
    if short:
        other = (
            "other bytes"
            if len(found[short]) == len(KEYS[short])
            else counted(len(found[short]), "byte")
        )
        raise Refused(f"the {name} writes {other} to {short}; the work is 1,000 times x")
    if cost.commands != len(KEYS):
        extra = (
            "MULTI and EXEC are a second change beside the turns"
            if "MULTI" in names_sent(seen)
            else "send one SET a key"
        )
        raise Refused(
            f"right keys, but the {name} sends {counted(cost.commands, 'command')} for "
            f"{len(KEYS)} keys: {extra}"
        )
    if cost.round_trips != turns:
        swapped = cost.round_trips == (1 if turns > 1 else len(KEYS))
        raise Refused(
            f"right keys, but the {name} makes {counted(cost.round_trips, 'round trip')} "
            f"and should make {turns}",
            *(
                ("The loop is returned first, the pipeline second: return loop, pipeline",)
                if swapped
                else ()
            ),
        )
    return [command for write in seen.writes for command in commands_in([write.data])]
