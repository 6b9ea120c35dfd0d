"""Write numbers as text: facts bare, measured values behind a `~`.

CI compares every printed line of a notebook and blanks only the number behind a `~`, and whole
lines that begin with `measured:` or `this machine:` (see tests/nbval_sanitize.cfg). So CI notices a
changed count, and ignores a slow machine.
"""

import math

from roundtrips.words import counted, duration, plain_duration, three_figures  # noqa: F401


def singular(things: str) -> str:
    """Return a noun in the singular: 'round trip' for 'round trips', 'reply' for 'replies'."""
    return f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")


def two_figures(value: float) -> str:
    """Return a fitted value rounded to two significant figures: '6.6' for 6.63, '120' for 123."""
    return f"{float(f'{value:.2g}'):,g}"


def milliseconds(rtt_ms: float) -> str:
    """Return a distance in ms that was set, not measured, as text: '0.25 ms'."""
    return f"{rtt_ms:g} ms"


def times(value: float) -> str:
    """Return a factor as text: '5.2x', '13x' or '120x'; near 1 with two decimals, '1.08x'."""
    return f"{value:.2f}x" if value < 2 else f"{value:.1f}x" if value < 9.95 else f"{value:,.0f}x"


def factor_off(one: float, other: float) -> float:
    """Return the factor between two positive values, larger over smaller: 1 or more."""
    return max(one / other, other / one)


def within(factor: float) -> str:
    """Return how far off a factor of 1 or more is: 'within 4%' below 1.1, else 'within 2.3x'."""
    off = f"{math.ceil(100 * (factor - 1) - 1e-9)}%" if factor < 1.1 else times(factor)
    return f"within {off}"
