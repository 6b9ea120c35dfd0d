"""Name the function that waits longest."""

import secrets

from lab_utils.course.checking import Refused, exercise_client, shown

BLPOP = "r.blpop('exercise:queue', timeout={})"
TALES = (  # what its functions do; the places of the slowest, of the most turns, the longest line
    (
        "one slow command",
        ("for number in range(40): r.get(f'exercise:{number}')", BLPOP.format(0.3), "r.ping()"),
        1,
        0,
        1,
    ),
    (
        "a loop",
        ("r.ping()", BLPOP.format(0.4), f"for number in range(7): {BLPOP.format(0.1)}"),
        2,
        2,
        2,
    ),
    # the line of the second waits longer than each of the third's, and shorter than both
    (
        "one function, two lines",
        ("r.ping()", BLPOP.format(0.75), f"{BLPOP.format(0.5)}\n    {BLPOP.format(0.5)}"),
        2,
        2,
        1,
    ),
)


def check(answer):
    with exercise_client() as client:
        for tale, parts, slowest, most_turns, longest_line in TALES:
            program, names = program_of(*parts)
            said, right = answer(client, program), names[slowest]
            if not isinstance(said, str):
                raise Refused(
                    f"slowest returned {shown(said)}. The name of a function was "
                    "expected, such as 'stock'",
                    "A call site's name is its site.function.",
                )
            if said == right:
                continue
            if said == names[most_turns]:
                raise Refused(
                    f"{tale}: {said!r} makes the most round trips, and {right!r} waits longest",
                    "Turns are not all alike: a command that blocks, or works long, "
                    "makes a long one. What has a call site besides its turns?",
                    "each.seconds",
                )
            if said == names[longest_line]:
                raise Refused(
                    f"{tale}: {said!r} has the line that waits longest, and {right!r} "
                    "waits longer, on two lines together",
                    "A function may ask on several lines, and each is a call site. Add "
                    "up the seconds of those that have the same site.function.",
                    "seconds = Counter(); for each in t.call_sites: "
                    "seconds[each.site.function] += each.seconds",
                )
            raise Refused(
                f"{tale}: {said!r} was named, and {right!r} waits longest",
                "Add up what all the turns of a call site wait: each.seconds does.",
            )
    return (
        "found one slow command among many quick ones, one loop, and one function that waits "
        "on two lines"
    )


def program_of(*parts):
    """Return a function that calls functions of these bodies, and their names."""
    names = [f"step_{secrets.token_hex(3)}" for _ in parts]
    text = "\n".join(
        f"def {name}(r):\n    {part}\n" for name, part in zip(names, parts, strict=True)
    )
    text += "def program(r):\n" + "".join(f"    {name}(r)\n" for name in names)
    made = {}
    exec(compile(text, "nightly.py", "exec"), made)
    return made["program"], names
