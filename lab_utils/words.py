"""How the lab writes figures: facts bare, measured values behind a `~`.

CI compares every printed line of a notebook and blanks only what stands behind a `~`, and whole
lines that begin with `measured:` or `this machine:` (see tests/nbval_sanitize.cfg). So a count that
changes is caught, and a slow morning is not.
"""

import math


def counted(number: int, thing: str) -> str:
    """Return '1 round trip', '1,000 round trips', '2 replies', '2 keys'."""
    if number != 1:
        ies = thing.endswith("y") and thing[-2] not in "aeiou"
        thing = f"{thing[:-1]}ies" if ies else f"{thing}s"
    return f"{number:,} {thing}"


def singular(things: str) -> str:
    """Return 'round trip' of 'round trips', 'reply' of 'replies'."""
    return f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")


def duration(seconds: float) -> str:
    """Return '~7.5 ms': a measured time with three figures and the unit that suits it."""
    return "~" + plain_duration(seconds)


def plain_duration(seconds: float) -> str:
    """Return '7.5 ms', for a title or a label, where nothing is compared."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= scale * 0.9995:
            return f"{three_figures(seconds / scale)} {unit}"
    return f"{three_figures(seconds / 1e-9)} ns"


def three_figures(value: float) -> str:
    """Round to three figures: 1234.5 -> '1,234', 12.345 -> '12.3', 0.012345 -> '0.0123'."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    return text if "e" not in text else f"{value:f}"


def two_figures(value: float) -> str:
    """Round to two figures: 6.63 -> '6.6', 123 -> '120': what was fitted, not measured."""
    return f"{float(f'{value:.2g}'):,g}"


def milliseconds(rtt_ms: float) -> str:
    """Return '0.25 ms': a distance that was set, not measured."""
    return f"{rtt_ms:g} ms"


def times(value: float) -> str:
    """Return '5.2x', '120x'; near 1 with two decimals, '1.08x'."""
    return f"{value:.2f}x" if value < 2 else f"{value:.1f}x" if value < 20 else f"{value:,.0f}x"


def factor_off(one: float, other: float) -> float:
    """Return how many times two values are apart, whichever is larger: 1 or more."""
    return max(one / other, other / one)


def within(factor: float) -> str:
    """Say how far off a factor of 1 or more is: 'within 4%' below 1.1, 'within 2.3x' above."""
    off = f"{math.ceil(100 * (factor - 1) - 1e-9)}%" if factor < 1.1 else times(factor)
    return f"within {off}"
