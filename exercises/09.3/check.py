"""Check exercise 09.3: cache replies in the client, and notice when the server's values change."""

import time

from redis.connection import CacheProxyConnection

from lab_utils.course.checking import (
    Attempt,
    Refused,
    counted,
    exercise_client,
    replaced,
    trips_of,
)

KEPT = (
    "redis-py's client-side caching keeps replies: protocol=3 and a cache_config, on one "
    "client that your function keeps.",
    "Make the client once, in price_reader, and not at each call; and ask by cached.get(…), "
    "since a pipeline always asks.",
)
PRODUCTS = {"tea": b"3"} | {f"thing {number}": b"%d" % number for number in range(119)}
PATIENCE_S = 2.0  # within which word of a change must have arrived


def check(answer) -> str:
    with exercise_client() as client:
        client.mset({f"exercise:price:{product}": price for product, price in PRODUCTS.items()})
        # redis-py caches with Redis from 7.4 on alone. Older ones and Valkey tell of changes too.
        with replaced(
            CacheProxyConnection,
            MIN_ALLOWED_VERSION="6.0.0",
            DEFAULT_SERVER_NAME=client.info("server").get("server_name", "redis"),
        ):
            price = answer(client)
            compare_prices(price, PRODUCTS, "at first")
            refuse_turns(
                price, PRODUCTS, f"for {counted(len(PRODUCTS), 'price')} that it had read before"
            )
            check_change(client, price)
    return "each price read once, again without a turn, and right after another client's change"


def check_change(client, price):
    client.set("exercise:price:tea", "4")
    now = PRODUCTS | {"tea": b"4"}
    deadline = time.monotonic() + PATIENCE_S
    while price("tea") != b"4":
        if time.monotonic() > deadline:
            raise Refused(
                f"another client made tea cost 4; {PATIENCE_S:g} s later it is still "
                f"{price('tea')!r}"
            )
        time.sleep(0.01)
    refuse_turns(price, now, "for prices that nobody changed since")


def refuse_turns(price, expected: dict, known: str) -> None:
    """Raise Refused if reading prices that are in the client's cache costs a round trip.

    `price(product)` is the learner's function, `expected` is {product: price as bytes}. `known` is
    a text that ends the message, such as "for prices that nobody changed since".
    """
    attempt = Attempt(compare_prices, price, expected, "the next time")
    if trips := trips_of(attempt.cost):
        raise Refused(f"right prices, but {counted(trips, 'round trip')} {known}", *KEPT)


def compare_prices(price, expected: dict, when: str) -> None:
    for product, right in expected.items():
        got = price(product)
        if got != right:
            raise Refused(
                f"{when} the price of {product} is {got!r} and should be {right!r}",
                "Return what GET replies, as r would: bytes.",
            )
