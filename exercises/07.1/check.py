"""Chapter 07: a lock released, calls limited, and a price returned whole, each in one round trip."""

from decimal import Decimal

import redis

from ...tracing.cost import cost_of
from ...tracing.tap import Tap
from ..checking import Refused, exercise_client, refuse_over, refuse_pasted, refuse_pieces, text
from ..exercises import exercise


def in_one_turn(answer, client, *arguments):
    """What the answer returned. Refused if it took more than one round trip, or if its script was made for these arguments."""
    client.ping()
    with Tap() as tap:
        reply = answer(client, *arguments)
    refuse_over(cost_of(tap), 1, "right so far")
    refuse_pasted(tap, *(each.encode() for each in arguments if isinstance(each, str)))
    refuse_pieces(tap, ("right so far, but ", " are not one step: if the key expires between the two, the second makes one that "
                        "never does"), "MULTI and EXEC around the two, or a script.")
    return reply


RETURNS = "A script's `return` is the reply: DEL's is 1 or 0, and where nothing was deleted the script can return 0."


@exercise(
    "07.1",
    task="delete the key only if it holds the token, in one round trip",
    hints=(
        "Look before you delete: whose token is in the key? And between the look and the DEL the lock may expire and be taken "
        "by somebody else. Where must the two be compared?",
        "In a script: KEYS[1] is the lock, ARGV[1] your token. GET, compare, DEL; DEL's reply is 1 or 0.",
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
    ),
)
def lock_release(answer):
    lock = "exercise:lock"
    with exercise_client() as client:
        client.set(lock, "mine", px=60_000)
        released = answer(client, lock, "mine")
        if client.exists(lock):
            raise Refused("the lock held your token, and is still there",
                          "Is your comparison ever true? In Python GET returns bytes, and b'mine' is not 'mine'. Compare in the "
                          "script, where both are text, and delete there: redis.call('DEL', KEYS[1]).")
        if not released:
            raise Refused(f"the lock was yours and is gone, but the function returned {released!r}", RETURNS)
        client.set(lock, "another's", px=60_000)
        released = answer(client, lock, "mine")
        if client.get(lock) != b"another's":
            raise Refused("you released a lock that somebody else holds")
        if released:
            raise Refused(f"the lock was another's and was left alone, but the function returned {released!r}", RETURNS)
        client.delete(lock)
        if answer(client, lock, "mine"):
            raise Refused("there was no lock to release, but the function says that it released one", RETURNS)
        for token in ("another's", "mine"):
            client.set(lock, token, px=60_000)
            in_one_turn(answer, client, lock, "mine")
    return "released when yours, left alone when not, in 1 round trip"


OPENS = ("Which call opens the window? Only that one sets the expiry.",
         "SET key 0 NX PX does it where there is no key and does nothing where there is one; or look whether INCR replied with "
         "1.")
HALF = ("EX and EXPIRE take whole seconds. Which options count in milliseconds?", "PX and PEXPIRE, with int(seconds * 1000).")


@exercise(
    "07.2",
    task="count the calls in the key and refuse those beyond the limit, in one round trip",
    hints=(
        "Counting and setting the expiry must leave in one request, as one step, and only the first call sets the expiry.",
        "SET key 0 NX PX opens the window where there is none, and does nothing where there is one. Then INCR counts.",
        "redis.call('SET', KEYS[1], 0, 'PX', ARGV[2], 'NX') return redis.call('INCR', KEYS[1]) <= tonumber(ARGV[1]) and 1 or 0, "
        "with int(seconds * 1000) as ARGV[2]",
    ),
)
def fixed_window(answer):
    with exercise_client() as client:
        for limit in (1, 3):
            check_limit(answer, client, f"exercise:calls:{limit}", limit)
        check_window(answer, client, "exercise:window")
        in_one_turn(answer, client, "exercise:first", 3, 100)
        in_one_turn(answer, client, "exercise:first", 3, 100)
        check_half_a_second(answer, client, "exercise:short")
    return "lets through what the limit allows, opens the window once, in 1 round trip"


def check_limit(answer, client, key, limit):
    try:
        answers = [bool(answer(client, key, limit, 100)) for _ in range(limit + 2)]
    except redis.ResponseError as error:
        if not {"compare", "number", "string"} <= set(str(error).split()):
            raise
        raise Refused(f"the script compares a number with a text: {error}",
                      "What INCR returns is a number in Lua. What is ARGV[1]?", "tonumber(ARGV[1])") from None
    if answers != [True] * limit + [False] * 2:
        said = ", ".join(str(each) for each in answers)
        raise Refused(f"with a limit of {limit}, {limit + 2} calls got {said}",
                      "INCR replies with the count, this call included. Which counts are let through?", "calls <= limit")
    if not client.exists(key):
        raise Refused(f"the calls are not counted in the key that was given: {key} does not exist",
                      "INCR key counts, and replies with the new count.")
    if client.ttl(key) == -1:
        raise Refused("the key has no expiry: whoever reaches the limit is locked out for good", *OPENS)
    if not 0 < client.ttl(key) <= 100:
        raise Refused(f"the window is to last 100 s, and the key expires in ~{client.ttl(key)} s",
                      "EX and EXPIRE take seconds, PX and PEXPIRE milliseconds.")


def check_window(answer, client, key):
    answer(client, key, 2, 100)
    client.expire(key, 40)
    answer(client, key, 2, 100)
    if client.ttl(key) > 40:
        raise Refused("the second call began the window anew: whoever keeps calling is never let in again", *OPENS)
    answer(client, key, 2, 100)
    if client.ttl(key) > 40:
        raise Refused("a refused call began the window anew: whoever keeps calling is never let in again", *OPENS)
    client.delete(key)
    if not answer(client, key, 2, 100):
        raise Refused("the window was over, and the next call was refused", *OPENS)


def check_half_a_second(answer, client, key):
    try:
        answer(client, key, 2, 0.5)
    except redis.RedisError as error:
        left = ", and left a key that never expires" if client.pttl(key) == -1 else ""
        raise Refused(f"a window of 0.5 s ended in {type(error).__name__} ({error}){left}", *HALF) from None
    if not 0 < client.pttl(key) <= 500:
        left = client.pttl(key)
        kept = {-1: "never expires", -2: "is gone at once"}.get(left, f"expires in ~{left} ms")
        raise Refused(f"a window of 0.5 s is to last 500 ms, and the key {kept}", *HALF)


PRICES = (("19.99", 10, "17.99"), ("80", 25, "60.00"), ("0.50", 50, "0.25"), ("2.30", 10, "2.07"), ("10.33", 10, "9.30"))
TO_THE_CENT = ("Multiplying leaves more than two decimals, or a little too few: 2.30 less 10% is 2.0699999… to a computer. "
               "Round it.",
               "string.format('%.2f', price) rounds to two decimals, and makes it a text.")


@exercise(
    "07.3",
    task="store the reduced price, return it with its cents and keep the expiry, in one round trip",
    hints=(
        "Do the arithmetic where the price is, in the script. A Lua number is cut to an integer on its way out: what type "
        "travels whole?",
        "Text does. Make a text of the price, store that, and return the same.",
        "local price = string.format('%.2f', …) redis.call('SET', KEYS[1], price, 'KEEPTTL') return price",
    ),
)
def whole_price(answer):
    key = "exercise:price"
    with exercise_client() as client:
        for price, percent, right in PRICES:
            client.set(key, price)
            check_price(answer(client, key, percent), client.get(key), price, percent, Decimal(right))
        client.set(key, "19.99", ex=1_000)
        in_one_turn(answer, client, key, 10)
        if client.ttl(key) == -1:
            raise Refused("the price is right, but the key had an expiry, and now it has none: this price stays for ever",
                          "SET clears an expiry. One of its options keeps it.", "redis.call('SET', KEYS[1], price, 'KEEPTTL')")
    return "the new price stored, and returned to the cent, in 1 round trip"


def check_price(got, stored, price, percent, right):
    task = f"{price} less {percent}% is {right:.2f}"
    said = as_price(got)
    if abs(said - right) >= 1 or said == int(right) != right:
        raise Refused(f"{task}, and the function returned {said:g}")
    if abs(said - right) > Decimal("0.001"):
        raise Refused(f"{task}, and the function returned {said:g}", *TO_THE_CENT)
    kept = as_price(stored)
    if abs(kept - right) > Decimal("0.001"):
        raise Refused(f"the function returned {said:g}, but {kept:g} is stored", "SET in the script stores what it is given.",
                      *TO_THE_CENT[1:])


def as_price(value):
    try:
        return Decimal(str(text(value)))
    except ArithmeticError:
        raise Refused(f"a price was expected, not {value!r}", "return in the script, and return in the function.") from None
