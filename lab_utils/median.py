"""Define a median that keeps the values it was computed from, so that a figure can show them."""

import statistics


class Median(float):
    """The median of the numbers `rounds`: a float, with these numbers as the tuple `rounds`.

    Multiplied or divided by a number it is a Median again, of all rounds so changed; divided by a
    Median it is a float.
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
