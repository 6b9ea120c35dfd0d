"""Check exercise 12.2: name the function of a program that waits longest for Redis."""

import secrets

from lab_utils.course.checking import Refused, exercise_client, of_kind

BLPOP = "r.blpop('exercise:queue', timeout={})"
TALES = (  # what its functions do, and the place of the slowest
    (
        "one slow command",
        ("for number in range(40): r.get(f'exercise:{number}')", BLPOP.format(0.3), "r.ping()"),
        1,
    ),
    (
        "a loop",
        ("r.ping()", BLPOP.format(0.4), f"for number in range(7): {BLPOP.format(0.1)}"),
        2,
    ),
    # the line of the second waits longer than each of the third's, and shorter than both
    (
        "one function, two lines",
        ("r.ping()", BLPOP.format(0.75), f"{BLPOP.format(0.5)}\n    {BLPOP.format(0.5)}"),
        2,
    ),
)


def check(answer) -> str:
    with exercise_client() as client:
        for tale, parts, slowest in TALES:
            program, names = program_of(*parts)
            said, right = answer(client, program), names[slowest]
            of_kind(
                str,
                said,
                "slowest",
                "the name of a function, such as 'stock'",
                "A call site's name is its site.function.",
            )
            if said != right:
                raise Refused(
                    f"{tale}: {said!r} was named, and {right!r} waits longest",
                    "Turns are not all alike: a command that blocks, or works long, makes a long "
                    "one. What has a call site besides its turns? each.seconds",
                    "A function may ask on several lines, and each is a call site. Add "
                    "up the seconds of those that have the same site.function.",
                    "seconds = Counter(); for each in t.call_sites: "
                    "seconds[each.site.function] += each.seconds",
                )
    return (
        "found one slow command among many quick ones, one loop, and one function that waits "
        "on two lines"
    )


def program_of(*parts: str) -> tuple:
    """Return (a program, [the names of its functions]): one function for each text in `parts`.

    The texts are source code of a function's body, on one line each, with `r` for a client. The
    program is a function of a client, which calls these functions in order.
    """
    names = [f"step_{secrets.token_hex(3)}" for _ in parts]
    text = "\n".join(
        f"def {name}(r):\n    {part}\n" for name, part in zip(names, parts, strict=True)
    )
    text += "def program(r):\n" + "".join(f"    {name}(r)\n" for name in names)
    made = {}
    exec(compile(text, "nightly.py", "exec"), made)
    return made["program"], names
