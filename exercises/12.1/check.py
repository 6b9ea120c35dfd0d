"""Check exercise 12.1: show a shopping cart in two round trips."""

import secrets

from lab_utils.course.checking import counted, exercise_client, lines_within

CARTS = 30, 120, 1, 0  # products in each
CART_TRIPS = 2


def check(answer) -> str:
    with exercise_client(decode_responses=True) as client:
        for number in CARTS:
            user, expected = fill_cart(client, number)
            call = f"a cart with {counted(number, 'product')}"
            lines_within(
                CART_TRIPS,
                answer,
                (client, user),
                expected,
                call,
                "Compare with slow_cart, line by line: the order of the cart, and '(only "
                "… left)' where there is too little.",
            )
    return f"carts of {', '.join(map(str, CARTS))} products in {CART_TRIPS} round trips at most"


def fill_cart(client, number: int) -> tuple[str, list[str]]:
    """Write a cart of `number` random products; return (user's id, lines).

    The lines are the list that the learner's `cart` must return for that user. `client` is a
    redis.Redis.
    """
    user, lines = secrets.token_hex(4), {}
    for place in range(number):
        product, amount, price = (
            secrets.token_hex(4),
            secrets.randbelow(9) + 1,
            secrets.randbelow(900) + 100,
        )
        left = 0 if not place else amount - 1 if place % 3 == 0 else amount + secrets.randbelow(50)
        client.hset(f"exercise:cart:{user}", product, amount)
        client.hset(
            f"exercise:product:{product}", mapping={"name": f"thing {product}", "price": price}
        )
        if left:
            client.set(f"exercise:stock:{product}", left)
        note = f" (only {left} left)" if left < amount else ""
        lines[product] = f"{amount} thing {product}: {amount * price}{note}"
    return user, [lines[product] for product in client.hgetall(f"exercise:cart:{user}")]
