"""Tabulate which values survive being encoded and decoded."""

SAME, REFUSED = "same", "refused"


class Fates:
    """A table of which values came back from each way of encoding them; its repr is the table.

    `by_value` is {name of the value: {name of the way: "same", "refused", or the repr of another
    value that came back}}. The table marks another value by an exclamation mark.
    """

    def __init__(self, by_value):
        self.by_value = by_value

    def counted(self, way, fate):
        """Return for how many values the outcome of `way` is `fate`: "same" or "refused"."""
        return sum(fates[way] == fate for fates in self.by_value.values())

    def changed(self, way):
        """Return the number of values that `way` turned into another value without an error."""
        return len(self.by_value) - self.counted(way, SAME) - self.counted(way, REFUSED)

    def __repr__(self):
        ways = list(next(iter(self.by_value.values())))
        rows = [["", *ways]]
        for name, fates in self.by_value.items():
            rows.append([name, *(marked(fate) for fate in fates.values())])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n".join(lines)


def marked(fate):
    return fate if fate in (SAME, REFUSED) else f"! {fate}"


def fates_of(samples, ways):
    """Encode and decode each value in each way; return the outcomes as Fates.

    `samples` is {name: value}, `ways` is {name: (encode, decode)}, two functions of one argument.
    An outcome is "same", "refused" if either function raised, or the repr of the other value that
    came back.
    """
    return Fates(
        {name: {way: fate_of(value, *ways[way]) for way in ways} for name, value in samples.items()}
    )


def fate_of(value, encode, decode):
    try:
        back = decode(encode(value))
    except Exception:
        return REFUSED
    return SAME if repr(back) == repr(value) else repr(back)
