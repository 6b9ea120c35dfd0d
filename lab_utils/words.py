"""How the lab writes figures: facts bare, measured values behind a `~`.

CI compares every printed line of a notebook and blanks only what stands behind a `~`, and whole
lines that begin with `measured:` or `this machine:` (see tests/nbval_sanitize.cfg). So a count that
changes is caught, and a slow morning is not.
"""

import math

from roundtrips.words import counted, duration, plain_duration, three_figures  # noqa: F401


def singular(things: str) -> str:
    """Return 'round trip' of 'round trips', 'reply' of 'replies'."""
    return f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")


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
