"""Write two variants that differ in one thing."""

import sys
import time

from lab_utils.course.checking import (
    Refused,
    Recording,
    clean,
    commands_sent,
    cost_of,
    counted,
    exercise_client,
    first_difference,
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
        loop = check_arm(client, "loop", pair[0], len(KEYS))
        pipeline = check_arm(client, "pipeline", pair[1], 1)
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


def check_arm(client, name, fn, turns):
    """Return what one variant sent, sorted; raise Refused where its work is another."""
    clean(client)
    slept, before = [], sys.getprofile()
    with Recording() as seen:
        sys.setprofile(lambda frame, event, what: slept.append(1) if what is time.sleep else None)
        try:
            fn(client)
        finally:
            sys.setprofile(before)
    if slept:
        raise Refused(
            f"the {name} sleeps: a second difference beside the turns, and one that no "
            "server causes",
            "Leave out whatever does not send or read.",
        )
    cost, sent = cost_of(seen), commands_sent(seen)
    if cost.connections:
        raise Refused(
            f"the {name} opens {counted(cost.connections, 'connection')} of its own: "
            f"{counted(cost.handshake_trips, 'round trip')} that the other variant does "
            "not make"
        )
    check_keys(client, name)
    if cost.commands != len(KEYS):
        extra = (
            "MULTI and EXEC are a second change beside the turns"
            if [b"MULTI"] in sent
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
            *["The loop is returned first, the pipeline second: return loop, pipeline"] * swapped,
        )
    return sorted(sent)


def check_keys(client, name):
    found = {key.decode(): client.get(key) for key in client.scan_iter("exercise:*", count=1_000)}
    if found.keys() != KEYS.keys():
        missing = next((f"; {key} is missing" for key in KEYS if key not in found), "")
        raise Refused(
            f"the {name} leaves {counted(len(found), 'key')}; the work is {len(KEYS)}: "
            f"exercise:0 to exercise:99{missing}"
        )
    for key, value in sorted(found.items()):
        if value != KEYS[key]:
            raise Refused(
                f"the {name} writes {counted(len(value), 'byte')} to {key}; the work is "
                "1,000 times x"
            )
