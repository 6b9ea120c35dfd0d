"""Chapter 12: a page within a budget, the call site that waits longest, a visit in one step, a thread of comments."""

import secrets

from ...arguments import shown
from ...tracing.cost import cost_of
from ...tracing.tap import Tap
from ...words import counted
from ..checking import Refused, exercise_client, first_difference, names_sent, refuse_over
from ..exercises import exercise

# 12.1
CARTS = 30, 1, 0  # products in each
CART_TRIPS = 2
# 12.2
# A server looks for those who have waited long enough every 100 ms, so each of these may take so much longer.
BLOCKS_S = 0.3
SHORT_S, SHORTS, ONE_S = 0.1, 7, 0.4
LINE_S, LONG_LINE_S = 0.5, 0.75  # one line of two, and the only one of another function: between one and two of the former
MANY = 40
# 12.3
VISITS = 3
ONE_STEP = ("Between your GET and your SET another visit of the same user may be served. What keeps the two together?",
            "SET with get=True returns the old value and writes the new one, as one command; INCR counts as one command.")
# 12.4
COMMENTS = 24
THREAD_TRIPS = 3


def lines_of(said, call):
    if not isinstance(said, (list, tuple)):
        raise Refused(f"{call} returned {shown(said)}. A list of lines was expected", "Return the list, line by line as the slow "
                      "one makes it.")
    return list(said)


def compare_lines(said, expected, call, *hints):
    """Raises Refused, with the first line that differs."""
    said = lines_of(said, call)
    place = first_difference(said, expected)
    if place is not None:
        raise Refused(f"{call}: line {place + 1} is {shown(said[place])} and should be {expected[place]!r}", *hints)
    if len(said) != len(expected):
        raise Refused(f"{call} returned {counted(len(said), 'line')} and should return {len(expected)}", *hints)


def lines_within(trips, answer, given, expected, call, *hints):
    """Runs the answer, which has to return the lines expected in so many round trips."""
    with Tap() as tap:
        said = answer(*given)
    compare_lines(said, expected, call, *hints)
    refuse_over(cost_of(tap), trips, f"{call}: right lines")


@exercise("12.1", "write cart(r, user): the lines of slow_cart, in two round trips", (
    "What do you know after the first HGETALL? Everything else can be asked together.",
    "One plain pipeline: an HMGET for each product, a GET for each stock. Then build the lines from its replies.",
))
def cart(answer):
    with exercise_client(decode_responses=True) as client:
        for number in CARTS:
            user, expected = fill_cart(client, number)
            call = f"a cart with {counted(number, 'product')}"
            lines_within(CART_TRIPS, answer, (client, user), expected, call, "Compare with slow_cart, line by line: the order of "
                         "the cart, and '(only … left)' where there is too little.")
    return f"carts of {', '.join(map(str, CARTS))} products in {CART_TRIPS} round trips at most"


def fill_cart(client, number):
    """(user, the lines expected) of a cart that nobody has seen before."""
    user, lines = secrets.token_hex(4), []
    for place in range(number):
        product, amount, price = secrets.token_hex(4), secrets.randbelow(9) + 1, secrets.randbelow(900) + 100
        left = amount - 1 if place % 3 == 0 else amount + secrets.randbelow(50)
        client.hset(f"exercise:cart:{user}", product, amount)
        client.hset(f"exercise:product:{product}", mapping={"name": f"thing {product}", "price": price})
        if left:
            client.set(f"exercise:stock:{product}", left)
        lines.append((product, f"{amount} thing {product}: {amount * price}" + (f" (only {left} left)" if left < amount else "")))
    by_product = dict(lines)
    return user, [by_product[product] for product in client.hgetall(f"exercise:cart:{user}")]


@exercise("12.2", "write slowest(r, program): the name of the function in which program(r) waits longest", (
    "Run program(r) in a `with lab.trace() as t:` block. What has each of t.call_sites, besides its number of turns?",
    "A call site has `seconds`, and `site.function`, a name. A function may have several: add up the seconds of each name.",
))
def slowest(answer):
    with exercise_client() as client:
        tales = {"one slow command": one_blocks(), "a loop": one_loops(), "one function, two lines": two_lines()}
        for tale, (program, right, most_turns, longest_line) in tales.items():
            said = answer(client, program)
            if not isinstance(said, str):
                raise Refused(f"slowest returned {shown(said)}. The name of a function was expected, such as 'stock'",
                              "A call site's name is its site.function.")
            if said == right:
                continue
            if said == most_turns:
                raise Refused(f"{tale}: {said!r} makes the most round trips, and {right!r} waits longest",
                              "Turns are not all alike: a command that blocks, or works long, makes a long one. What has a call "
                              "site besides its turns?", "each.seconds")
            if said == longest_line:
                raise Refused(f"{tale}: {said!r} has the line that waits longest, and {right!r} waits longer, on two lines "
                              "together",
                              "A function may ask on several lines, and each is a call site. Add up the seconds of those that "
                              "have the same site.function.",
                              "seconds = Counter(); for each in t.call_sites: seconds[each.site.function] += each.seconds")
            raise Refused(f"{tale}: {said!r} was named, and {right!r} waits longest",
                          "Add up what all the turns of a call site wait: each.seconds does.")
    return "found one slow command among many quick ones, one loop, and one function that waits on two lines"


def program_of(*parts):
    """(a function of a client that calls functions of these bodies, their names)."""
    names = [f"step_{secrets.token_hex(3)}" for _ in parts]
    text = "\n".join(f"def {name}(r):\n    {part}\n" for name, part in zip(names, parts, strict=True))
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
    program, names = program_of("r.ping()", f"r.blpop('exercise:queue', timeout={LONG_LINE_S})", f"{wait}\n    {wait}")
    return program, names[2], None, names[1]


@exercise("12.3", "write visit(r, user, now): slow_visit in one round trip, safe beside other visits", (
    "Both values are read only to be written. Which commands change a value and return one?",
    *ONE_STEP,
))
def visit(answer):
    with exercise_client(decode_responses=True) as client:
        for _ in range(VISITS):
            user, before = secrets.token_hex(4), None
            for number in range(1, VISITS + 1):
                now = secrets.token_hex(4)
                with Tap() as tap:
                    said = answer(client, user, now)
                check_visit(said, (before, number), f"visit {number} of {user}")
                check_kept(client, user, now, number)
                refuse_over(cost_of(tap), 1)
                names = names_sent(tap)
                if {"GET", "SET"} <= set(names) and "MULTI" not in names:
                    raise Refused("right values in one round trip, but GET and SET are two commands, and a plain pipeline lets "
                                  "others in between: two visits would both see the same one before", *ONE_STEP)
                before = now
    return f"{VISITS * VISITS} visits, each counted and dated in one round trip"


def check_visit(said, expected, call):
    if not isinstance(said, (list, tuple)) or len(said) != 2:
        raise Refused(f"{call}: visit returned {shown(said)}. The time of the visit before and the count were expected",
                      "return before, count")
    if tuple(said) != expected:
        raise Refused(f"{call}: visit returned {tuple(said)!r} and should return {expected!r}",
                      "The first visit has none before it: None. The count is a number, and begins with 1.")


def check_kept(client, user, now, number):
    kept = client.get(f"exercise:seen:{user}"), client.get(f"exercise:visits:{user}")
    if kept != (now, str(number)):
        raise Refused(f"right values, but Redis now holds {kept!r} and should hold {(now, str(number))!r}",
                      "Write what slow_visit writes, under the same keys.")


@exercise("12.4", "write thread(r, post): the lines of slow_thread, in three round trips", (
    "What do you know after the first round trip, and what after the second? Ask for all that you can name.",
    "LRANGE; then one pipeline with an HMGET for each comment; then one with an HMGET for each author.",
))
def thread(answer):
    with exercise_client(decode_responses=True) as client:
        for number in (COMMENTS, 1, 0):
            post, expected = fill_thread(client, number)
            call = f"a thread of {counted(number, 'comment')}"
            lines_within(THREAD_TRIPS, answer, (client, post), expected, call, "A deleted comment has no fields, and a banned "
                         "author's are left out. The others keep their order.", "`banned` is the text '0' or '1', and in Python "
                         "the text '0' is true: compare it with '1'.")
    return f"{COMMENTS} comments by authors of whom some are banned, in {THREAD_TRIPS} round trips"


def fill_thread(client, number):
    """(post, the lines expected) of a thread that nobody has seen before. Every fifth comment is deleted, a third banned."""
    post, lines = secrets.token_hex(4), []
    authors = [secrets.token_hex(4) for _ in range(6)]
    for place, author in enumerate(authors):
        client.hset(f"exercise:author:{author}", mapping={"name": f"player {author}", "banned": int(place % 3 == 1)})
    for place in range(number):
        comment, author = secrets.token_hex(4), place % len(authors)
        client.rpush(f"exercise:thread:{post}", comment)
        if place % 5 == 4:
            continue
        text = f"words {secrets.token_hex(4)}"
        client.hset(f"exercise:comment:{comment}", mapping={"author": authors[author], "text": text})
        if author % 3 != 1:
            lines.append(f"player {authors[author]}: {text}")
    return post, lines
