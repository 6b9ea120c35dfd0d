"""Check exercise 06.3: read one field of a stored value without reading the whole value."""

import contextlib

import redis

from lab_utils.course.checking import (
    Attempt,
    Refused,
    borrowed,
    clean,
    connect,
    counted,
    exercise_client,
    stored,
)

BUDGET = 60  # bytes received
PRODUCT = {
    "sku": "A-1029",
    "title": "Espresso machine",
    "price": "249.00",
    "stock": 12,
    "colour": "red",
    "description": ("Pumps, boils and froths, and does it every morning without complaint. " * 60),
}
IN_ONE_STEP = (
    "pipe = r.pipeline(); pipe.delete(key); pipe.hset(key, mapping=product); pipe.execute()"
)
ONE_FIELD = "HGET fetches one field, as bytes; int() makes a number of it."
OLD = {"sku": "A-1028", "stock": 3, "discount": "1990.07"}


def check(answer) -> str:
    with exercise_client() as r:
        sold_out = answer(r, {**PRODUCT, "stock": 0})  # a script's first call sends its text, too
        clean(r)
        r.hset("exercise:product", mapping=OLD)
        attempt = Attempt(answer, r, dict(PRODUCT))
        kept = stored(r)
        held = b"\n".join(kept.values())
        missing = [name for name, value in PRODUCT.items() if str(value).encode() not in held]
        if missing:
            raise Refused(
                f"not every field is stored: {', '.join(missing)} cannot be found under "
                "exercise:product.",
                "HSET with mapping=product stores them all.",
            )
        got = attempt.reply
        if (sold_out, got) != (0, PRODUCT["stock"]):
            raise Refused(
                f"the function returned {sold_out!r} and {got!r} for products with a stock of 0 "
                f"and {PRODUCT['stock']}, two numbers",
                ONE_FIELD,
            )
        if attempt.cost.bytes_received > BUDGET:
            raise Refused(
                f"the right value, but {counted(attempt.cost.bytes_received, 'byte')} received; "
                f"the budget is {BUDGET}."
            )
        if OLD["discount"].encode() in held:
            raise Refused(
                "every field is stored, but the product that was there before had a "
                "`discount`, and it is there still: HSET leaves alone what it isn't "
                "given",
                "What was there must go, in the same step as the new comes, or a reader "
                "finds half a product.",
                IN_ONE_STEP,
            )
        refuse_half_a_product(r, attempt.commands, kept)
    return (
        f"{counted(attempt.cost.bytes_received, 'byte')} received for a product of "
        f"{sum(len(str(v)) for v in PRODUCT.values()):,}"
    )


def refuse_half_a_product(r: redis.Redis, sent: list[list[bytes]], kept: dict) -> None:
    """Raise Refused if a reader could see half a product while the learner's commands are sent.

    `sent` are these commands, each a list of its words as bytes. They are sent again, to the
    database of `r`, which holds the old product. After each command outside of MULTI … EXEC, the
    keys of `kept` must hold the whole old or the whole new product. `kept` is {key: content as
    bytes} of the keys from which the learner's code reads the stock, as they are when all commands
    have been sent.
    """
    clean(r)
    r.hset("exercise:product", mapping=OLD)
    old, new, queued = parts(stored(r), kept), parts(kept, kept), False
    with connect() as other:
        connection = borrowed(other)
        for name, *rest in sent:
            connection.send_command(name, *rest)
            with contextlib.suppress(redis.ResponseError):
                connection.read_response()
            queued = name.upper() == b"MULTI" or (queued and name.upper() != b"EXEC")
            if not queued and parts(stored(r), kept) not in (old, new):
                raise Refused(
                    f"the right value, but a reader who looks just after {name.decode()} "
                    "finds no product, or half of one",
                    IN_ONE_STEP,
                )


def parts(held: dict, keys) -> dict[str, list]:
    """Return {key: [lines of its content, sorted]} for those keys of `held` that are in `keys`.

    `held` is {key: content as bytes}. The server returns the fields of a large hash in any order,
    so contents are compared sorted.
    """
    return {key: sorted(value.split(b"\n")) for key, value in held.items() if key in keys}
