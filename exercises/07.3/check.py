"""Check exercise 07.3: return a price with its cents from a Lua script."""

import contextlib
from decimal import Decimal

from lab_utils.course.checking import Refused, exercise_client, in_one_turn, text

PRICES = (
    ("19.99", 10, "17.99"),
    ("80", 25, "60.00"),
    ("0.50", 50, "0.25"),
    ("2.30", 10, "2.07"),
    ("10.33", 10, "9.30"),
    ("123456.78", 0, "123456.78"),
    ("5.00", 100, "0.00"),
)
LEFT_S = 12_345
KEEP = "redis.call('SET', KEYS[1], price, 'KEEPTTL')"
TO_THE_CENT = (
    "A Lua number is cut to a whole one on its way out; a text travels whole. And multiplying "
    "leaves more than two decimals, or a little too few: 2.30 less 10% is "
    "2.0699999… to a computer. Round it.",
    "string.format('%.2f', price) rounds to two decimals, and makes it a text.",
)


def check(answer) -> str:
    key = "exercise:price"
    with exercise_client() as client:
        for price, percent, right in PRICES:
            client.set(key, price)
            check_price(
                answer(client, key, percent), client.get(key), price, percent, Decimal(right)
            )
            if client.ttl(key) != -1:
                raise Refused(
                    "the price is right, but the key had no expiry, and now it has one", KEEP
                )
        client.set(key, "19.99", ex=LEFT_S)
        in_one_turn(answer, client, key, 10)
        left = client.ttl(key)
        if not LEFT_S - 100 < left <= LEFT_S:
            raise Refused(
                f"the price is right, but the key had {LEFT_S:,} s left, and now it has "
                f"{'no expiry' if left == -1 else f'{left:,} s'}",
                "SET clears an expiry. One of its options keeps it as it is.",
                KEEP,
            )
        client.delete(key)
        with contextlib.suppress(Exception):  # an error is an answer where there is no price
            answer(client, key, 10)
        if client.exists(key):
            raise Refused(
                f"there was no price to reduce, and now {client.get(key).decode()} is stored",
                "GET replies false to Lua, None to Python, where there is no key. Return before "
                "you write.",
            )
    return "the new price stored, and returned to the cent, in 1 round trip"


def check_price(got, stored, price, percent, right):
    task = f"{price} less {percent}% is {right:.2f}"
    said = as_price(got)
    if abs(said - right) > Decimal("0.001"):
        raise Refused(f"{task}, and the function returned {said}", *TO_THE_CENT)
    kept = as_price(stored)
    if abs(kept - right) > Decimal("0.001"):
        raise Refused(
            f"the function returned {said}, but {kept} is stored",
            "SET in the script stores what it is given.",
            *TO_THE_CENT[1:],
        )


def as_price(value):
    try:
        return Decimal(str(text(value)))
    except ArithmeticError:
        raise Refused(
            f"a price was expected, not {value!r}",
            "return in the script, and return in the function.",
        ) from None
