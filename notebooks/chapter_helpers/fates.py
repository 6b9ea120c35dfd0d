"""Tabulate which values survive being encoded and decoded."""

SAME, REFUSED = "same", "refused"


class Fates:
    """A table of which values came back from each way of encoding them; its repr is the table.

    `by_value` is {name of the value: {name of the way: "same", "refused", or the repr of another
    value that came back}}. The table marks another value by an exclamation mark.
    """

    def __init__(self, by_value: dict[str, dict[str, str]]):
        self.by_value = by_value

    def counted(self, way: str, fate: str) -> int:
        """Return for how many values the outcome of the way named `way` is `fate`.

        `fate` is "same", "refused" or the repr of another value.
        """
        return sum(fates[way] == fate for fates in self.by_value.values())

    def changed(self, way: str) -> int:
        """Return the number of values that the way named `way` changed without an error."""
        return len(self.by_value) - self.counted(way, SAME) - self.counted(way, REFUSED)

    def __repr__(self):
        ways = list(next(iter(self.by_value.values())))
        rows = [["", *ways]]
        for name, fates in self.by_value.items():
            rows.append([name, *(marked(fate) for fate in fates.values())])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n".join(lines)


def marked(fate: str) -> str:
    return fate if fate in (SAME, REFUSED) else f"! {fate}"


def fates_of(samples: dict, ways: dict[str, tuple]) -> Fates:
    """Encode and decode each value in each way; return the outcomes as Fates.

    `samples` is {name: value}, `ways` is {name: (encode, decode)}, two functions of one argument.
    An outcome is "same", "refused" if either function raised, or the repr of the other value that
    came back.
    """
    return Fates(
        {name: {way: fate_of(value, *ways[way]) for way in ways} for name, value in samples.items()}
    )


def fate_of(value, encode, decode) -> str:
    try:
        back = decode(encode(value))
    except Exception:
        return REFUSED
    return SAME if repr(back) == repr(value) else repr(back)
