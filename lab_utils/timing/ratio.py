"""Compare two variants' times as a ratio: its interval, and whether the two differ."""

import math
import statistics
from dataclasses import dataclass

from ..words import counted, times

CONFIDENCE = 0.99
FEWEST_FOR_INTERVAL = 8  # below, not even the rounds' whole range holds the median with 99%
FEWEST_BY_ORDER = 5  # that five rounds of each come out in order by chance: below 1 in 100
FEWEST = 3
TOO_FEW, SAME, FASTER, SLOWER = "too few rounds to tell", "no different", "faster", "slower"


@dataclass(frozen=True)
class Ratio:
    """How many times faster one function is than another, from rounds in which both were timed.

    - `value` is the ratio of their median times: 2 for a function that is twice as fast
    - `low` and `high` are the ends of an interval around `value`
    - `rounds` is the number of rounds
    - `apart` is True if all times of one function are clearly below all of the other's: see `apart`
    - `judgement` is TOO_FEW, SAME, FASTER or SLOWER; titles, labels and sentences come from it

    With 8 rounds or more, the interval is that of the sign test (W. J. Conover, Practical
    Nonparametric Statistics, 3rd ed. 1999, section 3.2). Each round gives a ratio; `low` and `high`
    are two of these ratios, between which their true median is with at least 99% confidence, for
    any kind of noise. The interval is widened, if needed, to contain `value`, which a figure's two
    bars show. With fewer rounds it is the range of the ratios, and the functions differ only if
    `apart` is True.
    """

    value: float
    low: float
    high: float
    rounds: int
    apart: bool

    @property
    def judgement(self) -> str:
        beyond = self.low > 1 or self.high < 1
        if self.rounds < FEWEST_FOR_INTERVAL and not (beyond and self.apart):
            return TOO_FEW
        if not beyond:
            return SAME
        return FASTER if self.value > 1 else SLOWER

    @property
    def differs(self) -> bool:
        """True if the measurement shows a difference between the two variants."""
        return self.judgement in (FASTER, SLOWER)

    def sentence(self, name: str, over: str) -> str:
        """Return 'pipeline is 5.2x faster than loop (4.9 to 5.6)', or why that can't be said.

        `name` and `over` are the names of the two functions.
        """
        if self.judgement == TOO_FEW:
            seen = times(self.low) if self.rounds == 1 else self.range()
            seen += f" in {counted(self.rounds, 'round')}"
            return f"{name} and {over}: too few rounds to tell ({seen})"
        if self.judgement == SAME:
            return f"{name} and {over}: no difference beyond noise ({self.range()})"
        shown = self if self.judgement == FASTER else self.inverse()
        return f"{name} is {self} than {over} ({shown.range()})"

    def range(self) -> str:
        low, high = times(self.low)[:-1], times(self.high)[:-1]
        return f"{self.low:.4f} to {self.high:.4f}" if low == high == "1.00" else f"{low} to {high}"

    def inverse(self) -> "Ratio":
        return Ratio(1 / self.value, 1 / self.high, 1 / self.low, self.rounds, self.apart)

    def __str__(self) -> str:
        """Return '5.2x faster', '2.0x slower', 'no different' or 'too few rounds to tell'."""
        if not self.differs:
            return self.judgement
        value = self.value if self.judgement == FASTER else 1 / self.value
        return f"{times(value) if value >= 1.005 else 'less than 1%'} {self.judgement}"

    def __repr__(self) -> str:
        return f"~{times(self.value)} (~{times(self.low)[:-1]} to ~{times(self.high)[:-1]})"


def ratio(fast: list[float], slow: list[float]) -> Ratio:
    """Return the Ratio of how many times faster `fast` is than `slow`, paired round by round.

    Both are lists of seconds, one a round, equally long.
    """
    paired = sorted(b / a for a, b in zip(fast, slow, strict=True))
    value = statistics.median(slow) / statistics.median(fast)
    low, high = (paired[rank] for rank in interval_ranks(len(paired)))
    return Ratio(value, min(low, value), max(high, value), len(paired), apart(fast, slow))


def apart(one: list[float], other: list[float]) -> bool:
    """Return whether a few rounds show a difference: all times of one list are below the other's.

    `one` and `other` are lists of seconds, one a round, equally long. With one or two rounds the
    result is False. With three or four rounds, the gap between the lists must also be at least as
    wide as the range of each list.

    The reason is chance: five rounds of two equally fast functions are apart in 1 of 126
    comparisons, but three rounds in 1 of 10. The wider gap brings that to about 1 of 100 (simulated
    for normal, exponential and heavy-tailed noise, see test_ratio.py).
    """
    (low, near), (far, high) = sorted([(min(one), max(one)), (min(other), max(other))])
    if len(one) < FEWEST or near >= far:
        return False
    return len(one) >= FEWEST_BY_ORDER or far / near >= max(near / low, high / far)


def interval_ranks(n: int) -> tuple[int, int]:
    """Return the ranks (low, high) of two of `n` sorted values that enclose the true median.

    Ranks count from 0. The true median is between the two values with a confidence of at least 99%.
    Fewer than 8 values are too few for that: then the ranks are those of the first and the last
    one.
    """
    tail, low = 0.5**n, 0
    while low + 1 < n / 2 and tail + math.comb(n, low + 1) * 0.5**n <= (1 - CONFIDENCE) / 2:
        low += 1
        tail += math.comb(n, low) * 0.5**n
    return low, n - 1 - low
