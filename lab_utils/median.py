"""A median that knows what it is the median of, so that a figure can show its rounds."""

import statistics


class Median(float):
    """The median of `rounds`; × or ÷ a plain number it keeps them, otherwise it is a float."""

    def __new__(cls, rounds):
        found = super().__new__(cls, statistics.median(rounds))
        found.rounds = tuple(rounds)
        return found

    def __getnewargs__(self):
        return (self.rounds,)

    def __mul__(self, by):
        plain = isinstance(by, Median)
        return float(self) * float(by) if plain else Median([each * by for each in self.rounds])

    __rmul__ = __mul__

    def __truediv__(self, by):
        plain = isinstance(by, Median)
        return float(self) / float(by) if plain else Median([each / by for each in self.rounds])
