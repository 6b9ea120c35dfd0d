"""Define a median that keeps the values it was computed from, so that a figure can show them."""

import statistics


class Median(float):
    """A float, the median of the numbers `rounds`, that keeps these numbers as the tuple `rounds`.

    A Median multiplied or divided by a number is again a Median, with each of its `rounds`
    multiplied or divided. A Median divided by a Median is a plain float.
    """

    rounds: tuple[float, ...]

    def __new__(cls, rounds: list[float]) -> "Median":
        found = super().__new__(cls, statistics.median(rounds))
        found.rounds = tuple(rounds)
        return found

    def __mul__(self, by: float) -> "Median":
        return Median([each * by for each in self.rounds])

    __rmul__ = __mul__

    def __truediv__(self, by: float) -> float:
        if isinstance(by, Median):
            return float(self) / float(by)
        return Median([each / by for each in self.rounds])
