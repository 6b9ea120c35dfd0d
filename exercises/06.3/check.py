"""Read one field of a value without the rest."""

import contextlib

import redis

from lab_utils.course.checking import (
    SCRIPTS,
    Refused,
    Recording,
    borrowed,
    clean,
    commands_sent,
    connect,
    cost_of,
    counted,
    exercise_client,
    sending,
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
ONE_FIELD = "HGET fetches one field; int() makes a number of it."
OLD = {"sku": "A-1028", "stock": 3, "discount": "1990.07"}
READS = (
    frozenset(
        {
            b"GET",
            b"MGET",
            b"GETRANGE",
            b"HGET",
            b"HMGET",
            b"HGETALL",
            b"HGETEX",
            b"HINCRBY",
            b"JSON.GET",
        }
    )
    | SCRIPTS
)


def check(answer):
    with exercise_client() as r:
        answer(r, dict(PRODUCT))  # a script's first call sends its text
        clean(r)
        r.hset("exercise:product", mapping=OLD)
        with Recording() as seen:
            got = answer(r, dict(PRODUCT))
        cost, sent, kept = cost_of(seen), commands_sent(seen), stored(r)
        held = b"\n".join(kept.values())
        missing = [name for name, value in PRODUCT.items() if str(value).encode() not in held]
        if missing:
            raise Refused(
                f"not every field is stored: {', '.join(missing)} cannot be found under "
                "exercise:product.",
                "HSET with mapping=product stores them all.",
            )
        if isinstance(got, (bytes, str)) and got in (b"12", "12"):
            raise Refused(
                f"the right field, but as {type(got).__name__} {got!r}: Redis keeps "
                "bytes. Return the int 12.",
                "What HGET returns is bytes: int() turns b'12' into 12.",
            )
        if type(got) is not int or got != PRODUCT["stock"]:
            raise Refused(
                f"the function returned {got!r}; the stock is {PRODUCT['stock']}.", ONE_FIELD
            )
        if cost.bytes_received > BUDGET:
            raise Refused(
                f"the right value, but {counted(cost.bytes_received, 'byte')} received; "
                f"the budget is {BUDGET}."
            )
        if not any(command[0].upper() in READS and command[1:2] != [b"0"] for command in sent):
            raise Refused("the right value, but nothing was read back from Redis.", ONE_FIELD)
        if OLD["discount"].encode() in held:
            raise Refused(
                "every field is stored, but the product that was there before had a "
                "`discount`, and it is there still: HSET leaves alone what it isn't "
                "given",
                "What was there must go, in the same step as the new comes, or a reader "
                "finds half a product.",
                IN_ONE_STEP,
            )
        clean(r)
        with meddling() as stock:
            got = answer(r, dict(PRODUCT))
        if got != stock[-1]:
            raise Refused(
                "somebody sold five after you had stored the product: its stock is "
                f"{stock[-1]}, and the function returned {got!r}, which it did not read "
                "from there.",
                ONE_FIELD,
            )
        refuse_half_a_product(r, sent, kept)
    return (
        f"{counted(cost.bytes_received, 'byte')} received for a product of "
        f"{sum(len(str(v)) for v in PRODUCT.values()):,}"
    )


@contextlib.contextmanager
def meddling():
    """Sell five once the stock is stored, before more is sent; yield a list: the stock."""
    stock = [PRODUCT["stock"]]

    def meddle(connection, chunks, send):
        if connection.is_connected and connection.client_name != "seller" and len(stock) == 1:
            stock.extend(sell(seller))
        return send(chunks)

    with connect(client_name="seller") as seller, sending(meddle):
        yield stock


def sell(client):
    """Take five from wherever the stock stands as a number of its own; yield what is left."""
    left, whole = PRODUCT["stock"] - 5, str(PRODUCT["stock"]).encode()
    for key in client.scan_iter("exercise:*"):
        kind = client.type(key)
        if kind == b"hash" and client.hget(key, "stock") == whole:
            client.hset(key, "stock", left)
            yield left
        elif kind == b"string" and client.get(key) == whole:
            client.set(key, left)
            yield left


def refuse_half_a_product(r, sent, kept):
    """Send it all once more; raise Refused if a reader finds neither product whole in between.

    `kept` is what the keys hold in which the reader looks, afterwards.
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


def parts(held, keys):
    """Return what these keys hold, in an order of its own: a large hash tells it in any."""
    return {key: sorted(value.split(b"\n")) for key, value in held.items() if key in keys}
