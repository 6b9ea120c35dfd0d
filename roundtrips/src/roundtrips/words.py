"""Write counts, times and sizes as text."""


def counted(number: int, thing: str) -> str:
    """Return a number and its noun: '1 round trip', '1,000 round trips', '2 replies'.

    `thing` is the noun in the singular.
    """
    ends_in_ies = thing.endswith("y") and thing[-2] not in "aeiou"
    several = f"{thing[:-1]}ies" if ends_in_ies else f"{thing}s"
    return f"{number:,} {thing if number == 1 else several}"


def plain_duration(seconds: float) -> str:
    """Return a time in seconds as text with three figures, in the unit that suits it: '7.5 ms'."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= scale * 0.9995:
            return f"{three_figures(seconds / scale)} {unit}"
    return f"{three_figures(seconds / 1e-9)} ns"


def duration(seconds: float) -> str:
    """Return a measured time in seconds as text: '~7.5 ms'.

    The `~` says that the figure differs from one measurement to the next.
    """
    return "~" + plain_duration(seconds)


def three_figures(value: float) -> str:
    """Return a number as text, rounded to three figures, or to a whole number from 100 on.

    It is '12.3' for 12.345, and '1,234' for 1234.5.
    """
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    return text if "e" not in text else f"{value:f}"


def size(nbytes: int) -> str:
    """Return a number of bytes as text: '38,780 bytes' below a megabyte, '1.2 MB' above."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if nbytes >= scale:
            return f"{nbytes / scale:.3g} {unit}"
    return f"{nbytes:,} bytes"
