"""Name the function that waits longest."""

import secrets

from lab_utils.course.checking import Refused, exercise_client, shown

BLOCKS_S = 0.3
SHORT_S, SHORTS, ONE_S = 0.1, 7, 0.4
# one line of two, and the only one of another function: between one and two of the former
LINE_S, LONG_LINE_S = 0.5, 0.75
MANY = 40


def check(answer):
    with exercise_client() as client:
        tales = {"one slow command": one_blocks(), "a loop": one_loops(),
                 "one function, two lines": two_lines()}
        for tale, (program, right, most_turns, longest_line) in tales.items():
            said = answer(client, program)
            if not isinstance(said, str):
                raise Refused(f"slowest returned {shown(said)}. The name of a function was "
                              "expected, such as 'stock'",
                              "A call site's name is its site.function.")
            if said == right:
                continue
            if said == most_turns:
                raise Refused(f"{tale}: {said!r} makes the most round trips, and {right!r} waits "
                              "longest",
                              "Turns are not all alike: a command that blocks, or works long, "
                              "makes a long one. What has a call site besides its turns?",
                              "each.seconds")
            if said == longest_line:
                raise Refused(f"{tale}: {said!r} has the line that waits longest, and {right!r} "
                              "waits longer, on two lines together",
                              "A function may ask on several lines, and each is a call site. Add "
                              "up the seconds of those that have the same site.function.",
                              "seconds = Counter(); for each in t.call_sites: "
                              "seconds[each.site.function] += each.seconds")
            raise Refused(f"{tale}: {said!r} was named, and {right!r} waits longest",
                          "Add up what all the turns of a call site wait: each.seconds does.")
    return ("found one slow command among many quick ones, one loop, and one function that waits "
            "on two lines")


def program_of(*parts):
    """Return a function that calls functions of these bodies, and their names."""
    names = [f"step_{secrets.token_hex(3)}" for _ in parts]
    text = ("\n".join(f"def {name}(r):\n    {part}\n"
                      for name, part in zip(names, parts, strict=True)))
    text += "def program(r):\n" + "".join(f"    {name}(r)\n" for name in names)
    made = {}
    exec(compile(text, "nightly.py", "exec"), made)
    return made["program"], names


def one_blocks():
    program, names = program_of(f"for number in range({MANY}): r.get(f'exercise:{{number}}')",
                                f"r.blpop('exercise:queue', timeout={BLOCKS_S})", "r.ping()")
    return program, names[1], names[0], None


def one_loops():
    loop = f"for number in range({SHORTS}): r.blpop('exercise:queue', timeout={SHORT_S})"
    program, names = program_of("r.ping()", f"r.blpop('exercise:queue', timeout={ONE_S})", loop)
    return program, names[2], None, None


def two_lines():
    wait = f"r.blpop('exercise:queue', timeout={LINE_S})"
    program, names = program_of("r.ping()", f"r.blpop('exercise:queue', timeout={LONG_LINE_S})",
                                f"{wait}\n    {wait}")
    return program, names[2], None, names[1]
