"""Chapter 07: a lock released, calls limited, and a price returned whole, each in one round trip."""

from ...tracing.cost import cost_and_result
from ..checking import Refused, exercise_client, refuse_over
from ..exercises import exercise


def in_one_turn(answer, client, *arguments):
    """What the answer returned. Refused if it took more than one round trip."""
    cost, reply = cost_and_result(lambda r: answer(r, *arguments), client)
    refuse_over(cost, 1, "right so far")
    return reply


@exercise(
    "07.1",
    task="delete the key only if it holds the token, in one round trip",
    hints=(
        "Between your GET and your DEL the lock may expire and be taken by somebody else. Where must the two be compared?",
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
            raise Refused("the lock held your token, and is still there")
        if not released:
            raise Refused(f"the lock was yours and is gone, but the function returned {released!r}")
        client.set(lock, "another's", px=60_000)
        released = answer(client, lock, "mine")
        if client.get(lock) != b"another's":
            raise Refused("you released a lock that somebody else holds")
        if released:
            raise Refused(f"the lock was another's and was left alone, but the function returned {released!r}")
        client.delete(lock)
        if answer(client, lock, "mine"):
            raise Refused("there was no lock to release, but the function says that it released one")
        for token in ("another's", "mine"):
            client.set(lock, token, px=60_000)
            in_one_turn(answer, client, lock, "mine")
    return "released when yours, left alone when not, in 1 round trip"


@exercise(
    "07.2",
    task="count the calls in the key and refuse those beyond the limit, in one round trip",
    hints=(
        "Counting and setting the expiry must leave in one request, and the expiry depends on the count.",
        "INCR returns the new count. If that is 1, this call has just opened the window: only then set the expiry.",
        "local hits = redis.call('INCR', KEYS[1]) if hits == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end "
        "return hits <= tonumber(ARGV[1]) and 1 or 0",
    ),
)
def fixed_window(answer):
    with exercise_client() as client:
        for limit in (1, 3):
            check_limit(answer, client, f"exercise:calls:{limit}", limit)
        check_window(answer, client, "exercise:window")
        in_one_turn(answer, client, "exercise:first", 3, 100)
        in_one_turn(answer, client, "exercise:first", 3, 100)
    return "lets through what the limit allows, opens the window once, in 1 round trip"


def check_limit(answer, client, key, limit):
    answers = [bool(answer(client, key, limit, 100)) for _ in range(limit + 2)]
    if answers != [True] * limit + [False] * 2:
        said = ", ".join(str(each) for each in answers)
        raise Refused(f"with a limit of {limit}, {limit + 2} calls got {said}")
    if not client.exists(key):
        raise Refused(f"the calls are not counted in the key that was given: {key} does not exist")
    if client.ttl(key) == -1:
        raise Refused("the key has no expiry: whoever reaches the limit is locked out for good")
    if not 0 < client.ttl(key) <= 100:
        raise Refused(f"the window is to last 100 s, and the key expires in ~{client.ttl(key)} s")


def check_window(answer, client, key):
    answer(client, key, 2, 100)
    client.expire(key, 40)
    answer(client, key, 2, 100)
    if client.ttl(key) > 40:
        raise Refused("the second call began the window anew: whoever keeps calling is never let in again")
    answer(client, key, 2, 100)
    if client.ttl(key) > 40:
        raise Refused("a refused call began the window anew: whoever keeps calling is never let in again")
    client.delete(key)
    if not answer(client, key, 2, 100):
        raise Refused("the window was over, and the next call was refused")


@exercise(
    "07.3",
    task="store the reduced price and return it with its cents, in one round trip",
    hints=(
        "A Lua number is cut to an integer on its way out. What type travels whole?",
        "Text does. Store the number as before, and return it as text.",
        "return string.format('%.2f', price), or tostring(price)",
    ),
)
def whole_price(answer):
    key = "exercise:price"
    with exercise_client() as client:
        for price, percent, expected in (("19.99", 10, 17.991), ("80", 25, 60.0), ("0.50", 50, 0.25)):
            client.set(key, price)
            got = as_price(answer(client, key, percent))
            if abs(got - expected) > 0.0051:
                raise Refused(f"{price} less {percent}% is {expected:.2f}, and the function returned {got:g}")
            stored = as_price(client.get(key))
            if abs(stored - expected) > 0.0051:
                raise Refused(f"the function returned {got:g}, but {stored:g} is stored")
        client.set(key, "19.99")
        in_one_turn(answer, client, key, 10)
    return "the new price stored, and returned to the cent, in 1 round trip"


def as_price(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Refused(f"a price was expected, not {value!r}") from None
