"""A ratio of two variants' times, with an interval, and whether it says anything."""

import math
import statistics
from dataclasses import dataclass

CONFIDENCE = 0.99
FEWEST_FOR_INTERVAL = 8  # below, not even the whole range of the rounds holds the median with 99% confidence


@dataclass(frozen=True)
class Ratio:
    """How many times faster one variant is than another: `value` is the median over paired rounds, `low` to `high` its interval.

    The interval is the sign test's (W. J. Conover, Practical Nonparametric Statistics, 3rd ed. 1999, section 3.2): two
    order statistics of the paired ratios hold their median with at least 99% confidence, whatever the noise looks like.
    With fewer than 8 rounds that cannot be had; then it is the range of what was seen, and `apart`
    (every round of one variant faster than every round of the other) is needed as well to call it a difference.
    """

    value: float
    low: float
    high: float
    rounds: int
    apart: bool

    @property
    def differs(self):
        """True if the measurement tells the two apart."""
        beyond = self.low > 1 or self.high < 1
        return beyond and (self.rounds >= FEWEST_FOR_INTERVAL or (self.apart and self.rounds > 2))

    def sentence(self, name, over):
        """'pipeline is 5.2x faster than loop (4.9 to 5.6)', or that no difference shows."""
        if not self.differs:
            return f"{name} and {over}: no difference beyond noise ({self.low:.2f} to {self.high:.2f})"
        ratio, word = (self, "faster") if self.value >= 1 else (self.inverse(), "slower")
        return f"{name} is {times(ratio.value)} {word} than {over} ({times(ratio.low)[:-1]} to {times(ratio.high)[:-1]})"

    def inverse(self):
        return Ratio(1 / self.value, 1 / self.high, 1 / self.low, self.rounds, self.apart)

    def __repr__(self):
        return f"~{times(self.value)} (~{times(self.low)[:-1]} to ~{times(self.high)[:-1]})"


def times(value):
    """'5.2x', '120x'; near 1 with two decimals, '1.08x'."""
    return f"{value:.2f}x" if value < 2 else f"{value:.1f}x" if value < 20 else f"{value:,.0f}x"


def ratio(fast, slow):
    """The Ratio slow over fast of two lists of seconds, paired round by round."""
    paired = sorted(b / a for a, b in zip(fast, slow, strict=True))
    low, high = interval_ranks(len(paired))
    apart = max(fast) < min(slow) or max(slow) < min(fast)
    return Ratio(statistics.median(paired), paired[low], paired[high], len(paired), apart)


def interval_ranks(n):
    """Indices of the order statistics that hold the median of n values with at least 99% confidence, or the outermost."""
    tail, low = 0.5**n, 0
    while low + 1 < n / 2 and tail + math.comb(n, low + 1) * 0.5**n <= (1 - CONFIDENCE) / 2:
        low += 1
        tail += math.comb(n, low) * 0.5**n
    return low, n - 1 - low
