"""Keep replies at the client, and hear of changes."""

import time

from redis.connection import CacheProxyConnection

from lab_utils.course.checking import (
    Refused,
    borrowed,
    cost_and_result,
    counted,
    exercise_client,
    replaced,
    shown,
    text,
    trips_of,
)

KEPT = (
    "redis-py's client-side caching keeps replies: protocol=3 and a cache_config, on one "
    "client that your function keeps.",
    "Make the client once, in price_reader, and not at each call; and ask by cached.get(…), "
    "since a pipeline always asks.",
)
PRODUCTS = {"tea": b"3", "mug": b"7", "pot": b"12"}
PATIENCE_S = 2.0  # within which word of a change must have arrived


def check(answer):
    with exercise_client() as client:
        client.mset({f"exercise:price:{product}": price for product, price in PRODUCTS.items()})
        with caching_allowed(client):
            price = answer(client)
            if not callable(price):
                raise Refused(f"price_reader(r) should return a function, not {shown(price)}")
            compare_prices(price, PRODUCTS, "at first")
            refuse_turns(
                client,
                price,
                PRODUCTS,
                "the second time",
                f"for {len(PRODUCTS)} that it had read before",
            )
            check_change(client, price)
    return "each price read once, again without a turn, and right after another client's change"


def caching_allowed(client):
    """Let redis-py cache with any server: it asks for 7.4, though 6.0 sends word of changes."""
    spoken_to = borrowed(client).handshake_metadata
    name = spoken_to.get(b"server", spoken_to.get("server", b"redis"))
    return replaced(
        CacheProxyConnection, MIN_ALLOWED_VERSION="6.0.0", DEFAULT_SERVER_NAME=text(name)
    )


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
    refuse_turns(client, price, now, "after a change", "for prices that nobody changed since")


def refuse_turns(client, price, expected, when, known):
    """Raise Refused if prices that are known already cost a turn."""
    cost, _ = cost_and_result(lambda _: compare_prices(price, expected, when), client)
    if trips := trips_of(cost):
        raise Refused(f"right prices, but {counted(trips, 'round trip')} {known}", *KEPT)


def compare_prices(price, expected, when):
    for product, right in expected.items():
        got = price(product)
        if got != right:
            raise Refused(
                f"{when} the price of {product} is {got!r} and should be {right!r}",
                "Return what GET replies, as r would: bytes.",
            )
